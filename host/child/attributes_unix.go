//go:build unix && !linux

package child

import "syscall"

// attributes keep the terminal's Ctrl-C from the child, which is ended in its turn.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

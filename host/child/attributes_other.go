//go:build !unix

package child

import "syscall"

// attributes are the system's defaults: the child may see the terminal's Ctrl-C before it is ended in its turn.
func attributes() *syscall.SysProcAttr { return nil }

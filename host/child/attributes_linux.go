package child

import "syscall"

// attributes keep the terminal's Ctrl-C from the child, which is ended in its turn, and end it if the parent is killed.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

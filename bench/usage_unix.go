//go:build unix

package main

import (
	"os"
	"runtime"
	"syscall"
)

// cpuSeconds is the processor time this process has used.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// peakRSS is the most memory an ended process had resident, in bytes.
func peakRSS(p *os.ProcessState) float64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // there in bytes, elsewhere in kilobytes
		return float64(u.Maxrss)
	}
	return float64(u.Maxrss) * 1024
}

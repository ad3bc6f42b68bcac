//go:build unix

package main

import (
	"fmt"
	"math"
	"os"
	"strings"
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

// peakRSS is the most memory this process has had resident, in bytes. The kernel tells it per address space; the figure that
// a parent gets of an ended child is no use, since it has the parent's own peak in it from before the child's program was
// loaded. It is NaN where /proc does not tell.
func peakRSS() float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return math.NaN()
	}
	for line := range strings.Lines(string(status)) {
		var kB float64
		if _, err := fmt.Sscanf(line, "VmHWM: %f kB", &kB); err == nil {
			return kB * 1024
		}
	}
	return math.NaN()
}

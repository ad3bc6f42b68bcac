//go:build !unix

package main

import (
	"math"
	"os"
)

// cpuSeconds is not told by this operating system: figures made from it print as NaN.
func cpuSeconds() float64 { return math.NaN() }

// peakRSS is not told by this operating system.
func peakRSS(*os.ProcessState) float64 { return math.NaN() }

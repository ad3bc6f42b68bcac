//go:build !unix

package main

import "math"

// cpuSeconds is not told by this operating system: figures made from it print as NaN.
func cpuSeconds() float64 { return math.NaN() }

// peakRSS is not told by this operating system.
func peakRSS() float64 { return math.NaN() }

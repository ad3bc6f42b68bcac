package record

import "time"

// Sample is one value of a metric at one time, as measured. Time is wall-clock time: the run's anchor plus a monotonic
// offset. Tags have few distinct values, Metadata may have many; both are shared between samples and never changed.
type Sample struct {
	Metric   *Metric
	Time     time.Time
	Value    float64
	Tags     Tags
	Metadata Tags
}

// Millis is the float milliseconds of d, the unit of every external time.
func Millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

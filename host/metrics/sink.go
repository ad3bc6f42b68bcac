package metrics

import (
	"time"

	"github.com/wsgov/wsgov/host/threshold"
	"github.com/wsgov/wsgov/record"
)

// Sink aggregates the values of one series.
type Sink interface {
	// Add takes in one value.
	Add(value float64)
	// Empty reports whether nothing was added.
	Empty() bool
	// Get is the aggregate that a threshold asks for; false if it does not exist, such as the rate of no samples.
	// Elapsed is how long the run has lasted.
	Get(a threshold.Aggregation, elapsed time.Duration) (float64, bool)
}

// NewSink makes an empty sink of a kind.
func NewSink(kind record.Kind) Sink {
	switch kind {
	case record.Counter:
		return &CounterSink{}
	case record.Gauge:
		return &GaugeSink{}
	case record.Rate:
		return &RateSink{}
	}
	return &TrendSink{}
}

// CounterSink adds values up.
type CounterSink struct {
	Sum   float64
	count int64
}

// Add implements Sink.
func (s *CounterSink) Add(v float64) { s.Sum += v; s.count++ }

// Empty implements Sink.
func (s *CounterSink) Empty() bool { return s.count == 0 }

// Rate is the sum per second of the run; false if the run has not lasted.
func (s *CounterSink) Rate(elapsed time.Duration) (float64, bool) {
	if elapsed <= 0 {
		return 0, false
	}
	return s.Sum / elapsed.Seconds(), true
}

// Get implements Sink: count and rate.
func (s *CounterSink) Get(a threshold.Aggregation, elapsed time.Duration) (float64, bool) {
	if a.Name == "rate" {
		return s.Rate(elapsed)
	}
	return s.Sum, true
}

// GaugeSink keeps the last value and the extremes.
type GaugeSink struct {
	Value, Min, Max float64
	count           int64
}

// Add implements Sink.
func (s *GaugeSink) Add(v float64) {
	if s.count == 0 {
		s.Min, s.Max = v, v
	}
	s.Value, s.Min, s.Max = v, min(s.Min, v), max(s.Max, v)
	s.count++
}

// Empty implements Sink.
func (s *GaugeSink) Empty() bool { return s.count == 0 }

// Get implements Sink: the last value, 0 if there is none.
func (s *GaugeSink) Get(threshold.Aggregation, time.Duration) (float64, bool) { return s.Value, true }

// RateSink counts how many values are not zero.
type RateSink struct {
	Trues, Total int64
}

// Add implements Sink.
func (s *RateSink) Add(v float64) {
	s.Total++
	if v != 0 {
		s.Trues++
	}
}

// Empty implements Sink.
func (s *RateSink) Empty() bool { return s.Total == 0 }

// Ratio is the share of values that are not zero, 0 if there are none.
func (s *RateSink) Ratio() float64 {
	if s.Total == 0 {
		return 0
	}
	return float64(s.Trues) / float64(s.Total)
}

// Get implements Sink: the ratio, which does not exist without values.
func (s *RateSink) Get(threshold.Aggregation, time.Duration) (float64, bool) {
	return s.Ratio(), s.Total > 0
}

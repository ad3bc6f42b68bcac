package metrics

import (
	"math"
	"slices"
	"time"

	"github.com/wsgov/wsgov/host/threshold"
)

// TrendSink keeps every value, so that its quantiles are exact and those of k6.
type TrendSink struct {
	values   []float64
	sorted   int // length of the sorted head
	min, max float64
	sum      float64
}

// Add implements Sink.
func (s *TrendSink) Add(v float64) {
	if len(s.values) == 0 {
		s.min, s.max = v, v
	}
	s.values = append(s.values, v)
	s.sum += v
	s.min, s.max = min(s.min, v), max(s.max, v)
}

// Empty implements Sink.
func (s *TrendSink) Empty() bool { return len(s.values) == 0 }

// Count is the number of values.
func (s *TrendSink) Count() int { return len(s.values) }

// Quantile is the value at p from 0 to 1, linear between closest ranks: index p·(n−1) of the sorted values, as k6 and
// numpy's "linear" have it. It is 0 without values.
func (s *TrendSink) Quantile(p float64) float64 {
	if len(s.values) == 0 {
		return 0
	}
	s.sort()
	at := p * float64(len(s.values)-1)
	low, high := s.values[int(math.Floor(at))], s.values[int(math.Ceil(at))]
	if low == high {
		return low // also where both are infinite
	}
	return low + (high-low)*(at-math.Floor(at))
}

// sort sorts the values that came since the last time and merges them into the sorted head.
func (s *TrendSink) sort() {
	if s.sorted == len(s.values) {
		return
	}
	tail := slices.Clone(s.values[s.sorted:])
	slices.Sort(tail)
	i, j := s.sorted-1, len(tail)-1
	for k := len(s.values) - 1; j >= 0; k-- {
		if i >= 0 && s.values[i] > tail[j] {
			s.values[k] = s.values[i]
			i--
		} else {
			s.values[k] = tail[j]
			j--
		}
	}
	s.sorted = len(s.values)
}

// Get implements Sink: avg, min, max, med and p(N), each 0 without values, and count.
func (s *TrendSink) Get(a threshold.Aggregation, _ time.Duration) (float64, bool) {
	switch a.Name {
	case "count":
		return float64(len(s.values)), true
	case "avg":
		return s.sum / math.Max(1, float64(len(s.values))), true
	case "min":
		return s.min, true
	case "max":
		return s.max, true
	case "med":
		return s.Quantile(0.5), true
	}
	return s.Quantile(a.Percentile / 100), true
}

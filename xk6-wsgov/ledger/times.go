package ledger

import (
	"math"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/wsgov/wsgov/record"
)

// The histogram holds 1 µs to one hour with three significant digits: a quantile is off by 0.1 % at most. A longer time is
// counted, and stands in a quantile as slower than an hour.
const (
	lowest  = 1
	highest = int64(time.Hour / time.Microsecond)
	digits  = 3
)

// exactUpTo is how many values are kept as they are before a histogram takes over.
const exactUpTo = 512

// times is one distribution with the number of messages that have no such time. The zero value is empty.
type times struct {
	exact   []time.Duration
	h       *hdrhistogram.Histogram // once there are too many values to keep
	sum     float64                 // ms
	missing int64
	beyond  int64 // values above an hour, which h cannot hold
	low     time.Duration
	high    time.Duration
}

func (t *times) add(d time.Duration) {
	if t.count() == 0 {
		t.low, t.high = d, d
	}
	t.low, t.high = min(t.low, d), max(t.high, d)
	t.sum += record.Millis(d)
	if t.h == nil && len(t.exact) < exactUpTo {
		t.exact = append(t.exact, d)
		return
	}
	t.spill()
	t.record(d)
}

// spill moves the values kept so far into the histogram.
func (t *times) spill() {
	if t.h != nil {
		return
	}
	t.h = hdrhistogram.New(lowest, highest, digits)
	for _, d := range t.exact {
		t.record(d)
	}
	t.exact = nil
}

func (t *times) record(d time.Duration) {
	if err := t.h.RecordValue(d.Microseconds()); err != nil {
		t.beyond++
	}
}

// count is the number of values, those beyond an hour included.
func (t *times) count() int64 {
	if t.h == nil {
		return int64(len(t.exact))
	}
	return t.h.TotalCount() + t.beyond
}

// at is the nearest-rank quantile over values and missing ones.
func (t *times) at(q float64) record.Milliseconds {
	n := t.count()
	if n+t.missing == 0 {
		return 0
	}
	rank := max(int64(math.Ceil(q*float64(n+t.missing)-1e-9)), 1)
	switch {
	case rank > n:
		return record.Milliseconds(math.Inf(1))
	case rank == n:
		return record.Milliseconds(record.Millis(t.high))
	case t.h == nil:
		slices.Sort(t.exact)
		return record.Milliseconds(record.Millis(t.exact[rank-1]))
	case rank > t.h.TotalCount():
		return record.Milliseconds(math.Inf(1))
	}
	return record.Milliseconds(float64(t.h.ValueAtPercentile(100*float64(rank)/float64(t.h.TotalCount()))) / 1000)
}

func (t *times) quantiles() record.Quantiles {
	q := record.Quantiles{P50: t.at(0.5), P90: t.at(0.9), P95: t.at(0.95), P99: t.at(0.99), P999: t.at(0.999), Count: t.count()}
	if q.Count > 0 {
		q.Min, q.Max = record.Milliseconds(record.Millis(t.low)), record.Milliseconds(record.Millis(t.high))
		q.Mean = record.Milliseconds(t.sum / float64(q.Count))
	}
	return q
}

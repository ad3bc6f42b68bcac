// Package latency keeps distributions of times in which messages without an answer count as slower than every answer.
package latency

import (
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/wsgov/wsgov/record"
)

// The range of a Histogram in milliseconds, and its resolution.
const (
	LowestMillis  = 0.001     // 1 µs, the width of the finest bucket
	HighestMillis = 3_600_000 // 1 h
	// SignificantDigits of a quantile. Four make a bucket narrower than 1/16,384 (0.0061 %) of its value, so that what is
	// printed with four digits is what was measured.
	SignificantDigits = 4
	coarseDigits      = 3
	// sparseLimit is how many distinct buckets are held in the sparse form, which takes some ten kilobytes but searches
	// for its place; from there on the dense form takes 2.5 MB and does not search.
	sparseLimit = 2048
)

// Histogram counts times in milliseconds: those of answered messages in buckets of 1 µs or SignificantDigits, whichever
// is wider, with count, minimum, maximum and sum kept exactly, and beside them how many messages were slower than all of
// them because no answer came. It is not safe for concurrent use.
type Histogram struct {
	sparse  *hdrhistogram.PackedHistogram
	dense   *hdrhistogram.Histogram // takes all new counts while it is there
	digits  int
	slower  int64
	clamped int64
	sum     float64
	lost    float64 // compensation of sum, after Neumaier
	min     float64
	max     float64
}

// New returns an empty histogram.
func New() *Histogram { return withDigits(SignificantDigits) }

// NewCoarse returns an empty histogram of three significant digits that never takes more than 200 kB. It merges with its
// like only.
func NewCoarse() *Histogram { return withDigits(coarseDigits) }

func withDigits(digits int) *Histogram {
	return &Histogram{
		sparse: hdrhistogram.NewPacked(1, HighestMillis*1000, digits), digits: digits,
		min: math.Inf(1), max: math.Inf(-1),
	}
}

// Record counts one answered message. A time outside 0 to HighestMillis is counted at the nearer end and reported as
// clamped; minimum, maximum and mean keep it as it was.
func (h *Histogram) Record(ms float64) (clamped bool) {
	bounded := math.Min(math.Max(ms, 0), HighestMillis)
	if math.IsNaN(ms) {
		ms, bounded, clamped = 0, 0, true
	}
	if err := h.count(int64(math.Round(bounded * 1000))); err != nil || bounded != ms {
		clamped = true
	}
	if clamped {
		h.clamped++
	}
	h.min, h.max = math.Min(h.min, ms), math.Max(h.max, ms)
	h.add(ms)
	return clamped
}

func (h *Histogram) count(micros int64) error {
	if h.dense == nil && h.sparse.Populated() < sparseLimit {
		return h.sparse.RecordValue(micros)
	}
	if h.dense == nil {
		h.dense = hdrhistogram.New(1, HighestMillis*1000, h.digits)
	}
	return h.dense.RecordValue(micros)
}

// Compact gives back the memory of a histogram that will not be recorded into soon. It loses nothing.
func (h *Histogram) Compact() {
	if h.dense != nil {
		h.sparse.MergeFrom(h.dense) // of the same geometry: nothing is dropped
		h.dense = nil
	}
	h.sparse.Compact()
}

func (h *Histogram) add(v float64) {
	t := h.sum + v
	if math.Abs(h.sum) >= math.Abs(v) {
		h.lost += h.sum - t + v
	} else {
		h.lost += v - t + h.sum
	}
	h.sum = t
}

// AddSlower counts n messages without an answer: they rank above every answered one.
func (h *Histogram) AddSlower(n int64) { h.slower += n }

// Merge adds what other counted. It returns how many of other's counts could not be taken, which is 0 between histograms
// of this package.
func (h *Histogram) Merge(other *Histogram) (dropped int64) {
	h.Compact()
	other.Compact()
	dropped = h.sparse.Merge(other.sparse)
	h.slower += other.slower
	h.clamped += other.clamped
	h.min, h.max = math.Min(h.min, other.min), math.Max(h.max, other.max)
	h.add(other.sum)
	h.add(other.lost)
	return dropped
}

// Count is the number of answered messages.
func (h *Histogram) Count() int64 {
	if h.dense == nil {
		return h.sparse.TotalCount()
	}
	return h.sparse.TotalCount() + h.dense.TotalCount()
}

// Slower is the number of messages without an answer.
func (h *Histogram) Slower() int64 { return h.slower }

// Clamped is the number of recorded times that lay outside the range.
func (h *Histogram) Clamped() int64 { return h.clamped }

// Sum is the sum of the answered times in milliseconds, to the last bits of a float64.
func (h *Histogram) Sum() float64 { return h.sum + h.lost }

// Quantile is the time in milliseconds of the message with the nearest rank to q (0 to 1) among all messages, answered or
// not: the smallest time that at least q of them did not exceed (Hyndman and Fan, 1996, definition 1). It is +Inf if that
// message has no answer, and 0 if there are no messages. What it returns is the lower end of the message's bucket, within
// the exact minimum and maximum.
func (h *Histogram) Quantile(q float64) record.Milliseconds {
	population := h.Count() + h.slower
	if population == 0 {
		return 0
	}
	rank := rank(q, population)
	if rank > h.Count() {
		return record.Milliseconds(math.Inf(1))
	}
	if h.dense != nil {
		h.Compact()
	}
	value, passed := h.max, int64(0)
	for lowest, count := range h.sparse.ForEachBucket {
		if passed += count; passed >= rank {
			value = float64(lowest) / 1000
			break
		}
	}
	return record.Milliseconds(math.Min(math.Max(value, h.min), h.max))
}

// rank is ⌈q·n⌉ within 1 to n, where a product that is a whole number but for rounding counts as that number.
func rank(q float64, n int64) int64 {
	exact := q * float64(n)
	whole := math.Round(exact)
	if math.Abs(exact-whole) > 1e-9*math.Max(1, exact) {
		whole = math.Ceil(exact)
	}
	return min(max(int64(whole), 1), n)
}

// Quantiles summarises the distribution in the form of a Ledger.
func (h *Histogram) Quantiles() record.Quantiles {
	out := record.Quantiles{
		P50: h.Quantile(.5), P90: h.Quantile(.9), P95: h.Quantile(.95), P99: h.Quantile(.99), P999: h.Quantile(.999),
		Count: h.Count(),
	}
	if out.Count > 0 {
		out.Min, out.Max = record.Milliseconds(h.min), record.Milliseconds(h.max)
		out.Mean = record.Milliseconds(h.Sum() / float64(out.Count))
	}
	return out
}

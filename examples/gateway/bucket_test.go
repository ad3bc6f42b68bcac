package gateway

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBucket(t *testing.T) {
	const s = time.Second
	for _, c := range []struct {
		name     string
		capacity uint64
		refill   float64
		at       []time.Duration
		want     string // one letter for each take: y or n
	}{
		{"starts full", 3, 0, []time.Duration{0, 0, 0, 0}, "yyyn"},
		{"never refills at 0", 1, 0, []time.Duration{0, 1000 * s}, "yn"},
		{"gives nothing without capacity", 0, 400, []time.Duration{0, s}, "nn"},
		{"refills", 2, 4, []time.Duration{0, 0, 0, s / 8, s / 4, s / 4}, "yynnyn"},
		{"keeps fractions", 1, 4, []time.Duration{0, s / 8, s / 4, 3 * s / 8, s / 2}, "ynyny"},
		{"does not overflow", 2, 4, []time.Duration{0, 100 * s, 100 * s, 100 * s}, "yyyn"},
		{"starts its clock at the first message", 1, 1, []time.Duration{50 * s, 50*s + s/2, 51 * s}, "yny"},
	} {
		b := newBucket(c.capacity, c.refill)
		got := ""
		for _, at := range c.at {
			if b.take(at) {
				got += "y"
			} else {
				got += "n"
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// In any window the bucket gives at most what it holds and what it is refilled with, and it never refuses while that is
// not used up.
func TestBucketBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.Uint64Range(0, 50).Draw(t, "capacity")
		refill := rapid.Float64Range(0, 1000).Draw(t, "refill")
		gaps := rapid.SliceOfN(rapid.Int64Range(0, int64(20*time.Millisecond)), 1, 300).Draw(t, "gaps")
		b := newBucket(capacity, refill)
		var now, first time.Duration
		granted := 0.0
		for i, gap := range gaps {
			now += time.Duration(gap)
			if i == 0 {
				first = now
			}
			most := float64(capacity) + refill*(now-first).Seconds()
			if b.take(now) {
				granted++
			} else if b.tokens >= 1 {
				t.Fatalf("refused with %g tokens", b.tokens)
			}
			if granted > most+1e-6 {
				t.Fatalf("%g granted of %g by %v", granted, most, now)
			}
			if b.tokens < 0 || b.tokens > float64(capacity) || math.IsNaN(b.tokens) {
				t.Fatalf("%g tokens in a bucket of %d", b.tokens, capacity)
			}
		}
	})
}

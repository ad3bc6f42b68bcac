package gateway

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestBucketByHand(t *testing.T) {
	b := newBucket(2, 10) // two tokens, one more every 100 ms
	for _, step := range []struct {
		at   time.Duration
		want bool
	}{
		{time.Hour, true}, // the clock starts here
		{time.Hour, true},
		{time.Hour, false},
		{time.Hour + 99*time.Millisecond, false},
		{time.Hour + 100*time.Millisecond, true},
		{time.Hour + 100*time.Millisecond, false},
		{time.Hour + time.Minute, true}, // never more than the capacity
		{time.Hour + time.Minute, true},
		{time.Hour + time.Minute, false},
	} {
		if got := b.take(step.at); got != step.want {
			t.Errorf("at %v: %v, want %v", step.at, got, step.want)
		}
	}
}

// Over any time a bucket grants no more than its capacity and what was refilled, and not less than that but one.
func TestBucketGrantsWhatItHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := rapid.Uint64Range(1, 50).Draw(t, "capacity")
		refill := rapid.Float64Range(0, 1000).Draw(t, "refill")
		b := newBucket(capacity, refill)
		now, granted := time.Duration(0), 0.0
		for range rapid.IntRange(1, 200).Draw(t, "messages") {
			now += time.Duration(rapid.IntRange(0, 5000).Draw(t, "µs")) * time.Microsecond
			if b.take(now) {
				granted++
			}
			if most := float64(capacity) + refill*now.Seconds(); granted > most+1e-6 {
				t.Fatalf("%v granted by %v, at most %v were there", granted, now, most)
			}
		}
		if b.tokens < 0 || b.tokens > float64(capacity) {
			t.Fatalf("%v tokens in a bucket of %d", b.tokens, capacity)
		}
	})
}

// 1,000 messages queued at 16 ms are done 16.0 s after the first, however late each reply really leaves.
func TestSerialPaceDoesNotDrift(t *testing.T) {
	s := series{delay: 16 * time.Millisecond}
	var due time.Duration
	for range 1000 {
		_, due = s.judge(time.Second)
	}
	if want := 17 * time.Second; due != want {
		t.Errorf("done at %v, want %v", due, want)
	}
	if _, due = s.judge(time.Minute); due != time.Minute+16*time.Millisecond {
		t.Errorf("after a pause done at %v", due)
	}
}

func TestDelaysAreSeededAndExponential(t *testing.T) {
	r := DefaultRules()
	a, b, other := newDelays(r, 3), newDelays(r, 3), newDelays(r, 4)
	same, n, sum := 0, 20_000, 0.0
	for range n {
		d := a.next()
		if d != b.next() {
			t.Fatal("one connection has two sequences")
		}
		if d == other.next() {
			same++
		}
		if d < r.Delay {
			t.Fatalf("a delay of %v is below the fixed part", d)
		}
		sum += float64(d - r.Delay)
	}
	if same > 5 {
		t.Errorf("two connections share %d of %d delays", same, n)
	}
	if mean := sum / float64(n) / float64(r.Jitter); math.Abs(mean-1) > 0.03 { // four standard errors
		t.Errorf("the mean is %v of what it should be", mean)
	}
}

package gateway

import (
	"math"
	"slices"
	"testing"
	"time"
)

func draw(d delays, n int) []time.Duration {
	out := make([]time.Duration, n)
	for i := range out {
		out[i] = d.next()
	}
	return out
}

func TestDelaysAreRepeatable(t *testing.T) {
	r := DefaultRules()
	a := draw(newDelays(r, 7), 100)
	if !slices.Equal(a, draw(newDelays(r, 7), 100)) {
		t.Error("the same seed and connection give other delays")
	}
	if slices.Equal(a, draw(newDelays(r, 8), 100)) {
		t.Error("two connections share their delays")
	}
	r.Seed++
	if slices.Equal(a, draw(newDelays(r, 7), 100)) {
		t.Error("two seeds share their delays")
	}
}

// The quantile q of 2 ms + Exp(3 ms) is 2 − 3·ln(1−q) ms, its mean is 5 ms. Seed 1.
func TestDelaysDistribution(t *testing.T) {
	first := make([]time.Duration, 20_000)
	for conn := range first {
		first[conn] = newDelays(DefaultRules(), int64(conn)).next()
	}
	for name, all := range map[string][]time.Duration{
		"of one connection":            draw(newDelays(DefaultRules(), 1), 200_000),
		"the first of each connection": first,
	} {
		var sum time.Duration
		for _, d := range all {
			sum += d
		}
		near(t, name+": mean", sum/time.Duration(len(all)), 5)
		slices.Sort(all)
		if all[0] < 2*time.Millisecond {
			t.Errorf("%s: %v is less than the fixed part", name, all[0])
		}
		for _, q := range []float64{0.5, 0.95, 0.99} {
			near(t, name+": quantile", all[int(q*float64(len(all)))], 2-3*math.Log(1-q))
		}
	}
}

func near(t *testing.T, what string, got time.Duration, wantMillis float64) {
	t.Helper()
	if ms := got.Seconds() * 1000; math.Abs(ms-wantMillis) > 0.03*wantMillis {
		t.Errorf("%s: %.3f ms, want %.3f ms", what, ms, wantMillis)
	}
}

func TestLimiter(t *testing.T) {
	r := Rules{Capacity: 2, Refill: 10, Delay: 3 * time.Millisecond}
	l := newLimiter(r, 1)
	for i, want := range []verdict{verdictOK, verdictOK, verdictLimited, verdictOK} {
		received := []time.Duration{0, 1, 2, 100_000_000}[i]
		v, due := l.judge(received)
		if wantDue := received + map[verdict]time.Duration{verdictOK: r.Delay}[want]; v != want || due != wantDue {
			t.Errorf("message %d: %v due %v, want %v due %v", i, v, due, want, wantDue)
		}
	}
}

func TestSeries(t *testing.T) {
	s := &series{delay: 16}
	for i, c := range []struct{ received, due time.Duration }{
		{100, 116}, // idle: counted from the receipt
		{101, 132}, // queued: counted from the end of the one before
		{131, 148},
		{148, 164}, // on the very end
		{500, 516}, // idle again
	} {
		if v, due := s.judge(c.received); v != verdictOK || due != c.due {
			t.Errorf("message %d received at %d: %v due at %d, want %d", i, c.received, v, due, c.due)
		}
	}
}

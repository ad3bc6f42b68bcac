package schedule

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func mustRamp(t interface{ Fatal(...any) }, from float64, stages ...Stage) *Rate {
	r, err := Ramp(from, stages)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func collect(s Sequence) []time.Duration {
	var out []time.Duration
	for at, ok := s.Next(); ok; at, ok = s.Next() {
		out = append(out, at)
	}
	return out
}

// checkSequence is the test that every arrival process passes: strictly increasing, inside the rate's length, ended for
// good once it ended.
func checkSequence(t interface {
	Fatalf(string, ...any)
}, rate *Rate, s Sequence) []time.Duration {
	all := collect(s)
	for i, at := range all {
		if at < 0 || at >= rate.Length() {
			t.Fatalf("arrival %d at %v is outside of 0 to %v", i, at, rate.Length())
		}
		if i > 0 && at <= all[i-1] {
			t.Fatalf("arrival %d at %v does not follow %v", i, at, all[i-1])
		}
	}
	if at, ok := s.Next(); ok {
		t.Fatalf("an ended sequence went on at %v", at)
	}
	return all
}

func TestUniformPlansExactlyRateTimesDuration(t *testing.T) {
	for _, c := range []struct {
		rate   float64
		length time.Duration
		conns  int
		want   int
	}{
		{100, 10 * time.Second, 80, 1000},
		{100, 10 * time.Second, 1, 1000},
		{0.1, 10 * time.Second, 3, 1},
		{0.7, 10 * time.Second, 7, 7},
		{333, 3 * time.Second, 11, 999},
		{8000, time.Second, 1, 8000},
		{1.0 / 3, 9 * time.Second, 2, 3},
		{2e9, time.Microsecond, 1, 1000}, // one per nanosecond is the finest there is
	} {
		rate := mustRamp(t, c.rate, Stage{c.length, c.rate})
		for i := range c.conns {
			if got := len(checkSequence(t, rate, Uniform(rate, i, c.conns))); got != c.want {
				t.Errorf("%v/s for %v, connection %d of %d: %d arrivals, want %d", c.rate, c.length, i, c.conns, got, c.want)
			}
		}
	}
}

func TestUniformSpacingAndStagger(t *testing.T) {
	rate := mustRamp(t, 100, Stage{time.Second, 100})
	got := collect(Uniform(rate, 1, 4))
	for k, at := range got {
		want := time.Duration(k)*10*time.Millisecond + 2500*time.Microsecond
		if d := at - want; d < -time.Nanosecond || d > time.Nanosecond {
			t.Fatalf("arrival %d at %v, want %v", k, at, want)
		}
	}
}

// A rate that grows from 0 to 10/s in 10 s has sent k messages after √(2k) seconds.
func TestRampFollowsTheIntegral(t *testing.T) {
	rate := mustRamp(t, 0, Stage{10 * time.Second, 10})
	for k, at := range collect(Uniform(rate, 0, 1)) {
		if want := math.Sqrt(2 * float64(k)); math.Abs(at.Seconds()-want) > 1e-8 {
			t.Fatalf("arrival %d at %v, want %.9f s", k, at, want)
		}
	}
}

func TestJumpHoldsNoArrivals(t *testing.T) {
	rate := mustRamp(t, 0, Stage{time.Second, 0}, Stage{0, 10}, Stage{time.Second, 10}, Stage{0, 0}, Stage{time.Second, 0})
	got := collect(Uniform(rate, 0, 1))
	if len(got) != 10 || got[0] != time.Second {
		t.Fatalf("got %v, want ten arrivals from 1 s on", got)
	}
	if rate.Length() != 3*time.Second || rate.Total() != 10 {
		t.Fatalf("length %v and total %v, want 3s and 10", rate.Length(), rate.Total())
	}
}

func TestBadRatesAreNamed(t *testing.T) {
	for _, c := range []struct {
		from   float64
		stages []Stage
	}{
		{-1, nil}, {math.NaN(), nil}, {math.Inf(1), nil},
		{1, []Stage{{time.Second, -1}}}, {1, []Stage{{-time.Second, 1}}}, {1, []Stage{{time.Second, math.NaN()}}},
	} {
		if _, err := Ramp(c.from, c.stages); err == nil {
			t.Errorf("Ramp(%v, %v) was accepted", c.from, c.stages)
		}
	}
}

func TestLimit(t *testing.T) {
	rate := mustRamp(t, 100, Stage{time.Second, 100})
	if got := len(checkSequence(t, rate, Limit(Uniform(rate, 0, 1), 7))); got != 7 {
		t.Fatalf("%d arrivals, want 7", got)
	}
	if got := len(collect(Limit(Uniform(rate, 0, 1), 700))); got != 100 {
		t.Fatalf("%d arrivals, want the rate's 100", got)
	}
}

func TestPoissonIsSeeded(t *testing.T) {
	rate := mustRamp(t, 50, Stage{10 * time.Second, 50})
	a := checkSequence(t, rate, Poisson(rate, 3, 7))
	if !slices.Equal(a, collect(Poisson(rate, 3, 7))) {
		t.Error("the same seed and connection gave another sequence")
	}
	if slices.Equal(a, collect(Poisson(rate, 3, 8))) || slices.Equal(a, collect(Poisson(rate, 4, 7))) {
		t.Error("another seed or connection gave the same sequence")
	}
}

// The gaps of a Poisson process of rate r are exponential with mean 1/r: Kolmogorov–Smirnov distance below the 1 % critical
// value 1.628/√n (Massey 1951, table 1) under a fixed seed.
func TestPoissonGapsAreExponential(t *testing.T) {
	const perSecond = 1000.0
	rate := mustRamp(t, perSecond, Stage{20 * time.Second, perSecond})
	at := collect(Poisson(rate, 0, 1))
	gaps := make([]float64, 0, len(at))
	for i := 1; i < len(at); i++ {
		gaps = append(gaps, (at[i] - at[i-1]).Seconds())
	}
	slices.Sort(gaps)
	n, worst := float64(len(gaps)), 0.0
	for i, g := range gaps {
		f := 1 - math.Exp(-perSecond*g)
		worst = max(worst, f-float64(i)/n, float64(i+1)/n-f)
	}
	if limit := 1.628 / math.Sqrt(n); worst > limit {
		t.Errorf("distance %.5f from the exponential distribution over %d gaps, limit %.5f", worst, len(gaps), limit)
	}
}

func TestSequencesOfRandomRamps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Float64Range(0, 500).Draw(t, "from")
		stages := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Stage {
			return Stage{time.Duration(rapid.IntRange(0, 3000).Draw(t, "ms")) * time.Millisecond, rapid.Float64Range(0, 500).Draw(t, "target")}
		}), 1, 5).Draw(t, "stages")
		conns := rapid.IntRange(1, 9).Draw(t, "connections")
		rate := mustRamp(t, from, stages...)
		sum := 0
		for i := range conns {
			n := len(checkSequence(t, rate, Uniform(rate, i, conns)))
			if math.Abs(float64(n)-rate.Total()) > 1 {
				t.Fatalf("connection %d has %d arrivals, the rate's integral is %v", i, n, rate.Total())
			}
			sum += n
		}
		if math.Abs(float64(sum)-rate.Total()*float64(conns)) > 1 {
			t.Fatalf("%d arrivals over %d connections, the integral is %v each", sum, conns, rate.Total())
		}
		checkSequence(t, rate, Poisson(rate, 0, int64(conns)))
	})
}

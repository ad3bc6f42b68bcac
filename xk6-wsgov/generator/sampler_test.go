package generator

import (
	"testing"
	"time"

	"github.com/wsgov/wsgov/record"
)

func values(samples []record.Sample) map[string]float64 {
	m := map[string]float64{}
	for _, s := range samples {
		m[s.Tags.Value(record.TagResource)] = s.Value
	}
	return m
}

func TestTakeIsDueOncePerSecond(t *testing.T) {
	s := New(time.Now())
	first := values(s.Take(time.Millisecond))
	if _, told := first[CPU]; told || first[Goroutines] < 1 {
		t.Errorf("first samples %v: the CPU is not known before there is an interval", first)
	}
	if again := s.Take(500 * time.Millisecond); again != nil {
		t.Errorf("samples half a second later: %v", again)
	}
	t.Logf("some work: %d", burn())
	second := values(s.Take(1100 * time.Millisecond))
	if second[RSS] < 1<<20 || second[FDs] < 3 {
		t.Errorf("second samples %v", second)
	}
	if cpu, told := second[CPU]; !told || cpu < 0 {
		t.Errorf("cpu %v, %v", cpu, told)
	}
}

// burn uses some processor time.
func burn() (x int) {
	for i := range 20_000_000 {
		x ^= i * x
	}
	return x
}

func TestTimerSlipIsToldByTheNextCall(t *testing.T) {
	var s slip
	if _, known := s.measure(); known {
		t.Error("a slip was known before a timer fired")
	}
	for {
		if late, known := s.measure(); known {
			if late < 0 {
				t.Errorf("a timer fired %v before it was due", -late)
			}
			return
		}
		if t.Context().Err() != nil {
			t.Fatal("the timer never fired")
		}
	}
}

package loop_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wsgov/wsgov/host/loop"
)

// withTimers runs script on an open loop in a bubble and returns what it logged, with the offset of each entry.
func withTimers(t *testing.T, script func(*loop.Timers, func(string))) (log []string, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l, start := loop.New(), time.Now()
		timers := loop.NewTimers(l)
		l.Open()
		l.Post(func() error {
			script(timers, func(s string) { log = append(log, fmt.Sprintf("%s@%v", s, time.Since(start))) })
			return nil
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		err = l.Run(ctx)
		timers.Stop()
		l.Close()
	})
	return log, err
}

func expect(t *testing.T, got []string, want ...string) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTimersFireInOrder(t *testing.T) {
	log, err := withTimers(t, func(timers *loop.Timers, log func(string)) {
		set := func(name string, ms int) {
			timers.Set(time.Duration(ms)*time.Millisecond, false, func() error { log(name); return nil })
		}
		set("late", 200)
		set("first", 100)
		set("second", 100)
		set("now", -5)
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, log, "now@0s", "first@100ms", "second@100ms", "late@200ms")
}

func TestIntervalRepeatsUntilCleared(t *testing.T) {
	log, err := withTimers(t, func(timers *loop.Timers, log func(string)) {
		n, id := 0, int64(0)
		id = timers.Set(10*time.Millisecond, true, func() error {
			log("tick")
			if n++; n == 3 {
				timers.Clear(id)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, log, "tick@10ms", "tick@20ms", "tick@30ms")
}

func TestClearedTimerNeverFires(t *testing.T) {
	log, err := withTimers(t, func(timers *loop.Timers, log func(string)) {
		first := timers.Set(time.Second, false, func() error { log("first"); return nil })
		timers.Set(2*time.Second, false, func() error { log("other"); return nil })
		timers.Clear(first)
		timers.Clear(first)
		timers.Clear(99)
	})
	if err != nil {
		t.Fatal(err)
	}
	expect(t, log, "other@2s")
}

func TestFailingTimerEndsTheRunAndTheOthersStay(t *testing.T) {
	boom := errors.New("boom")
	_, err := withTimers(t, func(timers *loop.Timers, _ func(string)) {
		timers.Set(0, true, func() error { return boom })
	})
	if !errors.Is(err, boom) {
		t.Errorf("Run = %v, want boom", err)
	}
}

func TestLeakedIntervalIsBoundedByTheContext(t *testing.T) {
	log, err := withTimers(t, func(timers *loop.Timers, log func(string)) {
		timers.Set(25*time.Minute, true, func() error { log("tick"); return nil })
	})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run = %v, want the deadline", err)
	}
	expect(t, log, "tick@25m0s", "tick@50m0s")
}

func TestTimerOnAClosedLoopHoldsNothing(t *testing.T) {
	l := loop.New()
	timers := loop.NewTimers(l)
	if id := timers.Set(time.Nanosecond, false, func() error { return nil }); id != 1 {
		t.Errorf("first timer is %d, want 1", id)
	}
	if l.Holds() != 0 {
		t.Error("a timer holds a closed loop")
	}
}

package loop_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/wsgov/wsgov/host/loop"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func post(t *testing.T, l *loop.Loop, f func()) {
	t.Helper()
	if !l.Post(func() error { f(); return nil }) {
		t.Fatal("an open loop refused a function")
	}
}

func TestRunsInOrderUntilDry(t *testing.T) {
	l := loop.New()
	l.Open()
	var got []int
	post(t, l, func() {
		got = append(got, 1)
		post(t, l, func() { got = append(got, 3) })
	})
	post(t, l, func() { got = append(got, 2) })
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := "[1 2 3]"; fmt.Sprint(got) != want {
		t.Errorf("ran %v, want %v", got, want)
	}
	if l.Post(func() error { return nil }) {
		t.Error("a loop that ran dry accepted a function")
	}
	if _, accepted := l.Hold(); accepted {
		t.Error("a loop that ran dry accepted a hold")
	}
}

func TestHoldKeepsItOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := loop.New()
		l.Open()
		release, accepted := l.Hold()
		if !accepted {
			t.Fatal("an open loop refused a hold")
		}
		ran := false
		time.AfterFunc(time.Second, func() {
			post(t, l, func() { ran = true })
			release()
			release()
		})
		if err := l.Run(t.Context()); err != nil || !ran {
			t.Errorf("Run = %v, ran %v; want the posted function run before the end", err, ran)
		}
	})
}

func TestFailureLeavesItOpenAndKeepsTheRest(t *testing.T) {
	l := loop.New()
	l.Open()
	boom := errors.New("boom")
	l.Post(func() error { return boom })
	rest := false
	post(t, l, func() { rest = true })
	if err := l.Run(t.Context()); !errors.Is(err, boom) {
		t.Fatalf("Run = %v, want boom", err)
	}
	if rest {
		t.Fatal("a function ran after the one that failed")
	}
	if err := l.Run(t.Context()); err != nil || !rest {
		t.Errorf("second Run = %v, rest run %v", err, rest)
	}
}

func TestCheckRunsAfterEveryRound(t *testing.T) {
	l := loop.New()
	rejected := errors.New("rejected")
	var pending error
	l.Check = func() error { return pending }
	l.Open()
	post(t, l, func() { pending = rejected })
	post(t, l, func() { pending = nil }) // handled within the round
	post(t, l, func() { post(t, l, func() { pending = rejected }) })
	if err := l.Run(t.Context()); !errors.Is(err, rejected) {
		t.Errorf("Run = %v, want the check's error", err)
	}
}

func TestContextEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := loop.New()
		l.Open()
		if _, accepted := l.Hold(); !accepted {
			t.Fatal("hold refused")
		}
		stop := errors.New("stop")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, stop)
		defer cancel()
		if err := l.Run(ctx); !errors.Is(err, stop) {
			t.Errorf("Run = %v, want the context's cause", err)
		}
		if n := l.Close(); n != 1 {
			t.Errorf("Close = %d holds left, want 1", n)
		}
	})
}

func TestOldReleaseDoesNotTouchANewOpening(t *testing.T) {
	l := loop.New()
	l.Open()
	old, _ := l.Hold()
	l.Close()
	l.Open()
	release, _ := l.Hold()
	old()
	if l.Holds() != 1 {
		t.Fatalf("%d holds, want 1", l.Holds())
	}
	release()
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func TestPostFromManyGoroutines(t *testing.T) {
	l := loop.New()
	l.Open()
	const goroutines, each = 8, 200
	var wg sync.WaitGroup
	sum := 0
	for range goroutines {
		release, _ := l.Hold()
		wg.Go(func() {
			defer release()
			for range each {
				l.Post(func() error { sum++; return nil })
			}
		})
	}
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
	if sum != goroutines*each {
		t.Errorf("ran %d functions, want %d", sum, goroutines*each)
	}
}

func TestPanicIsAnErrorWithItsStack(t *testing.T) {
	l := loop.New()
	l.Open()
	l.Post(func() error { panic("boom") })
	err := l.Run(t.Context())
	var p *loop.PanicError
	if !errors.As(err, &p) || p.Value != "boom" || !strings.Contains(err.Error(), "loop_test.go") {
		t.Errorf("Run = %v, want the panic with its place", err)
	}
	l.Close()
}

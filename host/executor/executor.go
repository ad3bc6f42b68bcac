// Package executor runs the iterations of scenarios on VUs.
package executor

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wsgov/wsgov/host/options"
)

// Runner is a VU that was activated for a scenario.
type Runner interface {
	// RunOnce runs one iteration and reports whether it came to its own end.
	RunOnce() bool
	// Deactivate gives the VU back.
	Deactivate()
}

// Host is what an executor needs of a run.
type Host interface {
	// Activate takes a VU for a scenario, waiting until one is free. The VU's context is below ctx.
	Activate(ctx context.Context, s *Scenario) (Runner, error)
	// Drop accounts for iterations of a scenario that were planned and not begun.
	Drop(s *Scenario, iterations int64)
}

// Scenario is a scenario being run. Its methods may be called from any goroutine.
type Scenario struct {
	*options.Scenario

	begun     atomic.Int64
	completed atomic.Int64
	active    atomic.Int64
	numbers   atomic.Int64
	startedAt atomic.Pointer[time.Time]
	done      atomic.Bool
}

// New prepares a scenario.
func New(s *options.Scenario) *Scenario { return &Scenario{Scenario: s} }

// Next numbers the scenario's iterations, from 0.
func (s *Scenario) Next() int64 { return s.numbers.Add(1) - 1 }

// StartedAt is when the scenario began; zero if it has not.
func (s *Scenario) StartedAt() time.Time {
	if at := s.startedAt.Load(); at != nil {
		return *at
	}
	return time.Time{}
}

// ActiveVUs is how many VUs are running the scenario.
func (s *Scenario) ActiveVUs() int64 { return s.active.Load() }

// planned is the number of iterations that the scenario owes, 0 if it only owes its time.
func (s *Scenario) planned() int64 {
	switch s.Executor {
	case options.PerVUIterations:
		return s.VUs * s.Iterations
	case options.SharedIterations:
		return s.Iterations
	}
	return 0
}

// Progress is the share that is done: of the iterations if they are counted, else of the time; from 0 to 1.
func (s *Scenario) Progress() float64 {
	at := s.StartedAt()
	switch {
	case s.done.Load():
		return 1
	case at.IsZero():
		return 0
	case s.planned() > 0:
		return float64(s.completed.Load()) / float64(s.planned())
	}
	return min(1, float64(time.Since(at))/float64(s.Length))
}

// Run waits for the scenario's start and runs it to its end: when all iterations are done, or when its time is over and
// what was running then has ended or has had its graceful stop. An error is a VU that cannot be activated.
func (s *Scenario) Run(ctx context.Context, host Host) error {
	defer s.done.Store(true)
	if !wait(ctx, s.StartTime) {
		return nil
	}
	now := time.Now()
	s.startedAt.Store(&now)
	open, stop := context.WithTimeout(ctx, s.Length)
	defer stop()
	whole, cancel := context.WithTimeoutCause(ctx, s.Length+s.GracefulStop, errGracefulStop)
	defer cancel()
	err := s.runVUs(whole, host, s.source(open))
	if left := s.planned() - s.begun.Load(); left > 0 && ctx.Err() == nil && err == nil {
		host.Drop(s, left)
	}
	return err
}

var errGracefulStop = fmt.Errorf("the scenario's time and its graceful stop are over")

// source makes, for each VU, a function that says whether another iteration may begin.
func (s *Scenario) source(open context.Context) func() func() bool {
	var taken atomic.Int64
	return func() func() bool {
		var mine int64
		return func() bool {
			if open.Err() != nil {
				return false
			}
			switch s.Executor {
			case options.PerVUIterations:
				mine++
				return mine <= s.Iterations
			case options.SharedIterations:
				return taken.Add(1) <= s.Iterations
			}
			return true
		}
	}
}

func (s *Scenario) runVUs(ctx context.Context, host Host, source func() func() bool) error {
	var wg sync.WaitGroup
	errs := make(chan error, s.VUs)
	for range s.VUs {
		wg.Go(func() { errs <- s.runVU(ctx, host, source()) })
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Scenario) runVU(ctx context.Context, host Host, more func() bool) error {
	vu, err := host.Activate(ctx, s)
	if err != nil {
		return err
	}
	s.active.Add(1)
	defer s.active.Add(-1)
	defer vu.Deactivate()
	for ctx.Err() == nil && more() {
		s.begun.Add(1)
		if vu.RunOnce() {
			s.completed.Add(1)
		}
	}
	return nil
}

// wait waits for d and reports whether ctx is still alive then.
func wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

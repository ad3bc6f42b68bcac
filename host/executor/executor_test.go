package executor_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/wsgov/wsgov/host/executor"
	"github.com/wsgov/wsgov/host/options"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeHost hands out VUs whose iterations take a fixed time.
type fakeHost struct {
	iteration time.Duration
	fail      error

	mu        sync.Mutex
	perVU     []int
	dropped   int64
	cut       int
	activated int
	returned  int
}

type fakeVU struct {
	host *fakeHost
	ctx  context.Context
	id   int
}

func (h *fakeHost) Activate(ctx context.Context, _ *executor.Scenario) (executor.Runner, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.fail != nil {
		return nil, h.fail
	}
	h.activated++
	h.perVU = append(h.perVU, 0)
	return &fakeVU{h, ctx, len(h.perVU) - 1}, nil
}

func (h *fakeHost) Drop(_ *executor.Scenario, n int64) { h.dropped += n }

func (v *fakeVU) RunOnce() bool {
	v.host.mu.Lock()
	v.host.perVU[v.id]++
	v.host.mu.Unlock()
	select {
	case <-time.After(v.host.iteration):
		return true
	case <-v.ctx.Done():
		v.host.mu.Lock()
		v.host.cut++
		v.host.mu.Unlock()
		return false
	}
}

func (v *fakeVU) Deactivate() {
	v.host.mu.Lock()
	defer v.host.mu.Unlock()
	v.host.returned++
}

func scenario(name string, vus, iterations int64, length, graceful time.Duration) *options.Scenario {
	return &options.Scenario{Name: "s", Executor: name, VUs: vus, Iterations: iterations, Length: length, GracefulStop: graceful, Exec: "default"}
}

func TestExecutors(t *testing.T) {
	for name, c := range map[string]struct {
		s         *options.Scenario
		iteration time.Duration
		took      time.Duration
		perVU     string
		dropped   int64
		cut       int
	}{
		"per VU":                {scenario(options.PerVUIterations, 3, 4, time.Minute, 0), time.Second, 4 * time.Second, "[4 4 4]", 0, 0},
		"per VU out of time":    {scenario(options.PerVUIterations, 2, 9, 5*time.Second, 0), 2 * time.Second, 5 * time.Second, "[3 3]", 12, 2},
		"per VU graceful":       {scenario(options.PerVUIterations, 2, 9, 5*time.Second, 30*time.Second), 2 * time.Second, 6 * time.Second, "[3 3]", 12, 0},
		"shared":                {scenario(options.SharedIterations, 4, 12, time.Minute, 0), time.Second, 3 * time.Second, "[3 3 3 3]", 0, 0},
		"shared out of time":    {scenario(options.SharedIterations, 2, 9, 3*time.Second, time.Second), 4 * time.Second, 4 * time.Second, "[1 1]", 7, 0},
		"constant":              {scenario(options.ConstantVUs, 2, 1, 10*time.Second, 30*time.Second), 4 * time.Second, 12 * time.Second, "[3 3]", 0, 0},
		"constant not graceful": {scenario(options.ConstantVUs, 2, 1, 10*time.Second, 0), 4 * time.Second, 10 * time.Second, "[3 3]", 0, 2},
		"hangs for ever":        {scenario(options.ConstantVUs, 1, 1, 10*time.Second, 5*time.Second), 1000 * time.Hour, 15 * time.Second, "[1]", 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := &fakeHost{iteration: c.iteration}
				s := executor.New(c.s)
				start := time.Now()
				if err := s.Run(t.Context(), h); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != c.took || fmt.Sprint(h.perVU) != c.perVU || h.dropped != c.dropped || h.cut != c.cut {
					t.Errorf("took %v, iterations %v, dropped %d, cut %d; want %v, %s, %d, %d", took, h.perVU, h.dropped, h.cut, c.took, c.perVU, c.dropped, c.cut)
				}
				if h.activated != h.returned || s.ActiveVUs() != 0 || s.Progress() != 1 {
					t.Errorf("%d VUs taken, %d returned, %d active, progress %v", h.activated, h.returned, s.ActiveVUs(), s.Progress())
				}
			})
		})
	}
}

func TestStartTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := scenario(options.PerVUIterations, 1, 2, time.Minute, 0)
		o.StartTime = 5 * time.Second
		s, start := executor.New(o), time.Now()
		seen := make(chan float64, 2)
		time.AfterFunc(4*time.Second, func() { seen <- s.Progress() })
		time.AfterFunc(6500*time.Millisecond, func() { seen <- s.Progress() })
		if err := s.Run(t.Context(), &fakeHost{iteration: time.Second}); err != nil {
			t.Fatal(err)
		}
		before, during := <-seen, <-seen
		if at := s.StartedAt().Sub(start); at != 5*time.Second || before != 0 || during != 0.5 {
			t.Errorf("started at %v, progress %v and %v; want 5s, 0 and 0.5", at, before, during)
		}
	})
}

func TestProgressOfConstantVUsIsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := executor.New(scenario(options.ConstantVUs, 1, 1, 10*time.Second, 0))
		seen := make(chan float64, 1)
		time.AfterFunc(2500*time.Millisecond, func() { seen <- s.Progress() })
		if err := s.Run(t.Context(), &fakeHost{iteration: time.Second}); err != nil {
			t.Fatal(err)
		}
		if during := <-seen; during != 0.25 {
			t.Errorf("progress %v, want 0.25", during)
		}
	})
}

func TestAbortStopsAtOnceAndDropsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		h, start := &fakeHost{iteration: 2 * time.Second}, time.Now()
		if err := executor.New(scenario(options.PerVUIterations, 1, 9, time.Minute, time.Minute)).Run(ctx, h); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took != 3*time.Second || h.dropped != 0 || h.cut != 1 {
			t.Errorf("took %v, dropped %d, cut %d; want 3s, 0, 1", took, h.dropped, h.cut)
		}
	})
}

func TestAbortBeforeTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		o := scenario(options.PerVUIterations, 1, 1, time.Minute, 0)
		o.StartTime = time.Minute
		h := &fakeHost{}
		if err := executor.New(o).Run(ctx, h); err != nil || h.activated != 0 {
			t.Errorf("%v, %d VUs taken", err, h.activated)
		}
	})
}

func TestActivationFailure(t *testing.T) {
	boom := errors.New("boom")
	if err := executor.New(scenario(options.PerVUIterations, 2, 1, time.Minute, 0)).Run(t.Context(), &fakeHost{fail: boom}); !errors.Is(err, boom) {
		t.Errorf("error %v, want boom", err)
	}
}

func TestMaxVUs(t *testing.T) {
	at := func(start, length time.Duration, vus int64) *options.Scenario {
		return &options.Scenario{StartTime: start, Length: length, VUs: vus, Executor: options.ConstantVUs}
	}
	for _, c := range []struct {
		want int64
		all  []*options.Scenario
	}{
		{3, []*options.Scenario{at(0, 10, 3)}},
		{7, []*options.Scenario{at(0, 10, 3), at(9, 5, 4)}},
		{4, []*options.Scenario{at(0, 10, 3), at(10, 5, 4)}},
		{6, []*options.Scenario{at(0, 30, 1), at(5, 5, 2), at(6, 10, 3), at(20, 5, 4)}},
	} {
		if got := executor.MaxVUs(c.all); got != c.want {
			t.Errorf("%d VUs, want %d", got, c.want)
		}
	}
	if got := executor.MaxDuration([]*options.Scenario{at(0, 10, 3), at(9, 5, 4)}); got != 14 {
		t.Errorf("MaxDuration = %d, want 14", got)
	}
}

func TestDescribe(t *testing.T) {
	s := scenario(options.PerVUIterations, 4, 1, 20*time.Second, 30*time.Second)
	s.Exec, s.StartTime = "governed", time.Second
	for want, s := range map[string]*options.Scenario{
		"1 iterations for each of 4 VUs (maxDuration: 20s, exec: governed, startTime: 1s, gracefulStop: 30s)": s,
		"6 iterations shared among 2 VUs (maxDuration: 10m, gracefulStop: 30s)":                               scenario(options.SharedIterations, 2, 6, 10*time.Minute, 30*time.Second),
		"2 looping VUs for 1h (gracefulStop: 0s)":                                                             scenario(options.ConstantVUs, 2, 1, time.Hour, 0),
	} {
		if got := executor.Describe(s); got != want {
			t.Errorf("described as %q, want %q", got, want)
		}
	}
}

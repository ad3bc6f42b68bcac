package host

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/wsgov/wsgov/host/executor"
	"github.com/wsgov/wsgov/host/metrics"
	"github.com/wsgov/wsgov/host/vu"
	"github.com/wsgov/wsgov/record"
)

// pool holds the initialised VUs of a run.
type pool struct {
	run  *run
	all  []*vu.VU
	free chan *vu.VU
}

// newPool initialises VUs, as many at a time as there are processors. The pool is never nil, so that what was made
// before an error can be ended.
func newPool(r *run) (*pool, error) {
	n := int(executor.MaxVUs(r.options.Scenarios))
	p := &pool{run: r, all: make([]*vu.VU, n), free: make(chan *vu.VU, n)}
	errs := make([]error, n)
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var wg sync.WaitGroup
	for i := range n {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			p.all[i], errs[i] = vu.New(r.ctx, r.shared, i+1)
		})
	}
	wg.Wait()
	for i, err := range errs {
		if err != nil {
			p.all[i] = nil
			p.end()
			return p, err
		}
		p.free <- p.all[i]
		r.test.Initialized.Add(1)
	}
	return p, nil
}

func (p *pool) size() int { return len(p.all) }

// Activate implements executor.Host.
func (p *pool) Activate(ctx context.Context, s *executor.Scenario) (executor.Runner, error) {
	var v *vu.VU
	select {
	case v = <-p.free:
	case <-ctx.Done():
		return idle{}, nil // the run is over; the executor sees that too
	}
	active, err := v.Activate(ctx, vu.Activation{
		Scenario: s.Name, Executor: s.Executor, Exec: s.Exec, Env: s.Env, Tags: s.Tags, StartedAt: s.StartedAt(),
		Progress: s.Progress, Next: s.Next,
	}, p.run.setupData)
	if err != nil {
		p.free <- v
		return nil, err
	}
	p.run.test.Active.Add(1)
	return &pooled{active, v, p}, nil
}

// Drop implements executor.Host.
func (p *pool) Drop(s *executor.Scenario, n int64) {
	tags := record.TagsFromMap(p.run.options.Tags).Merge(record.TagsFromMap(s.Tags))
	if p.run.options.SystemTag("scenario") {
		tags = tags.With("scenario", s.Name)
	}
	p.run.emit(record.Sample{Metric: metrics.DroppedIterations, Time: time.Now(), Value: float64(n), Tags: tags})
}

// pooled is an activated VU that goes back to the pool.
type pooled struct {
	*vu.Active
	vu   *vu.VU
	pool *pool
}

// Deactivate implements executor.Runner.
func (p *pooled) Deactivate() {
	p.Active.Deactivate()
	p.pool.run.test.Active.Add(-1)
	p.pool.free <- p.vu
}

// idle stands for the VU that a run had no time left to give.
type idle struct{}

func (idle) RunOnce() bool { return false }

func (idle) Deactivate() {}

// end ends all VUs, side by side. It may be called again.
func (p *pool) end() {
	var wg sync.WaitGroup
	for _, v := range p.all {
		if v != nil {
			wg.Go(v.End)
		}
	}
	wg.Wait()
	clear(p.all)
}

package vu

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/host/fault"
	"github.com/wsgov/wsgov/host/loop"
	"github.com/wsgov/wsgov/host/metrics"
	"github.com/wsgov/wsgov/record"
)

// Activation says what a VU runs for a scenario. The functions may be called from any goroutine.
type Activation struct {
	Scenario  string
	Executor  string
	Exec      string
	Env       map[string]string
	Tags      map[string]string
	StartedAt time.Time
	Progress  func() float64 // of the scenario, 0 to 1
	Next      func() int64   // numbers the scenario's iterations, from 0
}

// Activate makes the VU run iterations of a scenario until ctx ends or Deactivate is called. Data is what setup
// returned, as JSON, or nil.
func (v *VU) Activate(ctx context.Context, a Activation, data []byte) (*Active, error) {
	v.scenario, v.inScope = a, -1
	v.setEnv(a.Env)
	v.scope = v.freshScope()
	run, ok := sobek.AssertFunction(v.Export(a.Exec))
	if !ok {
		return nil, fmt.Errorf("scenario %q: the script exports no function %q", a.Scenario, a.Exec)
	}
	active := &Active{vu: v, ctx: ctx, run: run}
	if data != nil {
		value, err := v.FromJSON(data)
		if err != nil {
			return nil, fmt.Errorf("handing setup's data to VU %d: %w", v.id, err)
		}
		active.args = []sobek.Value{value}
	}
	return active, nil
}

// Active is a VU with a scenario to run.
type Active struct {
	vu   *VU
	ctx  context.Context
	run  sobek.Callable
	args []sobek.Value
}

// RunOnce runs one iteration and reports whether it came to its own end. An exception ends it too; it is logged.
func (a *Active) RunOnce() bool {
	v := a.vu
	a.begin()
	start := time.Now()
	_, err := v.execute(a.ctx, func() (sobek.Value, error) { return a.run(sobek.Undefined(), a.args...) })
	took := time.Since(start)
	complete := a.ctx.Err() == nil
	switch {
	case complete && err != nil && !errors.Is(err, errNeverSettled):
		a.log(err)
	case complete && err != nil:
		v.shared.Logger.Warn(fmt.Sprintf("%s(): %v", v.scenario.Exec, err), "scenario", v.scenario.Scenario, "vu", v.id)
	}
	a.finish(complete, took)
	if complete {
		a.pause(v.shared.options().MinIterationDuration - took)
	}
	return complete
}

// begin numbers the iteration and sets what it sees.
func (a *Active) begin() {
	v := a.vu
	v.iteration++
	v.inScope++
	v.setGlobal("__ITER", v.iteration)
	v.number = v.scenario.Next()
	if v.shared.options().SystemTag("iter") {
		v.scope.Metadata = v.scope.Metadata.With("iter", strconv.FormatInt(v.iteration, 10))
	}
}

// freshScope is what samples carry before the script adds to it; tags that the script sets stay until the VU is
// activated for another scenario.
func (v *VU) freshScope() Scope {
	o := v.shared.options()
	s := Scope{Tags: record.TagsFromMap(o.Tags).Merge(record.TagsFromMap(v.scenario.Tags))}
	if o.SystemTag("scenario") && v.scenario.Scenario != "" {
		s.Tags = s.Tags.With("scenario", v.scenario.Scenario)
	}
	if o.SystemTag("vu") {
		s.Metadata = s.Metadata.With("vu", strconv.Itoa(v.id))
	}
	s.Tags = v.inGroup(s.Tags, "")
	return s
}

// inGroup puts a group's path on tags, if the group is wanted as a tag.
func (v *VU) inGroup(tags record.Tags, path string) record.Tags {
	if !v.shared.options().SystemTag("group") {
		return tags
	}
	return tags.With("group", path)
}

// SetGroup makes path the group of what the VU emits from now on; "" is the root.
func (v *VU) SetGroup(path string) { v.scope.Tags = v.inGroup(v.scope.Tags, path) }

func (a *Active) log(err error) {
	s := a.vu.scenario
	var panicked *loop.PanicError
	if errors.As(err, &panicked) {
		a.vu.shared.Test.Abort(fault.With(fault.GoPanic, fmt.Errorf("this is a fault of the host or of a module, please report it: %w", err)))
		return
	}
	a.vu.shared.Logger.Error(Describe(err), "executor", s.Executor, "scenario", s.Scenario, "source", "stacktrace")
}

// finish emits the iteration's own metrics.
func (a *Active) finish(complete bool, took time.Duration) {
	v := a.vu
	v.SetGroup("") // an exception may have left a group open
	v.emitBytes(true)
	if !complete {
		v.shared.Test.Interrupted.Add(1)
		return
	}
	v.shared.Test.Completed.Add(1)
	now := time.Now()
	v.Emit(
		record.Sample{Metric: metrics.IterationDuration, Time: now, Value: record.Millis(took)},
		record.Sample{Metric: metrics.Iterations, Time: now, Value: 1},
	)
}

// emitBytes emits what went through the VU's connections since the last time, zeros only where always is set.
func (v *VU) emitBytes(always bool) {
	sent, received := v.conns.take()
	if !always && sent == 0 && received == 0 {
		return
	}
	now := time.Now()
	v.Emit(
		record.Sample{Metric: metrics.DataSent, Time: now, Value: float64(sent)},
		record.Sample{Metric: metrics.DataReceived, Time: now, Value: float64(received)},
	)
}

func (a *Active) pause(d time.Duration) {
	if d <= 0 {
		return
	}
	select {
	case <-a.ctx.Done():
	case <-time.After(d):
	}
}

// Deactivate ends the VU's epoch and waits until its modules have come to an end. The VU may be activated again.
func (a *Active) Deactivate() {
	v := a.vu
	v.loop.Open()
	v.Settle()
	v.emitBytes(false)
}

// Progress is where the VU is: what it is running, the number of the iteration in the scenario, counted over all VUs,
// and the number of this VU's iterations in the scenario and in the whole run, each from 0.
func (v *VU) Progress() (a Activation, number, inScenario, inRun int64) {
	return v.scenario, v.number, v.inScope, v.iteration
}

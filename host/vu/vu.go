package vu

import (
	"context"
	"math/rand/v2"
	"sync/atomic"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/host/loop"
	"github.com/wsgov/wsgov/host/options"
	"github.com/wsgov/wsgov/record"
	wsgov "github.com/wsgov/wsgov/xk6-wsgov"
)

// VU is one virtual user. Its methods are called on the goroutine that runs its event loop unless they say otherwise.
type VU struct {
	shared     *Shared
	id         int
	rt         *sobek.Runtime
	loop       *loop.Loop
	timers     *loop.Timers
	json       *sobek.Object // JSON as it was before the script ran
	rejections map[*sobek.Promise]struct{}
	conns      connections
	atEnd      []func()

	inInit    bool
	settling  bool
	epoch     atomic.Pointer[epoch]
	scope     Scope
	scenario  Activation
	iteration int64 // of this VU in the whole run; -1 before the first
	inScope   int64 // of this VU in the current scenario
	number    int64 // of the iteration in the scenario, over all VUs
}

var _ wsgov.Host = (*VU)(nil)

// maxCallDepth is about what browsers allow.
const maxCallDepth = 10_000

// bare makes a VU that has run no code.
func bare(shared *Shared, id int) *VU {
	v := &VU{shared: shared, id: id, rt: sobek.New(), loop: loop.New(), inInit: true, iteration: -1, rejections: map[*sobek.Promise]struct{}{}}
	v.json = v.rt.GlobalObject().Get("JSON").ToObject(v.rt)
	v.timers = loop.NewTimers(v.loop)
	v.loop.Check = v.unhandled
	v.rt.SetPromiseRejectionTracker(v.track)
	v.rt.SetRandSource(rand.Float64)
	v.rt.SetMaxCallStackSize(maxCallDepth)
	v.epoch.Store(&epoch{nil, context.Background(), func() {}})
	return v
}

// New makes a VU and runs the script's init code, including top-level await. Id 0 is the VU of setup and teardown.
func New(ctx context.Context, shared *Shared, id int) (*VU, error) {
	v := bare(shared, id)
	v.setGlobals()
	if _, err := v.execute(ctx, v.evaluate); err != nil {
		return nil, err
	}
	v.inInit = false
	return v, nil
}

func (v *VU) evaluate() (sobek.Value, error) {
	promise := v.shared.Program.Start(v.rt, func(specifier string) (map[string]sobek.Value, error) {
		return v.shared.Modules[specifier](v)
	})
	defer v.shared.Program.Stop(v.rt)
	if promise.State() == sobek.PromiseStateRejected {
		delete(v.rejections, promise)
		return nil, thrown(promise.Result())
	}
	return v.rt.ToValue(promise), nil
}

// Export is a value that the script exports, nil if it does not.
func (v *VU) Export(name string) sobek.Value {
	value := v.shared.Program.Exports(v.rt).Get(name)
	if value == nil || sobek.IsUndefined(value) {
		return nil
	}
	return value
}

// HasFunction reports whether the script exports a function of that name.
func (v *VU) HasFunction(name string) bool {
	_, ok := sobek.AssertFunction(v.Export(name))
	return ok
}

// ID is the VU's number, from 1; 0 in setup and teardown.
func (v *VU) ID() int { return v.id }

// Options are the run's; while init code decides them they are empty.
func (v *VU) Options() *options.Options { return v.shared.options() }

// Shared is what all VUs have in common.
func (v *VU) Shared() *Shared { return v.shared }

// Timers are the VU's timers.
func (v *VU) Timers() *loop.Timers { return v.timers }

// Settling reports whether the context has ended and the loop only lets what was begun come to its end.
func (v *VU) Settling() bool { return v.settling }

// Scope is what is attached to every sample that the VU emits now.
type Scope struct {
	Tags     record.Tags
	Metadata record.Tags
}

// Scope is the current scope.
func (v *VU) Scope() Scope { return v.scope }

// SetScope replaces the current scope; samples that were emitted keep theirs.
func (v *VU) SetScope(s Scope) { v.scope = s }

// Emit emits samples with the current scope; a sample's own tags win.
func (v *VU) Emit(samples ...record.Sample) {
	for i := range samples {
		samples[i].Tags = v.scope.Tags.Merge(samples[i].Tags)
		samples[i].Metadata = v.scope.Metadata.Merge(samples[i].Metadata)
	}
	v.shared.Emit(samples...)
}

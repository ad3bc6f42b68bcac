package vu

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/grafana/sobek"
)

// epoch is a stretch of a VU's life with one context: from its activation, or the last iteration that was broken off,
// to its end. Connections live through the iterations of an epoch.
type epoch struct {
	parent context.Context
	ctx    context.Context
	cancel context.CancelFunc
}

// enter makes sure that there is a live epoch below parent.
func (v *VU) enter(parent context.Context) {
	old := v.epoch.Load()
	if old.parent == parent && old.ctx.Err() == nil {
		return
	}
	old.cancel()
	ctx, cancel := context.WithCancel(parent)
	v.epoch.Store(&epoch{parent, ctx, cancel})
}

// execute runs f and then the event loop until nothing is left to do, and returns f's value, or what it fulfils to if it
// is a promise. When f or a callback fails, or ctx ends, the epoch ends too and what was begun gets its grace.
func (v *VU) execute(ctx context.Context, f func() (sobek.Value, error)) (value sobek.Value, err error) {
	v.enter(ctx)
	v.loop.Open()
	v.loop.Post(func() (err error) {
		value, err = f()
		return err
	})
	err = v.runLoop(ctx)
	if err == nil {
		return awaited(value)
	}
	v.Settle()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return nil, err
}

// runLoop runs the loop; when ctx ends, JavaScript that is running is interrupted.
func (v *VU) runLoop(ctx context.Context) error {
	interrupted := make(chan struct{})
	unregister := context.AfterFunc(ctx, func() {
		defer close(interrupted)
		v.rt.Interrupt(context.Cause(ctx))
	})
	err := v.loop.Run(ctx)
	if !unregister() {
		<-interrupted
	}
	v.rt.ClearInterrupt()
	return err
}

// Settle ends the epoch: modules see their context end and may, for the grace, post and hold until what they have begun
// is over. What is still open then is abandoned and named.
func (v *VU) Settle() {
	v.settling = true
	defer func() { v.settling = false }()
	v.epoch.Load().cancel()
	v.timers.Stop()
	clear(v.rejections)
	ctx, cancel := context.WithTimeoutCause(context.Background(), v.shared.Grace, errGraceOver)
	defer cancel()
	for ctx.Err() == nil {
		err := v.runLoop(ctx)
		if err == nil {
			break
		}
		clear(v.rejections)
		v.shared.Logger.Debug("a callback failed after its iteration had ended", "vu", v.id, "error", Describe(err))
	}
	v.timers.Stop()
	if holds := v.loop.Close(); holds > 0 {
		v.shared.Logger.Warn(fmt.Sprintf("VU %d: %d operations of the script did not end within %v of being told to; they are abandoned", v.id, holds, v.shared.Grace))
	}
}

var errGraceOver = errors.New("the time for coming to an end is over")

// AtEnd registers what a module does when the VU has ended; it may block for what it has to wait for.
func (v *VU) AtEnd(f func()) { v.atEnd = append(v.atEnd, f) }

// Call calls an exported function and runs the event loop to its end; the VU's context is below ctx.
func (v *VU) Call(ctx context.Context, name string, args ...sobek.Value) (sobek.Value, error) {
	f, ok := sobek.AssertFunction(v.Export(name))
	if !ok {
		return nil, fmt.Errorf("the script exports no function %q", name)
	}
	v.scope = v.freshScope()
	v.SetGroup("::" + name)
	defer v.emitBytes(true)
	return v.execute(ctx, func() (sobek.Value, error) { return f(sobek.Undefined(), args...) })
}

// End ends the VU for good: its epoch, its modules and its connections. Modules get the grace, then their connections
// are closed under them. Ending it again is harmless.
func (v *VU) End() {
	v.loop.Open()
	v.Settle()
	ending := v.atEnd
	v.atEnd = nil
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, f := range ending {
			f()
		}
	}()
	if !within(v.shared.Grace, done) {
		n := v.conns.closeAll()
		v.shared.Logger.Warn(fmt.Sprintf("VU %d: its modules did not end within %v; %d connections were closed under them", v.id, v.shared.Grace, n))
		within(v.shared.Grace, done)
	}
	v.conns.closeAll()
	v.emitBytes(false)
}

// within waits for done and reports whether it came in time.
func within(limit time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// awaited is the value that a promise fulfilled to. A promise that nothing can settle any more is an error.
func awaited(value sobek.Value) (sobek.Value, error) {
	if value == nil {
		return sobek.Undefined(), nil
	}
	promise, ok := value.Export().(*sobek.Promise)
	if !ok {
		return value, nil
	}
	switch promise.State() {
	case sobek.PromiseStateFulfilled:
		return promise.Result(), nil
	case sobek.PromiseStateRejected:
		return nil, thrown(promise.Result())
	}
	return nil, errNeverSettled
}

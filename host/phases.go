package host

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/host/fault"
)

// phases runs setup, the scenarios and teardown. Teardown runs unless setup failed, also after an abort.
func (r *run) phases() error {
	r.test.Begin(time.Now())
	if err := r.setup(); err != nil {
		r.pool.end()
		return err
	}
	err := r.runScenarios()
	r.pool.end() // what VUs left open is closed and booked before teardown reads counters
	return errors.Join(r.aborted(err), r.teardown())
}

// aborted is the cause of a run that was aborted, else err.
func (r *run) aborted(err error) error {
	if r.ctx.Err() != nil {
		return context.Cause(r.ctx)
	}
	return err
}

func (r *run) setup() error {
	if r.options.NoSetup || !r.first.HasFunction("setup") {
		return nil
	}
	timeout := fault.New(fault.SetupTimeout, "setup() took longer than %v; give it more with the option setupTimeout", r.options.SetupTimeout)
	value, err := r.call(r.ctx, "setup", r.options.SetupTimeout, timeout)
	if err != nil {
		return scriptError("setup() failed", r.aborted(err))
	}
	r.setupData, err = r.first.StrictJSON(value)
	if err != nil {
		return scriptError("handing on what setup() returned", err)
	}
	return nil
}

func (r *run) teardown() error {
	if r.options.NoTeardown || !r.first.HasFunction("teardown") {
		return nil
	}
	var args []sobek.Value
	if r.setupData != nil {
		value, err := r.first.FromJSON(r.setupData)
		if err != nil {
			return scriptError("handing setup's data to teardown()", err)
		}
		args = append(args, value)
	}
	timeout := fault.New(fault.TeardownTimeout, "teardown() took longer than %v; give it more with the option teardownTimeout", r.options.TeardownTimeout)
	_, err := r.call(context.WithoutCancel(r.ctx), "teardown", r.options.TeardownTimeout, timeout, args...)
	return scriptErrorOrNil("teardown() failed", err)
}

func scriptErrorOrNil(doing string, err error) error {
	if err == nil {
		return nil
	}
	return scriptError(doing, err)
}

// call calls an exported function on the first VU within a time.
func (r *run) call(ctx context.Context, name string, limit time.Duration, timeout error, args ...sobek.Value) (sobek.Value, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, timeout)
	defer cancel()
	return r.first.Call(ctx, name, args...)
}

func (r *run) runScenarios() error {
	errs := make([]error, len(r.scenarios))
	var wg sync.WaitGroup
	for i, s := range r.scenarios {
		wg.Go(func() {
			if errs[i] = s.Run(r.ctx, r.pool); errs[i] != nil {
				r.cancel(invalid(errs[i]))
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// initVUs makes the VUs that the scenarios need, several at a time.
func (r *run) initVUs() error {
	var err error
	r.pool, err = newPool(r)
	if err != nil {
		return scriptError(fmt.Sprintf("initialising %d VUs", r.pool.size()), r.aborted(err))
	}
	return nil
}

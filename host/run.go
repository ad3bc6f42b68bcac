package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/wsgov/wsgov/host/child"
	"github.com/wsgov/wsgov/host/executor"
	"github.com/wsgov/wsgov/host/fault"
	"github.com/wsgov/wsgov/host/metrics"
	"github.com/wsgov/wsgov/host/options"
	"github.com/wsgov/wsgov/host/output"
	"github.com/wsgov/wsgov/host/vu"
)

// run is one run of a script.
type run struct {
	flags   *flags
	path    string
	process Process
	terminal
	logger *slog.Logger
	shared *vu.Shared
	test   *vu.Test

	ctx    context.Context // ends when the run is aborted; its cause says why
	cancel context.CancelCauseFunc

	gateway   *child.Gateway
	script    options.Layer // the script's options
	options   *options.Options
	engine    *metrics.Engine
	pipe      *metrics.Pipe
	outputs   []*output.JSON
	first     *vu.VU // runs setup, teardown and handleSummary
	pool      *pool
	scenarios []*executor.Scenario
	setupData []byte
	closers   []func()
}

// execute is the command's body.
func execute(c *cobra.Command, f *flags, path string, p Process) error {
	lookup := environment(p.Environ)
	if err := f.fromEnv(c, lookup); err != nil {
		return invalid(err)
	}
	cli, err := f.layer(c)
	if err != nil {
		return invalid(err)
	}
	env, err := options.FromEnv(lookup)
	if err != nil {
		return invalid(err)
	}
	r := &run{flags: f, path: path, process: p, terminal: newTerminal(p, f)}
	defer r.close()
	r.ctx, r.cancel = context.WithCancelCause(context.WithoutCancel(c.Context()))
	defer r.cancel(nil)
	defer context.AfterFunc(c.Context(), func() { r.cancel(interruption(c.Context())) })()
	if err := r.whole(env, cli); err != nil {
		return r.report(err)
	}
	return nil
}

// report logs the error that ends a run.
func (r *run) report(err error) error {
	if r.logger == nil {
		return err
	}
	r.logger.Error(err.Error())
	return reported{err}
}

// interruption is the cause of a run that was ended from outside.
func interruption(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		return fault.With(fault.ExternalAbort, fmt.Errorf("the run was interrupted: %w", cause))
	}
	return fault.New(fault.ExternalAbort, "the run was interrupted")
}

// whole is the run from its first to its last step. Errors carry their exit code.
func (r *run) whole(layers ...options.Layer) error {
	if err := r.prepare(); err != nil {
		return err
	}
	if err := r.load(); err != nil {
		return err
	}
	if err := r.configure(layers); err != nil {
		return err
	}
	if err := r.openOutputs(); err != nil {
		return err
	}
	r.describe()
	return r.conclude(r.measure())
}

// measure is what happens between the first and the last sample.
func (r *run) measure() error {
	if err := r.initVUs(); err != nil {
		return err
	}
	stop := r.watch()
	defer stop()
	return r.phases()
}

func (r *run) close() {
	for i := len(r.closers) - 1; i >= 0; i-- {
		r.closers[i]()
	}
}

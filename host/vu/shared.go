// Package vu is one virtual user: a JavaScript runtime with its event loop, and the host that modules see.
package vu

import (
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/host/metrics"
	"github.com/wsgov/wsgov/host/options"
	"github.com/wsgov/wsgov/host/script"
	"github.com/wsgov/wsgov/record"
	wsgov "github.com/wsgov/wsgov/xk6-wsgov"
)

// Module makes what a host module exports to one VU. It is called in the VU's init phase.
type Module func(*VU) (map[string]sobek.Value, error)

// Shared is what all VUs of a run have in common. Fields are set before the first VU is made, except Options, which are
// known after it.
type Shared struct {
	Modules  map[string]Module
	Program  *script.Program
	Files    *script.Files
	Registry *metrics.Registry
	Emit     func(...record.Sample)
	Logger   *slog.Logger
	Console  *slog.Logger
	Process  *wsgov.Process
	Env      map[string]string
	Test     *Test
	Options  *options.Options
	// Grace is how long modules may take to come to an end after their VU's context has ended.
	Grace time.Duration
}

// Names implements script.Natives.
func (s *Shared) Names() []string { return slices.Sorted(maps.Keys(s.Modules)) }

// Exports implements script.Natives: it makes the module once for a VU that runs nothing.
func (s *Shared) Exports(specifier string) ([]string, error) {
	values, err := s.Modules[specifier](bare(s, 0))
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(values)), nil
}

// options are the run's, or defaults while the script's are not known yet.
func (s *Shared) options() *options.Options {
	if s.Options != nil {
		return s.Options
	}
	return &options.Options{}
}

// Test is the state of the whole run that scripts can see and end.
type Test struct {
	Completed   atomic.Int64 // iterations
	Interrupted atomic.Int64 // iterations
	Active      atomic.Int64 // VUs
	Initialized atomic.Int64 // VUs

	start  atomic.Pointer[time.Time]
	failed atomic.Pointer[string]
	// Abort ends the run with an error; only the first one counts.
	Abort func(error)
}

// Begin sets the instant from which the run's duration counts.
func (t *Test) Begin(at time.Time) { t.start.Store(&at) }

// Elapsed is how long the run has lasted, 0 before it began.
func (t *Test) Elapsed() time.Duration {
	if at := t.start.Load(); at != nil {
		return time.Since(*at)
	}
	return 0
}

// Fail marks the run as failed; it goes on. The first message is kept.
func (t *Test) Fail(message string) { t.failed.CompareAndSwap(nil, &message) }

// Failed is the error of a run that was marked as failed, or nil.
func (t *Test) Failed() error {
	if m := t.failed.Load(); m != nil {
		return fmt.Errorf("the script marked the run as failed: %s", *m)
	}
	return nil
}

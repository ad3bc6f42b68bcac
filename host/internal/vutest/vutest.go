// Package vutest runs scripts on single VUs in tests.
package vutest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/wsgov/wsgov/host/logs"
	"github.com/wsgov/wsgov/host/metrics"
	"github.com/wsgov/wsgov/host/module"
	"github.com/wsgov/wsgov/host/options"
	"github.com/wsgov/wsgov/host/script"
	"github.com/wsgov/wsgov/host/vu"
	"github.com/wsgov/wsgov/record"
	wsgov "github.com/wsgov/wsgov/xk6-wsgov"
)

// Bench is a run's shared part with what its VUs wrote.
type Bench struct {
	*vu.Shared
	T       testing.TB
	Aborted error

	mu      sync.Mutex
	log     bytes.Buffer
	samples []record.Sample
}

// New makes a bench for a script given as text.
func New(t testing.TB, text string) *Bench {
	t.Helper()
	b := &Bench{T: t}
	logger := logs.New(lockedLog{b}, logs.Options{Format: logs.Text, Start: time.Now(), Verbose: true})
	b.Shared = &vu.Shared{
		Modules: module.All(), Files: &script.Files{}, Registry: metrics.NewRegistry(), Logger: logger, Console: logger,
		Process: wsgov.NewProcess(1), Env: map[string]string{}, Grace: time.Second, Emit: b.emit,
	}
	b.Test = &vu.Test{Abort: func(err error) { b.Aborted = err }}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	program, err := script.Load(script.Source{Path: "script.js", Text: text, Dir: dir}, b.Shared)
	if err != nil {
		t.Fatal(err)
	}
	b.Program = program
	b.SetOptions(`{}`)
	return b
}

// SetOptions resolves options given as JSON text.
func (b *Bench) SetOptions(object string) {
	b.T.Helper()
	o, err := options.FromObject("options", []byte(object))
	if err != nil {
		b.T.Fatal(err)
	}
	b.Options, _, err = options.Resolve(o)
	if err != nil {
		b.T.Fatal(err)
	}
}

type lockedLog struct{ *Bench }

func (l lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.log.Write(p)
}

func (b *Bench) emit(samples ...record.Sample) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.samples = append(b.samples, samples...)
}

// Log is what was logged so far.
func (b *Bench) Log() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.log.String()
}

// Samples are the samples of a metric so far, each as "value key=value …" with the metadata behind a bar.
func (b *Bench) Samples(metric string) []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var out []string
	for _, s := range b.samples {
		if s.Metric.Name != metric {
			continue
		}
		text := fmt.Sprint(s.Value)
		for _, tag := range s.Tags {
			text += " " + tag.Key + "=" + tag.Value
		}
		for i, tag := range s.Metadata {
			text += map[bool]string{true: " |", false: ""}[i == 0] + " " + tag.Key + "=" + tag.Value
		}
		out = append(out, text)
	}
	return out
}

// VU makes a VU and fails the test if the script's init code fails.
func (b *Bench) VU(ctx context.Context, id int) *vu.VU {
	b.T.Helper()
	v, err := vu.New(ctx, b.Shared, id)
	if err != nil {
		b.T.Fatalf("init code: %s", vu.Describe(err))
	}
	return v
}

// Activate activates a VU for a scenario "s" with the default function.
func (b *Bench) Activate(ctx context.Context, v *vu.VU) *vu.Active {
	b.T.Helper()
	n := int64(-1)
	a, err := v.Activate(ctx, vu.Activation{
		Scenario: "s", Executor: "per-vu-iterations", Exec: "default", StartedAt: time.UnixMilli(1000),
		Progress: func() float64 { return 0.25 }, Next: func() int64 { n++; return n },
	}, nil)
	if err != nil {
		b.T.Fatal(err)
	}
	return a
}

// Run runs n iterations on VU 1, ends it, and returns the log.
func (b *Bench) Run(n int) string {
	b.T.Helper()
	v := b.VU(b.T.Context(), 1)
	a := b.Activate(b.T.Context(), v)
	for range n {
		a.RunOnce()
	}
	a.Deactivate()
	v.End()
	return b.Log()
}

// InitError is the error of the script's init code.
func (b *Bench) InitError() string {
	b.T.Helper()
	v, err := vu.New(b.T.Context(), b.Shared, 0)
	if err == nil {
		v.End()
		b.T.Fatal("init code did not fail")
	}
	return vu.Describe(err)
}

// Said are the texts that the console wrote, one line each.
func Said(log string) []string {
	var out []string
	for line := range strings.Lines(log) {
		if text, found := strings.CutPrefix(line, "INFO["); found {
			_, text, _ = strings.Cut(text, "] ")
			text, _, _ = strings.Cut(text, " source=console")
			out = append(out, strings.TrimRight(text, " \n"))
		}
	}
	return out
}

// ErrStop is a cause for contexts in tests.
var ErrStop = errors.New("told to stop")

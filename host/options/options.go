// Package options reads the options of a run from script, environment and command line.
package options

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/wsgov/wsgov/host/threshold"
)

// Options are what a run needs to know, with defaults filled in. Scenarios are sorted by name.
type Options struct {
	Scenarios            []*Scenario
	Thresholds           []Watch
	Tags                 map[string]string
	SystemTags           []string
	SetupTimeout         time.Duration
	TeardownTimeout      time.Duration
	HandleSummaryTimeout time.Duration
	MinIterationDuration time.Duration
	NoSetup              bool
	NoTeardown           bool
	Throw                bool
	InsecureTLS          bool
	SummaryTrendStats    []threshold.Aggregation
	SummaryTimeUnit      string // "", "s", "ms" or "us"

	// Raw are the options as they were given, by key, after precedence was applied; scripts read them.
	Raw map[string]json.RawMessage
}

// Watch is a series with the thresholds on it.
type Watch struct {
	Selector   threshold.Selector
	Thresholds []*threshold.Threshold
}

// SystemTag reports whether a tag of the host is wanted.
func (o *Options) SystemTag(name string) bool { return slices.Contains(o.SystemTags, name) }

// defaults are k6's.
func defaults() *Options {
	return &Options{
		Tags:                 map[string]string{},
		SystemTags:           []string{"scenario", "group", "check"},
		SetupTimeout:         time.Minute,
		TeardownTimeout:      time.Minute,
		HandleSummaryTimeout: 2 * time.Minute,
		SummaryTrendStats: []threshold.Aggregation{
			{Name: "avg"}, {Name: "min"}, {Name: "med"}, {Name: "max"}, {Name: "p", Percentile: 90}, {Name: "p", Percentile: 95},
		},
	}
}

// JSON is the options as scripts read them: what was given, and the scenarios that follow from it.
func (o *Options) JSON() ([]byte, error) {
	all := make(map[string]any, len(o.Raw)+1)
	for key, value := range o.Raw {
		all[key] = value
	}
	scenarios := map[string]any{}
	for _, s := range o.Scenarios {
		scenarios[s.Name] = s.values()
	}
	all["scenarios"] = scenarios
	return json.Marshal(all)
}

func (s *Scenario) values() map[string]any {
	length := map[bool]string{true: "duration", false: "maxDuration"}[s.Executor == ConstantVUs]
	out := map[string]any{
		"executor": s.Executor, "startTime": s.StartTime.String(), "gracefulStop": s.GracefulStop.String(), "exec": s.Exec,
		"env": s.Env, "tags": s.Tags, "vus": s.VUs, length: s.Length.String(),
	}
	if s.Executor != ConstantVUs {
		out["iterations"] = s.Iterations
	}
	return out
}

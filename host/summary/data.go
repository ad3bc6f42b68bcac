// Package summary is the end of a run: what was measured, as text, as a script's object and as a file.
package summary

import (
	"cmp"
	"slices"
	"time"

	"github.com/wsgov/wsgov/host/metrics"
	"github.com/wsgov/wsgov/host/threshold"
	"github.com/wsgov/wsgov/record"
)

// Data is what a summary is made of. It is a copy: the run may go on.
type Data struct {
	Duration   time.Duration
	TrendStats []threshold.Aggregation
	TimeUnit   string // "", "s", "ms" or "us"
	Color      bool
	OutIsTTY   bool
	ErrIsTTY   bool
	SetupData  []byte // JSON, nil if setup returned nothing
	Series     []Series
	Groups     []metrics.Group // the root first
}

// Series is one metric or sub-metric with its aggregates.
type Series struct {
	Name     string // with the selector
	Parent   string // the metric's name
	Suffix   string // the selector, empty for a whole metric
	Kind     record.Kind
	Contains record.Contains
	Values   map[string]float64 // by k6's names
	Order    []string           // of the names in Values
	Verdicts []threshold.Verdict
}

// Collect copies what an engine has taken in; verdicts are those of the final judgement, nil without thresholds.
func (d *Data) Collect(engine *metrics.Engine, verdicts []metrics.Result) {
	byName := map[string][]threshold.Verdict{}
	for _, r := range verdicts {
		byName[r.Name()] = r.Verdicts
	}
	engine.View(func(all []*metrics.Series, groups []*metrics.Group) {
		for _, s := range all {
			series := d.series(s)
			series.Verdicts = byName[s.Name()]
			d.Series = append(d.Series, series)
		}
		for _, g := range groups {
			d.Groups = append(d.Groups, copyGroup(g))
		}
	})
}

func (d *Data) series(s *metrics.Series) Series {
	out := Series{
		Name: s.Name(), Parent: s.Metric.Name, Suffix: s.Selector.Suffix, Kind: s.Metric.Kind, Contains: s.Metric.Contains,
		Values: map[string]float64{},
	}
	set := func(name string, value float64) {
		out.Values[name] = value
		out.Order = append(out.Order, name)
	}
	switch sink := s.Sink.(type) {
	case *metrics.CounterSink:
		set("count", sink.Sum)
		if rate, ok := sink.Rate(d.Duration); ok {
			set("rate", rate)
		}
	case *metrics.GaugeSink:
		set("value", sink.Value)
		set("min", sink.Min)
		set("max", sink.Max)
	case *metrics.RateSink:
		set("rate", sink.Ratio())
		set("passes", float64(sink.Trues))
		set("fails", float64(sink.Total-sink.Trues))
	default:
		for _, a := range d.TrendStats {
			value, _ := s.Sink.Get(a, d.Duration)
			set(a.String(), value)
		}
	}
	return out
}

// copyGroup copies a group with its checks; its children follow in the list.
func copyGroup(g *metrics.Group) metrics.Group {
	out := metrics.Group{Name: g.Name, Path: g.Path}
	for _, c := range g.Checks {
		check := *c
		out.Checks = append(out.Checks, &check)
	}
	return out
}

// checks lists all checks as they first appeared; those of one name in several groups are added up.
func (d *Data) checks() []metrics.Check {
	var all []*metrics.Check
	for _, g := range d.Groups {
		all = append(all, g.Checks...)
	}
	slices.SortFunc(all, func(a, b *metrics.Check) int { return cmp.Compare(a.Seen, b.Seen) })
	var out []metrics.Check
	at := map[string]int{}
	for _, c := range all {
		i, known := at[c.Name]
		if !known {
			at[c.Name] = len(out)
			out = append(out, *c)
			continue
		}
		out[i].Passes += c.Passes
		out[i].Fails += c.Fails
	}
	return out
}

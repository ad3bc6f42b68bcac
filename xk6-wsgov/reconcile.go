package wsgov

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/record"
)

func (g *gateway) jsReconcile(args []sobek.Value) (sobek.Value, error) {
	if err := g.m.running("reconcile"); err != nil {
		return nil, err
	}
	before, err := readCounters(argument(args, 0))
	if err != nil {
		return nil, err
	}
	p, ctx, take, emit := g.m.host.Process(), g.m.host.Context(), g.prepare(), g.m.host.Emitter()
	source := strings.Join(g.options.urls, ",")
	return g.m.promise(func() (any, error) {
		then, found := p.snapshots.find(source, before)
		after, missing, err := take(ctx, record.SnapshotAfter)
		if err != nil {
			return nil, err
		}
		r, err := g.compare(before, then, found, after, missing)
		if err != nil {
			return nil, err
		}
		emit([]record.Sample{unreconciled(r, source, p.Start.Add(p.Elapsed()))})
		return r, nil
	})
}

func unreconciled(r *record.Reconciliation, source string, at time.Time) record.Sample {
	return record.Sample{Metric: record.Unreconciled, Time: at, Value: r.Difference, Metadata: record.NewTags(record.MetaSource, source)}
}

// readCounters reads what snapshot() resolved to, or a copy of it.
func readCounters(v sobek.Value) (map[string]float64, error) {
	o, ok := plainObject(v)
	if !ok {
		return nil, fmt.Errorf("reconcile() was given %s: give it what snapshot() resolved to before the load", describe(v))
	}
	out := make(map[string]float64)
	for _, key := range o.Keys() {
		n, ok := float(o.Get(key))
		if !ok {
			return nil, fmt.Errorf("reconcile() was given %s as the counter %q: give it what snapshot() resolved to", describe(o.Get(key)), key)
		}
		out[key] = n
	}
	return out, nil
}

// compare holds each mapped counter against the account between the two snapshots.
func (g *gateway) compare(before map[string]float64, then snapshot, found bool, after snapshot, missing []string) (*record.Reconciliation, error) {
	r := &record.Reconciliation{Counters: []record.CounterCheck{}, Warnings: []record.Warning{}}
	account := after.account.Clone()
	if found {
		account.Sub(then.account)
	}
	for _, name := range slices.Sorted(maps.Keys(g.options.maps)) {
		if err := r.Check(name, g.options.maps[name], before[name], after.counters[name], &account); err != nil {
			return nil, err
		}
	}
	g.doubts(r, before, then, found, after, missing)
	return r, nil
}

// doubts are the warnings of a reconciliation.
func (g *gateway) doubts(r *record.Reconciliation, before map[string]float64, then snapshot, found bool, after snapshot, missing []string) {
	add := func(code, format string, args ...any) {
		r.Warnings = append(r.Warnings, record.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
	}
	if !found {
		add("unknown-snapshot", "these counters were not read by snapshot() in this process from this source: they are compared with everything the process has done since its start")
	}
	if found && then.identity != after.identity {
		add("restarted", "the gateway was process %q at the first snapshot and is %q now: its counters cannot be compared across a restart", then.identity, after.identity)
	}
	var used, fell []string
	for _, c := range r.Counters {
		if c.Delta < 0 {
			fell = append(fell, c.Name)
		}
		// Up to the first snapshot the gateway should have counted what we had done by then, such as the connection it was
		// read on. An unknown name was refused by Check.
		own, _ := then.account.Expect(g.options.maps[c.Name])
		if c.Before > float64(own) {
			used = append(used, fmt.Sprintf("%s %g", c.Name, c.Before))
		}
	}
	if len(fell) > 0 {
		add("fell", "%s fell between the snapshots: the gateway was restarted, or the address leads to several processes", strings.Join(fell, ", "))
	}
	if len(used) > 0 {
		add("nonzero-start", "counters did not start at zero (%s): the gateway had served somebody before, so make sure that it is the one you mean and that nobody else uses it", strings.Join(used, ", "))
	}
	if len(missing) > 0 {
		add("missing", "the gateway's answer has no counter %s (it has: %s): taken as 0, so check map and path", strings.Join(missing, ", "), told(after.counters, missing))
	}
	for name := range maps.Keys(g.options.maps) {
		if _, ok := before[name]; !ok {
			add("not-in-before", "the snapshot before has no counter %s: taken as 0", name)
		}
	}
}

// told lists the counters that were told.
func told(all map[string]float64, missing []string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !slices.Contains(missing, name) {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

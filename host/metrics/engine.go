package metrics

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/wsgov/wsgov/host/threshold"
	"github.com/wsgov/wsgov/record"
)

// Series is a metric, or a metric narrowed by tags, with its aggregate and its thresholds.
type Series struct {
	Metric     *record.Metric
	Selector   threshold.Selector
	Sink       Sink
	Thresholds []*threshold.Threshold
}

// Name is the metric's name with the selector, if it has one.
func (s *Series) Name() string { return s.Selector.String() }

// Engine takes in samples. Its methods may be called from any goroutine.
type Engine struct {
	registry *Registry

	mu       sync.Mutex
	families map[*record.Metric]*family
	byName   map[string]*family
	checks   checkTally
}

// family is a metric with its sub-metrics.
type family struct {
	whole Series
	parts []*Series
}

// NewEngine makes an engine for the metrics of a registry.
func NewEngine(registry *Registry) *Engine {
	return &Engine{registry: registry, families: map[*record.Metric]*family{}, byName: map[string]*family{}}
}

// Watch tracks a series and judges it by thresholds. A metric that does not exist, or an aggregation that it does not
// have, is an error.
func (e *Engine) Watch(selector threshold.Selector, thresholds []*threshold.Threshold) error {
	m := e.registry.Get(selector.Metric)
	if m == nil {
		return fmt.Errorf("threshold on %q: there is no metric %q; create it in the script's init code or correct the name", selector, selector.Metric)
	}
	for _, t := range thresholds {
		if err := t.Expression.Aggregation.Supports(m.Kind); err != nil {
			return fmt.Errorf("threshold %q on %q: %w", t.Source, selector, err)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	f := e.family(m)
	if len(selector.Tags) == 0 {
		f.whole.Thresholds = append(f.whole.Thresholds, thresholds...)
		return nil
	}
	f.parts = append(f.parts, &Series{Metric: m, Selector: selector, Sink: NewSink(m.Kind), Thresholds: thresholds})
	return nil
}

// family finds or makes a metric's family; two definitions of one name share it. The caller holds the lock.
func (e *Engine) family(m *record.Metric) *family {
	f := e.families[m]
	if f != nil {
		return f
	}
	if f = e.byName[m.Name]; f == nil {
		f = &family{whole: Series{Metric: m, Selector: threshold.Selector{Metric: m.Name}, Sink: NewSink(m.Kind)}}
		e.byName[m.Name] = f
	}
	e.families[m] = f
	return f
}

// Ingest takes in samples; it keeps nothing of the slice.
func (e *Engine) Ingest(samples []record.Sample) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i := range samples {
		s := &samples[i]
		f := e.family(s.Metric)
		f.whole.Sink.Add(s.Value)
		for _, part := range f.parts {
			if part.Selector.Matches(s.Tags) {
				part.Sink.Add(s.Value)
			}
		}
		e.checks.observe(s)
	}
}

// Result is a series with how its thresholds turned out.
type Result struct {
	*Series
	Verdicts []threshold.Verdict
}

// Judge evaluates thresholds on everything since the start. During the run, when final is false, only thresholds that
// can abort it are evaluated, and only on series that have samples. Results are sorted by name.
func (e *Engine) Judge(elapsed time.Duration, final bool) []Result {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []Result
	for _, s := range e.series() {
		if len(s.Thresholds) > 0 && (final || !s.Sink.Empty()) {
			out = append(out, judge(s, elapsed, final))
		}
	}
	return out
}

func judge(s *Series, elapsed time.Duration, final bool) Result {
	r := Result{Series: s}
	for _, t := range s.Thresholds {
		if final || t.AbortOnFail {
			observed, ok := s.Sink.Get(t.Expression.Aggregation, elapsed)
			r.Verdicts = append(r.Verdicts, t.Judge(observed, ok))
		}
	}
	return r
}

// series lists all series by name, sub-metrics after their metric. The caller holds the lock.
func (e *Engine) series() []*Series {
	var out []*Series
	for _, f := range e.byName {
		out = append(out, &f.whole)
		out = append(out, f.parts...)
	}
	slices.SortFunc(out, func(a, b *Series) int {
		return cmp.Or(cmp.Compare(a.Metric.Name, b.Metric.Name), cmp.Compare(a.Name(), b.Name()))
	})
	return out
}

// View calls f with all series that have samples or thresholds, by name, and the tally of checks, while nothing is taken
// in.
func (e *Engine) View(f func([]*Series, []*Group)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	seen := slices.DeleteFunc(e.series(), func(s *Series) bool { return s.Sink.Empty() && len(s.Thresholds) == 0 })
	f(seen, e.checks.groups())
}

// Describe is the line that introduces a metric in JSON output.
func (e *Engine) Describe(m *record.Metric) record.MetricLine {
	e.mu.Lock()
	defer e.mu.Unlock()
	f := e.family(m)
	line := record.MetricLine{Metric: *m}
	for _, t := range f.whole.Thresholds {
		if text, err := t.MarshalJSON(); err == nil {
			line.Thresholds = append(line.Thresholds, text)
		}
	}
	for _, p := range f.parts {
		line.Submetrics = append(line.Submetrics, record.Submetric{Name: p.Name(), Suffix: p.Selector.Suffix, Tags: p.Selector.Tags})
	}
	return line
}

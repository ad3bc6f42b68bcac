package metrics_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/wsgov/wsgov/host/metrics"
	"github.com/wsgov/wsgov/host/threshold"
	"github.com/wsgov/wsgov/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(t *testing.T, source string) threshold.Expression {
	t.Helper()
	e, err := threshold.Parse(source)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSinks(t *testing.T) {
	const elapsed = 4 * time.Second
	for _, c := range []struct {
		kind        record.Kind
		values      []float64
		aggregation string
		want        float64
		present     bool
	}{
		{record.Counter, nil, "count", 0, true},
		{record.Counter, []float64{1, 2, 5}, "count", 8, true},
		{record.Counter, []float64{1, 2, 5}, "rate", 2, true},
		{record.Gauge, nil, "value", 0, true},
		{record.Gauge, []float64{3, -7, 5}, "value", 5, true},
		{record.Rate, nil, "rate", 0, false},
		{record.Rate, []float64{0, 1, 0, 7}, "rate", 0.5, true},
		{record.Trend, nil, "p(95)", 0, true},
		{record.Trend, nil, "avg", 0, true},
		{record.Trend, []float64{9}, "p(95)", 9, true},
		{record.Trend, []float64{4, 1, 3, 2}, "avg", 2.5, true},
		{record.Trend, []float64{4, 1, 3, 2}, "min", 1, true},
		{record.Trend, []float64{4, 1, 3, 2}, "max", 4, true},
		{record.Trend, []float64{4, 1, 3, 2}, "med", 2.5, true},
		{record.Trend, []float64{4, 1, 3, 2}, "p(90)", 3.7, true},
		{record.Trend, []float64{4, 1, 3, 2}, "p(0)", 1, true},
		{record.Trend, []float64{4, 1, 3, 2}, "p(100)", 4, true},
		{record.Trend, []float64{math.Inf(1), math.Inf(1)}, "med", math.Inf(1), true},
	} {
		s := metrics.NewSink(c.kind)
		for _, v := range c.values {
			s.Add(v)
		}
		got, present := s.Get(parse(t, c.aggregation+"<1").Aggregation, elapsed)
		if math.Abs(got-c.want) > 1e-12 || present != c.present {
			t.Errorf("%s of %s %v = %v, %v; want %v, %v", c.aggregation, c.kind, c.values, got, present, c.want, c.present)
		}
		if s.Empty() != (len(c.values) == 0) {
			t.Errorf("%s %v is empty: %v", c.kind, c.values, s.Empty())
		}
	}
	if _, present := (&metrics.CounterSink{Sum: 5}).Rate(0); present {
		t.Error("a counter has a rate at once")
	}
}

func TestGaugeKeepsExtremesOfNegativeSeries(t *testing.T) {
	var s metrics.GaugeSink
	for _, v := range []float64{-3, -9, -5} {
		s.Add(v)
	}
	if s.Min != -9 || s.Max != -3 || s.Value != -5 {
		t.Errorf("gauge %+v, want -5 between -9 and -3", s)
	}
}

func TestQuantileIsTheOneOfASortedSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		batches := rapid.SliceOfN(rapid.SliceOf(rapid.Float64Range(-1e6, 1e6)), 1, 5).Draw(t, "batches")
		var s metrics.TrendSink
		var all []float64
		for _, batch := range batches { // asking in between must not disturb what follows
			for _, v := range batch {
				s.Add(v)
			}
			all = append(all, batch...)
			want := slices.Sorted(slices.Values(all))
			for i := range want {
				if got := s.Quantile(float64(i) / math.Max(1, float64(len(want)-1))); !near(got, want[i]) {
					t.Fatalf("rank %d of %d is %v, want %v", i, len(want), got, want[i])
				}
			}
		}
	})
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*(1+math.Abs(b)) }

func TestRegistry(t *testing.T) {
	r := metrics.NewRegistry()
	sent, err := r.Create("ws_msgs_sent", record.Counter, record.Default)
	if err != nil || sent != r.Get("ws_msgs_sent") {
		t.Errorf("a built-in's name with its own type: %v, %v", sent, err)
	}
	mine, err := r.Create("mine", record.Trend, record.Time)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := r.Create("mine", record.Trend, record.Time); err != nil || again != mine {
		t.Errorf("the same metric again: %v, %v", again, err)
	}
	for _, c := range []struct {
		name     string
		kind     record.Kind
		contains record.Contains
		reasons  []string
	}{
		{"ws_msgs_received", record.Trend, record.Default, []string{"ws_msgs_received", "trend", "counter"}},
		{"mine", record.Trend, record.Default, []string{"default", "time"}},
		{"wsgov_delivered", record.Rate, record.Default, []string{"wsgov_", "belong to the ledger", "another name"}},
		{"wsgov_new", record.Rate, record.Default, []string{"wsgov_"}},
		{"", record.Rate, record.Default, []string{"letters"}},
		{"a", record.Rate, record.Default, []string{"2 to 129"}},
		{"1a", record.Rate, record.Default, []string{"digit"}},
		{"a-b", record.Rate, record.Default, []string{"letters"}},
		{strings.Repeat("a", 130), record.Rate, record.Default, []string{"129"}},
	} {
		_, err := r.Create(c.name, c.kind, c.contains)
		for _, reason := range c.reasons {
			if err == nil || !strings.Contains(err.Error(), reason) {
				t.Errorf("Create(%q, %s, %s) error = %v; want one that says %q", c.name, c.kind, c.contains, err, reason)
			}
		}
	}
}

func sample(m *record.Metric, v float64, tags ...string) record.Sample {
	return record.Sample{Metric: m, Value: v, Tags: record.NewTags(tags...)}
}

func watch(t *testing.T, e *metrics.Engine, selector string, sources ...string) {
	t.Helper()
	s, err := threshold.ParseSelector(selector)
	if err != nil {
		t.Fatal(err)
	}
	value, err := json.Marshal(sources)
	if err != nil {
		t.Fatal(err)
	}
	ts, err := threshold.ParseAll(value)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Watch(s, ts); err != nil {
		t.Fatal(err)
	}
}

func TestSubmetricsTakeOnlyMatchingSamples(t *testing.T) {
	e := metrics.NewEngine(metrics.NewRegistry())
	watch(t, e, "wsgov_delivered{plan:a}", "rate==1")
	watch(t, e, "wsgov_delivered{plan:a,outcome:lost}", "rate==0")
	watch(t, e, "wsgov_delivered", "rate<0.6")
	e.Ingest([]record.Sample{
		sample(record.Delivered, 1, "plan", "a", "outcome", "ok", "scenario", "s"),
		sample(record.Delivered, 0, "plan", "a", "outcome", "lost"),
		sample(record.Delivered, 0, "plan", "b"),
	})
	got := ""
	for _, r := range e.Judge(time.Second, true) {
		got += fmt.Sprintf("%s=%.3f %v\n", r.Name(), r.Verdicts[0].Observed, r.Verdicts[0].OK)
	}
	want := "wsgov_delivered=0.333 true\nwsgov_delivered{plan:a,outcome:lost}=0.000 true\nwsgov_delivered{plan:a}=0.500 false\n"
	if got != want {
		t.Errorf("judged\n%swant\n%s", got, want)
	}
}

func TestWatchRefuses(t *testing.T) {
	e := metrics.NewEngine(metrics.NewRegistry())
	for selector, reason := range map[string]string{"nothing": "no metric", "vus": "does not apply to a gauge", "checks{a:b}": "does not apply to a rate"} {
		s, err := threshold.ParseSelector(selector)
		if err != nil {
			t.Fatal(err)
		}
		err = e.Watch(s, []*threshold.Threshold{{Source: "avg<1", Expression: parse(t, "avg<1")}})
		if err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("Watch(%q) error = %v; want one that says %q", selector, err, reason)
		}
	}
}

func TestDuringTheRunEmptySeriesAreNotJudged(t *testing.T) {
	e := metrics.NewEngine(metrics.NewRegistry())
	s := threshold.Selector{Metric: "iterations"}
	aborting := &threshold.Threshold{Expression: parse(t, "count>5"), AbortOnFail: true}
	if err := e.Watch(s, []*threshold.Threshold{aborting, {Expression: parse(t, "count>9")}}); err != nil {
		t.Fatal(err)
	}
	if got := e.Judge(time.Second, false); len(got) != 0 {
		t.Errorf("an empty series was judged during the run: %+v", got)
	}
	e.Ingest([]record.Sample{sample(metrics.Iterations, 1)})
	got := e.Judge(time.Second, false)
	if len(got) != 1 || len(got[0].Verdicts) != 1 || !got[0].Verdicts[0].Aborts(time.Second) {
		t.Errorf("during the run: %+v, want only the aborting threshold, failed", got)
	}
	if got := e.Judge(time.Second, true); len(got[0].Verdicts) != 2 {
		t.Errorf("at the end: %+v, want both thresholds", got)
	}
}

func TestDescribe(t *testing.T) {
	e := metrics.NewEngine(metrics.NewRegistry())
	watch(t, e, "wsgov_delivered{b:2,a:1}", "rate==1")
	watch(t, e, "wsgov_delivered", "rate>0.9", "rate<=1")
	line := e.Describe(record.Delivered)
	if string(line.Thresholds[0]) != `"rate>0.9"` || len(line.Thresholds) != 2 || line.Name != "wsgov_delivered" {
		t.Errorf("described as %+v", line)
	}
	if sub := line.Submetrics[0]; sub.Name != "wsgov_delivered{b:2,a:1}" || sub.Suffix != "b:2,a:1" || sub.Tags.Value("a") != "1" {
		t.Errorf("sub-metric %+v", sub)
	}
}

func TestChecksFormATree(t *testing.T) {
	e := metrics.NewEngine(metrics.NewRegistry())
	e.Ingest([]record.Sample{
		sample(metrics.Checks, 1, "check", "one", "group", "::a::b"),
		sample(metrics.Checks, 0, "check", "one", "group", "::a::b"),
		sample(metrics.Checks, 1, "check", "one", "group", ""),
		sample(metrics.Checks, 1, "group", "::a"),
		sample(metrics.GroupDuration, 5, "group", "::c"),
	})
	var got []string
	e.View(func(_ []*metrics.Series, groups []*metrics.Group) {
		for _, g := range groups {
			got = append(got, fmt.Sprintf("%s[%d]", g.Path, len(g.Groups)))
			for _, c := range g.Checks {
				got = append(got, fmt.Sprintf("%s %d/%d", c.Path, c.Passes, c.Fails))
			}
		}
	})
	want := "[2] ::one 1/0 ::a[1] ::c[0] ::a::b[0] ::a::b::one 1/1"
	if strings.Join(got, " ") != want {
		t.Errorf("tree %q, want %q", strings.Join(got, " "), want)
	}
}

func TestPipeDeliversEverythingInOrder(t *testing.T) {
	var got []float64
	p := metrics.StartPipe(func(batch []record.Sample) {
		for _, s := range batch {
			got = append(got, s.Value)
		}
	})
	for i := range 1000 {
		p.Push(sample(metrics.VUs, float64(i)))
	}
	p.Stop()
	p.Stop()
	if len(got) != 1000 || !slices.IsSorted(got) {
		t.Errorf("%d samples arrived, in order %v", len(got), slices.IsSorted(got))
	}
	p.Push(sample(metrics.VUs, 1), sample(metrics.VUs, 2))
	if p.Missed() != 2 {
		t.Errorf("%d samples counted as missed, want 2", p.Missed())
	}
}

func BenchmarkIngest(b *testing.B) {
	e := metrics.NewEngine(metrics.NewRegistry())
	selector, _ := threshold.ParseSelector("wsgov_delivered{plan:C,outcome:ok}")
	if err := e.Watch(selector, nil); err != nil {
		b.Fatal(err)
	}
	tags := record.NewTags("group", "", "outcome", "ok", "plan", "C", "scenario", "default")
	batch := make([]record.Sample, 1000)
	for i := range batch {
		batch[i] = record.Sample{Metric: []*record.Metric{record.Delivered, record.ResponseTime, record.SendLag}[i%3], Value: 1, Tags: tags}
	}
	p := metrics.StartPipe(e.Ingest)
	for b.Loop() {
		p.Push(batch...)
	}
	p.Stop()
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/sample")
}

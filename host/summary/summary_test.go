package summary_test

import (
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/wsgov/wsgov/host/metrics"
	"github.com/wsgov/wsgov/host/options"
	"github.com/wsgov/wsgov/host/summary"
	"github.com/wsgov/wsgov/record"
)

var update = flag.Bool("update", false, "write the golden files anew")

// resolved reads options as a script would export them.
func resolved(t *testing.T, object string) *options.Options {
	t.Helper()
	l, err := options.FromObject("options", []byte(object))
	if err != nil {
		t.Fatal(err)
	}
	o, _, err := options.Resolve(l)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// collect judges samples by options and makes the data of a summary.
func collect(t *testing.T, object string, registry *metrics.Registry, samples []record.Sample, d summary.Data) *summary.Data {
	t.Helper()
	o := resolved(t, object)
	e := metrics.NewEngine(registry)
	for _, w := range o.Thresholds {
		if err := e.Watch(w.Selector, w.Thresholds); err != nil {
			t.Fatal(err)
		}
	}
	e.Ingest(samples)
	d.TrendStats, d.TimeUnit = o.SummaryTrendStats, o.SummaryTimeUnit
	d.Collect(e, e.Judge(d.Duration, true))
	return &d
}

// k6Run is a run of k6: its own points, of which we make the summary that it made.
func k6Run(t *testing.T) *summary.Data {
	t.Helper()
	f, err := os.Open("testdata/k6.ndjson.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	type line struct {
		Type, Metric string
		Data         struct {
			Type     record.Kind
			Contains record.Contains
			Value    float64
			Tags     map[string]string
		}
	}
	registry := metrics.NewRegistry()
	var samples []record.Sample
	for lines := json.NewDecoder(z); lines.More(); {
		var l line
		if err := lines.Decode(&l); err != nil {
			t.Fatal(err)
		}
		if l.Type == "Metric" {
			if _, err := registry.Create(l.Metric, l.Data.Type, l.Data.Contains); err != nil {
				t.Fatal(err)
			}
			continue
		}
		samples = append(samples, record.Sample{Metric: registry.Get(l.Metric), Value: l.Data.Value, Tags: record.TagsFromMap(l.Data.Tags)})
	}
	const duration = 12 / 3.9211641606492353 // its iterations by its iterations per second
	return collect(t, `{
		"summaryTrendStats": ["avg", "min", "med", "max", "p(90)", "p(95)", "p(99)", "p(99.9)", "count"],
		"thresholds": {
			"msg_latency": ["p(95)<50", "p(99)<2"], "msg_latency{kind:open}": ["p(95)<50"], "msg_ok_rate": ["rate>0.99"],
			"msgs_ok{scenario:governed}": ["count>100"], "checks": ["rate>0.9"], "ws_connecting": ["p(95)<1000"], "http_req_failed": ["rate<0.01"]
		}}`, registry, samples, summary.Data{Duration: time.Duration(duration * float64(time.Second))})
}

func TestTextIsTheOneOfK6(t *testing.T) {
	want, err := os.ReadFile("testdata/console.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := k6Run(t).Text()
	for i, line := range strings.Split(string(want), "\n") {
		if lines := strings.Split(got, "\n"); i >= len(lines) || !closeLine(lines[i], line) {
			t.Errorf("line %d is\n%q, want\n%q", i+1, append(lines, make([]string, i+1)...)[i], line)
		}
	}
}

// closeLine lets rates per second differ in their last digits: the run's duration is known to nanoseconds only.
func closeLine(got, want string) bool {
	g, w := strings.Fields(got), strings.Fields(want)
	if len(g) != len(w) || len(got) != len(want) {
		return false
	}
	for i := range g {
		if g[i] != w[i] && !(strings.HasSuffix(g[i], "/s") && strings.HasSuffix(w[i], "/s") && g[i][:5] == w[i][:5]) {
			return false
		}
	}
	return true
}

func TestExportIsTheOneOfK6(t *testing.T) {
	text, err := os.ReadFile("testdata/export.json")
	if err != nil {
		t.Fatal(err)
	}
	var want, got struct {
		Metrics   map[string]map[string]any `json:"metrics"`
		RootGroup any                       `json:"root_group"`
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	text, err = k6Run(t).Export()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if g, w := fmt.Sprint(got.RootGroup), fmt.Sprint(want.RootGroup); g != w {
		t.Errorf("root group\n%s\nwant\n%s", g, w)
	}
	if len(got.Metrics) != len(want.Metrics) {
		t.Errorf("%d metrics, want %d", len(got.Metrics), len(want.Metrics))
	}
	for name, w := range want.Metrics {
		if g := got.Metrics[name]; !near(g, w) {
			t.Errorf("%s is %v, want %v", name, g, w)
		}
	}
}

func near(got, want map[string]any) bool {
	if len(got) != len(want) {
		return false
	}
	for key, w := range want {
		g, ok := got[key].(float64)
		if f, number := w.(float64); number {
			if !ok || math.Abs(g-f) > 1e-6*(1+math.Abs(f)) {
				return false
			}
		} else if fmt.Sprint(got[key]) != fmt.Sprint(w) {
			return false
		}
	}
	return true
}

// ours is a small run with every kind of metric and odd names.
func ours(t *testing.T, object string, d summary.Data) *summary.Data {
	t.Helper()
	at := func(m *record.Metric, v float64, tags ...string) record.Sample {
		return record.Sample{Metric: m, Value: v, Tags: record.NewTags(tags...)}
	}
	d.Duration = 90 * time.Second
	return collect(t, object, metrics.NewRegistry(), []record.Sample{
		at(record.Delivered, 1, "plan", "main"), at(record.Delivered, 0, "plan", "main"), at(record.Delivered, 1, "plan", "main"),
		at(record.ResponseTime, 0.0000005), at(record.ResponseTime, 0.25), at(record.ResponseTime, 61_500), at(record.ResponseTime, 7_261_000),
		at(record.InFlight, 3), at(metrics.DataSent, 123_456_789), at(metrics.DataReceived, 9), at(metrics.Iterations, 1),
		at(metrics.Checks, 1, "check", "two\nlines", "group", "::a"), at(metrics.Checks, 0, "check", "two\nlines", "group", "::b"),
	}, d)
}

const ourOptions = `{"thresholds":{
	"wsgov_delivered{plan:main}":["rate>0.5"],"wsgov_delivered{plan:none}":["rate==1"],"data_sent":["count<1000","rate<1e9"],
	"wsgov_response_time":["p(99)<1","max<Inf"],"wsgov_in_flight":["value==3"]}}`

func TestTextGolden(t *testing.T) {
	golden(t, "testdata/ours.txt", ours(t, ourOptions, summary.Data{}).Text())
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestTimeUnit(t *testing.T) {
	for unit, want := range map[string]string{"s": "max=7261.00s", "ms": "max=7261000.00ms", "us": "max=7261000000.00µs"} {
		if text := ours(t, `{"summaryTimeUnit":"`+unit+`"}`, summary.Data{}).Text(); !strings.Contains(text, want) {
			t.Errorf("in %s the text does not say %q:\n%s", unit, want, text)
		}
	}
}

func TestColor(t *testing.T) {
	text := ours(t, ourOptions, summary.Data{Color: true}).Text()
	if !strings.Contains(text, "\x1b[32m✓") || !strings.Contains(text, "\x1b[31m✗") {
		t.Errorf("no colours in\n%s", text)
	}
}

func TestObject(t *testing.T) {
	text, err := ours(t, ourOptions, summary.Data{SetupData: []byte(`{"token":1}`), OutIsTTY: true}).Object()
	if err != nil {
		t.Fatal(err)
	}
	var indented any
	if err := json.Unmarshal(text, &indented); err != nil {
		t.Fatal(err)
	}
	text, err = json.MarshalIndent(indented, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/ours.json", string(text)+"\n")
}

func TestInfinityDoesNotBreakTheObject(t *testing.T) {
	d := collect(t, `{}`, metrics.NewRegistry(), []record.Sample{{Metric: record.ResponseTime, Value: math.Inf(1)}}, summary.Data{})
	for name, make := range map[string]func() ([]byte, error){"object": d.Object, "export": d.Export} {
		if text, err := make(); err != nil || !json.Valid(text) {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
	if text := d.Text(); !strings.Contains(text, "avg=+Inf") {
		t.Errorf("text\n%s", text)
	}
}

package record

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"
)

func TestAppendPoint(t *testing.T) {
	at := time.Date(2026, 3, 29, 3, 0, 0, 120_000_000, time.FixedZone("", 7200))
	s := &Sample{Metric: Delivered, Time: at, Value: 1, Tags: NewTags("plan", "a<b>&\u2028\"\\\n\x01"), Metadata: NewTags("msg", "bad\xffutf")}
	got, err := AppendPoint([]byte("x"), s)
	want := `x{"metric":"wsgov_delivered","type":"Point","data":{"time":"2026-03-29T03:00:00.12+02:00","value":1,` +
		`"tags":{"plan":"a<b>&\u2028\"\\\n\u0001"},"metadata":{"msg":"bad\ufffdutf"}}}` + "\n"
	if err != nil || string(got) != want {
		t.Fatalf("got  %s\nwant %s\nerr %v", got, want, err)
	}
	got, _ = AppendPoint(nil, &Sample{Metric: Run, Time: time.Unix(0, 0).UTC(), Value: 0.5})
	want = `{"metric":"wsgov_run","type":"Point","data":{"time":"1970-01-01T00:00:00Z","value":0.5,"tags":{}}}` + "\n"
	if string(got) != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
}

func TestAppendPointRefusesWhatJSONCannotHold(t *testing.T) {
	for _, s := range []Sample{
		{Metric: Run, Value: math.NaN()}, {Metric: Run, Value: math.Inf(1)}, {Metric: Run, Value: math.Inf(-1)},
		{Metric: Run, Time: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)},
	} {
		got, err := AppendPoint([]byte("kept"), &s)
		if err == nil || string(got) != "kept" {
			t.Errorf("%v at %v: appended %q, error %v", s.Value, s.Time, got, err)
		}
	}
}

func TestAppendMetric(t *testing.T) {
	m := MetricLine{Metric: *ResponseTime}
	want := `{"type":"Metric","data":{"name":"wsgov_response_time","type":"trend","contains":"time","thresholds":[],"submetrics":null},"metric":"wsgov_response_time"}` + "\n"
	if got := string(AppendMetric(nil, m)); got != want {
		t.Fatalf("got  %s\nwant %s", got, want)
	}
	m.Thresholds = []json.RawMessage{json.RawMessage(`"p(95)<250"`), json.RawMessage(`{"threshold":"max<9","abortOnFail":true,"delayAbortEval":null}`)}
	m.Submetrics = []Submetric{{Name: "m{a:1,b:2}", Suffix: "a:1,b:2", Tags: NewTags("a", "1", "b", "2")}}
	want = `"thresholds":["p(95)<250",{"threshold":"max<9","abortOnFail":true,"delayAbortEval":null}],"submetrics":[{"name":"m{a:1,b:2}","suffix":"a:1,b:2","tags":{"a":"1","b":"2"}}]}`
	if got := string(AppendMetric(nil, m)); !strings.Contains(got, want) {
		t.Fatalf("got %s\nwithout %s", got, want)
	}
}

// FuzzAppendAsStandardLibrary holds the appenders against encoding/json, which is what k6 uses.
func FuzzAppendAsStandardLibrary(f *testing.F) {
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -1, 1e6, 1e15, 123456789012345680, 1e20, 1e21, 1e-6, 1e-7, 1.5e-9, 0.00001, 8.942074, math.MaxFloat64, 5e-324} {
		f.Add("plain", v)
	}
	f.Add("\u2028\u2029<>&\x00\x1f\x7f\"\\/\b\f\n\r\t\xff\xed\xa0\x80é✓😀", 1.0)
	f.Fuzz(func(t *testing.T, s string, v float64) {
		var want bytes.Buffer
		enc := json.NewEncoder(&want)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(s); err != nil {
			t.Fatal(err)
		}
		if got := string(appendString(nil, s)) + "\n"; got != want.String() {
			t.Errorf("string %q: got %s want %s", s, got, want.String())
		}
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return
		}
		number, _ := json.Marshal(v)
		if got := appendFloat(nil, v); string(got) != string(number) {
			t.Errorf("number: got %s want %s", got, number)
		}
	})
}

func benchSample() *Sample {
	return &Sample{
		Metric: ResponseTime, Time: time.Date(2026, 8, 3, 6, 0, 0, 123456789, time.UTC), Value: 12.345678,
		Tags:     NewTags("plan", "C", "outcome", "ok", "scenario", "default", "group", ""),
		Metadata: NewTags("conn", "17", "msg", "123456", "due", "1234.5", "lag", "0.25", "cap", "0", "socket", "0.1", "generator", "0.15"),
	}
}

func TestAppendPointDoesNotAllocate(t *testing.T) {
	s, buf := benchSample(), make([]byte, 0, 1024)
	if n := testing.AllocsPerRun(100, func() { buf, _ = AppendPoint(buf[:0], s) }); n != 0 {
		t.Errorf("%v allocations per point", n)
	}
}

func BenchmarkAppendPoint(b *testing.B) {
	s, buf := benchSample(), make([]byte, 0, 1024)
	for b.Loop() {
		buf, _ = AppendPoint(buf[:0], s)
	}
	b.SetBytes(int64(len(buf)))
}

package host_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"runtime"
	"strings"
	"testing"
)

// points reads a file of JSON lines and returns its points per metric.
func points(t *testing.T, text string) map[string]int {
	t.Helper()
	n := map[string]int{}
	for line := range strings.Lines(text) {
		var l struct{ Type, Metric string }
		if err := json.Unmarshal([]byte(line), &l); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if l.Type == "Point" {
			n[l.Metric]++
		}
	}
	return n
}

const counting = `import { Counter } from 'k6/metrics'; const c = new Counter('c1');
	export const options = { iterations: 5, thresholds: { c1: ['count>0', { threshold: 'rate>0', abortOnFail: true, delayAbortEval: '1s' }], 'c1{a:b}': ['count==5'] } };
	export default function () { c.add(1, { a: 'b' }); c.add(Infinity) }`

func TestJSONOutput(t *testing.T) {
	l := script(t, counting)
	r := l.run("--out", "json=a.json", "-o", "json=b.json.gz", "main.js")
	r.want(t, 0, "5 samples are not in a.json", "output: json=a.json, json=b.json.gz")
	text := read(t, "a.json")
	if n := points(t, text); n["c1"] != 5 || n["iterations"] != 5 {
		t.Errorf("points %v", n)
	}
	if want := `"thresholds":["count>0",{"threshold":"rate>0","abortOnFail":true,"delayAbortEval":"1s"}],"submetrics":[{"name":"c1{a:b}","suffix":"a:b","tags":{"a":"b"}}]`; !strings.Contains(text, want) {
		t.Errorf("the metric's line lacks %s in\n%s", want, text)
	}
	if !strings.Contains(text, `"tags":{"a":"b","group":"","scenario":"default"}`) {
		t.Errorf("tags in\n%s", text)
	}
	f, err := os.Open("b.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if unzipped, err := io.ReadAll(z); err != nil || string(unzipped) != text {
		t.Errorf("the compressed file differs: %v\n%s", err, unzipped)
	}
}

func TestJSONToStdoutIsNothingButLines(t *testing.T) {
	l := script(t, counting)
	r := l.run("--out", "json", "main.js")
	r.want(t, 0)
	if n := points(t, r.out); n["c1"] != 5 {
		t.Errorf("points %v", n)
	}
	if !strings.Contains(r.err, "TOTAL RESULTS") {
		t.Errorf("no summary on stderr:\n%s", r.err)
	}
	l.env = []string{"K6_OUT=json,json=a.json"}
	l.run("main.js").want(t, 0)
	if n := points(t, read(t, "a.json")); n["c1"] != 5 {
		t.Errorf("points %v", n)
	}
}

func TestDiskFull(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /dev/full")
	}
	l := script(t, `import { Counter } from 'k6/metrics'; const c = new Counter('c1');
		export default function () { for (let i = 0; i < 5000; i++) c.add(i); console.log('done') }`)
	r := l.run("--out", "json=/dev/full", "main.js")
	r.want(t, 255, "no space left on device", "done", "TOTAL RESULTS", "/dev/full is not complete", "samples are missing")
	l = script(t, `export const options = { thresholds: { iterations: ['count>9'] } }; export default function () {}`)
	l.run("--out", "json=/dev/full", "main.js").want(t, 99, "/dev/full is not complete")
}

func TestSummaryExport(t *testing.T) {
	l := script(t, counting)
	l.run("--summary-export", "s.json", "main.js").want(t, 0)
	var s struct {
		Metrics map[string]struct {
			Count      *float64
			Thresholds map[string]bool
		}
	}
	if err := json.Unmarshal([]byte(read(t, "s.json")), &s); err != nil {
		t.Fatal(err)
	}
	if c := s.Metrics["iterations"].Count; c == nil || *c != 5 || s.Metrics["c1{a:b}"].Thresholds["count==5"] {
		t.Errorf("exported %+v", s.Metrics)
	}
	l.run("--summary-export", "none/s.json", "main.js").want(t, 0, "writing the summary to none/s.json")
}

func TestHandleSummary(t *testing.T) {
	const head = `export function setup() { return { a: 1 } } export default function () {} `
	r := script(t, head+`export async function handleSummary(data) {
		await null;
		return { stdout: 'to stdout ' + data.metrics.iterations.values.count + data.setup_data.a, stderr: 'to stderr',
			'file.txt': JSON.stringify(data.root_group.groups), 'file.bin': new Uint8Array([104, 105]).buffer };
	}`).run("main.js")
	r.want(t, 0, "to stderr")
	if !strings.Contains(r.out, "to stdout 11") || strings.Contains(r.out, "TOTAL RESULTS") {
		t.Errorf("stdout\n%s", r.out)
	}
	if read(t, "file.txt") != "[]" || read(t, "file.bin") != "hi" {
		t.Errorf("files %q and %q", read(t, "file.txt"), read(t, "file.bin"))
	}
	for body, want := range map[string]string{
		`throw new Error('boom')`:      "Error: boom",
		`return 5`:                     "it returned no object",
		`return { stdout: 5 }`:         `"stdout" is neither a string nor an ArrayBuffer`,
		`return { 'none/x': 'y' }`:     "for none/x",
		`for (;;) {}`:                  "it took longer than 50ms",
		`return new Promise(() => {})`: "never settles",
	} {
		script(t, head+`export const options = { handleSummaryTimeout: '50ms' }; export function handleSummary() { `+body+` }`).
			run("main.js").want(t, 0, want)
	}
}

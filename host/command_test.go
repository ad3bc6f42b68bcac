package host_test

import (
	"compress/gzip"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestUsageGolden(t *testing.T) {
	path, err := filepath.Abs("testdata/usage.txt")
	if err != nil {
		t.Fatal(err)
	}
	r := script(t, "").run("--help")
	if *update {
		if err := os.WriteFile(path, []byte(r.out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := read(t, path); r.code != 0 || r.out != want {
		t.Errorf("exit code %d, usage\n%s\nwant\n%s", r.code, r.out, want)
	}
}

func TestUsageErrors(t *testing.T) {
	for args, want := range map[string]string{
		"":                                 "which script?",
		"a.js b.js":                        `"b.js" comes after "a.js"`,
		"--vux 3 main.js":                  "did you mean \"vus\"?",
		"--stage 1s:5 main.js":             "--stage is not offered here: use the scenarios",
		"-s 1s:5 main.js":                  "is not offered here: use the scenarios",
		"--http-debug main.js":             "--http-debug is not offered here: there is no HTTP module",
		"--no-summary main.js":             "use --summary-mode disabled",
		"--once main.js":                   "use --iterations 1",
		"--rps 5 main.js":                  "--rps is not offered here",
		"--vus many main.js":               `"many" is not a whole number`,
		"--vus":                            "flag needs an argument",
		"--duration soon main.js":          "not a duration",
		"--summary-mode full main.js":      "is not offered: use compact or disabled",
		"--summary-mode odd main.js":       "use compact or disabled",
		"--log-format xml main.js":         "use text, json or raw",
		"--summary-time-unit h main.js":    "use s, ms or us",
		"--summary-trend-stats x main.js":  `"x" is not a statistic`,
		"--tag a main.js":                  `--tag: "a" is not a tag`,
		"--env 1=2 main.js":                "write NAME=VALUE",
		"--gateway-flags x main.js":        "--gateway-flags needs --gateway",
		"--gateway --gateway-flags ' main": "the quote",
	} {
		l := script(t, `export default function () { console.log('ran') }`)
		r := l.run(strings.Fields(args)...)
		r.want(t, 104, want)
		if strings.Contains(r.err, "ran") {
			t.Errorf("%s: the script ran", args)
		}
	}
	l := script(t, `export default function () {}`)
	l.run("--out", "csv=x", "main.js").want(t, 255, `the output "csv" is not offered`)
}

// Every flag changes something that can be seen.
func TestEveryFlagChangesSomething(t *testing.T) {
	const text = `
		import { Trend, Counter } from 'k6/metrics';
		import exec from 'k6/execution';
		const trend = new Trend('my_trend', true), c = new Counter('c1');
		export const options = { thresholds: { 'c1{a:b}': ['count>0'] } };
		export function setup() { console.debug('setup ran') ; return 1 }
		export function teardown() { console.debug('tear ran') }
		export default function (data) {
			trend.add(1500); c.add('nothing'); c.add(1, { a: 'b' });
			console.log('iteration', __ITER, 'of', __VU, JSON.stringify(__ENV), JSON.stringify(exec.vu.tags), exec.test.options.insecureSkipTLSVerify, data);
		}`
	for _, c := range []struct {
		args       []string
		env        []string
		code       int
		has, hasnt string
	}{
		{[]string{"--iterations", "3", "--vus", "2"}, nil, 0, "3 iterations shared among 2 VUs", "each of 1 VUs"},
		{[]string{"-i", "3"}, nil, 0, "3 iterations shared among 1 VUs", ""},
		{nil, []string{"K6_ITERATIONS=3", "K6_VUS=3"}, 0, "3 iterations shared among 3 VUs", ""},
		{[]string{"-i", "2"}, []string{"K6_ITERATIONS=3"}, 0, "2 iterations shared among 1 VUs", ""},
		{[]string{"-u", "2"}, nil, 0, "1 iterations for each of 2 VUs", ""},
		{[]string{"--env", "A=b=c"}, nil, 0, `"A":"b=c"`, ""},
		{nil, []string{"MINE=yes"}, 0, `"MINE":"yes"`, ""},
		{[]string{"--include-system-env-vars=false"}, []string{"MINE=yes"}, 0, "iteration 0", "MINE"},
		{nil, []string{"MINE=yes", "K6_INCLUDE_SYSTEM_ENV_VARS=false"}, 0, "iteration 0", "MINE"},
		{[]string{"--tag", "run=7"}, nil, 0, `"run":"7"`, ""},
		{nil, []string{"K6_TAGS=run=8"}, 0, `"run":"8"`, ""},
		{[]string{"--summary-trend-stats", "count,p(42)"}, nil, 0, "p(42)=1.5s", "avg="},
		{[]string{"--summary-time-unit", "ms"}, nil, 0, "avg=1500.00ms", "avg=1.5s"},
		{[]string{"--summary-mode", "disabled"}, nil, 0, "1 complete", "TOTAL RESULTS"},
		{nil, []string{"K6_SUMMARY_MODE=disabled"}, 0, "1 complete", "TOTAL RESULTS"},
		{[]string{"--no-thresholds"}, nil, 0, "{ a:b }", "█ THRESHOLDS"},
		{nil, []string{"K6_NO_THRESHOLDS=true"}, 0, "{ a:b }", "█ THRESHOLDS"},
		{[]string{"--quiet"}, nil, 0, "TOTAL RESULTS", "scenarios:"},
		{[]string{"--verbose"}, nil, 0, "setup ran", ""},
		{[]string{"--verbose", "--no-setup"}, nil, 0, "tear ran", "setup ran"},
		{[]string{"--verbose", "--no-teardown"}, nil, 0, "setup ran", "tear ran"},
		{[]string{"--verbose"}, []string{"K6_NO_TEARDOWN=true"}, 0, "setup ran", "tear ran"},
		{[]string{"--throw"}, nil, 99, "ERRO[0000] Error: c1.add()", "iteration 0"},
		{[]string{"--insecure-skip-tls-verify"}, nil, 0, "} true 1", ""},
		{[]string{"--system-tags", "check"}, nil, 0, "iteration 0", `"scenario"`},
		{[]string{"--min-iteration-duration", "1ms"}, nil, 0, "iteration 0", ""},
		{[]string{"--log-format", "json"}, nil, 0, `"level":"info"`, "INFO[0000]"},
		{[]string{"--log-format", "raw"}, nil, 0, "\niteration 0", "source=console"},
	} {
		t.Run(strings.Join(append(c.args, c.env...), " "), func(t *testing.T) {
			l := script(t, text)
			l.env = c.env
			r := l.run(append(c.args, "main.js")...)
			r.want(t, c.code, c.has)
			if c.hasnt != "" && strings.Contains(r.out+r.err, c.hasnt) {
				t.Errorf("still says %q\nstdout:\n%s\nstderr:\n%s", c.hasnt, r.out, r.err)
			}
		})
	}
}

func TestEnvironmentOfOptionsThatAreNotOffered(t *testing.T) {
	l := script(t, `export default function () {}`)
	l.env = []string{"K6_STAGES=1s:5"}
	l.run("main.js").want(t, 104, "K6_STAGES", "does not offer")
}

func TestTimeoutFlags(t *testing.T) {
	script(t, `import { sleep } from 'k6'; export function setup() { sleep(9) } export default function () {}`).
		run("--setup-timeout", "20ms", "main.js").want(t, 100, "longer than 20ms")
	script(t, `import { sleep } from 'k6'; export function teardown() { sleep(9) } export default function () {}`).
		run("--teardown-timeout", "20ms", "main.js").want(t, 101, "longer than 20ms")
}

func TestConsoleOutput(t *testing.T) {
	l := script(t, `export default function () { console.log('hello'); throw new Error('boom') }`)
	r := l.run("--console-output", "log.txt", "main.js")
	r.want(t, 0, "Error: boom")
	if text := read(t, "log.txt"); !strings.Contains(text, "hello") || strings.Contains(r.err, "hello") {
		t.Errorf("log.txt has %q, stderr %q", text, r.err)
	}
	l.run("--console-output", "none/log.txt", "main.js").want(t, 255, "--console-output", "none/log.txt")
}

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

func TestSeedAndVersionReachTheModule(t *testing.T) {
	// The plan derives its seed from the run's, so two runs of one seed send the same.
	seed := func(args ...string) string {
		l := script(t, `import { Client } from 'k6/x/wsgov'; export default async function () {
			const c = new Client(__ENV.GATEWAY + '/gateway'); await c.drive({ rate: 20, duration: '100ms', arrivals: 'poisson', message: { id: '{{id}}' } }); await c.close() }`)
		l.run(append(args, "--gateway", "--out", "json=a.json", "main.js")...).want(t, 0)
		text := read(t, "a.json")
		if !strings.Contains(text, "wsgov/test") {
			t.Errorf("no version in\n%s", text)
		}
		_, rest, _ := strings.Cut(text, `"seed":"`)
		value, _, _ := strings.Cut(rest, `"`)
		return value
	}
	if a, b := seed("--seed", "7"), seed("--seed", "7"); a != b || a == "" {
		t.Errorf("seeds %s and %s, want the same", a, b)
	}
	if a, b := seed("--seed", "7"), seed(); a == b {
		t.Errorf("seed %s with and without --seed", a)
	}
}

func TestGateway(t *testing.T) {
	l := script(t, `
		import { Client, Gateway } from 'k6/x/wsgov';
		export const options = { thresholds: { 'wsgov_delivered{plan:main}': ['rate==1'], wsgov_unreconciled: ['value==0'], 'wsgov_delivered{scenario:default}': ['rate==1'] } };
		const g = new Gateway({ url: __ENV.GATEWAY + '/gateway', request: { cmd: 'stats' }, path: 'server_stats', map: { conns: 'handshakes', echoed: 'ok', limited: 'error:RATE_LIMITED' } });
		export default async function () {
			const before = await g.snapshot();
			const c = new Client(__ENV.GATEWAY + '/gateway', { connections: 2 });
			const ledger = await c.drive({ rate: 50, duration: '200ms', message: { id: '{{id}}' } });
			console.log('planned', ledger.planned, 'ok', ledger.ok);
			await c.close();
			const r = await g.reconcile(before);
			console.log('difference', r.difference);
		}`)
	r := l.run("--gateway", "--gateway-flags", "--journal 'my journal.ndjson'", "--out", "json=a.json", "main.js")
	r.want(t, 0, "planned 20 ok 20", "difference 0")
	if n := strings.Count(read(t, "my journal.ndjson"), "\n"); n < 20 {
		t.Errorf("the journal has %d lines, want 20 at least", n)
	}
	if n := points(t, read(t, "a.json")); n["wsgov_delivered"] != 20 || n["wsgov_run"] != 2 || n["wsgov_closes"] != 2 {
		t.Errorf("points %v", n)
	}
	l.run("--gateway", "--gateway-flags", "--nonsense", "main.js").want(t, 255, "the gateway ended before it was ready")
}

// What a script leaves running when it is interrupted is booked: the end points of its plans are in the file.
func TestInterruptedDriveIsBooked(t *testing.T) {
	l := script(t, `
		import { Client } from 'k6/x/wsgov';
		export const options = { vus: 2, duration: '1h' };
		export default async function () {
			const c = new Client(__ENV.GATEWAY + '/gateway', { connections: 3 });
			await c.connect();
			setTimeout(() => console.log('under way'), 100);
			const ledger = await c.drive({ rate: 50, duration: '1h', message: { id: '{{id}}' } });
			console.log('settled', ledger.planned === ledger.sent + ledger.unsent);
		}`)
	l.stopAfter("under way")
	r := l.run("--gateway", "--out", "json=a.json", "main.js")
	r.want(t, 105, "settled true")
	text := read(t, "a.json")
	for _, want := range []string{`"phase":"start"`, `"phase":"end"`} {
		if n := strings.Count(text, want); n != 2 {
			t.Errorf("%d points with %s, want 2", n, want)
		}
	}
	if n := points(t, text); n["wsgov_closes"] != 6 {
		t.Errorf("points %v, want the ends of 6 connections", n)
	}
}

func TestGatewayDiesDuringTheRun(t *testing.T) {
	l := script(t, `
		import { Client } from 'k6/x/wsgov';
		export default async function () {
			const c = new Client(__ENV.GATEWAY + '/gateway');
			const ledger = await c.drive({ rate: 20, duration: '1s', message: { id: '{{id}}' } });
			console.log('booked', ledger.planned === ledger.ok + ledger.error + ledger.lost + ledger.unsent);
			await new Promise((resolve) => setTimeout(resolve, 500));   // the run goes on without its gateway
			await c.close();
		}`)
	t.Setenv("WSGOV_TEST_GATEWAY_LIFE", "200ms")
	l.run("--gateway", "main.js").want(t, 255, "ended during the run", "booked true", "TOTAL RESULTS")
}

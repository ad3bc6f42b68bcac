package host_test

import (
	"flag"
	"os"
	"path/filepath"
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

func TestTerminal(t *testing.T) {
	const text = `export const options = { thresholds: { iterations: ['count>0'] } };
		export default function () { console.log('hello'); return new Promise((resolve) => setTimeout(resolve, Number(__ENV.MS || 0))) }
		export function handleSummary(data) { return data.state.isStdOutTTY && !data.options.noColor ? { stdout: 'colours' } : { stdout: 'plain' } }`
	run := func(env []string, args ...string) result {
		l := script(t, text)
		l.tty, l.env = true, env
		return l.run(append(args, "main.js")...)
	}
	r := run(nil, "--env", "MS=1200")
	r.want(t, 0, "\r\x1b[Krunning (01.0s), 1/1 VUs, 0 complete and 0 interrupted iterations", "\x1b[36mINFO\x1b[0m[0000] hello", "colours")
	if n := strings.Count(r.out, "\r"); n != 2 {
		t.Errorf("the line was refreshed and cleared %d times, want twice:\n%q", n, r.out)
	}
	run(nil, "--no-color").want(t, 0, "INFO[0000] hello", "plain")
	run([]string{"NO_COLOR=1"}).want(t, 0, "INFO[0000] hello", "plain")
	run([]string{"K6_NO_COLOR=true"}).want(t, 0, "INFO[0000] hello", "plain")
	if r := run(nil, "--quiet"); strings.Contains(r.out, "running") {
		t.Errorf("--quiet shows progress: %q", r.out)
	}
}

package host_test

import (
	"strings"
	"testing"
)

func TestWholeLife(t *testing.T) {
	l := script(t, `
		import { check } from 'k6';
		import exec from 'k6/execution';
		console.log('init', __VU);
		export const options = { vus: 2, iterations: 4, tags: { run: 'r' }, thresholds: { checks: ['rate==1'], iterations: ['count==4'] } };
		export function setup() { console.log('setup', __VU); return { token: [1, null] } }
		export default function (data) { check(data, { 'data arrived': (d) => d.token[0] === 1 && d.token[1] === null }) }
		export async function teardown(data) { await null; console.log('teardown', JSON.stringify(data)) }`)
	r := l.run("main.js")
	r.want(t, 0, "INFO[0000] init 0", "INFO[0000] init 2", "setup 0", `teardown {"token":[1,null]}`,
		"* default: 4 iterations shared among 2 VUs", "✓ data arrived", "✓ 'rate==1' rate=100.00%", "iterations...........: 4",
		"0/2 VUs, 4 complete and 0 interrupted iterations")
	if strings.Contains(r.out, "\r") || strings.Contains(r.out+r.err, "\x1b") {
		t.Errorf("control characters on what is no terminal: %q", r.out)
	}
	if strings.Contains(r.out, "console") || strings.Contains(r.err, "TOTAL RESULTS") {
		t.Errorf("messages and results are not apart:\n%s\n%s", r.out, r.err)
	}
}

// Every exit code, by its shortest cause.
func TestExitCodes(t *testing.T) {
	for name, c := range map[string]struct {
		code   int
		script string
		says   []string
	}{
		"fine":              {0, `export default function () {}`, nil},
		"failed iteration":  {0, `export default function () { throw new Error('boom') }`, []string{"ERRO[0000] Error: boom\n\tat default (main.js:1:36", "iterations...........: 1"}},
		"failed check":      {0, `import { check } from 'k6'; export default function () { check(1, { no: false }) }`, []string{"✗ no"}},
		"threshold":         {99, `export const options = { thresholds: { iterations: ['count>5'], vus: ['value<9'] } }; export default function () {}`, []string{"thresholds on iterations have been crossed", "✗ 'count>5' count=1", "✓ 'value<9'"}},
		"setup timeout":     {100, `import { sleep } from 'k6'; export const options = { setupTimeout: '50ms' }; export function setup() { sleep(99) } export default function () { console.log('iterated') }`, []string{"setup() took longer than 50ms", "setupTimeout"}},
		"teardown timeout":  {101, `export const options = { teardownTimeout: 50 }; export function teardown() { for (;;) {} } export default function () {}`, []string{"teardown() took longer than 50ms"}},
		"unknown metric":    {104, `export const options = { thresholds: { nothing: ['rate>0'] } }; export default function () {}`, []string{`no metric "nothing"`}},
		"bad aggregation":   {104, `export const options = { thresholds: { checks: ['p(95)<5'] } }; export default function () {}`, []string{"does not apply to a rate"}},
		"bad threshold":     {104, `export const options = { thresholds: { checks: ['rate'] } }; export default function () {}`, []string{"no operator"}},
		"unknown option":    {104, `export const options = { vu: 5 }; export default function () {}`, []string{`did you mean "vus"`}},
		"options no JSON":   {107, `export const options = {}; options.self = options; export default function () {}`, []string{"reading the script's options"}},
		"options no object": {104, `export const options = 5; export default function () {}`, []string{"not an object of options"}},
		"missing exec":      {104, `export const options = { scenarios: { a: { executor: 'per-vu-iterations', exec: 'gone' } } };`, []string{`exports no function "gone"`}},
		"missing default":   {104, `export function other() {}`, []string{`exports no function "default"`}},
		"init throws":       {107, `throw new Error('boom')`, []string{"running the script's init code: Error: boom\n\tat main.js:1:7"}},
		"syntax":            {107, "const a = 1;\nconst b = (a;\n", []string{"not valid JavaScript\nmain.js:2:13: Unexpected token ;\n  2 | const b = (a;\n    |             ^"}},
		"setup throws":      {107, `export function setup() { throw new Error('boom') } export function teardown() { console.log('torn') } export default function () { console.log('iterated') }`, []string{"setup() failed: Error: boom\n\tat setup (main.js:1:"}},
		"setup rejects":     {107, `export async function setup() { await null; throw new Error('boom') } export default function () {}`, []string{"Error: boom"}},
		"setup hangs":       {107, `export function setup() { return new Promise(() => {}) } export default function () {}`, []string{"its promise never settles"}},
		"setup NaN":         {107, `export function setup() { return { a: [{ b: NaN }] } } export default function () {}`, []string{`the value of "b" is NaN`}},
		"teardown throws":   {107, `export function teardown() { throw new Error('boom') } export default function () {}`, []string{"teardown() failed: Error: boom", "iterations...........: 1"}},
		"abort":             {108, `import exec from 'k6/execution'; export default function () { exec.test.abort('enough') } export function teardown() { console.log('torn') }`, []string{"the script aborted the run: enough", "torn", "TOTAL RESULTS"}},
		"abort in init":     {108, `import exec from 'k6/execution'; exec.test.abort(); export default function () {}`, []string{"the script aborted the run"}},
		"abort in setup":    {108, `import exec from 'k6/execution'; export function setup() { exec.test.abort('no') } export default function () { console.log('iterated') }`, []string{"aborted the run: no"}},
		"fail":              {110, `import exec from 'k6/execution'; export default function () { exec.test.fail('bad') }`, []string{"marked the run as failed: bad", "iterations...........: 1"}},
		"fail and crossed":  {110, `import exec from 'k6/execution'; export const options = { thresholds: { iterations: ['count>5'] } }; export default function () { exec.test.fail('bad') }`, []string{"marked the run as failed", "have been crossed"}},
		"abort by threshold": {99, `import { sleep } from 'k6'; export const options = { vus: 1, duration: '60s', thresholds: { iterations: [{ threshold: 'count<1', abortOnFail: true }] } };
			export default function () { sleep(0.1) } export function teardown() { console.log('torn') }`, []string{`the threshold "count<1" on "iterations" failed, which aborts the run`, "torn"}},
		"no such module": {255, `import http from 'k6/http'; export default function () {}`, []string{`"k6/http"`, "does not offer", "k6/x/wsgov"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := script(t, c.script).run("main.js")
			r.want(t, c.code, c.says...)
			if strings.Contains(r.err, "iterated") {
				t.Errorf("iterations ran after setup had failed:\n%s", r.err)
			}
			if name == "setup throws" && strings.Contains(r.err, "torn") {
				t.Error("teardown ran after setup had failed")
			}
		})
	}
}

func TestMissingScript(t *testing.T) {
	l := newLab(t, map[string]string{"dir/a.js": ""})
	l.run("gone.js").want(t, 255, "reading gone.js: there is no such file")
	l.run("dir").want(t, 255, "it is a directory")
}

func TestScriptFromStdin(t *testing.T) {
	l := newLab(t, map[string]string{"lib.js": "export const n = 42", "data.txt": "text"})
	l.stdin = `import { n } from './lib.js'; const d = open('data.txt'); export default function () { console.log(n, d) }`
	l.run("-").want(t, 0, "42 text")
}

func TestInterruption(t *testing.T) {
	l := script(t, `export const options = { vus: 1, duration: '1h' };
		export default function () { console.log('begun'); for (;;) {} }
		export function teardown() { console.log('torn') }
		export function handleSummary(d) { return { stdout: 'summary of ' + d.metrics.data_sent.values.count } }`)
	l.stopAfter("begun")
	l.run("main.js").want(t, 105, "the run was interrupted: SIGINT", "torn", "summary of 0", "0 complete and 1 interrupted iterations")
}

func TestInterruptionInInitCode(t *testing.T) {
	l := script(t, `console.log('begun'); for (;;) {} export default function () {}`)
	l.stopAfter("begun")
	l.run("main.js").want(t, 105, "the run was interrupted")
}

func TestInterruptionInSetup(t *testing.T) {
	l := script(t, `export function setup() { console.log('begun'); for (;;) {} } export default function () { console.log('iterated') }`)
	l.stopAfter("begun")
	if r := l.run("main.js"); strings.Contains(r.err, "iterated") {
		t.Error("iterations ran")
	} else {
		r.want(t, 105, "the run was interrupted")
	}
}

func TestScenarios(t *testing.T) {
	r := script(t, `
		import exec from 'k6/execution';
		import { Counter } from 'k6/metrics';
		const c = new Counter('done');
		export const options = {
			scenarios: {
				a: { executor: 'per-vu-iterations', vus: 2, iterations: 3, exec: 'a', tags: { kind: 'x' }, env: { WHO: 'me' } },
				b: { executor: 'shared-iterations', vus: 2, iterations: 5, exec: 'b', startTime: '50ms' },
				c: { executor: 'constant-vus', duration: '100ms', exec: 'c', gracefulStop: '0s' },
			},
			thresholds: { 'done{scenario:a}': ['count==6'], 'done{kind:x}': ['count==6'], 'done{scenario:b}': ['count==5'], 'done{scenario:c}': ['count>0'] },
		};
		export function a() { c.add(1); console.log('a is', exec.scenario.name, __ENV.WHO) }
		export function b() { c.add(1); console.log('b is', exec.scenario.executor, __ENV.WHO) }
		export function c1() {}
		export { loop as c };
		function loop() { c.add(1); return new Promise((r) => setTimeout(r, 5)) }`).run("main.js")
	r.want(t, 0, "a is a me", "b is shared-iterations undefined", "scenarios: 3, 5 max VUs",
		"* a: 3 iterations for each of 2 VUs (maxDuration: 10m, exec: a, gracefulStop: 30s)")
}

func TestDroppedIterations(t *testing.T) {
	r := script(t, `import { sleep } from 'k6';
		export const options = {
			scenarios: { a: { executor: 'per-vu-iterations', iterations: 10, maxDuration: '50ms', gracefulStop: '0s' } },
			thresholds: { 'dropped_iterations{scenario:a}': ['count==9'] },
		};
		export default function () { sleep(9) }`).run("main.js")
	r.want(t, 0, "dropped_iterations...: 9", "0 complete and 1 interrupted")
}

// A VU that is used by two scenarios in turn sees the environment and the tags of each.
func TestVUIsReused(t *testing.T) {
	script(t, `
		export const options = { scenarios: {
			a: { executor: 'per-vu-iterations', maxDuration: '200ms', gracefulStop: '0s', env: { WHO: 'a' } },
			b: { executor: 'per-vu-iterations', startTime: '250ms' } } };
		let n = 0;
		export default function () { console.log('turn', ++n, 'of', __VU, __ENV.WHO) }`).run("main.js").
		want(t, 0, "turn 1 of 1 a", "turn 2 of 1 undefined", "1 max VUs")
}

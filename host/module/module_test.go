package module_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/wsgov/wsgov/host/fault"
	"github.com/wsgov/wsgov/host/internal/vutest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func equal(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n%s\nwant:\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func contains(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
}

func TestCheck(t *testing.T) {
	b := vutest.New(t, `import { check } from 'k6'; export default function () {
		console.log(check(5, { five: (v) => v === 5, odd: (v) => v % 2 }, { kind: 1 }));
		console.log(check(5, { six: (v) => v === 6, constant: true }));
		check(null, { throws: (v) => v.x });
	}`)
	log := b.Run(1)
	equal(t, "said", vutest.Said(log), "true", "false")
	contains(t, log, "TypeError: Cannot read property 'x' of undefined\n\tat throws (script.js:4:34(2))\n\tat native\n\tat default")
	equal(t, "checks", b.Samples("checks"),
		"1 check=five group= kind=1 scenario=s", "1 check=odd group= kind=1 scenario=s",
		"0 check=six group= scenario=s", "1 check=constant group= scenario=s", "0 check=throws group= scenario=s")
}

func TestGroup(t *testing.T) {
	b := vutest.New(t, `import { check, group } from 'k6'; export default function () {
		console.log(group('outer', () => group('inner', () => { check(1, { one: true }); return 42 })));
		try { group('failing', () => { throw new Error('boom') }) } catch (e) { console.log(e.message) }
		check(1, { after: true });
		for (const bad of [() => group('x', async () => {}), () => group('a::b', () => {}), () => group('y')]) {
			try { bad() } catch (e) { console.log(e.message) }
		}
	}`)
	said := vutest.Said(b.Run(1))
	equal(t, "said", said[:2], "42", "boom")
	contains(t, said[2], "does not take an async function")
	contains(t, said[3], "'::'")
	contains(t, said[4], "needs a function")
	equal(t, "checks", b.Samples("checks"), "1 check=one group=::outer::inner scenario=s", "1 check=after group= scenario=s")
	for i, want := range []string{"group=::outer::inner scenario=s", "group=::outer scenario=s", "group=::failing scenario=s"} {
		contains(t, b.Samples("group_duration")[i], want)
	}
}

func TestSleepTakesItsTimeAndBlocksTheLoop(t *testing.T) {
	b := vutest.New(t, `import { sleep } from 'k6'; export default function () {
		const start = Date.now();
		setTimeout(() => console.log('timer after', Date.now() - start), 100);
		sleep(1.5); sleep(-1); sleep(NaN); sleep();
		console.log('slept', Date.now() - start);
	}`)
	synctest.Test(t, func(t *testing.T) {
		b.T = t
		equal(t, "said", vutest.Said(b.Run(1)), "slept 1500", "timer after 1500")
	})
}

func TestFailAndRandomSeed(t *testing.T) {
	b := vutest.New(t, `import { fail, randomSeed } from 'k6'; export default function () {
		randomSeed(7); const a = Math.random(); randomSeed(7); const b = Math.random(); const c = Math.random();
		console.log(a === b, b === c);
		fail('enough');
	}`)
	log := b.Run(1)
	equal(t, "said", vutest.Said(log), "true false")
	contains(t, log, "Error: enough\n\tat ")
}

func TestInitContextRefusesWhatNeedsAVU(t *testing.T) {
	for text, want := range map[string]string{
		`import { check } from 'k6'; check(1, {})`:                                       "check() does not work in init code",
		`import { sleep } from 'k6'; sleep(1)`:                                           "sleep() does not work in init code",
		`import { group } from 'k6'; group('a', () => {})`:                               "group() does not work in init code",
		`import { Counter } from 'k6/metrics'; new Counter('c1').add(1)`:                 "c1.add() does not work in init code",
		`import exec from 'k6/execution'; exec.scenario.name`:                            "exec.scenario exists only while a scenario runs",
		`import { Counter } from 'k6/metrics'; new Counter('a b')`:                       `creating the metric "a b"`,
		`import { SharedArray } from 'k6/data'; new SharedArray('a', () => 5)`:           "returned 5 and not an array",
		`import { SharedArray } from 'k6/data'; new SharedArray('a')`:                    "needs a function",
		`import { SharedArray } from 'k6/data'; new SharedArray()`:                       "needs a name",
		`import { SharedArray } from 'k6/data'; new SharedArray('a', () => { throw 1 })`: `new SharedArray("a"): 1`,
	} {
		contains(t, vutest.New(t, text).InitError(), want)
	}
}

func TestCustomMetrics(t *testing.T) {
	b := vutest.New(t, `import { Counter, Gauge, Rate, Trend } from 'k6/metrics';
		const c = new Counter('my_counter'), g = new Gauge('my_gauge'), r = new Rate('my_rate'), d = new Trend('my_time', true);
		export default function () {
			console.log(c.name, c.add(2, { kind: 'a', n: 1 }), g.add('3.5'), r.add(true), r.add(false), d.add(1.25), g.add(Infinity));
			for (const bad of [undefined, null, NaN, 'abc', {}]) console.log(c.add(bad));
			try { c.add(1, { t: {} }) } catch (e) { console.log(e.message) }
			try { new Counter('too_late') } catch (e) { console.log(e.message) }
		}`)
	log := b.Run(1)
	said := vutest.Said(log)
	equal(t, "said", said[:6], "my_counter true true true true true true", "false", "false", "false", "false", "false")
	contains(t, said[6], `the tag "t"`)
	contains(t, said[7], "init code only")
	contains(t, log, "WARN[0000] my_counter.add():")
	equal(t, "my_counter", b.Samples("my_counter"), "2 group= kind=a n=1 scenario=s")
	equal(t, "my_gauge", b.Samples("my_gauge"), "3.5 group= scenario=s", "+Inf group= scenario=s")
	equal(t, "my_rate", b.Samples("my_rate"), "1 group= scenario=s", "0 group= scenario=s")
	if m := b.Registry.Get("my_time"); m == nil || m.Contains != "time" || m.Kind != "trend" {
		t.Errorf("my_time is %+v", m)
	}
}

func TestThrowOption(t *testing.T) {
	b := vutest.New(t, `import { Counter } from 'k6/metrics'; const c = new Counter('my_counter'); export default function () { c.add('abc') }`)
	b.SetOptions(`{"throw":true}`)
	contains(t, b.Run(1), `ERRO[0000] Error: my_counter.add(): "abc" is not a number`)
}

func TestNamesThatAreTaken(t *testing.T) {
	text, err := os.ReadFile("testdata/metric-name-already-taken.js")
	if err != nil {
		t.Fatal(err)
	}
	b := vutest.New(t, string(text))
	log := b.Run(1)
	contains(t, log, "ws_msgs_received as Trend: refused:", `as a trend: it exists already as a counter`,
		`wsgov_delivered: refused:`, "belong to the ledger")
	equal(t, "ws_msgs_sent", b.Samples("ws_msgs_sent"), "1 group= scenario=s")
	equal(t, "wsgov_delivered", b.Samples("wsgov_delivered"))
}

func TestExecution(t *testing.T) {
	b := vutest.New(t, `import exec, { vu } from 'k6/execution'; export default function () {
		const { scenario: s, instance: i } = exec;
		console.log(s.name, s.executor, s.startTime, s.progress, s.iterationInInstance, s.iterationInTest);
		console.log(vu.idInInstance, vu.idInTest, vu.iterationInInstance, vu.iterationInScenario);
		console.log(i.iterationsCompleted, i.iterationsInterrupted, i.vusActive, i.vusInitialized, i.currentTestRunDuration);
		console.log(exec.test.options.setupTimeout, exec.test.options.scenarios.default.executor);
	}`)
	b.SetOptions(`{"setupTimeout":"9s"}`)
	equal(t, "said", vutest.Said(b.Run(2)),
		"s per-vu-iterations 1000 0.25 0 0", "1 1 0 0", "0 0 0 0 0", "9s per-vu-iterations",
		"s per-vu-iterations 1000 0.25 1 1", "1 1 1 1", "1 0 0 0 0", "9s per-vu-iterations")
}

func TestTagsAndMetadataOfTheVU(t *testing.T) {
	b := vutest.New(t, `import exec from 'k6/execution'; import { Counter } from 'k6/metrics'; const c = new Counter('my_counter');
		export default function () {
			const { tags, metadata } = exec.vu.metrics;
			if (__ITER === 0) { tags.phase = 1; metadata.trace = 'abc'; exec.vu.tags.gone = true; delete tags.gone }
			c.add(1);
			console.log(Object.keys(tags).join(), tags.phase, 'gone' in tags, tags.nothing);
			try { tags.bad = {} } catch (e) { console.log(e.message) }
		}`)
	said := vutest.Said(b.Run(2))
	equal(t, "said", said[:1], "group,phase,scenario 1 false undefined")
	contains(t, said[1], `the tag "bad"`)
	equal(t, "my_counter", b.Samples("my_counter"), "1 group= phase=1 scenario=s | trace=abc", "1 group= phase=1 scenario=s | trace=abc")
}

func TestAbort(t *testing.T) {
	b := vutest.New(t, `import exec from 'k6/execution'; export default function () {
		try { exec.test.abort('enough') } finally { console.log('went on') }
	}`)
	v := b.VU(t.Context(), 1)
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	b.Test.Abort = cancel
	a := b.Activate(ctx, v)
	if a.RunOnce() {
		t.Error("the iteration came to its own end")
	}
	a.Deactivate()
	v.End()
	err := context.Cause(ctx)
	if fault.CodeOf(err) != fault.ScriptAborted || err.Error() != "the script aborted the run: enough" {
		t.Errorf("aborted with %v, code %d", err, fault.CodeOf(err))
	}
	if len(vutest.Said(b.Log())) != 0 {
		t.Errorf("the script went on: %q", b.Log())
	}
}

func TestFailMarksTheRun(t *testing.T) {
	b := vutest.New(t, `import exec from 'k6/execution'; export default function () { exec.test.fail('bad'); exec.test.fail('worse'); console.log('goes on') }`)
	equal(t, "said", vutest.Said(b.Run(1)), "goes on")
	if err := b.Test.Failed(); err == nil || err.Error() != "the script marked the run as failed: bad" {
		t.Errorf("failed with %v", err)
	}
}

func TestTimersModule(t *testing.T) {
	b := vutest.New(t, `import { setTimeout as later, clearInterval, setInterval } from 'k6/timers'; export default function () {
		let n = 0;
		const id = setInterval((a, b) => { console.log(a, b, ++n); if (n === 2) clearInterval(id) }, 10, 'x', 'y');
		later(() => console.log('last'), 100);
	}`)
	synctest.Test(t, func(t *testing.T) {
		b.T = t
		start := time.Now()
		equal(t, "said", vutest.Said(b.Run(1)), "x y 1", "x y 2", "last")
		if took := time.Since(start); took != 100*time.Millisecond {
			t.Errorf("took %v, want 100ms", took)
		}
	})
}

func TestSharedArray(t *testing.T) {
	b := vutest.New(t, `import { SharedArray } from 'k6/data';
		const users = new SharedArray('users', () => { console.log('filled'); return [{ name: 'u1' }, { name: 'u2' }, undefined] });
		export default function () {
			users[0].name = 'changed';
			console.log(users.length, users[0].name, users[5], users.map((u) => u && u.name).join(), JSON.stringify([...users]));
			try { users[0] = 1 } catch (e) { console.log(e.message) }
			try { users.push(1) } catch (e) { console.log(e.message) }
		}`)
	b.VU(t.Context(), 2).End()
	said := vutest.Said(b.Run(1))
	equal(t, "said", said[:2], "filled", `3 u1 undefined u1,u2, [{"name":"u1"},{"name":"u2"},null]`)
	contains(t, said[2], "read-only")
	contains(t, said[3], "read-only")
}

func TestGovernedModuleIsThere(t *testing.T) {
	b := vutest.New(t, `import { Client, Gateway } from 'k6/x/wsgov'; export default function () {
		const c = new Client('ws://127.0.0.1:1/'); console.log(typeof c.drive, typeof Gateway);
	}`)
	equal(t, "said", vutest.Said(b.Run(1)), "function function")
}

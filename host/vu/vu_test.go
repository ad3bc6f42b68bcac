package vu_test

import (
	"context"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/wsgov/wsgov/host/fault"
	"github.com/wsgov/wsgov/host/internal/vutest"
	"github.com/wsgov/wsgov/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func contains(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
}

func TestIterationRunsToItsEnd(t *testing.T) {
	b := vutest.New(t, `
		let n = 0;
		export default async function () {
			setTimeout(() => { console.log('timer', ++n, __VU, __ITER) }, 5);
			await null;
			console.log('body');
		}`)
	log := b.Run(2)
	if got := strings.Join(vutest.Said(log), "|"); got != "body|timer 1 1 0|body|timer 2 1 1" {
		t.Errorf("said %q", got)
	}
	if got := b.Samples("iterations"); len(got) != 2 || got[0] != "1 group= scenario=s" {
		t.Errorf("iterations %q", got)
	}
	if got := b.Samples("data_sent"); len(got) != 2 || got[0] != "0 group= scenario=s" {
		t.Errorf("data_sent %q", got)
	}
}

// Whatever a script does wrong ends its iteration, is named with its place, and does not touch the next iteration.
func TestFailuresAreNamedAndTheNextIterationRuns(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"throws":             {`throw new Error('boom')`, "Error: boom\n\tat default (script.js:"},
		"throws later":       {`setTimeout(() => { throw new Error('boom') }, 1)`, "Error: boom\n\tat script.js:"},
		"throws text":        {`throw 'boom'`, "boom\n\tat default"},
		"rejects":            {`Promise.reject(new Error('boom'))`, "Uncaught (in promise) Error: boom\n\tat default (script.js:"},
		"rejects text":       {`Promise.reject('boom')`, "Uncaught (in promise) boom"},
		"async throws":       {`return (async () => { await null; throw new TypeError('boom') })()`, "Uncaught (in promise) TypeError: boom\n\tat "},
		"rejects in a timer": {`setTimeout(async () => { throw new Error('boom') }, 1)`, "Uncaught (in promise) Error: boom"},
		"reference":          {`nothing.there()`, "ReferenceError: nothing is not defined\n\tat default (script.js:"},
		"overflow":           {`const f = () => f(); f()`, "nested more than 10000 deep: a function calls itself without end\n\tat f (script.js:"},
		"never settles":      {`return new Promise(() => {})`, "default(): its promise never settles"},
	} {
		t.Run(name, func(t *testing.T) {
			b := vutest.New(t, "let n = 0; export default function () { if (n++ > 0) { console.log('next'); return }\n"+c.body+"\n}")
			log := b.Run(2)
			contains(t, log, c.want, "next")
			if got := len(b.Samples("iterations")); got != 2 {
				t.Errorf("%d iterations counted, want 2", got)
			}
		})
	}
}

func TestHandledRejectionIsNoFailure(t *testing.T) {
	b := vutest.New(t, `export default function () {
		const p = Promise.reject(new Error('boom'));
		setTimeout(() => {}, 1);
		p.catch(() => console.log('caught'));
	}`)
	if log := b.Run(1); strings.Contains(log, "Uncaught") {
		t.Errorf("log %q", log)
	}
}

// A script that does not end by itself is ended by its context, whichever way it hangs.
func TestInterruption(t *testing.T) {
	for name, body := range map[string]string{
		"loops":            `for (;;) {}`,
		"sleeps":           `sleep(1e9)`,
		"leaks a timer":    `setInterval(() => {}, 1000)`,
		"microtasks":       `const f = () => Promise.resolve().then(f); f()`,
		"loops in a timer": `setTimeout(() => { for (;;) {} }, 1)`,
		"catches":          `try { for (;;) {} } catch (e) { console.log('caught') } finally { console.log('finally') }`,
	} {
		t.Run(name, func(t *testing.T) {
			b := vutest.New(t, "import { sleep } from 'k6'; export default function () { console.log('begun'); "+body+" }")
			v := b.VU(t.Context(), 1)
			ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, vutest.ErrStop)
			defer cancel()
			a := b.Activate(ctx, v)
			if a.RunOnce() {
				t.Error("the iteration came to its own end")
			}
			a.Deactivate()
			v.End()
			log := b.Log()
			if strings.Contains(log, "caught") || strings.Contains(log, "finally") {
				t.Errorf("the script held up its interruption: %q", log)
			}
			if len(b.Samples("iterations")) != 0 || b.Test.Interrupted.Load() != 1 {
				t.Errorf("%d interrupted, iterations %q", b.Test.Interrupted.Load(), b.Samples("iterations"))
			}
		})
	}
}

// What was begun when the context ends may come to its end: its promise settles, the script sees it, samples are emitted.
func TestSettling(t *testing.T) {
	b := vutest.New(t, `export default async function () {
		const n = await globalThis.begin();
		setTimeout(() => console.log('never'), 1);
		console.log('settled', n);
	}`)
	synctest.Test(t, func(t *testing.T) {
		b.T = t
		v := b.VU(t.Context(), 1)
		_ = v.Runtime().GlobalObject().Set("begin", func() any {
			release, _ := v.Loop().Hold()
			p, resolve, _ := v.Runtime().NewPromise()
			emit, ctx := v.Emitter(), v.Context()
			go func() {
				<-ctx.Done()
				time.Sleep(b.Grace / 2)
				emit([]record.Sample{{Metric: record.Run, Value: 7, Tags: record.NewTags("phase", "end")}})
				v.Loop().Post(func() error { return resolve(42) })
				release()
			}()
			return p
		})
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, vutest.ErrStop)
		defer cancel()
		a := b.Activate(ctx, v)
		a.RunOnce()
		a.Deactivate()
		v.End()
	})
	if got := strings.Join(vutest.Said(b.Log()), "|"); got != "settled 42" {
		t.Errorf("said %q", got)
	}
	if got := b.Samples("wsgov_run"); len(got) != 1 || got[0] != "7 group= phase=end scenario=s" {
		t.Errorf("samples %q", got)
	}
}

func TestLeakedHoldIsBoundedAndNamed(t *testing.T) {
	b := vutest.New(t, `export default function () { globalThis.leak() }`)
	synctest.Test(t, func(t *testing.T) {
		b.T = t
		v := b.VU(t.Context(), 1)
		_ = v.Runtime().GlobalObject().Set("leak", func() { v.Loop().Hold() })
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, vutest.ErrStop)
		defer cancel()
		start := time.Now()
		a := b.Activate(ctx, v)
		a.RunOnce()
		if took := time.Since(start); took != time.Minute+b.Grace {
			t.Errorf("took %v, want the context's minute and the grace", took)
		}
		a.Deactivate()
		v.End()
	})
	contains(t, b.Log(), "VU 1: 1 operations of the script did not end within 1s")
}

// A failed iteration ends what it began; the next one has a live context again.
func TestContextAfterAFailedIteration(t *testing.T) {
	b := vutest.New(t, `let n = 0; export default function () { if (n++ == 0) throw new Error('boom') }`)
	v := b.VU(t.Context(), 1)
	a := b.Activate(t.Context(), v)
	a.RunOnce()
	if v.Context().Err() == nil {
		t.Error("the context outlived the failed iteration")
	}
	a.RunOnce()
	if v.Context().Err() != nil {
		t.Error("the next iteration has a dead context")
	}
	kept := v.Context()
	a.RunOnce()
	if v.Context() != kept {
		t.Error("the context does not live through iterations")
	}
	a.Deactivate()
	if kept.Err() == nil {
		t.Error("the context outlived the VU's activation")
	}
	v.End()
}

func TestDialedBytesAreCountedAndOpenConnectionsClosed(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	gone := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			buf := make([]byte, 5)
			_, _ = c.Read(buf)
			_, _ = c.Write([]byte("hi"))
			_, err = c.Read(buf)
			_ = c.Close()
		}
		gone <- err
	}()
	b := vutest.New(t, `export default function () { globalThis.talk() }`)
	v := b.VU(t.Context(), 1)
	_ = v.Runtime().GlobalObject().Set("talk", func() error {
		c, err := v.DialContext(v.Context(), "tcp", l.Addr().String())
		if err != nil {
			return err
		}
		if _, err := c.Write([]byte("hello")); err != nil {
			return err
		}
		_, err = c.Read(make([]byte, 2))
		return err
	})
	a := b.Activate(t.Context(), v)
	a.RunOnce()
	a.Deactivate()
	v.End()
	if err := <-gone; err == nil {
		t.Error("the connection that the script left open was not closed")
	}
	if sent, received := b.Samples("data_sent"), b.Samples("data_received"); sent[0] != "5 group= scenario=s" || received[0] != "2 group= scenario=s" {
		t.Errorf("sent %q, received %q", sent, received)
	}
}

func TestDialFailureNamesTheAddress(t *testing.T) {
	b := vutest.New(t, `export default function () {}`)
	v := b.VU(t.Context(), 1)
	defer v.End()
	if _, err := v.DialContext(t.Context(), "tcp", "127.0.0.1:1"); err == nil || !strings.Contains(err.Error(), "127.0.0.1:1") {
		t.Errorf("error %v", err)
	}
}

func TestModuleThatDoesNotEnd(t *testing.T) {
	b := vutest.New(t, `export default function () {}`)
	synctest.Test(t, func(t *testing.T) {
		b.T = t
		v := b.VU(t.Context(), 1)
		block := make(chan struct{})
		v.AtEnd(func() { <-block })
		v.End()
		close(block)
	})
	contains(t, b.Log(), "VU 1: its modules did not end within 1s")
}

// A fault of a module aborts the run with its own code instead of taking the process down.
func TestGoPanicAbortsTheRun(t *testing.T) {
	b := vutest.New(t, `export default function () { globalThis.broken(7) }`)
	v := b.VU(t.Context(), 1)
	_ = v.Runtime().GlobalObject().Set("broken", func(i int) int { return []int{1}[i] })
	a := b.Activate(t.Context(), v)
	a.RunOnce()
	a.Deactivate()
	v.End()
	if fault.CodeOf(b.Aborted) != fault.GoPanic || !strings.Contains(b.Aborted.Error(), "index out of range [7]") {
		t.Errorf("aborted with %v", b.Aborted)
	}
}

// What an engine emits per message, with the tags of the VU added.
func BenchmarkEmitter(b *testing.B) {
	bench := vutest.New(b, `export default function () {}`)
	bench.Emit = func(...record.Sample) {}
	v := bench.VU(b.Context(), 1)
	defer v.End()
	bench.Activate(b.Context(), v)
	tags := []record.Tags{record.NewTags("outcome", "ok", "plan", "a"), record.NewTags("plan", "a"), record.NewTags("outcome", "lost", "plan", "a")}
	samples := make([]record.Sample, 1000)
	for i := range samples {
		samples[i] = record.Sample{Metric: record.Delivered, Tags: tags[i%3], Value: 1}
	}
	emit := v.Emitter()
	for b.Loop() {
		emit(samples)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/sample")
}

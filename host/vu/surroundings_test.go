package vu_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wsgov/wsgov/host/internal/vutest"
)

func TestInitErrors(t *testing.T) {
	for text, want := range map[string]string{
		`throw new Error('boom')`:               "Error: boom\n\tat script.js:1:",
		`await Promise.reject(new Error('no'))`: "Error: no",
		`await new Promise(() => {})`:           "never settles",
		`Promise.reject(new Error('boom'))`:     "Uncaught (in promise) Error: boom",
		`setTimeout('text')`:                    "setTimeout() needs a function as its first argument, not text",
		`require('k6')`:                         "require() is not offered: use import",
		`open('gone.txt')`:                      `open("gone.txt"): reading`,
	} {
		contains(t, vutest.New(t, text).InitError(), want)
	}
}

func TestTopLevelAwait(t *testing.T) {
	b := vutest.New(t, `const n = await new Promise((r) => setTimeout(() => r(42), 5)); export default function () { console.log(n) }`)
	if got := vutest.Said(b.Run(1)); len(got) != 1 || got[0] != "42" {
		t.Errorf("said %q", got)
	}
}

func TestConsole(t *testing.T) {
	b := vutest.New(t, `export default function () {
		console.log('text', 1, true, null, undefined, { a: [1] }, [2], () => 1);
		console.debug('d'); console.info('i'); console.warn('w'); console.error(new Error('e'));
	}`)
	contains(t, b.Run(1), `INFO[0000] text 1 true null undefined {"a":[1]} [2] () => 1`, "DEBU[0000] d", "INFO[0000] i", "WARN[0000] w", "ERRO[0000] Error: e\n\tat default")
}

func TestEnvironment(t *testing.T) {
	b := vutest.New(t, `console.log('init', __ENV.A, __VU, typeof __ITER); export default function () { console.log(__ENV.A, __ENV.B, 'B' in __ENV, global === globalThis) }`)
	b.Env["A"] = "a"
	if got := strings.Join(vutest.Said(b.Run(1)), "|"); got != "init a 1 undefined|a undefined false true" {
		t.Errorf("said %q", got)
	}
}

func TestMinIterationDuration(t *testing.T) {
	b := vutest.New(t, `export default function () {}`)
	b.SetOptions(`{"minIterationDuration":"5s"}`)
	synctest.Test(t, func(t *testing.T) {
		b.T = t
		start := time.Now()
		b.Run(3)
		if took := time.Since(start); took != 15*time.Second {
			t.Errorf("three iterations took %v, want 15s", took)
		}
	})
}

func TestInsecureTLS(t *testing.T) {
	b := vutest.New(t, `export default function () {}`)
	v := b.VU(t.Context(), 1)
	defer v.End()
	if v.TLSConfig() != nil {
		t.Error("there is a TLS configuration by default")
	}
	b.SetOptions(`{"insecureSkipTLSVerify":true}`)
	if c := v.TLSConfig(); c == nil || !c.InsecureSkipVerify {
		t.Error("insecureSkipTLSVerify changes nothing")
	}
}

func TestSystemTags(t *testing.T) {
	b := vutest.New(t, `export default function () {}`)
	b.SetOptions(`{"systemTags":["vu","iter"],"tags":{"run":"r"}}`)
	b.Run(2)
	if got := b.Samples("iterations"); got[1] != "1 run=r | iter=1 vu=1" {
		t.Errorf("iterations %q", got)
	}
}

package host_test

import (
	"strings"
	"testing"
)

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

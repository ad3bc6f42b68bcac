package wsgov_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/grafana/sobek"

	wsgov "github.com/wsgov/wsgov/xk6-wsgov"
)

func eval(t testing.TB, v *vu, expression string) sobek.Value {
	t.Helper()
	value, err := v.rt.RunString("(" + expression + ")")
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return value
}

// clientExamples has, for every option of a client, one that must change what is decoded.
var clientExamples = map[string]map[string]string{
	"ClientOptions": {
		"connections": `{ connections: 3 }`, "connect": `{ connect: { batch: 2 } }`, "headers": `{ headers: { A: 'b' } }`,
		"subprotocols": `{ subprotocols: ['mqtt'] }`, "compression": `{ compression: 'deflate' }`,
		"localAddresses": `{ localAddresses: ['127.0.0.2'] }`, "tls": `{ tls: { serverName: 'x' } }`,
		"maxFrameBytes": `{ maxFrameBytes: 100 }`, "reconnect": `{ reconnect: {} }`, "reply": `{ reply: { preset: 'echo' } }`,
		"hello": `{ hello: [{ message: 'hi' }] }`, "autoReply": `{ autoReply: [{ when: { text: '2' }, message: '3' }] }`,
		"heartbeat": `{ heartbeat: { every: '25s' } }`,
	},
	"ConnectOptions": {
		"batch": `{ connect: { batch: 8 } }`, "every": `{ connect: { every: 500 } }`, "timeout": `{ connect: { timeout: '2s' } }`,
	},
	"TlsOptions": {
		"insecureSkipVerify": `{ tls: { insecureSkipVerify: true } }`, "serverName": `{ tls: { serverName: 'x' } }`,
	},
	"ReconnectOptions": {"attempts": `{ reconnect: { attempts: 2 } }`, "delay": `{ reconnect: { delay: '2s' } }`},
	"HelloMessage": {
		"message": `{ hello: [{ message: { a: 1 } }] }`, "await": `{ hello: [{ message: 'x', await: { path: 'ack' } }] }`,
	},
	"AutoReply": {
		"when":    `{ autoReply: [{ when: { path: 'ping' }, message: '3' }] }`,
		"message": `{ autoReply: [{ when: { text: '2' }, message: { type: 'pong' } }] }`,
	},
	"HeartbeatOptions": {
		"every": `{ heartbeat: { every: 1 } }`, "message": `{ heartbeat: { every: 1, message: 'x' } }`,
		"deadAfter": `{ heartbeat: { every: 1, deadAfter: '15s' } }`,
	},
	"ReplyRule": {
		"preset": `{ reply: { preset: 'jsonrpc' } }`, "separator": `{ reply: { separator: ';' } }`, "parts": `{ reply: { parts: 'a' } }`,
		"when": `{ reply: { when: { path: 'a' } } }`, "id": `{ reply: { id: 'a' } }`, "ok": `{ reply: { ok: true } }`,
		"error": `{ reply: { error: 'e' } }`, "code": `{ reply: { code: 'c' } }`, "timeout": `{ reply: { timeout: 10 } }`,
		"classify": `{ reply: { classify: () => null } }`,
	},
	"Condition": {
		"path": `{ reply: { when: { path: 'b' } } }`, "equals": `{ reply: { when: { path: 'a', equals: 1 } } }`,
		"in": `{ reply: { when: { path: 'a', in: ['x', 2] } } }`, "exists": `{ reply: { when: { path: 'a', exists: false } } }`,
		"text": `{ reply: { when: { text: 'a' } } }`, "startsWith": `{ reply: { when: { startsWith: 'a' } } }`,
	},
}

// elsewhere are options that other tests prove.
var elsewhere = map[string]string{
	"TlsOptions.ca": "TestTLS", "TlsOptions.cert": "TestTLS", "TlsOptions.key": "TestTLS",
	"Plan.message": "TestMessages", "Plan.binary": "TestMessages",
}

func TestEveryClientOptionChangesSomething(t *testing.T) {
	v := newVU(t)
	seen := map[string]string{}
	plain, err := v.module.DecodeClient(eval(t, v, `{}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, keys := range wsgov.OptionKeys() {
		examples, ours := clientExamples[name]
		for _, key := range keys {
			example := examples[key]
			if !ours || elsewhere[name+"."+key] != "" {
				continue
			}
			if example == "" {
				t.Errorf("%s.%s has no example", name, key)
				continue
			}
			decoded, err := v.module.DecodeClient(eval(t, v, example))
			if err != nil {
				t.Errorf("%s: %v", example, err)
				continue
			}
			if reflect.DeepEqual(decoded, plain) {
				t.Errorf("%s changes nothing", example)
			}
			seen[name+"."+key] = example
		}
	}
	if len(seen) < 40 {
		t.Errorf("only %d options were tried", len(seen))
	}
}

func TestEveryPlanOptionChangesSomething(t *testing.T) {
	v := newVU(t)
	base := `rate: 1, duration: '1s', message: { id: '{{id}}' }`
	plain, err := v.module.DecodePlan(nil, eval(t, v, "{"+base+"}"))
	if err != nil {
		t.Fatal(err)
	}
	plain.Source = nil
	examples := map[string]string{
		"name": `name: 'x'`, "model": `model: 'closed'`, "rate": `rate: 2`, "stages": `stages: [{ duration: 1, target: 2 }]`,
		"arrivals": `arrivals: 'poisson'`, "seed": `seed: 7`, "duration": `duration: '2s'`, "count": `count: 3`,
		"maxInFlight": `maxInFlight: 0`, "whenFull": `whenFull: 'drop'`, "drain": `drain: 0`, "detail": `detail: 'lean'`,
		"tags": `tags: { a: 'b' }`,
	}
	for _, key := range wsgov.OptionKeys()["Plan"] {
		if elsewhere["Plan."+key] != "" {
			continue
		}
		p, err := v.module.DecodePlan(nil, eval(t, v, "{"+base+","+examples[key]+"}"))
		if err != nil || examples[key] == "" {
			t.Errorf("%s: example %q: %v", key, examples[key], err)
			continue
		}
		if p.Source = nil; reflect.DeepEqual(p, plain) {
			t.Errorf("%s changes nothing", examples[key])
		}
	}
}

func TestRequestOptions(t *testing.T) {
	v := newVU(t)
	timeout, name, tags, err := wsgov.DecodeRequest(eval(t, v, `{ timeout: '2s', name: 'login', tags: { n: 1 } }`))
	if err != nil || timeout.Seconds() != 2 || name != "login" || tags["n"] != "1" {
		t.Errorf("got %v, %q, %v, %v", timeout, name, tags, err)
	}
}

func TestClientOptionErrors(t *testing.T) {
	v := newVU(t)
	for _, c := range []struct{ options, want string }{
		{`{ conections: 3 }`, "Client option 'conections' is unknown: did you mean 'connections'? it can be connections, connect,"},
		{`{ replay: {} }`, "did you mean 'reply'?"},
		{`{ zzzzzz: 1 }`, "Client option 'zzzzzz' is unknown: it can be"},
		{`{ connect: { batches: 3 } }`, "Client option 'connect.batches' is unknown: did you mean 'batch'?"},
		{`{ reply: { when: { path: 'a', equal: 1 } } }`, "Client option 'reply.when.equal' is unknown: did you mean 'equals'?"},
		{`{ autoReply: [{ when: { text: '2' }, mesage: '3' }] }`, "Client option 'autoReply[0].mesage' is unknown: did you mean 'message'?"},
		{`[]`, "Client option is an array: give an object with any of connections"},
		{`'x'`, `Client option is "x"`},
		{`{ connections: '3' }`, `Client option 'connections' is "3": give a whole number from 1 to`},
		{`{ connections: 0 }`, "'connections' is 0: give a whole number"},
		{`{ connections: 1.5 }`, "'connections' is 1.5"},
		{`{ connections: NaN }`, "'connections' is NaN"},
		{`{ connect: 5 }`, "'connect' is 5: give an object with any of batch, every, timeout"},
		{`{ connect: { every: 'soon' } }`, `'connect.every': "soon" is not a duration`},
		{`{ connect: { every: -1 } }`, "'connect.every' is -1: give a duration that is not negative"},
		{`{ connect: { timeout: 0 } }`, "'connect.timeout' is 0: give a duration above zero"},
		{`{ connect: { timeout: true } }`, "'connect.timeout' is true: give a duration such as"},
		{`{ headers: { A: {} } }`, "'headers.A' is an object: give text"},
		{`{ headers: { 'sec-websocket-protocol': 'mqtt' } }`, "write subprotocols: ['mqtt']"},
		{`{ headers: { Upgrade: 'x' } }`, "the handshake writes that header itself"},
		{`{ subprotocols: 'mqtt' }`, `'subprotocols' is "mqtt": give an array`},
		{`{ subprotocols: [''] }`, "'subprotocols[0]' is \"\": give text"},
		{`{ subprotocols: [,'a'] }`, "'subprotocols[0]' is undefined"},
		{`{ compression: 'gzip' }`, `'compression' is "gzip": give 'deflate'`},
		{`{ localAddresses: ['localhost'] }`, "give an IP address"},
		{`{ tls: { ca: 'x' } }`, "'tls.ca' holds no certificate"},
		{`{ tls: { cert: 'x' } }`, "belong together"},
		{`{ tls: { cert: 'x', key: 'y' } }`, "no PEM texts that fit together"},
		{`{ tls: { insecureSkipVerify: 1 } }`, "give true or false"},
		{`{ maxFrameBytes: 0 }`, "'maxFrameBytes' is 0"},
		{`{ reconnect: true }`, "give false or an object"},
		{`{ reply: { preset: 'soap' } }`, `'reply.preset' is "soap": give 'plain' or 'echo'`},
		{`{ reply: { ok: false } }`, "'reply.ok' is false: give true"},
		{`{ reply: { id: 'a..b' } }`, "reply.id is \"a..b\", which is no path"},
		{`{ reply: { when: { equals: 1 } } }`, "'reply.when' cannot be used: a condition needs a path"},
		{`{ reply: { when: { path: 'a', in: [true] } } }`, "'reply.when.in[0]' is true: give text or a number"},
		{`{ reply: { when: { path: 'a', in: [] } } }`, "in is an empty list"},
		{`{ reply: { preset: 'socketio', id: 'id' } }`, "leave out id"},
		{`{ reply: { classify: 'f' } }`, "give a function"},
		{`{ reply: { classify: () => null, ok: true } }`, "'reply.ok' has no effect beside 'reply.classify'"},
		{`{ hello: [{}] }`, "'hello[0]' is an object: give a message to send"},
		{`{ hello: [{ message: 5 }] }`, "'hello[0].message' is 5: give text or an object"},
		{`{ autoReply: [{ when: { text: '2' } }] }`, "give both 'when' and 'message'"},
		{`{ heartbeat: {} }`, "give at least 'every'"},
	} {
		_, err := v.module.DecodeClient(eval(t, v, c.options))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.options, err, c.want)
		}
	}
}

func TestPlanOptionErrors(t *testing.T) {
	v := newVU(t)
	const message = `message: { id: '{{id}}' }`
	for _, c := range []struct{ plan, want string }{
		{`undefined`, "drive() needs a plan"},
		{`{ rate: 1, duration: 1 }`, "'message' is missing"},
		{`{ rats: 1, ` + message + ` }`, "plan option 'rats' is unknown: did you mean 'rate'?"},
		{`{ rate: 0, ` + message + ` }`, "plan option 'rate' is 0: give a number above 0"},
		{`{ rate: Infinity, ` + message + ` }`, "'rate' is Infinity"},
		{`{ model: 'ramp', ` + message + ` }`, "give 'open' or 'closed' or 'burst'"},
		{`{ stages: [{ duration: '1s' }], ` + message + ` }`, "'stages[0]' is an object: give both duration and target"},
		{`{ stages: [], ` + message + ` }`, "'stages' is empty"},
		{`{ model: 'burst', count: 1, stages: [{ duration: 1, target: 1 }], ` + message + ` }`, "a burst has no rate"},
		{`{ model: 'closed', arrivals: 'uniform', count: 1, ` + message + ` }`, "'arrivals' belongs to model 'open', not to 'closed'"},
		{`{ whenFull: 'drop', maxInFlight: 0, ` + message + ` }`, "means that there is no cap"},
		{`{ whenFull: 'drop', model: 'closed', ` + message + ` }`, "no effect on model 'closed'"},
		{`{ seed: 1e17, ` + message + ` }`, "'seed' is 100000000000000000"},
		{`{ tags: { a: [] }, ` + message + ` }`, "'tags.a' is an array: give text"},
		{`{ message: 5 }`, "'message' is 5: give text, an object or a function"},
		{`{ message: new ArrayBuffer(2) }`, "give text, an object or a function"},
		{`{ message: 'hello' }`, `no id by which its reply could be paired: it is read at "id" (reply.id), so write '{{id}}' there`},
		{`{ message: { a: 1 } }`, "no id by which"},
		{`{ message: { id: true } }`, "no id by which"},
		{`{ message: { id: 7 } }`, "every message of the plan would carry the same id"},
		{`{ message: { id: 1n } }`, "cannot be written as JSON"},
	} {
		_, err := v.module.DecodePlan(nil, eval(t, v, c.plan))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.plan, err, c.want)
		}
	}
}

func TestFixedIDsThatAreFine(t *testing.T) {
	v := newVU(t)
	for _, plan := range []string{
		`{ model: 'burst', count: 1, message: { id: 'login' } }`,
		`{ rate: 1, count: 9, message: { id: 'm{{seq}}' } }`,
		`{ rate: 1, count: 9, message: '{"id":"c{{conn}}-{{id}}"}' }`,
	} {
		if _, err := v.module.DecodePlan(nil, eval(t, v, plan)); err != nil {
			t.Errorf("%s: %v", plan, err)
		}
	}
}

func TestClassifyNeedsTheNumberInTemplates(t *testing.T) {
	v := newVU(t)
	options := eval(t, v, `{ reply: { classify: () => null } }`)
	if _, err := v.module.DecodePlan(options, eval(t, v, `{ rate: 1, count: 1, message: 'GET {{id}}' }`)); err != nil {
		t.Error(err)
	}
	_, err := v.module.DecodePlan(options, eval(t, v, `{ rate: 1, count: 1, message: 'GET' }`))
	if err == nil || !strings.Contains(err.Error(), "holds no '{{id}}' by which classify") {
		t.Errorf("got %v", err)
	}
}

func TestSeeds(t *testing.T) {
	v := newVU(t)
	seed := func(plan string) int64 {
		p, err := v.module.DecodePlan(nil, eval(t, v, `{ rate: 1, count: 1, message: { id: '{{id}}' }, `+plan+` }`))
		if err != nil {
			t.Fatal(err)
		}
		return p.Seed
	}
	if seed(`seed: -5`) != -5 || seed(`seed: 0`) != 0 {
		t.Error("a given seed is not taken")
	}
	if a, b := seed(`name: 'a'`), seed(`name: 'b'`); a == b || a != seed(`name: 'a'`) {
		t.Error("default seeds do not follow the plan's name")
	}
	one := wsgov.DeriveSeed(1, 1, 1, "a")
	for _, other := range []int64{wsgov.DeriveSeed(2, 1, 1, "a"), wsgov.DeriveSeed(1, 2, 1, "a"), wsgov.DeriveSeed(1, 1, 2, "a")} {
		if other == one || other < 0 || other > 1<<53-1 {
			t.Errorf("seed %d beside %d", other, one)
		}
	}
}

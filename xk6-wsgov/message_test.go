package wsgov_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/wsgov/wsgov/record"
)

func TestMessages(t *testing.T) {
	for _, c := range []struct {
		name, plan string
		want       []string // kind:data, sorted
	}{
		{"text", `message: '{"id":"{{id}}","c":{{conn}},"s":{{seq}}}'`, []string{`1:{"id":"1","c":1,"s":1}`, `1:{"id":"2","c":1,"s":2}`}},
		{"object", `message: { id: '{{id}}', t: 's{{seq}}' }`, []string{`1:{"id":1,"t":"s1"}`, `1:{"id":2,"t":"s2"}`}},
		{"binary", `message: { id: '{{id}}' }, binary: true`, []string{`2:{"id":1}`, `2:{"id":2}`}},
		{"function: object", `message: (m) => ({ id: m.id, at: [m.conn, m.seq] })`, []string{`1:{"id":1,"at":[1,1]}`, `1:{"id":2,"at":[1,2]}`}},
		{"function: text", "message: (m) => `{\"id\":\"m-${m.seq}\"}`", []string{`1:{"id":"m-1"}`, `1:{"id":"m-2"}`}},
		{"function: text, binary", "message: (m) => `{\"id\":${m.seq}}`, binary: true", []string{`2:{"id":1}`, `2:{"id":2}`}},
		{"function: bytes", "message: (m) => new Uint8Array([...`{\"id\":${m.id}}`].map((c) => c.charCodeAt(0))).buffer", []string{`2:{"id":1}`, `2:{"id":2}`}},
		{"function: identified", "message: (m) => ({ id: 0.5 + m.id, payload: `{\"id\":${m.id}.50}` })", []string{`1:{"id":1.50}`, `1:{"id":2.50}`}},
		{"function: not identified", "message: (m) => ({ id: m.id, payload: { a: 1 } })", []string{`1:{"id":1,"payload":{"a":1}}`, `1:{"id":2,"payload":{"a":1}}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, v := okServer(t), newVU(t)
			got := v.json(fmt.Sprintf(`
				const c = new Client(%q);
				const l = await c.drive({ model: 'burst', count: 2, %s });
				await c.close();
				return [l.ok, doubts(l)]`, s.url, c.plan))
			messages := s.messages()
			slices.Sort(messages)
			if got != `[2,[]]` || !slices.Equal(messages, c.want) {
				t.Errorf("got %s, the server got %q", got, messages)
			}
		})
	}
}

// A message that cannot be used is unsent and named; all others are sent.
func TestUnusableMessages(t *testing.T) {
	for _, c := range []struct{ made, want string }{
		{"undefined", "it is undefined: give text, an object"},
		{"7", "it is 7"},
		{"Promise.resolve('x')", "returned a promise"},
		{"(() => 1)", "it is a function"},
		{"(() => { throw new Error('no data left'); })()", "no data left"},
		{"{ a: 1 }", "no id by which"},
		{"{ id: true, payload: 'x' }", "its id is true: an id is text or a number"},
		{"{ get id() { throw new Error('sly'); } }", "sly"},
	} {
		s, v := okServer(t), newVU(t)
		got := v.must(fmt.Sprintf(`
			const c = new Client(%q);
			const l = await c.drive({ model: 'burst', count: 100, message: (m) => m.seq === 70 ? %s : { id: m.id } });
			await c.close();
			return [l.ok, l.unsent, l.unsentReasons.script, doubts(l)[0].text].join('|')`, s.url, c.made)).String()
		if !strings.HasPrefix(got, "99|1|1|") || !strings.Contains(got, "message 70 (connection 1, its 70th)") || !strings.Contains(got, c.want) {
			t.Errorf("%s\n got %s\nwant %s", c.made, got, c.want)
		}
	}
}

// The function is called on the loop while the plan runs, many messages per turn.
func TestFunctionsRenderAhead(t *testing.T) {
	s, v := okServer(t), newVU(t)
	got := v.json(fmt.Sprintf(`
		const c = new Client(%q, { connections: 4 });
		let calls = 0;
		const l = await c.drive({ model: 'burst', count: 200, message: (m) => { calls++; return { id: m.id }; } });
		await c.close();
		return [l.ok, calls]`, s.url))
	if got != "[800,800]" {
		t.Errorf("got %s", got)
	}
}

// A plan whose function can run no more ends, with its books closed, though nobody interrupts it.
func TestLoopEndsUnderAFunction(t *testing.T) {
	s, v := okServer(t), newVU(t)
	failed := errors.New("the iteration failed")
	if err := v.rt.Set("fail", func() { v.loop.Post(func() error { return failed }) }); err != nil {
		t.Fatal(err)
	}
	_, err := v.run(fmt.Sprintf(`
		const c = new Client(%q);
		await c.drive({ rate: 10000, duration: '1s', drain: 100, message: (m) => { if (m.seq === 100) fail(); return { id: m.id }; } });`, s.url))
	if !errors.Is(err, failed) {
		t.Fatalf("got %v", err)
	}
	v.await(record.Run, record.TagPhase, record.PhaseEnd)
	v.module.Close()
	a, unsent := v.process.Account(), 0
	for _, p := range v.of(record.Delivered) {
		if p.Tags.Value("reason") == record.ReasonScript {
			unsent++
		}
	}
	if a.Sent != a.OK+a.Error+a.Lost || int(a.Sent)+unsent != 10_000 || unsent < 9_000 {
		t.Errorf("%d unsent for the script, and %+v", unsent, a)
	}
}

// JavaScript does not sit between the schedule and the socket: a script that blocks its event loop until everything has been
// answered does not keep a single message from being sent.
func TestBlockedLoopSendsOn(t *testing.T) {
	s, v := okServer(t), newVU(t)
	if err := v.rt.Set("untilAllAreAnswered", func() {
		for v.process.Account().OK < 50 {
		}
	}); err != nil {
		t.Fatal(err)
	}
	got := v.json(fmt.Sprintf(`
		const c = new Client(%q);
		const running = c.drive({ rate: 500, count: 50, message: { id: '{{id}}' } });
		untilAllAreAnswered();
		const l = await running;
		await c.close();
		return [l.ok, l.planned]`, s.url))
	if got != "[50,50]" {
		t.Errorf("got %s", got)
	}
}

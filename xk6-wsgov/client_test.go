package wsgov_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/wsgov/wsgov/record"
)

func TestDrive(t *testing.T) {
	s, v := okServer(t), newVU(t)
	v.tags = record.NewTags("scenario", "chat")
	got := v.json(fmt.Sprintf(`
		const c = new Client(%q, { connections: 2 });
		const l = await c.drive({ name: 'p', model: 'burst', count: 3, message: { id: '{{id}}', topic: 't{{conn}}' }, tags: { team: 'a' } });
		await c.close();
		return [l.plan, l.planned, l.sent, l.unsent, l.ok, l.error, l.lost, l.frames.received, l.handshakes.opened, l.deliveryRatio,
			l.responseTime.count, typeof l.responseTime.p99, doubts(l), l.errors, Object.keys(l).length];`, s.url))
	if want := `["p",6,6,0,6,0,0,6,2,1,6,"number",[],{},20]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	delivered := v.of(record.Delivered)
	if len(delivered) != 6 {
		t.Fatalf("%d points of delivered messages", len(delivered))
	}
	for _, p := range delivered {
		if p.Tags.Value("scenario") != "chat" || p.Tags.Value("team") != "a" || p.Tags.Value("plan") != "p" {
			t.Errorf("tags are %v", p.Tags)
		}
	}
	messages := s.messages()
	slices.Sort(messages)
	if want := `1:{"id":1,"topic":"t1"}`; messages[0] != want {
		t.Errorf("the first message is %s, want %s", messages[0], want)
	}
}

func TestLedgerHasInfinity(t *testing.T) {
	s, v := answering(t, func(string) []string { return nil }), newVU(t)
	got := v.must(fmt.Sprintf(`
		const c = new Client(%q, { reply: { timeout: '50ms' } });
		const l = await c.drive({ model: 'burst', count: 2, message: { id: '{{id}}' } });
		await c.close();
		return [l.lost, l.lostReasons.timeout, l.responseTime.p50 === Infinity, l.responseTime.count].join()`, s.url)).String()
	if got != "2,2,true,0" {
		t.Errorf("got %s", got)
	}
}

func TestConnectIsOnceAndCounts(t *testing.T) {
	s, v := okServer(t), newVU(t)
	got := v.json(fmt.Sprintf(`
		const c = new Client(%q, { connections: 3 });
		const r = [await c.connect(), await c.connect()];
		await c.close();
		return r`, s.url))
	if got != `[{"opened":3,"failed":0},{"opened":3,"failed":0}]` {
		t.Errorf("got %s", got)
	}
	if n := v.process.Account().Handshakes; n != 3 {
		t.Errorf("%d handshakes are booked", n)
	}
}

func TestRequest(t *testing.T) {
	s := answering(t, func(m string) []string {
		switch {
		case strings.Contains(m, "login"):
			return []string{`{"id":1,"ok":true,"user":"u1"}`}
		case strings.Contains(m, "denied"):
			return []string{`{"id":"x","ok":false,"code":403}`}
		}
		return nil
	})
	v := newVU(t)
	got := v.json(fmt.Sprintf(`
		const c = new Client(%q), out = [];
		const a = await c.request({ id: '{{id}}', cmd: 'login' });
		out.push(a.ok, a.code === undefined, a.body.user, a.responseTime > 0);
		const b = await c.request('{"id":"x","cmd":"denied"}', { name: 'deny', tags: { team: 'a' } });
		out.push(b.ok, b.code, b.body.code);
		const n = await c.request({ id: '{{id}}' }, { timeout: 30 });
		out.push(n.ok, n.code, n.body, n.responseTime === Infinity);
		await c.close();
		return out`, s.url))
	if want := `[true,true,"u1",true,false,"403",403,false,"timeout",null,true]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var plans []string
	for _, p := range v.of(record.Delivered) {
		plans = append(plans, p.Tags.Value("plan")+p.Tags.Value("team"))
	}
	if want := []string{"request", "denya", "request"}; !slices.Equal(plans, want) {
		t.Errorf("plans are %v, want %v", plans, want)
	}
}

func TestSend(t *testing.T) {
	s, v := okServer(t), newVU(t)
	v.must(fmt.Sprintf(`
		const c = new Client(%q);
		await c.connect();
		c.send('text {{id}}');
		c.send({ a: 1 });
		c.send(new Uint8Array([65, 66, 67]).subarray(1));
		await c.request({ id: '{{id}}' });
		await c.close();`, s.url))
	if want := []string{"1:text {{id}}", `1:{"a":1}`, "2:BC", `1:{"id":1}`}; !slices.Equal(s.messages(), want) {
		t.Errorf("got %q", s.messages())
	}
	if a := v.process.Account(); a.Unplanned != 3 || a.Sent != 1 {
		t.Errorf("booked are %d messages of no plan and %d sent", a.Unplanned, a.Sent)
	}
}

func TestCloseCodes(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "1000:"},
		{"1000", "1000:"},
		{"3001, 'bye é'", "3001:bye é"},
		{"4999", "4999:"},
		{"1001", "!close() was given the code 1001: give 1000 or one from 3000 to 4999"},
		{"5000", "!close() was given the code 5000"},
		{"'x'", `!close() was given the code "x"`},
		{"1000, 'x'.repeat(124)", "!close() was given a reason"},
		{"1000, 'é'.repeat(62)", "!close() was given a reason"},
	} {
		t.Run(c.args, func(t *testing.T) {
			ends := make(chan string, 1)
			s := serve(t, websocket.Upgrader{}, func(_ *server, ws *websocket.Conn) {
				_, _, err := ws.ReadMessage()
				if e, ok := err.(*websocket.CloseError); ok {
					ends <- fmt.Sprintf("%d:%s", e.Code, e.Text)
				}
			})
			_, err := newVU(t).run(fmt.Sprintf(`const c = new Client(%q); await c.connect(); try { await c.close(%s) } finally { await c.close() }`, s.url, c.args))
			if wrong, refused := strings.CutPrefix(c.want, "!"); refused {
				if err == nil || !strings.Contains(err.Error(), wrong) {
					t.Errorf("got %v", err)
				}
			} else if got := <-ends; err != nil || got != c.want {
				t.Errorf("the server saw %s, the script %v", got, err)
			}
		})
	}
}

func TestClosedClientIsRefused(t *testing.T) {
	v := newVU(t)
	for _, call := range []string{"c.connect()", "c.drive({ count: 1, model: 'burst', message: { id: '{{id}}' } })", "c.request({ id: 1 })", "c.send('x')"} {
		_, err := v.run(`const c = new Client('ws://127.0.0.1:1/'); await c.close(); await ` + call)
		if err == nil || !strings.Contains(err.Error(), "the client is closed") {
			t.Errorf("%s: got %v", call, err)
		}
	}
}

func TestInitPhase(t *testing.T) {
	v := newVU(t)
	v.init = true
	for _, call := range []string{
		"c.connect()", "c.drive({})", "c.request('x')", "c.send('x')", "c.close()", "g.snapshot()", "g.reconcile({})",
	} {
		_, err := v.run(`const c = new Client('ws://127.0.0.1:1/'), g = new Gateway({ url: 'ws://127.0.0.1:1/', map: { a: 'ok' } }); c.on('push', () => 0); await ` + call)
		if err == nil || !strings.Contains(err.Error(), "init code must not do") {
			t.Errorf("%s: got %v", call, err)
		}
	}
	s := okServer(t)
	if _, err := v.rt.RunString(fmt.Sprintf("var early = new Client(%q)", s.url)); err != nil {
		t.Fatal(err)
	}
	v.init = false
	if got := v.json("const r = await early.connect(); await early.close(); return r"); got != `{"opened":1,"failed":0}` {
		t.Errorf("a client made in init code: %s", got)
	}
}

func TestUnreachable(t *testing.T) {
	got := newVU(t).json(`
		const c = new Client('ws://127.0.0.1:1/'), errors = [];
		c.on('error', (e) => errors.push(e.conn, e.error.includes('refused'), typeof e.timestamp));
		const r = await c.connect();
		const l = await c.drive({ model: 'burst', count: 2, message: { id: '{{id}}' } });
		await c.close();
		return [r, l.planned, l.unsentReasons, l.handshakes.failed, errors]`)
	if want := `[{"opened":0,"failed":1},2,{"closed":2},1,[1,true,"number"]]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestInterruptedDrive(t *testing.T) {
	s, v := okServer(t), newVU(t)
	go func() {
		v.await(record.Run, "plan", "main") // its start
		v.stop()
	}()
	_, err := v.run(fmt.Sprintf(`
		const c = new Client(%q);
		await c.drive({ rate: 1, duration: '1h', message: { id: '{{id}}' } })`, s.url))
	if err == nil {
		t.Fatal("an interrupted iteration ended without an error")
	}
	v.module.Close()
	ends := 0
	for _, p := range v.of(record.Run) {
		if p.Tags.Value("phase") == "end" {
			ends++
		}
	}
	if ends != 1 {
		t.Errorf("%d end points of the interrupted plan", ends)
	}
	a := v.process.Account()
	if a.Sent != a.OK+a.Error+a.Lost {
		t.Errorf("the books do not close: %+v", a)
	}
}

// Methods that return promises never throw: what is wrong reaches catch.
func TestBadUseRejects(t *testing.T) {
	v := newVU(t)
	got := v.json(`
		const c = new Client('ws://127.0.0.1:1/'), g = new Gateway({ url: 'ws://127.0.0.1:1/', map: { echoed: 'ok' } });
		const said = [];
		for (const call of [() => c.drive({}), () => c.request(), () => c.close(1), () => g.reconcile()]) {
			await call().catch((e) => said.push(e.message.length > 10));
		}
		return said`)
	if want := `[true,true,true,true]`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

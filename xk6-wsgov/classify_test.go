package wsgov_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
)

func TestClassify(t *testing.T) {
	for _, c := range []struct{ name, classify, frames, want string }{
		{"parts", "(f) => JSON.parse(f)", `[{"id":"a"}] | [{"id":"b","ok":false,"code":-3},{"push":true}] | {"id":"c","code":"E"}`,
			`{"ok":1,"error":2,"codes":{"-3":1,"E":1},"push":1,"malformed":0,"parts":4}`},
		{"numbers are ids by value", "(f) => ({ id: f.length })", `a`, `{"ok":1,"error":0,"codes":{},"push":0,"malformed":0,"parts":1}`},
		{"null completes nothing", "(f, conn) => { conn.n = (conn.n || 0) + 1; return conn.n < 3 ? null : { id: 'a' }; }", `x | x | x`,
			`{"ok":1,"error":0,"codes":{},"push":0,"malformed":0,"parts":1}`},
		{"not ok without a code", "(f) => ({ id: 'a', ok: false })", `x`, `{"ok":0,"error":1,"codes":{"":1},"push":0,"malformed":0,"parts":1}`},
		{"an empty array", "(f) => f === 'x' ? [] : { id: 'a' }", `x | y`, `{"ok":1,"error":0,"codes":{},"push":0,"malformed":0,"parts":1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			frames := strings.Split(c.frames, " | ")
			s := serve(t, websocket.Upgrader{}, func(_ *server, ws *websocket.Conn) {
				for range 4 { // all messages have arrived before the first answer
					_, _, _ = ws.ReadMessage()
				}
				for _, f := range frames {
					_ = ws.WriteMessage(websocket.TextMessage, []byte(f))
				}
				_, _, _ = ws.ReadMessage()
			})
			got := newVU(t).json(fmt.Sprintf(`
				const c = new Client(%q, { reply: { classify: %s } });
				const ids = [1, 'a', 'b', 'c'];
				const l = await c.drive({ model: 'burst', count: 4, drain: '200ms', message: (m) => ({ id: ids[m.seq - 1], payload: 'm' }) });
				await c.close();
				return { ok: l.ok, error: l.error, codes: l.errors, push: l.frames.push, malformed: l.frames.malformed, parts: l.frames.parts }`, s.url, c.classify))
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// A classify function that fails costs the frame, which is booked, and says so once.
func TestClassifyFails(t *testing.T) {
	for _, c := range []struct{ classify, want string }{
		{"() => { throw new Error('cannot read this'); }", "cannot read this"},
		{"() => 5", "what classify returned is 5: give a part such as"},
		{"() => [null]", "what classify returned '[0]' is null"},
		{"() => ({ id: true })", "its id is true"},
		{"() => ({ okay: true })", "what classify returned 'okay' is unknown: did you mean 'ok'?"},
		{"() => ({ id: 1, get ok() { throw new Error('sly'); } })", "sly"},
	} {
		s, v := okServer(t), newVU(t)
		got := v.must(fmt.Sprintf(`
			const c = new Client(%q, { reply: { classify: %s, timeout: 100 } });
			const l = await c.drive({ model: 'burst', count: 2, message: { id: '{{id}}' } });
			await c.close();
			return [l.lost, l.frames.malformed, doubts(l).map((w) => w.text).join(' / ')].join('|')`, s.url, c.classify)).String()
		if !strings.HasPrefix(got, "2|2|") || strings.Count(got, c.want) != 1 {
			t.Errorf("%s\n got %s\nwant %s", c.classify, got, c.want)
		}
	}
}

// State kept on conn is of one socket: one opened in its place begins anew.
func TestClassifyStateAfterReconnect(t *testing.T) {
	s := serve(t, websocket.Upgrader{}, func(_ *server, ws *websocket.Conn) {
		_, data, err := ws.ReadMessage()
		if err == nil {
			_ = ws.WriteMessage(websocket.TextMessage, data)
		}
		// The first answer ends the connection.
	})
	got := newVU(t).json(fmt.Sprintf(`
		const states = [];
		const c = new Client(%q, { reconnect: { delay: 1 }, reply: { classify: (f, conn) => {
			states.push([conn.id, conn.seen === undefined]);
			conn.seen = true;
			return { id: f };
		} } });
		const l = await c.drive({ rate: 5, count: 2, message: '{{id}}' });
		await c.close();
		return [l.ok, states]`, s.url))
	if got != `[2,[[1,true],[1,true]]]` {
		t.Errorf("got %s", got)
	}
}

// When the run is interrupted, frames that nobody classifies any more are booked, and the plan ends.
func TestClassifyInterrupted(t *testing.T) {
	s, v := okServer(t), newVU(t)
	if err := v.rt.Set("interrupt", v.stop); err != nil {
		t.Fatal(err)
	}
	_, err := v.run(fmt.Sprintf(`
		const c = new Client(%q, { connections: 20, reply: { classify: () => { interrupt(); return null; } } });
		await c.drive({ rate: 100, duration: '1h', message: { id: '{{id}}' } });`, s.url))
	if err == nil {
		t.Error("no error")
	}
	v.module.Close()
	if a := v.process.Account(); a.Sent != a.OK+a.Error+a.Lost {
		t.Errorf("the books do not close: %+v", a)
	}
}

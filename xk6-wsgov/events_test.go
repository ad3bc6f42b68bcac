package wsgov_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	wsgov "github.com/wsgov/wsgov/xk6-wsgov"
)

// greeting is a server that sends frames at once, then waits for some messages and closes with 4001.
func greeting(t *testing.T, kind, messages int, frames ...string) *server {
	return serve(t, websocket.Upgrader{}, func(_ *server, ws *websocket.Conn) {
		for _, f := range frames {
			_ = ws.WriteMessage(kind, []byte(f))
		}
		for range messages {
			_, _, _ = ws.ReadMessage()
		}
		_ = ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(4001, "kicked"))
		_, _, _ = ws.ReadMessage()
	})
}

func TestPushAndCloseEvents(t *testing.T) {
	s, v := greeting(t, websocket.TextMessage, 2, `{"event":1}`, `plain`, `[{"a":1},{"b":2}]`), newVU(t)
	got := v.json(fmt.Sprintf(`
		const c = new Client(%q), seen = [];
		const closed = new Promise((done) => {
			c.on('push', (e) => { seen.push([e.conn, e.data]); if (seen.length === 4) c.send('bye'); });
			c.on('close', (e) => { seen.push([e.conn, e.code, e.reason, e.by, Math.abs(e.timestamp - Date.now()) < 60000]); done(); });
		});
		await c.connect();
		const wait = c.request({ id: '{{id}}' }, { timeout: 60000 });
		await closed;
		const r = await wait;
		await c.close();
		return [seen, r.code]`, s.url))
	want := `[[[1,"{\"event\":1}"],[1,"plain"],[1,"{\"a\":1}"],[1,"{\"b\":2}"],[1,4001,"kicked","server",true]],"closed:4001"]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestBinaryPush(t *testing.T) {
	s, v := greeting(t, websocket.BinaryMessage, 1, "\x01\x02"), newVU(t)
	got := v.json(fmt.Sprintf(`
		const c = new Client(%q);
		const data = new Promise((done) => c.on('push', (e) => done(e.data)));
		const wait = c.request({ id: '{{id}}' }, { timeout: 60000 });
		const bytes = Array.from(new Uint8Array(await data));
		await wait;
		await c.close();
		return bytes`, s.url))
	if got != "[1,2]" {
		t.Errorf("got %s", got)
	}
}

func TestHandlerThatThrowsEndsTheIteration(t *testing.T) {
	s, v := greeting(t, websocket.TextMessage, 1, `{"event":1}`), newVU(t)
	_, err := v.run(fmt.Sprintf(`
		const c = new Client(%q);
		c.on('push', () => { throw new Error('boom'); });
		await c.request({ id: '{{id}}' }, { timeout: 60000 });`, s.url))
	if err == nil || !strings.Contains(err.Error(), "boom") {
		t.Errorf("got %v", err)
	}
}

func TestHandlerAloneDoesNotHoldTheLoop(t *testing.T) {
	s, v := greeting(t, websocket.TextMessage, 1), newVU(t)
	v.must(fmt.Sprintf("const c = new Client(%q); c.on('push', () => 0); await c.connect();", s.url))
}

func TestOnErrors(t *testing.T) {
	v := newVU(t)
	for _, c := range []struct{ call, want string }{
		{"c.on('message', () => 0)", "the events are 'push', 'close' and 'error'"},
		{"c.on('push')", "on('push') needs a function, and not undefined"},
	} {
		if _, err := v.run("const c = new Client('ws://127.0.0.1:1/'); " + c.call); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v", c.call, err)
		}
	}
}

// A handler cannot run while the loop is busy; what does not fit into the queue meanwhile is told.
func TestTooManyEvents(t *testing.T) {
	const extra = 10
	s := answering(t, func(string) []string {
		frames := make([]string, wsgov.MaxEvents+extra, wsgov.MaxEvents+extra+1)
		for i := range frames {
			frames[i] = `{"event":1}`
		}
		return append(frames, `{"id":1,"ok":true}`)
	})
	v := newVU(t)
	if err := v.rt.Set("untilAllAreRead", func() {
		for v.process.Account().Received < wsgov.MaxEvents+extra+1 {
		}
	}); err != nil {
		t.Fatal(err)
	}
	got := v.json(fmt.Sprintf(`
		const c = new Client(%q);
		let seen = 0;
		c.on('push', () => seen++);
		const running = c.drive({ model: 'burst', count: 1, message: { id: '{{id}}' } });
		untilAllAreRead();
		const l = await running;
		await c.close();
		return [seen, l.frames.push, doubts(l).map((w) => w.code + ' ' + w.text.slice(0, 10))]`, s.url))
	want := fmt.Sprintf(`[%d,%d,["events 10 events "]]`, wsgov.MaxEvents, wsgov.MaxEvents+extra)
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

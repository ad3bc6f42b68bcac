package wsgov_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/wsgov/wsgov/record"
	wsgov "github.com/wsgov/wsgov/xk6-wsgov"
)

// counting is a gateway that keeps counters: of every five messages of a connection it refuses the last.
type counting struct {
	*server
	http string

	mu       sync.Mutex
	counters map[string]int
	process  string
}

func newCounting(t *testing.T) *counting {
	g := &counting{counters: map[string]int{"conns": 0, "echoed": 0, "limited": 0}, process: "p1"}
	g.server = serve(t, websocket.Upgrader{}, func(_ *server, ws *websocket.Conn) {
		g.add("conns", 1)
		for n := 0; ; {
			_, data, err := ws.ReadMessage()
			if err != nil {
				return
			}
			if strings.Contains(string(data), `"cmd"`) {
				_ = ws.WriteMessage(websocket.TextMessage, g.stats())
				continue
			}
			n++
			_ = ws.WriteMessage(websocket.TextMessage, g.answer(n, data))
		}
	})
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(g.stats()) }))
	t.Cleanup(h.Close)
	g.http = h.URL
	return g
}

func (g *counting) answer(n int, data []byte) []byte {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(data, &m)
	if n%5 == 0 {
		g.add("limited", 1)
		return fmt.Appendf(nil, `{"id":%s,"ok":false,"code":"RATE_LIMITED"}`, m.ID)
	}
	g.add("echoed", 1)
	return fmt.Appendf(nil, `{"id":%s,"ok":true}`, m.ID)
}

func (g *counting) add(name string, n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.counters[name] += n
}

func (g *counting) stats() []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	b, _ := json.Marshal(map[string]any{"server_stats": g.counters, "process": g.process})
	return b
}

func (g *counting) set(name string, value int, process string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.counters[name], g.process = value, process
}

// script begins every script here: a gateway G and a load L.
func (g *counting) script(url string) string {
	return fmt.Sprintf(`
		const G = new Gateway({ url: %q, identity: 'process', map: { conns: 'handshakes', echoed: 'ok', limited: 'error:RATE_LIMITED' } });
		const L = async (n) => {
			const c = new Client(%q, { connections: 2 });
			await c.drive({ model: 'burst', count: n, message: { id: '{{id}}' } });
			await c.close();
		};
	`, url, g.url)
}

func TestReconcile(t *testing.T) {
	for _, over := range []string{"ws", "http"} {
		t.Run(over, func(t *testing.T) {
			g, v := newCounting(t), newVU(t)
			url := map[string]string{"ws": g.url, "http": g.http}[over]
			got := v.json(g.script(url) + `
				const before = await G.snapshot();
				await L(10);
				await L(5);
				const r = await G.reconcile(JSON.parse(JSON.stringify(before)));
				return [r.difference, r.warnings, r.counters.map((c) => [c.name, c.delta, c.expected, c.difference, c.explanations.length])]`)
			conns := map[string]int{"ws": 5, "http": 4}[over]
			want := fmt.Sprintf(`[0,[],[["conns",%d,%d,0,0],["echoed",24,24,0,0],["limited",6,6,0,0]]]`, conns, conns)
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			checkGatewayPoints(t, v, over)
		})
	}
}

func checkGatewayPoints(t *testing.T, v *vu, over string) {
	t.Helper()
	points := v.of(record.GatewayCount)
	if len(points) != 6 {
		t.Fatalf("%d points of counters, want three before and three after", len(points))
	}
	control := map[string]string{"ws": "1", "http": "0"}[over]
	ids := map[string]bool{}
	for i, p := range points {
		which := []string{"before", "after"}[i/3]
		if p.Tags.Value("snapshot") != which || p.Metadata.Value("process") != "p1" || p.Metadata.Value("control") != control ||
			p.Metadata.Value("source") == "" || p.Metadata.Value("maps") == "" {
			t.Errorf("point %d: %v %v", i, p.Tags, p.Metadata)
		}
		ids[p.Metadata.Value("id")] = true
	}
	if len(ids) != 2 {
		t.Errorf("the snapshots' identities are %v", ids)
	}
	if u := v.of(record.Unreconciled); len(u) != 1 || u[0].Value != 0 {
		t.Errorf("unreconciled: %v", u)
	}
}

func TestReconcileOtherVUs(t *testing.T) {
	g, p := newCounting(t), wsgov.NewProcess(1)
	setup, other := newVUOf(t, p), newVUOf(t, p)
	before := setup.json(g.script(g.url) + "return G.snapshot()")
	other.must(g.script(g.url) + "await L(10)")
	got := newVUOf(t, p).json(g.script(g.url) + "return (await G.reconcile(" + before + ")).difference")
	if got != "0" {
		t.Errorf("difference %s", got)
	}
}

func TestReconcileFindsDifferences(t *testing.T) {
	g, v := newCounting(t), newVU(t)
	if err := v.rt.Set("cheat", func() { g.add("echoed", 3); g.add("limited", -1) }); err != nil {
		t.Fatal(err)
	}
	got := v.json(g.script(g.url) + `
		const before = await G.snapshot();
		await L(10);
		cheat();
		const r = await G.reconcile(before);
		return [r.difference, r.counters.map((c) => [c.difference, c.explanations.length > 0])]`)
	if want := `[4,[[0,false],[3,true],[-1,true]]]`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if u := v.of(record.Unreconciled); len(u) != 1 || u[0].Value != 4 {
		t.Errorf("unreconciled: %v", u)
	}
}

func TestReconcileUncountedTraffic(t *testing.T) {
	g, v := newCounting(t), newVU(t)
	blind := newCounting(t)
	got := v.json(g.script(blind.http) + `
		const before = await G.snapshot();
		await L(5);
		return (await G.reconcile(before)).difference`)
	if got != "12" { // 2 handshakes, 8 ok, 2 limited
		t.Errorf("a gateway that counts nothing: difference %s", got)
	}
}

func TestReconcileWarnings(t *testing.T) {
	for _, c := range []struct {
		name, code string
		prepare    func(g *counting)
		between    func(g *counting)
		before     string
	}{
		{"used before", "nonzero-start", func(g *counting) { g.add("echoed", 100) }, func(*counting) {}, "await G.snapshot()"},
		{"fell", "fell,nonzero-start", func(g *counting) { g.add("conns", 9) }, func(g *counting) { g.set("conns", 0, "p1") }, "await G.snapshot()"},
		{"restarted", "restarted", func(*counting) {}, func(g *counting) { g.set("conns", 0, "p2") }, "await G.snapshot()"},
		{"unknown snapshot", "unknown-snapshot", func(*counting) {}, func(*counting) {}, "{ conns: 0, echoed: 0, limited: 0 }"},
		{"incomplete snapshot", "unknown-snapshot,not-in-before", func(*counting) {}, func(*counting) {}, "{ conns: 0, echoed: 0 }"},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, v := newCounting(t), newVU(t)
			c.prepare(g)
			if err := v.rt.Set("between", func() { c.between(g) }); err != nil {
				t.Fatal(err)
			}
			got := v.must(g.script(g.http) + "const before = " + c.before + `;
				await L(5);
				between();
				return (await G.reconcile(before)).warnings.map((w) => w.code).join()`).String()
			if got != c.code {
				t.Errorf("warnings %q, want %q", got, c.code)
			}
		})
	}
}

func TestMissingCounter(t *testing.T) {
	g, v := newCounting(t), newVU(t)
	got := v.json(fmt.Sprintf(`
		const G = new Gateway({ url: %q, map: { echoes: 'ok' } });
		const before = await G.snapshot();
		const r = await G.reconcile(before);
		return [before.echoes, r.difference, r.warnings[0].code, r.warnings[0].text.includes('echoed')]`, g.http))
	if got != `[0,0,"missing",true]` {
		t.Errorf("got %s", got)
	}
}

func TestGatewayErrors(t *testing.T) {
	v := newVU(t)
	for _, c := range []struct{ script, want string }{
		{`new Gateway()`, "new Gateway() needs a source"},
		{`new Gateway({ url: 'ws://x', maps: {} })`, "did you mean 'map'?"},
		{`new Gateway({ url: 'ws://x' })`, "'map' is missing"},
		{`new Gateway({ url: 5, map: { a: 'ok' } })`, "'url' is 5: give an address or an array"},
		{`new Gateway({ url: [], map: { a: 'ok' } })`, "there is no address"},
		{`new Gateway({ url: 'ftp://x', map: { a: 'ok' } })`, "must begin with"},
		{`new Gateway({ url: 'ws://x', map: { a: 'good' } })`, `'map.a': a gateway counter cannot be mapped to "good": use error, frames,`},
		{`await new Gateway({ url: 'ws://127.0.0.1:1', map: { a: 'ok' } }).snapshot()`, "is the gateway running there?"},
		{`await new Gateway({ url: 'http://127.0.0.1:1', map: { a: 'ok' } }).reconcile({ a: 1 })`, "is the gateway running there?"},
		{`await new Gateway({ url: 'ws://127.0.0.1:1', map: { a: 'ok' } }).reconcile()`, "reconcile() was given undefined: give it what snapshot()"},
		{`await new Gateway({ url: 'ws://127.0.0.1:1', map: { a: 'ok' } }).reconcile({ a: 'x' })`, `was given "x" as the counter "a"`},
	} {
		_, err := v.run(c.script)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\n got %v\nwant %s", c.script, err, c.want)
		}
	}
}

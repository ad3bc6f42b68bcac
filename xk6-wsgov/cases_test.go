package wsgov_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/wsgov/wsgov/record"
)

// replayed is a recorded conversation and the right account of it.
type replayed struct {
	name     string
	up       websocket.Upgrader
	speed    float64
	change   func([]happening) []happening
	script   string // makes the client c and returns the ledger, or an array of them
	counts   map[string]int64
	errors   map[string]int64
	frames   record.FrameCounts
	outcomes string    // of every message, in order of their intended times
	response []float64 // at least, ms, of those answered
	warnings []string  // what each warning begins with, or has
}

func TestReplayedCases(t *testing.T) {
	for _, c := range []replayed{arrayReplies, bannerByDefault, bannerAsEcho, idChangesType, graphqlStream, mqttSplitPackets, socketIO, socketIOWithoutPong} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t)
		})
	}
}

func (c replayed) test(t *testing.T) {
	name, _, _ := strings.Cut(c.name, ":")
	events := conversation(t, name)
	if c.change != nil {
		events = c.change(events)
	}
	r, v := startReplay(t, c.up, max(c.speed, 1), events), newVU(t)
	var l record.Ledger
	text := v.json(fmt.Sprintf("const url = %q;\n%s", r.url, c.script))
	if err := json.Unmarshal([]byte(text), &l); err != nil {
		t.Fatal(err)
	}
	select {
	case m := <-r.missed:
		t.Fatalf("the client never sent %q", m)
	default:
	}
	c.checkCounts(t, &l)
	c.checkFrames(t, v)
	c.checkMessages(t, v)
	c.checkWarnings(t, l.Warnings)
}

func (c replayed) checkCounts(t *testing.T, l *record.Ledger) {
	t.Helper()
	for name, got := range map[string]int64{"planned": l.Planned, "ok": l.OK, "error": l.Error, "lost": l.Lost, "unsent": l.Unsent} {
		if got != c.counts[name] {
			t.Errorf("%s is %d, want %d", name, got, c.counts[name])
		}
	}
	if fmt.Sprint(l.Errors) != fmt.Sprint(c.errors) {
		t.Errorf("errors are %v, want %v", l.Errors, c.errors)
	}
}

// checkFrames adds up the points of frames. What comes after a plan has ended, such as the rest of a stream, is in them and no
// longer in the plan's ledger.
func (c replayed) checkFrames(t *testing.T, v *vu) {
	t.Helper()
	n := map[string]int64{}
	for _, p := range v.of(record.Frames) {
		n[p.Tags.Value(record.TagKind)] += int64(p.Value)
	}
	got := record.FrameCounts{
		Received: n[record.KindReceived], Parts: n[record.KindParts], Late: n[record.KindLate], Duplicate: n[record.KindDuplicate],
		Unmatched: n[record.KindUnmatched], Malformed: n[record.KindMalformed], Push: n[record.KindPush],
	}
	if got != c.frames {
		t.Errorf("frames are %+v, want %+v", got, c.frames)
	}
}

// checkMessages looks at which message got which outcome, and at the least its response can have taken.
func (c replayed) checkMessages(t *testing.T, v *vu) {
	t.Helper()
	points, times := v.of(record.Delivered), v.of(record.ResponseTime)
	byTime := func(a, b record.Sample) int { return a.Time.Compare(b.Time) }
	slices.SortFunc(points, byTime)
	slices.SortFunc(times, byTime)
	var outcomes []string
	for _, p := range points {
		outcomes = append(outcomes, p.Tags.Value(record.TagOutcome))
	}
	if got := strings.Join(outcomes, " "); got != c.outcomes {
		t.Errorf("outcomes are %q, want %q", got, c.outcomes)
	}
	if len(times) != len(c.response) {
		t.Fatalf("%d response times, want %d", len(times), len(c.response))
	}
	for i, p := range times {
		if p.Value < c.response[i] || p.Value > c.response[i]+float64(time.Minute.Milliseconds()) {
			t.Errorf("response time %d is %g ms, want at least %g", i, p.Value, c.response[i])
		}
	}
}

func (c replayed) checkWarnings(t *testing.T, warnings []record.Warning) {
	t.Helper()
	var texts []string
	for _, w := range warnings {
		if w.Code == "generator-late" { // says something of the machine that runs the test
			continue
		}
		texts = append(texts, w.Code+": "+w.Text)
	}
	all := strings.Join(texts, "\n")
	for _, want := range c.warnings {
		if !strings.Contains(all, want) {
			t.Errorf("no warning has %q in\n%s", want, all)
		}
	}
	if c.warnings == nil && len(texts) > 0 {
		t.Errorf("warnings: %s", all)
	}
}

var arrayReplies = replayed{
	name: "array-replies",
	script: `const c = new Client(url, { reply: { timeout: 300 } });
		const l = await c.drive({ rate: 200, count: 6, message: { id: '{{id}}', type: 'get_states' } });
		await c.close();
		return l`,
	counts: map[string]int64{"planned": 6, "ok": 4, "error": 1, "lost": 1}, errors: map[string]int64{"unauthorized": 1},
	frames:   record.FrameCounts{Received: 3, Parts: 7, Duplicate: 1, Push: 1},
	outcomes: "ok ok error ok ok lost", response: []float64{40, 35, 34, 37, 32},
}

const bannerFrames = `const c = new Client(url, { reply: %s });
	const l = await c.drive({ rate: 10, count: 4, message: { id: '{{id}}', payload: 'p{{seq}}' } });
	await c.close();
	return l`

var bannerByDefault = replayed{
	name: "banner-then-echo: default rule", script: fmt.Sprintf(bannerFrames, "{}"),
	counts: map[string]int64{"planned": 4, "error": 4}, errors: map[string]int64{"": 4},
	frames:   record.FrameCounts{Received: 5, Parts: 5, Malformed: 1},
	outcomes: "error error error error", response: []float64{6, 6, 6, 6},
	warnings: []string{"4 of 4 replies lack the path \"ok\" (reply.ok); if a reply with our id is a success, say so"},
}

var bannerAsEcho = replayed{
	name: "banner-then-echo: any reply is ok", script: fmt.Sprintf(bannerFrames, "{ ok: true }"),
	counts: map[string]int64{"planned": 4, "ok": 4}, errors: map[string]int64{},
	frames:   record.FrameCounts{Received: 5, Parts: 5, Malformed: 1},
	outcomes: "ok ok ok ok", response: []float64{6, 6, 6, 6}, warnings: []string{"malformed"},
}

var idChangesType = replayed{
	name: "id-changes-type",
	script: `const c = new Client(url, { reply: { timeout: 300 } });
		const l = await c.drive({ rate: 100, count: 7, message: (m) => ({ id: m.seq < 5 ? m.seq : String(m.seq), op: 'q' }) });
		await c.close();
		return l`,
	counts: map[string]int64{"planned": 7, "ok": 5, "error": 1, "lost": 1}, errors: map[string]int64{"503": 1},
	frames:   record.FrameCounts{Received: 8, Parts: 8, Unmatched: 2},
	outcomes: "ok ok ok error ok lost ok", response: []float64{75, 66, 57, 48, 39, 22},
	warnings: []string{"id-type: the id of 2 of 6 replies had another JSON type than ours"},
}

// The first next or error of an id is its reply; what follows under that id is its stream.
var graphqlStream = replayed{
	name: "graphql-stream", up: websocket.Upgrader{Subprotocols: []string{"graphql-transport-ws"}},
	script: `const c = new Client(url, {
			subprotocols: ['graphql-transport-ws'],
			hello: [{ message: { type: 'connection_init', payload: {} }, await: { path: 'type', equals: 'connection_ack' } }],
			autoReply: [{ when: { path: 'type', equals: 'ping' }, message: { type: 'pong' } }],
			reply: { classify: (frame, conn) => {
				const o = JSON.parse(frame), seen = conn.seen = conn.seen || new Set();
				if (o.type !== 'next' && o.type !== 'error' || seen.has(o.id)) return { push: true };
				seen.add(o.id);
				const errors = o.type === 'error' ? o.payload : o.payload.errors;
				return errors ? { id: o.id, ok: false, code: (errors[0].extensions || {}).code || errors[0].message } : { id: o.id, ok: true };
			} },
		});
		let pushes = 0;
		const streamed = new Promise((done) => c.on('push', () => ++pushes === 6 && done()));
		const l = await c.drive({ rate: 100, count: 4, message: '{"id":"{{id}}","type":"subscribe","payload":{"query":"{ room { name } }"}}' });
		const release = hold(); // as a timer would: handlers alone do not keep an iteration going
		await streamed;
		release();
		await c.close();
		return l`,
	change: func(events []happening) []happening { // the answer to the ping, which the recording leaves out
		pong := `{"type":"pong"}`
		return slices.Insert(events, 9, happening{T: 57, Ev: "send", Text: &pong})
	},
	counts: map[string]int64{"planned": 4, "ok": 2, "error": 2}, errors: map[string]int64{"FORBIDDEN": 1, "syntax": 1},
	frames:   record.FrameCounts{Received: 10, Parts: 10, Push: 6},
	outcomes: "ok error error ok", response: []float64{45, 40, 36, 30},
}

// Packets are a byte stream in which frame limits mean nothing (MQTT 5.0, 6.0.0-2).
var mqttSplitPackets = replayed{
	name: "mqtt-split-packets", up: websocket.Upgrader{Subprotocols: []string{"mqtt"}},
	script: `const c = new Client(url, { subprotocols: ['mqtt'], reply: { classify: (frame, conn) => {
			let bytes = [...(conn.rest || []), ...new Uint8Array(frame)];
			const parts = [];
			while (bytes.length >= 2 && bytes.length >= 2 + bytes[1]) {
				const packet = bytes.slice(0, 2 + bytes[1]);
				bytes = bytes.slice(packet.length);
				parts.push(packet[0] >> 4 === 4 ? { id: packet[2] * 256 + packet[3] } : { push: true });
			}
			conn.rest = bytes;
			return parts;
		} } });
		const publish = (id) => new Uint8Array([0x32, 8, 0, 3, 0x61, 0x2f, 0x62, id >> 8, id & 255, 0x78]);
		const l = await c.drive({ rate: 100, count: 3, binary: true, message: (m) => ({ id: m.seq, payload: publish(m.seq) }) });
		await c.close();
		return l`,
	counts: map[string]int64{"planned": 3, "ok": 3}, errors: map[string]int64{},
	frames:   record.FrameCounts{Received: 5, Parts: 4, Push: 1},
	outcomes: "ok ok ok", response: []float64{45, 35, 50},
}

// Two messages in the first 20 ms, then nothing for a while, then the third.
const socketIOScript = `
	const c = new Client(url, {
		hello: [{ message: '40{"token":"invented"}', await: { startsWith: '40' } }],
		autoReply: %s,
		reply: { preset: 'socketio' },
	});
	const l = await c.drive({
		rate: 100, count: 3, message: (m) => '42' + (8 + m.seq) + '["post",{"body":"hi"}]',
		stages: [{ duration: 20, target: 100 }, { duration: 0, target: 0 }, { duration: 900, target: 0 },
			{ duration: 0, target: 100 }, { duration: 20, target: 100 }],
	});
	await c.close();
	return l`

var socketIO = replayed{
	name: "socketio-v4", speed: 100, script: fmt.Sprintf(socketIOScript, `[{ when: { text: '2' }, message: '3' }]`),
	counts: map[string]int64{"planned": 3, "ok": 2, "error": 1}, errors: map[string]int64{"COOLDOWN": 1},
	frames:   record.FrameCounts{Received: 7, Parts: 7, Push: 4},
	outcomes: "ok error ok", response: []float64{0, 0, 0},
}

// The same server when its ping is not answered: it hangs up after the interval and the timeout.
var socketIOWithoutPong = replayed{
	name: "socketio-v4: nobody answers pings", speed: 100, script: fmt.Sprintf(socketIOScript, `[]`),
	change: func(events []happening) []happening {
		var out []happening
		for _, e := range events {
			if e.T > 45_000 {
				return append(out, happening{T: 45_000, Ev: "close", Code: websocket.CloseNoStatusReceived})
			}
			if e.Text == nil || *e.Text != "3" {
				out = append(out, e)
			}
		}
		return out
	},
	counts: map[string]int64{"planned": 3, "ok": 1, "error": 1, "unsent": 1}, errors: map[string]int64{"COOLDOWN": 1},
	frames:   record.FrameCounts{Received: 6, Parts: 6, Push: 4},
	outcomes: "ok error unsent", response: []float64{0, 0},
}

func TestSubprotocolIsNotChosen(t *testing.T) {
	s := serve(t, websocket.Upgrader{}, func(_ *server, ws *websocket.Conn) { _, _, _ = ws.ReadMessage() })
	got := newVU(t).json(fmt.Sprintf(`
		const c = new Client(%q, { subprotocols: ['mqtt'] });
		const l = await c.drive({ model: 'burst', count: 1, message: { id: '{{id}}' } });
		await c.close();
		return [l.handshakes.failed, l.handshakes.causes, l.unsentReasons]`, s.url))
	if got != `[1,{"subprotocol":1},{"closed":1}]` {
		t.Errorf("got %s", got)
	}
}

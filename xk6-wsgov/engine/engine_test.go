package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/ledger"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// peer is the server's end of one connection in a test.
type peer struct {
	*websocket.Conn
	mu sync.Mutex
}

func (p *peer) send(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.WriteMessage(websocket.TextMessage, fmt.Appendf(nil, format, args...)) // the client sees a failure
}

// onMessage answers each message of a connection with what handle does, until the connection ends.
func onMessage(handle func(p *peer, id string)) func(*peer) {
	return func(p *peer) {
		for {
			_, data, err := p.ReadMessage()
			if err != nil {
				return
			}
			var m struct{ ID json.RawMessage }
			if json.Unmarshal(data, &m) == nil {
				handle(p, string(m.ID))
			}
		}
	}
}

func answerOK(p *peer, id string) { p.send(`{"id":%s,"ok":true}`, id) }

func serve(t *testing.T, f func(*peer)) string {
	t.Helper()
	up := websocket.Upgrader{Subprotocols: []string{"test"}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ws, err := up.Upgrade(w, r, nil); err == nil {
			defer ws.Close()
			f(&peer{Conn: ws})
		}
	}))
	t.Cleanup(s.Close)
	return "ws" + strings.TrimPrefix(s.URL, "http")
}

// collector keeps what a client emits and books.
type collector struct {
	mu      sync.Mutex
	samples []record.Sample
	account record.Account
}

func (c *collector) env() Env {
	return Env{
		Emit: func(s []record.Sample) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.samples = append(c.samples, s...)
		},
		Book: func(a record.Account) {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.account.Add(a)
		},
		RunID: "test", Versions: "wsgov/test",
	}
}

func (c *collector) of(m *record.Metric) (found []record.Sample) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.samples {
		if s.Metric == m {
			found = append(found, s)
		}
	}
	return found
}

// client makes a client whose books are checked, and which is closed, when the test ends.
func client(t *testing.T, target Target) (*Client, *collector) {
	t.Helper()
	seen := &collector{}
	c, err := New(target, seen.env())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background(), 1000, ""); err != nil {
			t.Error(err)
		}
		seen.check(t)
	})
	return c, seen
}

// check holds the emitted points against the totals of the plans' ends.
func (c *collector) check(t *testing.T) {
	t.Helper()
	got := map[string]map[string]int64{}
	for _, s := range c.of(record.Delivered) {
		plan := s.Tags.Value(record.TagPlan)
		if got[plan] == nil {
			got[plan] = map[string]int64{}
		}
		got[plan][s.Tags.Value(record.TagOutcome)]++
	}
	want := map[string]map[string]int64{}
	for _, s := range c.of(record.Run) {
		if s.Tags.Value(record.TagPhase) != record.PhaseEnd {
			continue
		}
		var totals map[string]record.Ledger
		if err := json.Unmarshal([]byte(s.Metadata.Value(record.MetaTotals)), &totals); err != nil {
			t.Fatal(err)
		}
		for plan, l := range totals {
			if want[plan] == nil {
				want[plan] = map[string]int64{}
			}
			for outcome, n := range map[string]int64{"ok": l.OK, "error": l.Error, "lost": l.Lost, "unsent": l.Unsent} {
				if n > 0 {
					want[plan][outcome] += n
				}
			}
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("points say %v, totals say %v", got, want)
	}
}

// counting is a source of {"id":n} messages.
type counting struct{ ahead int }

func (c counting) Ahead() int { return c.ahead }

func (c counting) Render(_ context.Context, slots []Slot, out []Message) error {
	for i, s := range slots {
		id := strconv.FormatInt(s.ID, 10)
		out[i] = Message{Payload: []byte(`{"id":` + id + `}`), ID: id, IDKind: reply.Number}
	}
	return nil
}

func runPlan(t *testing.T, c *Client, p Plan) *record.Ledger {
	t.Helper()
	if p.Source == nil {
		p.Source = counting{}
	}
	l, err := c.Drive(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if err := ledger.CheckLedger(l); err != nil {
		t.Error(err)
	}
	return l
}

func wantCounts(t *testing.T, l *record.Ledger, planned, ok, failed, lost, unsent int64) {
	t.Helper()
	if l.Planned != planned || l.OK != ok || l.Error != failed || l.Lost != lost || l.Unsent != unsent {
		t.Errorf("planned %d ok %d error %d lost %d unsent %d, want %d %d %d %d %d (%v)",
			l.Planned, l.OK, l.Error, l.Lost, l.Unsent, planned, ok, failed, lost, unsent, l.Warnings)
	}
}

func hasWarning(l *record.Ledger, code, part string) bool {
	for _, w := range l.Warnings {
		if w.Code == code && strings.Contains(w.Text, part) {
			return true
		}
	}
	return false
}

func intPtr(n int) *int                       { return &n }
func durPtr(d time.Duration) *time.Duration   { return &d }
func unlimited(p Plan) Plan                   { p.Cap = intPtr(0); return p }
func open(rate float64, d time.Duration) Plan { return Plan{Rate: rate, Duration: d} }
func burst(count int) Plan                    { return Plan{Model: Burst, Count: count} }
func closedLoop(count int) Plan               { return Plan{Model: Closed, Count: count} }

func TestOpenPlansExactlyRateTimesDuration(t *testing.T) {
	c, seen := client(t, Target{URL: serve(t, onMessage(answerOK)), Connections: 4})
	l := runPlan(t, c, open(100, 300*time.Millisecond))
	wantCounts(t, l, 120, 120, 0, 0, 0)
	if l.DeliveryRatio != 1 || l.Frames.Received != 120 || l.Handshakes.Opened != 4 {
		t.Errorf("ledger %+v", l)
	}
	for m, n := range map[*record.Metric]int{record.Delivered: 120, record.ResponseTime: 120, record.ServiceTime: 120, record.SendLag: 120, record.Handshakes: 4} {
		if got := len(seen.of(m)); got != n {
			t.Errorf("%d points of %s, want %d", got, m.Name, n)
		}
	}
	if seen.account.OK != 120 || seen.account.Handshakes != 4 || seen.account.Sent != 120 {
		t.Errorf("account %+v", seen.account)
	}
}

// Intended times are those of the schedule to the nanosecond, whatever the cap and the gateway do.
func TestIntendedTimesDoNotMove(t *testing.T) {
	slow := onMessage(func(p *peer, id string) { <-time.After(5 * time.Millisecond); answerOK(p, id) })
	c, seen := client(t, Target{URL: serve(t, slow)})
	p := open(1000, 40*time.Millisecond)
	p.Cap = intPtr(1)
	l := runPlan(t, c, p)
	wantCounts(t, l, 40, 40, 0, 0, 0)
	var start time.Duration
	for _, s := range seen.of(record.Run) {
		if v := s.Metadata.Value(record.MetaOffset); v != "" {
			start = millis(t, v)
		}
	}
	for i, s := range seen.of(record.ResponseTime) {
		due := millis(t, s.Metadata.Value(record.MetaDue))
		if want := start + time.Duration(i)*time.Millisecond; due != want {
			t.Fatalf("message %d was due at %v, want %v", i, due, want)
		}
		var parts time.Duration
		for _, k := range []string{record.MetaCap, record.MetaSocket, record.MetaGen} {
			parts += millis(t, s.Metadata.Value(k))
		}
		if lag := millis(t, s.Metadata.Value(record.MetaLag)); lag != parts {
			t.Fatalf("message %d: lag %v, its parts add up to %v", i, lag, parts)
		}
	}
	if !hasWarning(l, "cap", "waited at the in-flight cap") || l.MaxInFlight != 1 {
		t.Errorf("warnings %v, most in flight %d", l.Warnings, l.MaxInFlight)
	}
}

func millis(t *testing.T, s string) time.Duration {
	t.Helper()
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(f*1e6 + 0.5)
}

func TestTimeoutsMakeRoom(t *testing.T) {
	c, _ := client(t, Target{URL: serve(t, onMessage(func(*peer, string) {})), ReplyTimeout: 10 * time.Millisecond})
	p := burst(6)
	p.Cap = intPtr(2)
	l := runPlan(t, c, p)
	wantCounts(t, l, 6, 0, 0, 6, 0)
	if l.LostReasons["timeout"] != 6 || l.MaxInFlight != 2 {
		t.Errorf("lost %v, most in flight %d", l.LostReasons, l.MaxInFlight)
	}
}

func TestBurstIntendsAllAtTheStart(t *testing.T) {
	c, seen := client(t, Target{URL: serve(t, onMessage(answerOK)), Connections: 2})
	l := runPlan(t, c, unlimited(burst(50)))
	wantCounts(t, l, 100, 100, 0, 0, 0)
	due := map[string]bool{}
	for _, s := range seen.of(record.Delivered) {
		due[s.Metadata.Value(record.MetaDue)] = true
	}
	if len(due) != 1 {
		t.Errorf("%d different intended times in a burst", len(due))
	}
}

func TestClosedSendsAfterTheReply(t *testing.T) {
	var mu sync.Mutex
	waiting, most := 0, 0
	note := func(n int) { mu.Lock(); defer mu.Unlock(); waiting += n; most = max(most, waiting) }
	c, seen := client(t, Target{URL: serve(t, onMessage(func(p *peer, id string) {
		note(1)
		note(-1)
		answerOK(p, id)
	}))})
	l := runPlan(t, c, closedLoop(30))
	wantCounts(t, l, 30, 30, 0, 0, 0)
	if most != 1 || l.MaxInFlight != 1 {
		t.Errorf("%d in flight at the peer, %d in the ledger, want 1", most, l.MaxInFlight)
	}
	// The intended time is the reply before: response times of a closed loop hide the queue.
	points := seen.of(record.ResponseTime)
	for i := 1; i < len(points); i++ {
		before := millis(t, points[i-1].Metadata.Value(record.MetaDue)) + time.Duration(points[i-1].Value*1e6+0.5)
		if due := millis(t, points[i].Metadata.Value(record.MetaDue)); due < before-2 || due > before+2 {
			t.Fatalf("message %d was due at %v, the reply before came at %v", i, due, before)
		}
	}
}

func TestClosedAtARateForADuration(t *testing.T) {
	c, _ := client(t, Target{URL: serve(t, onMessage(answerOK)), Connections: 2})
	l := runPlan(t, c, Plan{Model: Closed, Rate: 100, Duration: 100 * time.Millisecond})
	if l.Planned > 20 || l.Planned < 2 || l.OK != l.Planned {
		t.Errorf("planned %d ok %d, want at most 20, all ok", l.Planned, l.OK)
	}
}

func TestErrorsAreBookedByCode(t *testing.T) {
	n := 0
	c, _ := client(t, Target{URL: serve(t, onMessage(func(p *peer, id string) {
		if n++; n%2 == 0 {
			p.send(`{"id":%s,"ok":false,"code":"RATE_LIMITED"}`, id)
			return
		}
		answerOK(p, id)
	}))})
	l := runPlan(t, c, unlimited(burst(10)))
	wantCounts(t, l, 10, 5, 5, 0, 0)
	if l.Errors["RATE_LIMITED"] != 5 || l.Naive.SuccessRatio != 1 || l.DeliveryRatio != 0.5 {
		t.Errorf("errors %v, naive %v, delivery %v", l.Errors, l.Naive.SuccessRatio, l.DeliveryRatio)
	}
}

func TestLostReplyDuplicateStrangerPushAndMalformed(t *testing.T) {
	c, _ := client(t, Target{URL: serve(t, onMessage(func(p *peer, id string) {
		switch id {
		case "1": // lost
		case "2":
			answerOK(p, id)
			answerOK(p, id)
			p.send(`{"id":999,"ok":true}`)
			p.send(`{"event":"x"}`)
			p.send(`not JSON`)
		default:
			answerOK(p, id)
		}
	})), ReplyTimeout: 50 * time.Millisecond})
	l := runPlan(t, c, unlimited(burst(3)))
	wantCounts(t, l, 3, 2, 0, 1, 0)
	if f := l.Frames; f.Duplicate != 1 || f.Unmatched != 1 || f.Push != 1 || f.Malformed != 1 || f.Parts != 6 {
		t.Errorf("frames %+v", f)
	}
}

func TestLateReplyAfterThePlanIsBooked(t *testing.T) {
	release := make(chan struct{})
	c, seen := client(t, Target{URL: serve(t, onMessage(func(p *peer, id string) {
		<-release
		answerOK(p, id)
	})), ReplyTimeout: 20 * time.Millisecond})
	l := runPlan(t, c, burst(1))
	wantCounts(t, l, 1, 0, 0, 1, 0)
	close(release)
	for seen.lateOK() == 0 {
		c.flush()
		if t.Context().Err() != nil {
			t.Fatal("the late reply was never booked")
		}
	}
}

// What a server says between two plans is booked on the first.
func TestFramesBetweenPlansAreBooked(t *testing.T) {
	done, heard := make(chan struct{}), make(chan struct{}, 1)
	c, seen := client(t, Target{
		URL: serve(t, onMessage(func(p *peer, id string) {
			answerOK(p, id)
			if id == "1" {
				<-done
				p.send(`{"event":"x"}`)
			}
		})),
		Hooks: Hooks{Push: func(Frame) { heard <- struct{}{} }},
	})
	runPlan(t, c, burst(1))
	close(done)
	<-heard
	p := burst(1)
	p.Name = "second"
	if l := runPlan(t, c, p); l.Frames.Push != 0 {
		t.Errorf("the second plan has %+v", l.Frames)
	}
	if n := seen.received(); n != 3 {
		t.Errorf("%d frames are booked, want two replies and the push", n)
	}
}

func (c *collector) received() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.account.Received
}

func (c *collector) lateOK() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.account.LateOK
}

func TestConnectionDiesMidPlan(t *testing.T) {
	c, _ := client(t, Target{URL: serve(t, func(p *peer) {
		for range 3 {
			_, _, _ = p.ReadMessage()
		}
		answerOK(p, "1")
		p.NetConn().Close()
	})})
	p := open(100, 100*time.Millisecond)
	l := runPlan(t, c, p)
	if l.Planned != 10 || l.OK > 1 || l.Lost < 2 || l.Unsent == 0 || l.UnsentReasons["closed"] != l.Unsent {
		t.Errorf("ledger %+v", l)
	}
	if l.LostReasons["closed:1006"] != l.Lost || !hasWarning(l, "cut", "without a Close frame") {
		t.Errorf("lost %v, warnings %v", l.LostReasons, l.Warnings)
	}
}

func TestUnreachableTarget(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "ws://" + l.Addr().String()
	l.Close()
	for name, p := range map[string]Plan{"open": open(100, time.Second), "burst": burst(100), "closed": closedLoop(100)} {
		c, seen := client(t, Target{URL: url, Connections: 2})
		led := runPlan(t, c, p)
		wantCounts(t, led, 200, 0, 0, 0, 200)
		if led.UnsentReasons["closed"] != 200 || led.Handshakes.Causes["refused"] != 2 || !hasWarning(led, "handshakes", "nothing listens there") {
			t.Errorf("%s: unsent %v, handshakes %+v, warnings %v", name, led.UnsentReasons, led.Handshakes, led.Warnings)
		}
		if s := seen.of(record.Handshakes); len(s) != 2 || s[0].Value != 0 || s[0].Tags.Value(record.TagBlame) != "gateway" {
			t.Errorf("%s: handshake points %v", name, s)
		}
	}
}

func TestRenderedAhead(t *testing.T) {
	c, _ := client(t, Target{URL: serve(t, onMessage(answerOK)), Connections: 2})
	p := unlimited(burst(33))
	p.Source = counting{ahead: 8}
	wantCounts(t, runPlan(t, c, p), 66, 66, 0, 0, 0)
	if a, b := c.conns[0].newID(), c.conns[1].newID(); a != 67 || b != 68 {
		t.Errorf("the next messages are numbered %d and %d, want 67 and 68", a, b)
	}
}

type failing struct{ counting }

func (failing) Render(context.Context, []Slot, []Message) error {
	return fmt.Errorf("the script is gone")
}

func TestSourceThatFailsLeavesAllUnsent(t *testing.T) {
	for _, ahead := range []int{0, 4} {
		c, _ := client(t, Target{URL: serve(t, onMessage(answerOK))})
		p := burst(5)
		p.Source = failing{counting{ahead}}
		l := runPlan(t, c, p)
		wantCounts(t, l, 5, 0, 0, 0, 5)
		if l.UnsentReasons["script"] != 5 {
			t.Errorf("ahead %d: unsent %v", ahead, l.UnsentReasons)
		}
	}
}

type sameID struct{ counting }

func (sameID) Render(_ context.Context, slots []Slot, out []Message) error {
	for i := range slots {
		out[i] = Message{Payload: []byte(`{"id":"x"}`), ID: "x"}
	}
	return nil
}

func TestTwoInFlightWithOneIDAreRefusedWithAWarning(t *testing.T) {
	c, _ := client(t, Target{URL: serve(t, onMessage(func(*peer, string) {})), ReplyTimeout: 30 * time.Millisecond})
	p := unlimited(burst(3))
	p.Source = sameID{}
	l := runPlan(t, c, p)
	wantCounts(t, l, 3, 0, 0, 1, 2)
	if !hasWarning(l, "script", "still in flight") {
		t.Errorf("warnings %v", l.Warnings)
	}
}

func TestSteppedConnects(t *testing.T) {
	c, seen := client(t, Target{URL: serve(t, onMessage(answerOK)), Connections: 6, Ramp: Ramp{Batch: 2, Every: 20 * time.Millisecond}})
	before := c.env.elapsed()
	if opened, failed, err := c.Connect(t.Context()); opened != 6 || failed != 0 || err != nil {
		t.Fatalf("opened %d, failed %d, %v", opened, failed, err)
	}
	runPlan(t, c, burst(1))
	for _, s := range seen.of(record.Connecting) {
		i, err := strconv.Atoi(s.Metadata.Value(record.MetaConn))
		if err != nil {
			t.Fatal(err)
		}
		step := before + time.Duration((i-1)/2)*20*time.Millisecond
		if at := s.Time.Sub(c.env.Start); at < step {
			t.Errorf("connection %d was dialled at %v, before its step at %v", i, at, step)
		}
	}
}

func TestHelloAwaitAndAutoReply(t *testing.T) {
	await, err := reply.NewCondition(reply.Condition{Path: "type", Equals: "ack"})
	if err != nil {
		t.Fatal(err)
	}
	ping, err := reply.NewCondition(reply.Condition{Path: "type", Equals: "ping"})
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 10)
	c, _ := client(t, Target{
		URL: serve(t, func(p *peer) {
			_, hello, _ := p.ReadMessage()
			got <- string(hello)
			p.send(`{"type":"ack"}`)
			p.send(`{"type":"ping"}`)
			_, pong, _ := p.ReadMessage()
			got <- string(pong)
			onMessage(answerOK)(p)
		}),
		Hello:     []Hello{{Message: []byte(`{"type":"init"}`), Await: await}},
		AutoReply: []AutoReply{{When: ping, Message: []byte(`{"type":"pong"}`)}},
	})
	if _, _, err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if a, b := <-got, <-got; a != `{"type":"init"}` || b != `{"type":"pong"}` {
		t.Errorf("the peer got %s and %s", a, b)
	}
	l := runPlan(t, c, burst(2))
	wantCounts(t, l, 2, 2, 0, 0, 0)
	if l.Frames.Push != 2 {
		t.Errorf("%d pushes, want the ack and the ping", l.Frames.Push)
	}
}

func TestHelloThatIsNeverAnswered(t *testing.T) {
	await, err := reply.NewCondition(reply.Condition{Path: "type", Equals: "ack"})
	if err != nil {
		t.Fatal(err)
	}
	c, _ := client(t, Target{
		URL: serve(t, onMessage(answerOK)), Ramp: Ramp{Timeout: 50 * time.Millisecond},
		Hello: []Hello{{Message: []byte(`{}`), Await: await}},
	})
	l := runPlan(t, c, burst(2))
	wantCounts(t, l, 2, 0, 0, 0, 2)
	if !hasWarning(l, "hello", "not answered") {
		t.Errorf("warnings %v", l.Warnings)
	}
}

func TestHeartbeatKeepsAnIdleConnection(t *testing.T) {
	pings := make(chan struct{}, 100)
	c, _ := client(t, Target{URL: serve(t, func(p *peer) {
		p.SetPingHandler(func(string) error { pings <- struct{}{}; return nil }) // never pongs
		onMessage(answerOK)(p)
	}), Heartbeat: &Heartbeat{Every: 5 * time.Millisecond, DeadAfter: 60 * time.Millisecond}})
	if _, _, err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-pings
	<-pings
	c.conns[0].waitDead(t.Context()) // silence, not missing pongs, is what kills it
	l := runPlan(t, c, burst(1))
	wantCounts(t, l, 1, 0, 0, 0, 1)
	if !hasWarning(l, "dead", "nothing was heard") {
		t.Errorf("warnings %v", l.Warnings)
	}
}

func TestFrameOverTheLimit(t *testing.T) {
	c, _ := client(t, Target{URL: serve(t, onMessage(func(p *peer, id string) {
		p.send(`{"id":%s,"ok":true,"pad":"%s"}`, id, strings.Repeat("x", 2000))
	})), MaxFrameBytes: 1000})
	l := runPlan(t, c, burst(1))
	wantCounts(t, l, 1, 0, 0, 1, 0)
	if l.LostReasons["closed:1009"] != 1 || !hasWarning(l, "frame-too-large", "maxFrameBytes") {
		t.Errorf("lost %v, warnings %v", l.LostReasons, l.Warnings)
	}
}

func TestRequestIsBookedLikeAPlan(t *testing.T) {
	c, seen := client(t, Target{URL: serve(t, onMessage(func(p *peer, id string) { p.send(`{"id":%s,"ok":true,"token":"t"}`, id) }))})
	if _, _, err := c.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	out := []Message{{}}
	slot := c.NewSlot()
	if err := (counting{}).Render(t.Context(), []Slot{slot}, out); err != nil {
		t.Fatal(err)
	}
	r, err := c.Request(t.Context(), slot, out[0], RequestOptions{Name: "login"})
	if err != nil || r.Outcome != record.OK || !strings.Contains(string(r.Body), "token") || r.ResponseTime <= 0 {
		t.Fatalf("result %+v, %v", r, err)
	}
	if d := seen.of(record.Delivered); len(d) != 1 || d[0].Tags.Value(record.TagPlan) != "login" {
		t.Errorf("points %v", d)
	}
}

func TestClassifier(t *testing.T) {
	c, _ := client(t, Target{URL: serve(t, onMessage(answerOK)), Classify: everySecondFrame(t)})
	l := runPlan(t, c, unlimited(burst(4)))
	wantCounts(t, l, 4, 4, 0, 0, 0)
	if l.Frames.Received != 4 || l.Frames.Parts != 4 {
		t.Errorf("frames %+v", l.Frames)
	}
}

// everySecondFrame classifies two frames together, when the second has come.
func everySecondFrame(t *testing.T) Classifier {
	rule, err := reply.Compile(reply.Spec{})
	if err != nil {
		t.Fatal(err)
	}
	return &pairing{rule: rule}
}

type pairing struct {
	rule *reply.Rule
	held []byte
}

func (p *pairing) Classify(f Frame, done func([]reply.Part, error)) bool {
	if p.held == nil {
		p.held = f.Data
		go done(nil, nil)
		return true
	}
	parts := append(p.rule.Parts(nil, p.held, false), p.rule.Parts(nil, f.Data, false)...)
	p.held = nil
	go done(parts, nil)
	return true
}

func TestCloseWhileDriving(t *testing.T) {
	started := make(chan struct{})
	c, _ := client(t, Target{URL: serve(t, onMessage(func(p *peer, id string) {
		if id == "1" {
			close(started)
			return
		}
		answerOK(p, id)
	}))})
	go func() {
		<-started
		_ = c.Close(context.Background(), 1000, "")
	}()
	l := runPlan(t, c, open(100, 200*time.Millisecond))
	if l.Planned != 20 || l.Lost != 1 || l.Unsent == 0 {
		t.Errorf("ledger %+v", l)
	}
	if _, err := c.Drive(t.Context(), unlimited(Plan{Model: Burst, Count: 1, Source: counting{}})); err == nil {
		t.Error("a closed client took a plan")
	}
}

func TestContextEndClosesTheConnections(t *testing.T) {
	c, _ := client(t, Target{URL: serve(t, onMessage(answerOK))})
	ctx, cancel := context.WithCancel(t.Context())
	if _, _, err := c.Connect(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	c.conns[0].waitDead(t.Context())
}

func TestBadTargetsAndPlans(t *testing.T) {
	for _, url := range []string{"", "http://127.0.0.1", "ws://", "ws://h/#f", "::"} {
		if _, err := New(Target{URL: url}, Env{}); err == nil {
			t.Errorf("the address %q was accepted", url)
		}
	}
	c, _ := client(t, Target{URL: "ws://127.0.0.1:1"})
	for name, p := range map[string]Plan{
		"no source":           {Rate: 1, Duration: 1},
		"open without rate":   {Source: counting{}, Duration: 1},
		"open without end":    {Source: counting{}, Rate: 1},
		"stages and duration": {Source: counting{}, Stages: []Stage{{Duration: 1, Target: 1}}, Duration: 1},
		"bad stage":           {Source: counting{}, Stages: []Stage{{Duration: 1, Target: -1}}},
		"burst without count": {Source: counting{}, Model: Burst},
		"burst with rate":     {Source: counting{}, Model: Burst, Count: 1, Rate: 1},
		"closed without end":  {Source: counting{}, Model: Closed},
		"closed with cap":     {Source: counting{}, Model: Closed, Count: 1, Cap: intPtr(2)},
		"model":               {Source: counting{}, Model: "half-open"},
		"arrivals":            {Source: counting{}, Rate: 1, Duration: 1, Arrivals: "gaussian"},
		"negative":            {Source: counting{}, Rate: -1, Duration: 1},
	} {
		if _, err := c.Drive(t.Context(), p); err == nil {
			t.Errorf("%s: the plan was accepted", name)
		}
	}
}

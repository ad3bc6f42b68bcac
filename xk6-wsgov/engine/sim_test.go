package engine

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

// pipes is a listener whose connections are in-memory pipes: inside a synctest bubble nothing but the fake clock takes
// time, so every time in a ledger is exact. A pipe has no buffer, so a peer that does not read blocks its writer.
type pipes struct {
	incoming chan net.Conn
	closed   chan struct{}
	once     sync.Once
}

func newPipes() *pipes { return &pipes{incoming: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.incoming:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.closed) }); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.incoming <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// simulate runs test in a bubble with a client of a peer in memory.
func simulate(t *testing.T, target Target, handle func(*peer), test func(t *testing.T, c *Client, seen *collector)) {
	synctest.Test(t, func(t *testing.T) {
		p := newPipes()
		up := websocket.Upgrader{}
		var peers sync.WaitGroup
		defer peers.Wait()
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if ws, err := up.Upgrade(w, r, nil); err == nil {
				peers.Add(1)
				defer peers.Done()
				defer ws.Close()
				handle(&peer{Conn: ws})
			}
		})}
		served := make(chan error, 1)
		go func() { served <- server.Serve(p) }()
		seen := &collector{}
		env := seen.env()
		env.Dial, env.Start = p.dial, time.Now()
		target.URL = "ws://peer.test/"
		c, err := New(target, env)
		if err != nil {
			t.Fatal(err)
		}
		test(t, c, seen)
		if err := c.Close(context.Background(), 1000, ""); err != nil {
			t.Error(err)
		}
		seen.check(t)
		_ = server.Close()
		<-served
	})
}

// serial handles one message at a time and reads the next ones meanwhile.
func serial(delay time.Duration) func(*peer) {
	return func(p *peer) {
		queue := make(chan string, 10_000)
		done := make(chan struct{})
		go func() {
			defer close(done)
			for id := range queue {
				<-time.After(delay) // the service time
				answerOK(p, id)
			}
		}()
		onMessage(func(_ *peer, id string) { queue <- id })(p)
		close(queue)
		<-done
	}
}

// A service of 16 ms against a schedule of 10 ms: the backlog grows by 6 ms per message, so the k-th message, from 0, is
// answered 6k + 16 ms after its intended time, which only a measurement from the intended time can see. The cap keeps the
// service time at 32 · 16 ms.
func TestSerialGatewayByArithmetic(t *testing.T) {
	simulate(t, Target{}, serial(16*time.Millisecond), func(t *testing.T, c *Client, _ *collector) {
		p := open(100, 10*time.Second)
		p.Drain = durPtr(8 * time.Second)
		l := runPlan(t, c, p)
		wantCounts(t, l, 1000, 1000, 0, 0, 0)
		near(t, "response p50", l.ResponseTime.P50, 6*499+16)
		near(t, "response p99", l.ResponseTime.P99, 6*989+16)
		near(t, "response max", l.ResponseTime.Max, 6*999+16)
		near(t, "service p99", l.ServiceTime.P99, 32*16)
		near(t, "naive p99", l.Naive.P99, 32*16)
		near(t, "send lag max", l.SendLag.Max, 6*999+16-32*16)
	})
}

// near allows what the histogram's three digits may cost.
func near(t *testing.T, what string, got record.Milliseconds, want float64) {
	t.Helper()
	if d := float64(got) - want; d < -want/500 || d > want/500 {
		t.Errorf("%s is %v ms, want %v", what, got, want)
	}
}

// The same gateway in a closed loop looks healthy.
func TestClosedLoopHidesTheQueue(t *testing.T) {
	simulate(t, Target{}, serial(16*time.Millisecond), func(t *testing.T, c *Client, _ *collector) {
		l := runPlan(t, c, Plan{Model: Closed, Rate: 100, Duration: 10 * time.Second})
		wantCounts(t, l, 625, 625, 0, 0, 0)
		near(t, "response p99", l.ResponseTime.P99, 16)
		near(t, "send lag max", l.SendLag.Max, 0)
	})
}

// With nothing in the way every time is exact: no lag, and the response is the gateway's delay.
func TestUnhinderedTimesAreExact(t *testing.T) {
	delay := func(p *peer) {
		onMessage(func(p *peer, id string) {
			time.AfterFunc(3*time.Millisecond, func() { answerOK(p, id) })
		})(p)
	}
	simulate(t, Target{Connections: 3}, delay, func(t *testing.T, c *Client, seen *collector) {
		l := runPlan(t, c, open(100, time.Second))
		wantCounts(t, l, 300, 300, 0, 0, 0)
		for _, s := range seen.of(record.ResponseTime) {
			if s.Value != 3 || s.Metadata.Value(record.MetaLag) != "0" {
				t.Fatalf("response %v ms with lag %s, want 3 and 0", s.Value, s.Metadata.Value(record.MetaLag))
			}
		}
		if l.Goodput != 300 {
			t.Errorf("goodput %v/s, want 300", l.Goodput)
		}
	})
}

// stalling stops reading for a second at the tenth message.
func stalling(p *peer) {
	n := 0
	onMessage(func(p *peer, id string) {
		if n++; n == 10 {
			<-time.After(time.Second) // the stall
		}
		answerOK(p, id)
	})(p)
}

// A peer that stops reading for a second: the messages due meanwhile wait on the socket, which their response time has and
// their service time has not.
func TestStalledPeer(t *testing.T) {
	simulate(t, Target{}, stalling, func(t *testing.T, c *Client, seen *collector) {
		l := runPlan(t, c, unlimited(open(100, 2*time.Second)))
		wantCounts(t, l, 200, 200, 0, 0, 0)
		// Message 11 is what the stalled socket was taking from 100 ms on; message 12, due 10 ms later, waited for it.
		stalled := seen.of(record.ResponseTime)[11]
		if stalled.Value != 980 || stalled.Metadata.Value(record.MetaSocket) != "980" || stalled.Metadata.Value(record.MetaGen) != "0" {
			t.Errorf("message 12: response %v, lag %v", stalled.Value, stalled.Metadata)
		}
		if got := seen.of(record.ServiceTime)[11].Value; got != 0 {
			t.Errorf("message 12: service %v ms, want 0", got)
		}
	})
}

// Under drop, what the stalled socket could not take before its successor was due is given up and said so.
func TestStalledPeerUnderDrop(t *testing.T) {
	simulate(t, Target{}, stalling, func(t *testing.T, c *Client, _ *collector) {
		p := unlimited(open(100, 2*time.Second))
		p.Drop = true
		l := runPlan(t, c, p)
		if l.Planned != 200 || l.UnsentReasons["backpressure"] != l.Unsent || l.Unsent < 97 || l.Unsent > 99 {
			t.Errorf("planned %d, unsent %d %v", l.Planned, l.Unsent, l.UnsentReasons)
		}
	})
}

// The cutoff: what the socket still holds when the drain ends is lost, what waits behind it unsent.
func TestStalledForGood(t *testing.T) {
	mute := func(p *peer) {
		_, _, _ = p.ReadMessage()
		<-time.After(time.Minute)
	}
	simulate(t, Target{}, mute, func(t *testing.T, c *Client, _ *collector) {
		p := unlimited(open(10, time.Second))
		p.Drain = durPtr(2 * time.Second)
		start := time.Now()
		l := runPlan(t, c, p)
		wantCounts(t, l, 10, 0, 0, 2, 8)
		if took := time.Since(start); took < 3*time.Second || took > 4*time.Second {
			t.Errorf("the plan ended after %v, want its window and drain of 3 s", took)
		}
	})
}

func TestTimeoutIsExact(t *testing.T) {
	for _, c := range []struct {
		delay time.Duration
		lost  int64
	}{{time.Second, 0}, {time.Second + time.Nanosecond, 1}} {
		peer := func(p *peer) {
			onMessage(func(p *peer, id string) { time.AfterFunc(c.delay, func() { answerOK(p, id) }) })(p)
		}
		simulate(t, Target{ReplyTimeout: time.Second}, peer, func(t *testing.T, cl *Client, _ *collector) {
			p := burst(1)
			p.Drain = durPtr(2 * time.Second)
			if l := runPlan(t, cl, p); l.Lost != c.lost {
				t.Errorf("a reply after %v: lost %d, want %d", c.delay, l.Lost, c.lost)
			}
		})
	}
}

// silent reads and never answers.
func silent(p *peer) { onMessage(func(*peer, string) {})(p) }

func TestDropAtTheCap(t *testing.T) {
	simulate(t, Target{ReplyTimeout: 10 * time.Second}, silent, func(t *testing.T, c *Client, _ *collector) {
		p := open(1000, 20*time.Millisecond)
		p.Cap, p.Drop, p.Drain = intPtr(5), true, durPtr(10*time.Millisecond)
		l := runPlan(t, c, p)
		wantCounts(t, l, 20, 0, 0, 5, 15)
		if l.UnsentReasons["cap"] != 15 || l.LostReasons["cutoff"] != 5 {
			t.Errorf("unsent %v lost %v", l.UnsentReasons, l.LostReasons)
		}
	})
}

func TestWaitAtTheCapEndsAtTheDrain(t *testing.T) {
	simulate(t, Target{}, silent, func(t *testing.T, c *Client, _ *collector) {
		p := open(1000, 20*time.Millisecond)
		p.Cap, p.Drain = intPtr(5), durPtr(10*time.Millisecond)
		l := runPlan(t, c, p)
		wantCounts(t, l, 20, 0, 0, 5, 15)
		if l.UnsentReasons["cutoff"] != 15 {
			t.Errorf("unsent %v", l.UnsentReasons)
		}
	})
}

func TestInterruption(t *testing.T) {
	deaf := func(p *peer) {
		onMessage(func(p *peer, id string) {
			if id != "3" {
				answerOK(p, id)
			}
		})(p)
	}
	simulate(t, Target{}, deaf, func(t *testing.T, c *Client, _ *collector) {
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(95*time.Millisecond, cancel).Stop()
		p := open(100, time.Hour)
		p.Source = counting{}
		start := time.Now()
		l, err := c.Drive(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		wantCounts(t, l, 10, 9, 0, 1, 0) // due at 0, 10 … 90 ms; nothing later was planned
		if took := time.Since(start); took != 95*time.Millisecond+interruptGrace {
			t.Errorf("the plan ended after %v, want half a second after the interruption", took)
		}
		if !hasWarning(l, "interrupted", "nothing later was planned") {
			t.Errorf("warnings %v", l.Warnings)
		}
	})
}

// What was due before the interruption and could not be sent is unsent, and so is what waits behind it.
func TestInterruptionOfABacklog(t *testing.T) {
	simulate(t, Target{}, silent, func(t *testing.T, c *Client, _ *collector) {
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(95*time.Millisecond, cancel).Stop()
		p := open(100, time.Hour)
		p.Source, p.Cap = counting{ahead: 4}, intPtr(3)
		l, err := c.Drive(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		wantCounts(t, l, 10, 0, 0, 3, 7)
		if l.UnsentReasons["cutoff"] != 7 {
			t.Errorf("unsent %v", l.UnsentReasons)
		}
	})
}

func TestReconnect(t *testing.T) {
	first := true
	cutting := func(p *peer) {
		if first {
			first = false
			_, _, _ = p.ReadMessage()
			return // cut without an answer
		}
		onMessage(answerOK)(p)
	}
	simulate(t, Target{Reconnect: &Reconnect{Delay: 15 * time.Millisecond}}, cutting, func(t *testing.T, c *Client, _ *collector) {
		l := runPlan(t, c, open(100, 100*time.Millisecond))
		wantCounts(t, l, 10, 9, 0, 1, 0)
		if l.Handshakes.Opened != 2 || l.LostReasons["closed:1006"] != 1 {
			t.Errorf("handshakes %+v, lost %v", l.Handshakes, l.LostReasons)
		}
		near(t, "send lag max", l.SendLag.Max, 5) // message 2 was due at 10 ms and waited for the connection
	})
}

// A peer that takes nothing must not hold an interrupted plan to its end, and nothing due after the interruption is planned.
func TestInterruptionOfABlockedWrite(t *testing.T) {
	mute := func(p *peer) {
		_, _, _ = p.ReadMessage()
		<-time.After(time.Minute)
	}
	simulate(t, Target{}, mute, func(t *testing.T, c *Client, _ *collector) {
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(950*time.Millisecond, cancel).Stop()
		p := unlimited(open(10, time.Hour))
		p.Source = counting{}
		start := time.Now()
		l, err := c.Drive(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		wantCounts(t, l, 10, 0, 0, 2, 8)
		if took := time.Since(start); took > 2*time.Second {
			t.Errorf("the plan ended %v after its start", took)
		}
	})
}

// One connection of two dies; what it cannot send is booked when it is due, so that an interruption still ends the plan.
func TestInterruptionAfterADeath(t *testing.T) {
	var mu sync.Mutex
	first := true
	dying := func(p *peer) {
		mu.Lock()
		dies := first
		first = false
		mu.Unlock()
		if dies {
			_, _, _ = p.ReadMessage()
			return
		}
		onMessage(answerOK)(p)
	}
	simulate(t, Target{Connections: 2}, dying, func(t *testing.T, c *Client, _ *collector) {
		ctx, cancel := context.WithCancel(t.Context())
		defer time.AfterFunc(1990*time.Millisecond, cancel).Stop()
		p := open(10, time.Hour)
		p.Source = counting{}
		l, err := c.Drive(ctx, p)
		if err != nil {
			t.Fatal(err)
		}
		wantCounts(t, l, 40, 20, 0, 1, 19)
	})
}

// A reply that comes after its deadline, but before anybody looked, frees a closed plan when it comes.
func TestClosedPlanAfterALateReply(t *testing.T) {
	slow := func(p *peer) {
		onMessage(func(p *peer, id string) {
			delay := 10 * time.Millisecond
			if id == "1" {
				delay = 105 * time.Millisecond
			}
			time.AfterFunc(delay, func() { answerOK(p, id) })
		})(p)
	}
	simulate(t, Target{ReplyTimeout: 100 * time.Millisecond}, slow, func(t *testing.T, c *Client, _ *collector) {
		l := runPlan(t, c, closedLoop(2))
		wantCounts(t, l, 2, 1, 0, 1, 0)
		near(t, "response of the second", l.ResponseTime.Min, 10)
		near(t, "lag of the second", l.SendLag.Max, 0)
	})
}

func TestPoissonWithACountPlansAllOfIt(t *testing.T) {
	simulate(t, Target{}, onMessage(answerOK), func(t *testing.T, c *Client, _ *collector) {
		for seed := range int64(20) {
			l := runPlan(t, c, Plan{Rate: 100, Count: 100, Arrivals: Poisson, Seed: seed})
			wantCounts(t, l, 100, 100, 0, 0, 0)
		}
	})
}

// A greeting that is never answered is a failed attempt, of which there are so many in a row.
func TestFailedGreetingsAreNotRepeatedForEver(t *testing.T) {
	await, err := reply.NewCondition(reply.Condition{Path: "type", Equals: "ack"})
	if err != nil {
		t.Fatal(err)
	}
	target := Target{
		Hello: []Hello{{Message: []byte(`{}`), Await: await}}, Ramp: Ramp{Timeout: time.Second},
		Reconnect: &Reconnect{Attempts: 3, Delay: time.Second},
	}
	simulate(t, target, silent, func(t *testing.T, c *Client, _ *collector) {
		if opened, failed, err := c.Connect(t.Context()); opened != 0 || failed != 1 || err != nil {
			t.Errorf("opened %d, failed %d, %v", opened, failed, err)
		}
		c.conns[0].waitDead(t.Context())
	})
}

// Numbers are given once, also where a request comes between a plan's.
func TestNumbersAreGivenOnce(t *testing.T) {
	simulate(t, Target{}, onMessage(answerOK), func(t *testing.T, c *Client, seen *collector) {
		driving := make(chan struct{})
		go func() {
			defer close(driving)
			p := open(100, 100*time.Millisecond)
			p.Source = counting{ahead: 8}
			if _, err := c.Drive(t.Context(), p); err != nil {
				t.Error(err)
			}
		}()
		<-time.After(50 * time.Millisecond)
		slot, out := c.NewSlot(), []Message{{}}
		_ = counting{}.Render(t.Context(), []Slot{slot}, out)
		if _, err := c.Request(t.Context(), slot, out[0], RequestOptions{}); err != nil {
			t.Error(err)
		}
		<-driving
		runPlan(t, c, burst(5))
		given := map[string]bool{}
		for _, s := range seen.of(record.Delivered) {
			msg := s.Metadata.Value(record.MetaMsg)
			if given[msg] {
				t.Errorf("message %s was planned twice", msg)
			}
			given[msg] = true
		}
	})
}

package engine

import (
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/wire"
)

// proxied cuts a connection that carried no byte for a minute, without a Close frame, and answers messages after 5 ms.
func proxied(p *peer) {
	const idle = time.Minute
	heard := func() { _ = p.SetReadDeadline(time.Now().Add(idle)) }
	p.SetPingHandler(func(data string) error {
		heard()
		return p.WriteControl(websocket.PongMessage, []byte(data), time.Now().Add(time.Second))
	})
	heard()
	onMessage(func(p *peer, id string) {
		<-time.After(5 * time.Millisecond)
		answerOK(p, id)
		heard()
	})(p)
	p.NetConn().Close()
}

// One quiet user behind that proxy: messages at 0, 90, 180 and 270 s of a run of 300 s.
func TestQuietConnectionBehindAProxy(t *testing.T) {
	for name, c := range map[string]struct {
		target               Target
		ok, unsent           int64
		handshakes, cutCount int
	}{
		"neither":   {Target{}, 1, 3, 1, 1},
		"reconnect": {Target{Reconnect: &Reconnect{Delay: time.Millisecond}}, 4, 0, 4, 3},
		"heartbeat": {Target{Heartbeat: &Heartbeat{Every: 25 * time.Second}}, 4, 0, 1, 0},
	} {
		simulate(t, c.target, proxied, func(t *testing.T, cl *Client, seen *collector) {
			p := open(1.0/90, 300*time.Second)
			l := runPlan(t, cl, p)
			wantCounts(t, l, 4, c.ok, 0, 0, c.unsent)
			if l.UnsentReasons[record.ReasonClosed] != c.unsent {
				t.Errorf("%s: unsent %v", name, l.UnsentReasons)
			}
			if got := int(l.Handshakes.Opened); got != c.handshakes {
				t.Errorf("%s: %d handshakes, want %d", name, got, c.handshakes)
			}
			if cuts := len(seen.of(record.Closes)); cuts != c.cutCount {
				t.Errorf("%s: %d cuts, want %d", name, cuts, c.cutCount)
			}
		})
	}
}

// A peer is alive as long as anything comes from it, pongs or data, and dead once nothing did for the time given.
func TestDeadAfterSilence(t *testing.T) {
	for name, c := range map[string]struct {
		pongs     bool
		pushUntil time.Duration
		deadAt    time.Duration // 0: alive at the end
	}{
		"pushes, never pongs": {false, 2 * time.Minute, 0},
		"falls silent at 40s": {false, 40 * time.Second, 55 * time.Second},
		"only pongs":          {true, 0, 0},
	} {
		peer := func(p *peer) {
			if !c.pongs {
				p.SetPingHandler(func(string) error { return nil })
			}
			stop := make(chan struct{})
			defer close(stop)
			go func() {
				for at := 2 * time.Second; at <= c.pushUntil; at += 2 * time.Second {
					select {
					case <-time.After(2 * time.Second):
						p.send(`{"event":"tick"}`)
					case <-stop:
						return
					}
				}
			}()
			onMessage(func(*peer, string) {})(p)
		}
		simulate(t, Target{Heartbeat: &Heartbeat{Every: 5 * time.Second, DeadAfter: 15 * time.Second}}, peer, func(t *testing.T, cl *Client, seen *collector) {
			if _, _, err := cl.Connect(t.Context()); err != nil {
				t.Fatal(err)
			}
			start := time.Now()
			ended := make(chan struct{})
			go func() { defer close(ended); cl.conns[0].waitDead(cl.alive) }()
			select {
			case <-ended:
			case <-time.After(110 * time.Second):
			}
			took := time.Since(start).Round(time.Second)
			if c.deadAt > 0 && took != c.deadAt || c.deadAt == 0 && took != 110*time.Second {
				t.Errorf("%s: dead after %v, want %v (0: alive)", name, took, c.deadAt)
			}
			_ = cl.Close(t.Context(), 1000, "")
			<-ended
		})
	}
}

func TestSilentEndsAreClassed(t *testing.T) {
	cut := func(silent time.Duration) ending {
		return ending{silent: silent, end: &wire.End{Code: 1006, By: wire.ByNetwork}}
	}
	for text, ends := range map[string][]ending{
		"2 connections ended without a Close frame, all 1m0s after the last byte": {cut(time.Minute), cut(time.Minute + 3*time.Millisecond)},
		"2 connections ended without a Close frame, 1s to 1m0s after":             {cut(time.Minute), cut(time.Second)},
	} {
		w := &warner{}
		warnEnds(w, ends)
		if len(w.list) != 1 || !strings.HasPrefix(w.list[0].Text, text) {
			t.Errorf("warnings %v, want %q", w.list, text)
		}
	}
	w := &warner{}
	warnEnds(w, []ending{{end: &wire.End{Code: 1000, By: wire.ByClient}}})
	if len(w.list) != 0 {
		t.Errorf("an ordinary close is a warning: %v", w.list)
	}
}

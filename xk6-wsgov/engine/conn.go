package engine

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/ledger"
	"github.com/wsgov/wsgov/xk6-wsgov/wire"
)

// conn is one connection of a client over all the sockets it has had. One goroutine dials, reads and dials again.
type conn struct {
	c      *Client
	index  int // from 0
	name   string
	table  *ledger.Table
	frames frames

	lastID atomic.Int64 // messages numbered so far

	mu      sync.Mutex
	ws      *wire.Conn // nil while it is not up
	dead    bool       // will not come up again
	once    bool       // has been up
	changed chan struct{}
}

func newConn(c *Client, index int) *conn {
	k := &conn{c: c, index: index, table: c.newTable(index), changed: make(chan struct{})}
	k.name = formatInt(c.env.FirstConnection + int64(index))
	k.frames.k = k
	return k
}

// number is how scripts and events call the connection.
func (k *conn) number() int { return k.index + 1 }

// newID numbers the next message of the connection: unique on the client, in a progression of its own.
func (k *conn) newID() int64 {
	return (k.lastID.Add(1)-1)*int64(len(k.c.conns)) + int64(k.index) + 1
}

// up returns the open socket, or nil.
func (k *conn) up() *wire.Conn {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.ws
}

// set changes the state and wakes who waits for a change.
func (k *conn) set(ws *wire.Conn, dead bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.change(ws, dead)
}

// change is set with the lock held.
func (k *conn) change(ws *wire.Conn, dead bool) {
	k.ws, k.dead = ws, dead
	close(k.changed)
	k.changed = make(chan struct{})
}

// broken takes a socket out of use that failed to write, before its reader has noticed.
func (k *conn) broken(ws *wire.Conn) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ws == ws {
		k.change(nil, false)
	}
}

// await returns the open socket, waiting for it to come back if it may. It returns nil once the connection is dead or stop
// is closed; then dead tells which.
func (k *conn) await(stop <-chan struct{}) (ws *wire.Conn, dead bool) {
	for {
		k.mu.Lock()
		ws, dead, changed := k.ws, k.dead, k.changed
		k.mu.Unlock()
		if ws != nil || dead {
			return ws, dead
		}
		select {
		case <-changed:
		case <-stop:
			return nil, false
		}
	}
}

// waitDead waits until the connection is dead or ctx ends.
func (k *conn) waitDead(ctx context.Context) {
	for {
		k.mu.Lock()
		dead, changed := k.dead, k.changed
		k.mu.Unlock()
		if dead {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// startClose begins the closing handshake if the connection is up.
func (k *conn) startClose(code int, reason string) {
	if ws := k.up(); ws != nil {
		if err := ws.StartClose(code, reason); err != nil {
			ws.Drop()
		}
	}
}

// run opens the connection at its turn, reads it to its end, and opens it again as often as the target allows. tried is
// called once the connection is up for the first time, or its first socket failed or ended without.
func (k *conn) run(tried func()) {
	defer tried()
	defer k.set(nil, true)
	if !k.sleep(k.turn()) {
		return
	}
	ws, failures := k.dial(k.c.alive), 0
	for ws != nil {
		end, greeted := k.serve(ws, tried)
		k.ended(ws, end)
		tried()
		if failures++; greeted {
			failures = 0
		}
		ws = k.redial(failures)
	}
}

// turn is when the ramp opens this connection, after the start.
func (k *conn) turn() time.Duration {
	return time.Duration(k.index/k.c.target.Ramp.Batch) * k.c.target.Ramp.Every
}

// sleep waits for d and reports false if the client ended or is closing.
func (k *conn) sleep(d time.Duration) bool {
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-k.c.alive.Done():
		}
	}
	return !k.c.closing.Load() && k.c.alive.Err() == nil
}

// dial tries once and books the attempt; nil says that it failed.
func (k *conn) dial(ctx context.Context) *wire.Conn {
	ctx, cancel := context.WithTimeout(ctx, k.c.target.Ramp.Timeout)
	defer cancel()
	ws, h, err := wire.Dial(ctx, k.config())
	k.c.bookAttempt(k, h, err)
	if err != nil {
		k.c.env.Logger.Debug("handshake failed", "conn", k.number(), "error", err)
		if f := k.c.target.Hooks.Error; f != nil {
			f(ErrorEvent{Conn: k.number(), At: h.EndedAt, Err: err})
		}
		return nil
	}
	return ws
}

func (k *conn) config() wire.Config {
	t := &k.c.target
	cfg := wire.Config{
		URL: t.URL, Header: t.Header, Subprotocols: t.Subprotocols, Compression: t.Compression, TLS: t.TLS,
		MaxFrameBytes: t.MaxFrameBytes, Dial: k.c.env.Dial, Now: k.c.env.elapsed,
	}
	if cfg.TLS != nil {
		cfg.TLS = cfg.TLS.Clone()
	} else {
		cfg.TLS = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	if n := len(t.LocalAddresses); n > 0 {
		d := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(t.LocalAddresses[k.index%n])}}
		cfg.Dial = d.DialContext
	}
	return cfg
}

// redial opens the connection again after it ended, if the target says so, with what is left of its attempts after so many
// failures in a row; nil says that it stays closed.
func (k *conn) redial(failures int) *wire.Conn {
	r := k.c.target.Reconnect
	if r == nil {
		return nil
	}
	for range r.Attempts - failures {
		if !k.sleep(r.Delay) {
			return nil
		}
		if ws := k.dial(k.c.alive); ws != nil {
			return ws
		}
	}
	return nil
}

// serve reads the socket until it ends. opened is called once the greetings are done, which greeted tells.
func (k *conn) serve(ws *wire.Conn, opened func()) (end *wire.End, greeted bool) {
	stop := context.AfterFunc(k.c.alive, ws.Drop)
	defer stop()
	g := newGreeting(k, ws)
	defer g.stop()
	beating := k.startHeartbeat(ws)
	defer beating()
	if greeted = g.advance(); greeted {
		k.opened(ws, opened)
	}
	for {
		f, err := ws.Read()
		if err != nil {
			return endOf(err), greeted
		}
		k.frames.receive(ws, f)
		if g.waiting() && g.hear(f) {
			greeted = true
			k.opened(ws, opened)
		}
	}
}

// opened publishes the socket. A socket that opened while the client was closing is closed as well.
func (k *conn) opened(ws *wire.Conn, tried func()) {
	k.table.Reopened()
	k.set(ws, false)
	if !k.once { // only the reader comes here
		k.once = true
		k.c.opened.Add(1)
	}
	tried()
	if k.c.closing.Load() {
		k.startClose(shutdownCode, "")
	}
}

func endOf(err error) *wire.End {
	var end *wire.End
	if !errors.As(err, &end) {
		end = &wire.End{Code: 1006, By: wire.ByNetwork, Err: err}
	}
	return end
}

// ended books the end of a socket: what was in flight is lost.
func (k *conn) ended(ws *wire.Conn, end *wire.End) {
	at := k.c.env.elapsed()
	k.set(nil, false)
	k.frames.settleQueue(k.c.alive)
	k.table.Closed(at, end.Code)
	k.c.bookEnd(k, ending{at: at, silent: at - ws.LastHeard(), end: end})
	if f := k.c.target.Hooks.Close; f != nil {
		f(CloseEvent{Conn: k.number(), At: at, Code: end.Code, Reason: end.Reason, By: end.By})
	}
}

// write sends a message of no plan, bounded so that a full socket cannot hold its caller for good.
func (k *conn) write(ws *wire.Conn, payload []byte, binary bool) error {
	if err := ws.Write(payload, binary, time.Now().Add(k.c.target.ReplyTimeout)); err != nil {
		return err
	}
	k.c.unplanned.Add(1)
	return nil
}

// expirable is the latest deadline that may be taken as missed at now: frames that were read but not classified yet may
// still hold replies.
func (k *conn) expirable(now time.Duration) time.Duration {
	if at, waiting := k.frames.oldest(); waiting {
		return min(now, at)
	}
	return now
}

// ending is how one socket ended and how long nothing had been heard on it.
type ending struct {
	at, silent time.Duration
	end        *wire.End
}

// bookEnd keeps an ending for the warnings and emits its point.
func (c *Client) bookEnd(k *conn, e ending) {
	c.mu.Lock()
	c.ends = append(c.ends, e)
	plan, emit := connectPlan, c.env.Emit
	if c.latest != nil {
		plan, emit = c.latest.plan.Name, c.latest.plan.Emit
	}
	c.mu.Unlock()
	emit([]record.Sample{{
		Metric: record.Closes, Time: c.env.Start.Add(e.at), Value: 1,
		Tags:     record.NewTags(record.TagPlan, plan, record.TagCode, formatInt(int64(e.end.Code)), record.TagBy, e.end.By),
		Metadata: record.NewTags(record.MetaConn, k.name),
	}})
}

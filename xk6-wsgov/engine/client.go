package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/ledger"
	"github.com/wsgov/wsgov/xk6-wsgov/wire"
)

// ErrClosed says that the client was closed.
var ErrClosed = errors.New("the client is closed: make a new one")

// Client holds the connections to one target and runs plans on them. Its methods may be called from any goroutine.
type Client struct {
	target Target
	env    Env
	conns  []*conn

	connect   sync.Once
	connected chan struct{} // closed when every connection was tried
	opened    atomic.Int64

	// alive ends the connections; running waits for their goroutines.
	alive   context.Context
	kill    context.CancelFunc
	running sync.WaitGroup
	closing atomic.Bool
	closed  sync.Once

	next atomic.Int64 // picks the connection of the next request or send

	mu         sync.Mutex
	latest     *drive // the drive on whose book stray frames are booked
	active     int    // drives and requests under way
	idle       chan struct{}
	attempts   []attempt
	ends       []ending
	doubts     doubts
	unplanned  atomic.Int64
	unregister func()
}

// New checks a target and fills in its defaults. It opens nothing and starts nothing.
func New(t Target, env Env) (*Client, error) {
	t, err := t.withDefaults()
	if err != nil {
		return nil, err
	}
	if env.Logger == nil {
		env.Logger = slog.New(slog.DiscardHandler)
	}
	c := &Client{target: t, env: env.withDefaults(), connected: make(chan struct{}), idle: make(chan struct{})}
	c.alive, c.kill = context.WithCancel(context.Background())
	c.conns = make([]*conn, t.Connections)
	for i := range c.conns {
		c.conns[i] = newConn(c, i)
	}
	return c, nil
}

// Connect opens the connections as the ramp says, once: a second call waits for the first and returns the same. The
// connections end with Close, or shortly after ctx ended. That some cannot be opened is no error.
func (c *Client) Connect(ctx context.Context) (opened, failed int, err error) {
	if c.closing.Load() {
		return 0, 0, ErrClosed
	}
	c.connect.Do(func() { c.start(ctx) })
	select {
	case <-c.connected:
	case <-ctx.Done():
		return 0, 0, fmt.Errorf("connecting was interrupted: %w", context.Cause(ctx))
	}
	n := int(c.opened.Load())
	return n, len(c.conns) - n, nil
}

// start runs every connection, the sweeper, and whoever ends them with ctx.
func (c *Client) start(ctx context.Context) {
	if c.env.Register != nil {
		c.unregister = c.env.Register(c.flush)
	}
	var tried sync.WaitGroup
	tried.Add(len(c.conns))
	for _, k := range c.conns {
		c.running.Go(func() { k.run(sync.OnceFunc(tried.Done)) })
	}
	c.running.Go(c.sweep)
	c.running.Go(func() {
		tried.Wait()
		close(c.connected)
	})
	c.running.Go(func() {
		select {
		case <-ctx.Done():
			c.whenIdle()
			c.shutDown(shutdownCode, "")
		case <-c.alive.Done():
		}
	})
}

// shutdownCode is the close code of a client that nobody closed.
const shutdownCode = 1001

// enter and leave bracket a drive or request, so that connections outlive it when the run is interrupted.
func (c *Client) enter() error {
	if c.closing.Load() {
		return ErrClosed
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active++
	return nil
}

func (c *Client) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.active--; c.active == 0 {
		close(c.idle)
		c.idle = make(chan struct{})
	}
}

// whenIdle waits until no drive or request is under way.
func (c *Client) whenIdle() {
	c.mu.Lock()
	active, idle := c.active, c.idle
	c.mu.Unlock()
	if active > 0 {
		<-idle
	}
}

// closeTimeout is how long a peer may take to answer a Close frame.
const closeTimeout = 2 * time.Second

// shutDown sends Close frames, gives the peers a moment and then ends every connection.
func (c *Client) shutDown(code int, reason string) {
	if !c.closing.CompareAndSwap(false, true) {
		return
	}
	deadline := time.AfterFunc(closeTimeout, c.kill)
	defer deadline.Stop()
	for _, k := range c.conns {
		k.startClose(code, reason)
	}
	for _, k := range c.conns {
		k.waitDead(c.alive)
	}
	c.kill()
}

// Close closes every connection with the code and reason, waits for all that the client started, and books what is left.
// Calling it again does nothing.
func (c *Client) Close(_ context.Context, code int, reason string) error {
	c.connect.Do(func() { // nothing was opened, and nothing will be
		c.closing.Store(true)
		c.kill()
		close(c.connected)
	})
	c.shutDown(code, reason)
	c.running.Wait()
	c.closed.Do(func() {
		c.flush()
		c.emitAttempts(connectPlan, c.env.Emit)
		if c.unregister != nil {
			c.unregister()
		}
	})
	return nil
}

// connectPlan is the plan name of handshakes that no plan followed.
const connectPlan = "connect"

// flush books and emits what the latest drive has not yet: stray frames may come after its end.
func (c *Client) flush() {
	c.mu.Lock()
	d := c.latest
	c.mu.Unlock()
	if d != nil {
		d.flush()
	}
	if n := c.unplanned.Swap(0); n > 0 {
		c.env.Book(record.Account{Unplanned: n})
	}
}

// Send writes a message of no plan on the next open connection. Nothing is booked for it, and a reply to it is
// unmatched.
func (c *Client) Send(m Message) error {
	if c.closing.Load() {
		return ErrClosed
	}
	k, ws := c.pick()
	if ws == nil {
		return errors.New("no connection is open: await connect() before send()")
	}
	return k.write(ws, m.Payload, m.Binary)
}

// pick takes the next connection that is up, in turn.
func (c *Client) pick() (*conn, *wire.Conn) {
	first := int(c.next.Add(1) - 1)
	for i := range c.conns {
		k := c.conns[(first+i)%len(c.conns)]
		if ws := k.up(); ws != nil {
			return k, ws
		}
	}
	return c.conns[first%len(c.conns)], nil
}

// sweepEvery is how often deadlines are looked at. Replies are judged by when they were read, so this decides only how soon a
// lost message makes room.
const sweepEvery = 20 * time.Millisecond

// sweep loses messages whose deadline passed, until the client ends.
func (c *Client) sweep() {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			for _, k := range c.conns {
				now := c.env.elapsed()
				k.table.Expire(k.expirable(now-sweepEvery), now)
			}
		case <-c.alive.Done():
			return
		}
	}
}

// allDead reports whether no connection will come up again.
func (c *Client) allDead() bool {
	for _, k := range c.conns {
		k.mu.Lock()
		dead := k.dead
		k.mu.Unlock()
		if !dead {
			return false
		}
	}
	return true
}

// newTable is the table of the connection with the given index.
func (c *Client) newTable(index int) *ledger.Table {
	return ledger.NewTable(index, len(c.conns))
}

package wsgov

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unicode/utf8"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/engine"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

// client is what stands behind a script's Client. It opens nothing until a method needs a connection.
type client struct {
	m       *Module
	ordinal int // among the clients of its VU
	options *clientOptions
	rule    *reply.Rule

	events   *events
	classify *classifier // nil without a classify function
	emit     atomic.Pointer[func([]record.Sample)]

	mu     sync.Mutex
	engine *engine.Client // made when first needed
	closed bool
}

func (m *Module) constructClient(this *sobek.Object, args []sobek.Value) error {
	url, ok := primitive(argument(args, 0)).(string)
	if !ok {
		return fmt.Errorf("new Client() needs an address first, such as 'ws://127.0.0.1:8080/', and not %s", describe(argument(args, 0)))
	}
	o, err := m.readClient(url, argument(args, 1))
	if err != nil {
		return err
	}
	c := &client{m: m, options: o}
	if c.rule, err = o.reply.rule(); err != nil {
		return err
	}
	if err := checkTarget(o.target); err != nil {
		return err
	}
	c.events = newEvents(m)
	if o.reply.classify != nil {
		c.classify = newClassifier(m, o.reply.classify)
	}
	m.adopt(c)
	return c.methods(this)
}

// checkTarget lets the engine look at a target without making a client of its size.
func checkTarget(t engine.Target) error {
	t.Connections = 1
	_, err := engine.New(t, engine.Env{})
	return err
}

func (c *client) methods(this *sobek.Object) error {
	for _, method := range []struct {
		name string
		call func(args []sobek.Value) (sobek.Value, error)
	}{
		{"connect", c.m.rejecting(c.jsConnect)}, {"drive", c.m.rejecting(c.jsDrive)}, {"request", c.m.rejecting(c.jsRequest)},
		{"send", c.jsSend}, {"on", c.jsOn}, {"close", c.m.rejecting(c.jsClose)},
	} {
		if err := c.m.method(this, method.name, method.call); err != nil {
			return err
		}
	}
	return nil
}

// ready returns the engine's client, made at the first call, and takes the VU's current tags for what it emits of itself.
func (c *client) ready(method string) (*engine.Client, error) {
	if err := c.m.running(method); err != nil {
		return nil, err
	}
	emit := c.m.host.Emitter()
	c.emit.Store(&emit)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, engine.ErrClosed
	}
	if c.engine == nil {
		var err error
		if c.engine, err = engine.New(c.target(), c.env()); err != nil {
			return nil, err
		}
	}
	c.events.wake()
	if c.classify != nil {
		c.classify.wake()
	}
	return c.engine, nil
}

// target completes the options with what only the running VU has.
func (c *client) target() engine.Target {
	t := c.options.target
	t.TLS = c.options.tls.config(c.m.host.TLSConfig())
	t.Hooks = c.hooks()
	if c.classify == nil {
		t.Reply = c.rule
	} else {
		c.classify.start(c.m.host.Context())
		t.Classify = c.classify
	}
	return t
}

func (c *client) env() engine.Env {
	h, p := c.m.host, c.m.host.Process()
	return engine.Env{
		Dial: h.DialContext, Emit: func(s []record.Sample) { (*c.emit.Load())(s) }, Book: p.Book, Register: p.Register,
		Self: p.Self, Start: p.Start, RunID: p.ID, Versions: p.Versions, NextDrive: p.NextDrive,
		FirstConnection: p.ReserveConnections(max(c.options.target.Connections, 1)), Logger: h.Logger(),
	}
}

// connected is what connect() resolves to.
type connected struct {
	Opened int `json:"opened"`
	Failed int `json:"failed"`
}

func (c *client) jsConnect([]sobek.Value) (sobek.Value, error) {
	e, err := c.ready("connect")
	if err != nil {
		return nil, err
	}
	ctx := c.m.host.Context()
	return c.m.promise(func() (any, error) {
		opened, failed, err := e.Connect(ctx)
		return connected{opened, failed}, err
	})
}

func (c *client) jsDrive(args []sobek.Value) (sobek.Value, error) {
	e, err := c.ready("drive")
	if err != nil {
		return nil, err
	}
	plan, err := c.readPlan(argument(args, 0))
	if err != nil {
		return nil, err
	}
	ctx := c.m.host.Context()
	plan.Emit = *c.emit.Load()
	return c.m.promise(func() (any, error) {
		l, err := e.Drive(ctx, plan)
		if err != nil {
			return nil, err
		}
		c.events.warn(l)
		return l, nil
	})
}

func (c *client) jsSend(args []sobek.Value) (sobek.Value, error) {
	e, err := c.ready("send")
	if err != nil {
		return nil, err
	}
	m, err := c.content(argument(args, 0), false)
	if err != nil {
		return nil, fmt.Errorf("send() cannot use its message: %w", err)
	}
	return sobek.Undefined(), e.Send(m)
}

func (c *client) jsClose(args []sobek.Value) (sobek.Value, error) {
	if err := c.m.running("close"); err != nil {
		return nil, err
	}
	code, reason, err := closing(args)
	if err != nil {
		return nil, err
	}
	emit := c.m.host.Emitter()
	c.emit.Store(&emit)
	e := c.end()
	ctx := c.m.host.Context()
	return c.m.promise(func() (any, error) {
		defer c.m.disown(c)
		if e == nil {
			return nil, nil
		}
		defer c.finish()
		return nil, e.Close(ctx, code, reason)
	})
}

// Limits of a close code and reason, as in browsers (RFC 6455 sections 7.4 and 5.5).
const (
	normalClosure    = 1000
	lowestOwnCode    = 3000
	highestOwnCode   = 4999
	longestReason    = 123
	abandonedClosure = 1001
)

func closing(args []sobek.Value) (code int, reason string, err error) {
	code = normalClosure
	if v := argument(args, 0); !absent(v) {
		n, ok := float(v)
		code = int(n)
		if !ok || float64(code) != n || code != normalClosure && (code < lowestOwnCode || code > highestOwnCode) {
			return 0, "", fmt.Errorf("close() was given the code %s: give 1000 or one from 3000 to 4999", describe(v))
		}
	}
	v := argument(args, 1)
	if absent(v) {
		return code, "", nil
	}
	reason, ok := primitive(v).(string)
	if !ok || len(reason) > longestReason || !utf8.ValidString(reason) {
		return 0, "", errors.New("close() was given a reason that cannot be sent: give text of at most 123 bytes")
	}
	return code, reason, nil
}

// end marks the client as closed and returns the engine's client if there is one.
func (c *client) end() *engine.Client {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return c.engine
}

// abandon closes a client that the script left open.
func (c *client) abandon() {
	if e := c.end(); e != nil {
		// It fails for nobody: the script that could be told has ended.
		_ = e.Close(context.Background(), abandonedClosure, "")
	}
	c.finish()
}

// finish lets go of what the engine's client needed.
func (c *client) finish() {
	c.events.stop()
	if c.classify != nil && c.classify.unwatch != nil {
		c.classify.unwatch()
	}
}

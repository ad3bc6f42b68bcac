package engine

import (
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

// Defaults of a target and of a plan.
const (
	DefaultReplyTimeout   = 5 * time.Second
	DefaultConnectTimeout = 15 * time.Second
	DefaultMaxFrameBytes  = 1 << 20
	DefaultCap            = 32
	DefaultAttempts       = 5
	DefaultDelay          = time.Second
)

// withDefaults checks the target and returns a copy with every default filled in.
func (t Target) withDefaults() (Target, error) {
	if err := checkURL(t.URL); err != nil {
		return t, err
	}
	if t.Connections < 0 {
		return t, fmt.Errorf("a client cannot hold %d connections: give 1 or more", t.Connections)
	}
	t.Connections = max(t.Connections, 1)
	orDuration(&t.Ramp.Timeout, DefaultConnectTimeout)
	orDuration(&t.ReplyTimeout, DefaultReplyTimeout)
	if t.Ramp.Batch <= 0 {
		t.Ramp.Batch = t.Connections
	}
	if t.MaxFrameBytes == 0 {
		t.MaxFrameBytes = DefaultMaxFrameBytes
	}
	if t.Reconnect != nil {
		r := *t.Reconnect
		orDuration(&r.Delay, DefaultDelay)
		if r.Attempts <= 0 {
			r.Attempts = DefaultAttempts
		}
		t.Reconnect = &r
	}
	if t.Reply == nil && t.Classify == nil {
		rule, err := reply.Compile(reply.Spec{})
		if err != nil {
			return t, err
		}
		t.Reply = rule
	}
	return t, nil
}

func checkURL(raw string) error {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return fmt.Errorf("the address %q cannot be read: %w", raw, err)
	case u.Scheme != "ws" && u.Scheme != "wss":
		return fmt.Errorf("the address %q must begin with ws:// or wss://", raw)
	case u.Host == "":
		return fmt.Errorf("the address %q names no host", raw)
	case u.Fragment != "":
		return fmt.Errorf("the address %q has a fragment (#%s), which a WebSocket address cannot have", raw, u.Fragment)
	}
	return nil
}

func orDuration(d *time.Duration, otherwise time.Duration) {
	if *d == 0 {
		*d = otherwise
	}
}

func (e Env) withDefaults() Env {
	if e.Emit == nil {
		e.Emit = func([]record.Sample) {}
	}
	if e.Book == nil {
		e.Book = func(record.Account) {}
	}
	if e.NextDrive == nil {
		e.NextDrive = func() int64 { return 1 }
	}
	if e.FirstConnection == 0 {
		e.FirstConnection = 1
	}
	if e.Start.IsZero() {
		e.Start = time.Now()
	}
	return e
}

// withDefaults checks the plan and returns a copy with every default filled in.
func (p Plan) withDefaults(t *Target, env *Env) (Plan, error) {
	if p.Name == "" {
		p.Name = "main"
	}
	if p.Model == "" {
		p.Model = Open
	}
	if p.Arrivals == "" {
		p.Arrivals = Uniform
	}
	if p.Drain == nil {
		p.Drain = &t.ReplyTimeout
	}
	if p.Emit == nil {
		p.Emit = env.Emit
	}
	if err := p.check(); err != nil {
		return p, fmt.Errorf("plan %q: %w", p.Name, err)
	}
	if p.Cap == nil {
		n := DefaultCap
		p.Cap = &n
	}
	if p.Model == Closed {
		n := 1
		p.Cap = &n
	}
	return p, nil
}

func (p *Plan) check() error {
	if p.Source == nil {
		return errors.New("there is no message to send")
	}
	if p.Rate < 0 || p.Count < 0 || p.Duration < 0 || *p.Drain < 0 || p.Cap != nil && *p.Cap < 0 {
		return errors.New("rate, count, duration, drain and maxInFlight cannot be negative")
	}
	if len(p.Stages) > 0 && (p.Duration > 0 || p.Model != Open) {
		return errors.New("stages belong to the open model and say how long it lasts: leave out duration")
	}
	if p.Arrivals != Uniform && p.Arrivals != Poisson {
		return fmt.Errorf("arrivals are %q: use uniform or poisson", p.Arrivals)
	}
	switch p.Model {
	case Open:
		return p.checkOpen()
	case Closed:
		return p.checkClosed()
	case Burst:
		return p.checkBurst()
	}
	return fmt.Errorf("the model is %q: use open, closed or burst", p.Model)
}

func (p *Plan) checkOpen() error {
	if len(p.Stages) == 0 && p.Rate == 0 {
		return errors.New("the open model needs a rate, or stages")
	}
	if len(p.Stages) == 0 && p.Duration == 0 && p.Count == 0 {
		return errors.New("the open model needs a duration or a count to end at")
	}
	return nil
}

func (p *Plan) checkClosed() error {
	if p.Duration == 0 && p.Count == 0 {
		return errors.New("the closed model needs a duration or a count to end at")
	}
	if p.Arrivals == Poisson {
		return errors.New("the closed model sends after replies: arrivals belong to the open model")
	}
	if p.Cap != nil && *p.Cap > 1 {
		return errors.New("the closed model has one message in flight: leave out maxInFlight")
	}
	return nil
}

func (p *Plan) checkBurst() error {
	if p.Count == 0 {
		return errors.New("the burst model needs a count")
	}
	if p.Rate > 0 || p.Duration > 0 || p.Arrivals == Poisson {
		return errors.New("the burst model sends as fast as the socket takes it: leave out rate, duration and arrivals")
	}
	return nil
}

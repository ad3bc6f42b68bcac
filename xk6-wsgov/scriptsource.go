package wsgov

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/xk6-wsgov/engine"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

// scriptSource renders messages with a script's function, a batch per turn of the event loop.
type scriptSource struct {
	c      *client
	f      sobek.Callable
	loop   Loop
	binary bool
}

// renderAhead is how many messages of a connection are rendered before they are due.
const renderAhead = 64

// Ahead keeps the function away from the schedule.
func (s *scriptSource) Ahead() int { return renderAhead }

var errLoopEnded = errors.New("the script's event loop ended, and with it the function that makes the messages")

// Render posts one task that renders the whole batch, and waits for it.
func (s *scriptSource) Render(ctx context.Context, slots []engine.Slot, out []engine.Message) error {
	made := make([]engine.Message, len(slots)) // of the task alone until it is done
	done := make(chan error, 1)
	accepted := s.loop.Post(func() error {
		err := s.renderAll(slots, made)
		done <- err
		return err
	})
	if !accepted {
		return errLoopEnded
	}
	forgotten, stop := s.watch()
	defer stop()
	select {
	case err := <-done:
		copy(out, made)
		return err
	case <-forgotten:
		return errLoopEnded
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// watchEvery is how often a posted task is looked after. A loop that ends may forget it, and another iteration may open the
// loop again.
const watchEvery = 500 * time.Millisecond

// watch tells when a task posted before is surely forgotten: the loop has ended, or it ran a later one. The task itself being
// done is not told apart, so whoever waits looks for that first.
func (s *scriptSource) watch() (forgotten <-chan struct{}, stop func()) {
	gone, quit := make(chan struct{}), make(chan struct{})
	tell := sync.OnceFunc(func() { close(gone) })
	var watching sync.WaitGroup
	watching.Go(func() {
		ticker := time.NewTicker(watchEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
			case <-quit:
				return
			}
			later := func() error {
				tell()
				return nil
			}
			if !s.loop.Post(later) {
				tell()
				return
			}
		}
	})
	return gone, func() {
		close(quit)
		watching.Wait()
	}
}

// renderAll runs on the loop. Only an interrupted runtime stops it.
func (s *scriptSource) renderAll(slots []engine.Slot, out []engine.Message) error {
	for i, slot := range slots {
		var m engine.Message
		err := s.c.m.try(func() (err error) {
			m, err = s.render(slot)
			return err
		})
		var interrupted *sobek.InterruptedError
		if errors.As(err, &interrupted) {
			return err
		}
		if err != nil {
			m = engine.Message{Err: fmt.Errorf("message %d (connection %d, its %s) cannot be used: %w", slot.ID, slot.Conn, ordinal(slot.Seq), err)}
		}
		out[i] = m
	}
	return nil
}

// render calls the function for one message.
func (s *scriptSource) render(slot engine.Slot) (engine.Message, error) {
	rt := s.c.m.host.Runtime()
	arg := rt.NewObject()
	for _, p := range []struct {
		name string
		n    int64
	}{{"id", slot.ID}, {"conn", int64(slot.Conn)}, {"seq", int64(slot.Seq)}} {
		if err := arg.Set(p.name, p.n); err != nil {
			return engine.Message{}, err
		}
	}
	result, err := s.f(sobek.Undefined(), arg)
	if err != nil {
		return engine.Message{}, err
	}
	if isPromise(result) {
		return engine.Message{}, errors.New("the message function returned a promise: it must return the message itself and cannot be async")
	}
	return s.c.madeMessage(result, s.binary)
}

// madeMessage is what a script made as a message: text, an object, bytes, or { id, payload } of text or bytes.
func (c *client) madeMessage(v sobek.Value, binary bool) (engine.Message, error) {
	if id, content, ok := identified(v); ok {
		m, err := c.content(content, binary)
		if err != nil {
			return m, err
		}
		m.ID, err = scriptID(id)
		return m, err
	}
	m, err := c.content(v, binary)
	if err != nil {
		return m, err
	}
	var ok bool
	if m.ID, m.IDKind, ok = c.rule.IDOf(m.Payload); ok {
		return m, nil
	}
	if c.classify != nil {
		return m, errors.New("it has no id by which classify could pair its reply: return { id, payload }")
	}
	return m, c.noID()
}

// content is text, bytes or JSON, without an id.
func (c *client) content(v sobek.Value, binary bool) (engine.Message, error) {
	if s, ok := primitive(v).(string); ok {
		return engine.Message{Payload: []byte(s), Binary: binary}, nil
	}
	if b, ok := bytesOf(v); ok {
		return engine.Message{Payload: b, Binary: true}, nil
	}
	if !isJSON(v) {
		return engine.Message{}, fmt.Errorf("it is %s: give text, an object, an ArrayBuffer or { id, payload }", describe(v))
	}
	raw, err := c.m.stringify(v)
	return engine.Message{Payload: raw, Binary: binary}, err
}

// identified takes { id, payload } apart, if the value is an object of exactly these keys with text or bytes as payload.
func identified(v sobek.Value) (id, content sobek.Value, ok bool) {
	o, ok := plainObject(v)
	if !ok || len(o.Keys()) != 2 {
		return nil, nil, false
	}
	id, content = o.Get("id"), o.Get("payload")
	if id == nil || content == nil {
		return nil, nil, false
	}
	_, isText := primitive(content).(string)
	_, isBytes := bytesOf(content)
	return id, content, isText || isBytes
}

// scriptID is the comparable form of an id that a script gives: text as it is, numbers by value.
func scriptID(v sobek.Value) (string, error) {
	switch x := primitive(v).(type) {
	case string:
		if x != "" {
			return x, nil
		}
	case int64, float64:
		if id, ok := reply.CanonicalNumber(fmt.Sprint(x)); ok {
			return id, nil
		}
	}
	return "", fmt.Errorf("its id is %s: an id is text or a number", describe(v))
}

// ordinal is n as an English ordinal number.
func ordinal(n int) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}

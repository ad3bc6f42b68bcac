package wsgov

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/engine"
)

// maxEvents is how many events of a client may wait for the event loop.
const maxEvents = 4096

// eventNames are what on() knows, in the order of the documentation.
var eventNames = []string{"push", "close", "error"}

// events takes what happens on connections to a script's handlers, in order and without ever blocking a connection. What
// does not fit into the queue is counted and told.
type events struct {
	m        *Module
	handlers map[string][]sobek.Callable // touched on the loop only
	pushes   atomic.Bool                 // whether anybody listens to pushes, which are worth copying only then
	others   atomic.Bool

	mu      sync.Mutex
	queue   []event
	posted  bool
	dropped int64
}

// event is a name and how to make its object on the loop.
type event struct {
	name string
	make func(rt *sobek.Runtime) sobek.Value
}

func newEvents(m *Module) *events { return &events{m: m, handlers: map[string][]sobek.Callable{}} }

func (c *client) jsOn(args []sobek.Value) (sobek.Value, error) {
	name, _ := primitive(argument(args, 0)).(string)
	if !slices.Contains(eventNames, name) {
		return nil, fmt.Errorf("on() was given %s: the events are 'push', 'close' and 'error'", describe(argument(args, 0)))
	}
	f, ok := sobek.AssertFunction(argument(args, 1))
	if !ok {
		return nil, fmt.Errorf("on('%s') needs a function, and not %s", name, describe(argument(args, 1)))
	}
	e := c.events
	e.handlers[name] = append(e.handlers[name], f)
	if name == "push" {
		e.pushes.Store(true)
	} else {
		e.others.Store(true)
	}
	return sobek.Undefined(), nil
}

// hooks are what the engine calls from its readers.
func (c *client) hooks() engine.Hooks {
	e, start := c.events, c.m.host.Process().Start
	return engine.Hooks{
		Push: func(f engine.Frame) {
			if e.pushes.Load() {
				e.add("push", pushEvent(f, start))
			}
		},
		Close: func(end engine.CloseEvent) {
			if c.classify != nil {
				c.classify.forget(end.Conn)
			}
			e.add("close", func(rt *sobek.Runtime) sobek.Value {
				o := eventObject(rt, end.Conn, start.Add(end.At))
				put(o, "code", rt.ToValue(end.Code))
				put(o, "reason", rt.ToValue(end.Reason))
				put(o, "by", rt.ToValue(end.By))
				return o
			})
		},
		Error: func(failed engine.ErrorEvent) {
			e.add("error", func(rt *sobek.Runtime) sobek.Value {
				o := eventObject(rt, failed.Conn, start.Add(failed.At))
				put(o, "error", rt.ToValue(failed.Err.Error()))
				return o
			})
		},
	}
}

// pushEvent copies the frame, which belongs to its reader.
func pushEvent(f engine.Frame, start time.Time) func(*sobek.Runtime) sobek.Value {
	data, conn, binary, at := slices.Clone(f.Data), f.Conn, f.Binary, start.Add(f.At)
	return func(rt *sobek.Runtime) sobek.Value {
		o := eventObject(rt, conn, at)
		put(o, "data", frameValue(rt, data, binary))
		return o
	}
}

// frameValue is a frame as scripts see it.
func frameValue(rt *sobek.Runtime, data []byte, binary bool) sobek.Value {
	if binary {
		return rt.ToValue(rt.NewArrayBuffer(data))
	}
	return rt.ToValue(string(data))
}

// eventObject has what all events have: the connection, and when it happened in milliseconds since the Unix epoch.
func eventObject(rt *sobek.Runtime, conn int, at time.Time) *sobek.Object {
	o := rt.NewObject()
	put(o, "conn", rt.ToValue(conn))
	put(o, "timestamp", rt.ToValue(float64(at.UnixNano())/1e6))
	return o
}

// add queues an event. Any goroutine may call it.
func (e *events) add(name string, make func(*sobek.Runtime) sobek.Value) {
	if name != "push" && !e.others.Load() {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.queue) >= maxEvents {
		e.dropped++
		return
	}
	e.queue = append(e.queue, event{name, make})
	if !e.posted {
		e.posted = e.m.host.Loop().Post(e.deliver)
	}
}

// wake delivers what came while no loop was running: between iterations, or in one that was cut short.
func (e *events) wake() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.queue) > 0 {
		e.posted = e.m.host.Loop().Post(e.deliver)
	}
}

// deliver calls the handlers, on the loop. One that throws ends the iteration; what waits behind it stays queued.
func (e *events) deliver() error {
	e.mu.Lock()
	queue := e.queue
	e.queue, e.posted = nil, false
	e.mu.Unlock()
	rt := e.m.host.Runtime()
	for i, ev := range queue {
		for _, handle := range e.handlers[ev.name] {
			if _, err := handle(sobek.Undefined(), ev.make(rt)); err != nil {
				e.putBack(queue[i+1:])
				return err
			}
		}
	}
	return nil
}

func (e *events) putBack(rest []event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.queue = append(rest[:len(rest):len(rest)], e.queue...)
}

// takeDropped is how many events were dropped since it was last asked.
func (e *events) takeDropped() int64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	n := e.dropped
	e.dropped = 0
	return n
}

const droppedText = "%d events did not reach their on() handlers, which were too slow: their queue of %d was full (the ledger has all of them)"

// warn tells a ledger of dropped events.
func (e *events) warn(l *record.Ledger) {
	if n := e.takeDropped(); n > 0 {
		l.Warnings = append(l.Warnings, record.Warning{Code: "events", Text: fmt.Sprintf(droppedText, n, maxEvents)})
	}
}

// stop tells the log of dropped events that no ledger told.
func (e *events) stop() {
	if n := e.takeDropped(); n > 0 {
		e.m.host.Logger().Warn(fmt.Sprintf(droppedText, n, maxEvents))
	}
}

package wsgov

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/xk6-wsgov/engine"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

// classifier finds the parts of frames with a script's function, on the event loop and in the order in which the frames
// came.
type classifier struct {
	m     *Module
	f     sobek.Callable
	conns map[int]*sobek.Object // touched on the loop only

	unwatch func() bool

	mu      sync.Mutex
	queue   []classifyJob
	posted  bool
	running bool
	stopped bool // the VU has ended: the loop runs no script any more
}

// classifyJob is a frame, or the end of a connection, whose state is then forgotten.
type classifyJob struct {
	frame engine.Frame
	done  func([]reply.Part, error) // nil for an end
}

func newClassifier(m *Module, f sobek.Callable) *classifier {
	return &classifier{m: m, f: f, conns: map[int]*sobek.Object{}}
}

// start fails what waits when ctx ends.
func (k *classifier) start(ctx context.Context) { k.unwatch = context.AfterFunc(ctx, k.stop) }

// Classify queues a frame for the function. It reports false if no script runs any more.
func (k *classifier) Classify(f engine.Frame, done func([]reply.Part, error)) bool {
	f.Data = slices.Clone(f.Data)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.stopped {
		return false
	}
	if !k.posted {
		k.posted = k.m.host.Loop().Post(k.drain)
	}
	if !k.posted {
		return false
	}
	k.queue = append(k.queue, classifyJob{f, done})
	return true
}

// forget drops a connection's object after the frames that came before its end, so that a connection opened in its place
// begins with a new one.
func (k *classifier) forget(conn int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.stopped {
		k.queue = append(k.queue, classifyJob{frame: engine.Frame{Conn: conn}})
	}
}

// wake goes on with what an iteration that was cut short left behind.
func (k *classifier) wake() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.queue) > 0 {
		k.posted = k.m.host.Loop().Post(k.drain)
	}
}

var errVUEnded = errors.New("the run was interrupted before classify could read it")

// stop fails what waits, or leaves that to a drain under way.
func (k *classifier) stop() {
	k.mu.Lock()
	k.stopped = true
	var left []classifyJob
	if !k.running {
		left, k.queue = k.queue, nil
	}
	k.mu.Unlock()
	fail(left)
}

func fail(jobs []classifyJob) {
	for _, j := range jobs {
		if j.done != nil {
			j.done(nil, errVUEnded)
		}
	}
}

// drain runs on the loop and classifies what is queued.
func (k *classifier) drain() error {
	k.mu.Lock()
	queue := k.queue
	k.queue, k.posted, k.running = nil, false, true
	k.mu.Unlock()
	var interrupted *sobek.InterruptedError
	for _, j := range queue {
		if j.done == nil {
			delete(k.conns, j.frame.Conn)
			continue
		}
		parts, err := k.classify(j.frame)
		j.done(parts, err)
		if interrupted == nil {
			errors.As(err, &interrupted)
		}
	}
	k.mu.Lock()
	k.running = false
	var left []classifyJob
	if k.stopped {
		left, k.queue = k.queue, nil
	}
	k.mu.Unlock()
	fail(left)
	if interrupted != nil {
		return interrupted
	}
	return nil
}

func (k *classifier) classify(f engine.Frame) (parts []reply.Part, err error) {
	rt := k.m.host.Runtime()
	state := k.conns[f.Conn]
	if state == nil {
		state = rt.NewObject()
		put(state, "id", rt.ToValue(f.Conn))
		k.conns[f.Conn] = state
	}
	result, err := k.f(sobek.Undefined(), frameValue(rt, slices.Clone(f.Data), f.Binary), state)
	if err != nil {
		return nil, err
	}
	err = k.m.try(func() error {
		parts, err = scriptParts(result, f.Data)
		return err
	})
	return parts, err
}

// scriptParts reads what classify returned: a part, an array of parts, or null.
func scriptParts(v sobek.Value, body []byte) (parts []reply.Part, err error) {
	if absent(v) {
		return nil, nil
	}
	one := func(v value) error {
		p := scriptPart{Part: reply.Part{Body: body}}
		if _, ok := plainObject(v.js); !ok {
			return v.refuse("a part such as { id: 1, ok: true }, an array of parts, or null")
		}
		if err := decode(v, p.fields()); err != nil {
			return err
		}
		parts = append(parts, p.finish())
		return nil
	}
	all := value{js: v, kind: "what classify returned"}
	if o, ok := v.(*sobek.Object); ok && o.ClassName() == "Array" {
		err = list(one)(all)
	} else {
		err = one(all)
	}
	return parts, err
}

// scriptPart is a part as classify describes it.
type scriptPart struct {
	reply.Part
	ok   *bool
	code *string
	push bool
}

func (p *scriptPart) fields() []field {
	return []field{
		{"id", func(v value) (err error) {
			if s, ok := primitive(v.js).(string); ok && s == "" {
				return nil // an id that nobody has
			}
			p.ID, err = scriptID(v.js)
			return err
		}},
		{"ok", func(v value) error {
			p.ok = new(bool)
			return truth(p.ok)(v)
		}},
		{"code", func(v value) error {
			switch x := primitive(v.js).(type) {
			case string:
				p.code = &x
				return nil
			case int64, float64:
				if code, ok := reply.CanonicalNumber(fmt.Sprint(x)); ok {
					p.code = &code
					return nil
				}
			}
			return v.refuse("text or a number")
		}},
		{"push", truth(&p.push)},
	}
}

// finish decides what is left open: without ok, a part is ok unless it has a code.
func (p *scriptPart) finish() reply.Part {
	if p.push {
		p.Kind = reply.Push
		return p.Part
	}
	p.Kind, p.OK = reply.Reply, p.code == nil
	if p.ok != nil {
		p.OK = *p.ok
	}
	if !p.OK && p.code != nil {
		p.Code = *p.code
	}
	return p.Part
}

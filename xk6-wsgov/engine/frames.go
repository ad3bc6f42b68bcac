package engine

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/ledger"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
	"github.com/wsgov/wsgov/xk6-wsgov/wire"
)

// frames books what a connection receives. receive is called by the connection's reader only.
type frames struct {
	k     *conn
	parts []reply.Part

	mu    sync.Mutex
	queue []time.Duration // when frames were read that are not classified yet, the oldest first
	empty chan struct{}   // closed when the queue empties; nil while nobody waits
}

// receive books one frame: at once by the reply rule, or when the classifier is done with it. Its time is the wire's.
func (f *frames) receive(ws *wire.Conn, frame wire.Frame) {
	t := &f.k.c.target
	if t.Classify == nil {
		f.parts = t.Reply.Parts(f.parts[:0], frame.Data, frame.Binary)
		f.book(ws, frame, f.parts)
		return
	}
	f.enqueue(frame.At)
	accepted := t.Classify.Classify(f.frame(frame, frame.Data), func(parts []reply.Part, err error) {
		if err != nil {
			parts = []reply.Part{{Kind: reply.Malformed, Body: frame.Data}}
			f.k.c.noteClassify(err)
		}
		f.book(ws, frame, parts)
		f.dequeue()
	})
	if !accepted { // the event loop ended: the frame is booked, though nobody can read it any more
		f.book(ws, frame, []reply.Part{{Kind: reply.Malformed, Body: frame.Data}})
		f.dequeue()
	}
}

func (f *frames) frame(w wire.Frame, data []byte) Frame {
	return Frame{Conn: f.k.number(), At: w.At, Data: data, Binary: w.Binary}
}

// book settles what the parts answer, answers what the target says, and tells the script of the rest.
func (f *frames) book(ws *wire.Conn, frame wire.Frame, parts []reply.Part) {
	t := &f.k.c.target
	if t.Hooks.Push == nil && len(t.AutoReply) == 0 {
		f.k.table.Receive(frame.At, parts, nil)
		return
	}
	var strays []*reply.Part
	f.k.table.Receive(frame.At, parts, func(p *reply.Part, v ledger.Verdict) {
		switch v.Kind {
		case record.KindPush, record.KindMalformed, record.KindUnmatched:
			strays = append(strays, p)
		}
	})
	for _, p := range strays {
		f.autoReply(ws, frame, p)
		if t.Hooks.Push != nil {
			t.Hooks.Push(f.frame(frame, p.Body))
		}
	}
}

// autoReply answers the server's own pings and calls.
func (f *frames) autoReply(ws *wire.Conn, frame wire.Frame, p *reply.Part) {
	for _, a := range f.k.c.target.AutoReply {
		if a.When != nil && !a.When.Match(p.Body) || a.When == nil && (frame.Binary || !bytes.Equal(frame.Data, []byte(a.Text))) {
			continue
		}
		if err := f.k.write(ws, a.Message, false); err != nil {
			f.k.c.env.Logger.Debug("automatic answer not sent", "conn", f.k.number(), "error", err)
		}
		return
	}
}

func (f *frames) enqueue(at time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.queue = append(f.queue, at)
}

// dequeue removes the oldest frame: a classifier keeps their order.
func (f *frames) dequeue() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.queue = f.queue[1:]; len(f.queue) == 0 && f.empty != nil {
		close(f.empty)
		f.empty = nil
	}
}

// oldest is when the oldest frame was read that is not classified yet.
func (f *frames) oldest() (at time.Duration, waiting bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.queue) == 0 {
		return 0, false
	}
	return f.queue[0], true
}

// classifyGrace bounds how long the end of a connection, or of a plan, waits for frames to be classified.
const classifyGrace = 2 * time.Second

// settleQueue waits until every frame read so far is classified.
func (f *frames) settleQueue(ctx context.Context) {
	f.mu.Lock()
	if len(f.queue) == 0 {
		f.mu.Unlock()
		return
	}
	if f.empty == nil {
		f.empty = make(chan struct{})
	}
	empty := f.empty
	f.mu.Unlock()
	timer := time.NewTimer(classifyGrace)
	defer timer.Stop()
	select {
	case <-empty:
	case <-timer.C:
	case <-ctx.Done():
	}
}

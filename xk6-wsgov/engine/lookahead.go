package engine

import (
	"context"
	"sync"
)

// rendered is a message with its slot.
type rendered struct {
	slot Slot
	msg  Message
}

// renderer hands a sender its messages in order.
type renderer interface {
	// next blocks until the next message is rendered; false says that the source failed for good or ctx ended.
	next(ctx context.Context) (rendered, bool)
	// stop ends what the renderer started and waits for it.
	stop()
}

// inline renders each message when the sender asks.
type inline struct {
	numbers *numbers
	source  Source
	seq     int
}

func (r *inline) next(ctx context.Context) (rendered, bool) {
	r.seq++
	out := []Message{{}}
	slot := Slot{ID: r.numbers.next(), Conn: r.numbers.k.number(), Seq: r.seq}
	err := r.source.Render(ctx, []Slot{slot}, out)
	return rendered{slot, out[0]}, err == nil
}

func (r *inline) stop() {}

// ahead renders in batches on its own goroutine, so that the sender finds messages ready when they are due.
type ahead struct {
	ready chan rendered
	first chan struct{} // closed once the first batch is rendered, or failed
	end   context.CancelFunc
}

// startAhead begins to render at most limit messages (0: no limit).
func startAhead(ctx context.Context, n *numbers, source Source, limit int) *ahead {
	ctx, cancel := context.WithCancel(ctx)
	a := &ahead{ready: make(chan rendered, source.Ahead()), first: make(chan struct{}), end: cancel}
	go func() {
		defer close(a.ready)
		if err := a.fill(ctx, n, source, limit, sync.OnceFunc(func() { close(a.first) })); err != nil && ctx.Err() == nil {
			n.k.c.noteRender(err)
		}
	}()
	return a
}

// fill renders batches of half the queue's size until ctx ends, the limit is reached or the source fails.
func (a *ahead) fill(ctx context.Context, numbers *numbers, source Source, limit int, tried func()) error {
	defer tried()
	batch := max(source.Ahead()/2, 1)
	for seq := 1; ; seq += batch {
		n := batch
		if limit > 0 {
			n = min(n, limit-seq+1)
		}
		if n <= 0 {
			return nil
		}
		slots, out := make([]Slot, n), make([]Message, n)
		for i := range slots {
			slots[i] = Slot{ID: numbers.next(), Conn: numbers.k.number(), Seq: seq + i}
		}
		if err := source.Render(ctx, slots, out); err != nil {
			return err
		}
		tried()
		if err := a.hand(ctx, slots, out); err != nil {
			return err
		}
	}
}

// hand queues a rendered batch.
func (a *ahead) hand(ctx context.Context, slots []Slot, out []Message) error {
	for i, s := range slots {
		select {
		case a.ready <- rendered{s, out[i]}:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

func (a *ahead) next(ctx context.Context) (rendered, bool) {
	select {
	case r, ok := <-a.ready:
		return r, ok
	case <-ctx.Done():
		return rendered{}, false
	}
}

func (a *ahead) stop() {
	a.end()
	for range a.ready { // until fill has ended
	}
}

package gateway

import (
	"errors"
	"sync"
	"time"
)

var (
	errFull    = errors.New("too many replies wait")
	errStopped = errors.New("no reply goes out any more")
)

// outbox holds the replies of one connection until they are due. One goroutine takes them out, so replies never
// overlap; whoever puts them in never waits for it.
type outbox struct {
	now   func() time.Duration
	limit int

	wake  chan struct{}
	timer *time.Timer

	mu      sync.Mutex
	queue   replyHeap
	order   uint64
	stopped bool
}

func newOutbox(now func() time.Duration, limit int) *outbox {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return &outbox{now: now, limit: limit, wake: make(chan struct{}, 1), timer: timer}
}

// put adds a reply. errFull and errStopped mean that it was not added.
func (o *outbox) put(r receipt, due time.Duration) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stopped {
		return errStopped
	}
	if len(o.queue) >= o.limit {
		return errFull
	}
	o.order++
	o.queue.push(reply{receipt: r, due: due, order: o.order})
	if o.queue[0].order == o.order {
		o.arrange(due)
	}
	return nil
}

// arrange sees to it that the taker looks again at the instant due. It is called with mu held.
func (o *outbox) arrange(due time.Duration) {
	if wait := due - o.now(); wait > 0 {
		o.timer.Reset(wait)
		return
	}
	o.rouse()
}

func (o *outbox) rouse() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// run hands each reply to deliver when it is due, until stop is called or deliver returns false.
func (o *outbox) run(deliver func(receipt) bool) {
	defer o.timer.Stop()
	for {
		r, state := o.take()
		switch {
		case state == takeStopped:
			return
		case state == takeNone:
			o.wait()
		case !deliver(r):
			return
		}
	}
}

func (o *outbox) wait() {
	select {
	case <-o.wake:
	case <-o.timer.C:
	}
}

type takeState uint8

const (
	takeOne takeState = iota
	takeNone
	takeStopped
)

func (o *outbox) take() (receipt, takeState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.stopped {
		return receipt{}, takeStopped
	}
	if len(o.queue) == 0 {
		return receipt{}, takeNone
	}
	if wait := o.queue[0].due - o.now(); wait > 0 {
		o.timer.Reset(wait)
		return receipt{}, takeNone
	}
	return o.queue.pop().receipt, takeOne
}

// stop ends run, except for a reply that is being delivered, and returns what was never handed out, soonest due first. From
// the second call on there is nothing to return.
func (o *outbox) stop() []receipt {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stopped = true
	o.rouse()
	rest := make([]receipt, 0, len(o.queue))
	for len(o.queue) > 0 {
		rest = append(rest, o.queue.pop().receipt)
	}
	o.queue = nil
	return rest
}

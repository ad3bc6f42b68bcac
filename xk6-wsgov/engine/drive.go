package engine

import (
	"context"
	"sync"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/ledger"
	"github.com/wsgov/wsgov/xk6-wsgov/schedule"
)

// interruptGrace is how long replies are still awaited after a run was interrupted.
const interruptGrace = 500 * time.Millisecond

// drive is one plan under way. Its times are offsets from the run's start.
type drive struct {
	c      *Client
	plan   Plan
	number int64
	book   *ledger.Book
	pages  []*ledger.Page
	only   *conn // of a request, whose single page is this connection's
	points *points

	startedAt time.Duration
	endsAt    time.Duration // end of the window; 0 if the plan ends by count
	cutAt     time.Duration // end of the drain; 0 until it is known

	halt     chan struct{} // closed when nothing may be sent any more
	haltOnce sync.Once
	stopped  time.Duration // when the run was interrupted, 0 if it was not

	flushing sync.Mutex
	books    books
}

// Drive runs a plan on every connection, opening them first if need be, and returns its ledger when every planned message
// has its outcome. If ctx ends, nothing new is planned, what waits is unsent, replies are awaited for half a second more,
// and the ledger says so in a warning; that is no error. An error means that the plan cannot be run.
func (c *Client) Drive(ctx context.Context, p Plan) (*record.Ledger, error) {
	p, err := p.withDefaults(&c.target, &c.env)
	if err != nil {
		return nil, err
	}
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave()
	if _, _, err := c.Connect(ctx); err != nil && ctx.Err() == nil {
		return nil, err
	}
	d := c.newDrive(p)
	if err := d.openPages(); err != nil {
		return nil, err
	}
	return d.run(ctx), nil
}

func (c *Client) newDrive(p Plan) *drive {
	return &drive{
		c: c, plan: p, number: c.env.NextDrive(), book: ledger.NewBook(p.Name), points: newPoints(c.env.Start, p),
		halt: make(chan struct{}), books: newBooks(),
	}
}

// openPages puts a page of the plan on every connection and makes it the one that stray frames are booked on.
func (d *drive) openPages() error {
	if d.plan.Model == Open {
		if _, err := d.rate(); err != nil {
			return err
		}
	}
	for _, k := range d.c.conns {
		d.pages = append(d.pages, k.table.NewPage(d.book))
	}
	d.c.mu.Lock()
	before := d.c.latest
	d.c.latest = d
	d.c.mu.Unlock()
	if before != nil { // what came between the plans is on its pages
		before.flush()
	}
	return nil
}

// run sends, awaits and settles everything.
func (d *drive) run(ctx context.Context) *record.Ledger {
	senders := d.prepare(ctx)
	d.start()
	stopFlushing := d.startFlushing()
	abort := time.AfterFunc(never, d.abortWrites)
	defer abort.Stop()
	interrupted := context.AfterFunc(ctx, func() {
		d.interrupt()
		abort.Reset(interruptGrace)
	})
	defer interrupted()
	if d.endsAt > 0 {
		d.cutAt = d.endsAt + *d.plan.Drain
		cut := time.AfterFunc(d.cutAt-d.c.env.elapsed(), d.stopSending)
		defer cut.Stop()
	}
	var sending sync.WaitGroup
	for _, s := range senders {
		sending.Go(s.run)
	}
	sending.Wait()
	d.awaitReplies(ctx)
	d.awaitWindow()
	d.settle()
	stopFlushing()
	for i, s := range senders {
		s.numbers.release(d.pages[i].Planned())
	}
	return d.finish()
}

// prepare makes the senders and waits until those that render ahead have their first messages.
func (d *drive) prepare(ctx context.Context) []*sender {
	senders := make([]*sender, len(d.c.conns))
	for i, k := range d.c.conns {
		senders[i] = newSender(ctx, d, k, d.pages[i])
	}
	for _, s := range senders {
		if a, ok := s.messages.(*ahead); ok {
			select {
			case <-a.first:
			case <-ctx.Done():
			}
		}
	}
	return senders
}

// start fixes the plan's start, from which every intended time is measured.
func (d *drive) start() {
	d.startedAt = d.c.env.elapsed()
	switch {
	case len(d.plan.Stages) > 0:
		for _, s := range d.plan.Stages {
			d.endsAt += s.Duration
		}
		d.endsAt += d.startedAt
	case d.plan.Duration > 0:
		d.endsAt = d.startedAt + d.plan.Duration
	}
	d.emitStart()
}

// rate is the open model's arrival rate per connection. A plan that ends by count alone lasts as long as its messages need.
func (d *drive) rate() (*schedule.Rate, error) {
	p := &d.plan
	if len(p.Stages) > 0 {
		return schedule.Ramp(p.Rate, p.Stages)
	}
	length := p.Duration
	if length == 0 { // longer than any draw of so many arrivals; the count ends it
		length = time.Duration(min(float64(10*p.Count+1000)/p.Rate*float64(time.Second), float64(never/2)))
	}
	return schedule.Constant(p.Rate, length)
}

// stopSending lets no sender send any more.
func (d *drive) stopSending() { d.haltOnce.Do(func() { close(d.halt) }) }

// interrupt ends the window now.
func (d *drive) interrupt() {
	d.haltOnce.Do(func() {
		d.stopped = max(d.c.env.elapsed(), 1)
		close(d.halt)
	})
}

// abortWrites ends writes that a peer does not take, so that an interrupted plan does not wait for it.
func (d *drive) abortWrites() {
	for _, k := range d.c.conns {
		if ws := k.up(); ws != nil {
			ws.AbortWrite()
		}
	}
}

// halted reports whether sending has ended, and since when if that was by an interruption.
func (d *drive) halted() (yes bool, interruptedAt time.Duration) {
	select {
	case <-d.halt:
		return true, d.stopped
	default:
		return false, 0
	}
}

// awaitReplies waits until nothing is in flight or the drain is over.
func (d *drive) awaitReplies(ctx context.Context) {
	cut := d.cutAt
	if cut == 0 {
		cut = d.c.env.elapsed() + *d.plan.Drain
	}
	timer := time.NewTimer(cut - d.c.env.elapsed())
	defer timer.Stop()
	done := ctx.Done()
	for _, p := range d.pages {
		for n, _ := p.InFlight(); n > 0; n, _ = p.InFlight() {
			select {
			case <-p.Room():
			case <-timer.C:
				return
			case <-done:
				done = nil
				timer.Reset(min(interruptGrace, max(cut-d.c.env.elapsed(), 0)))
			}
		}
	}
}

// awaitWindow keeps listening until the open model's window ends, unless it ends by count or every connection is dead.
func (d *drive) awaitWindow() {
	if d.plan.Model != Open || d.endsAt == 0 || d.plan.Count > 0 || d.c.allDead() {
		return
	}
	timer := time.NewTimer(d.endsAt - d.c.env.elapsed())
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-d.halt:
	}
}

// settle gives what is still in flight its outcome, after frames that were read have been classified.
func (d *drive) settle() {
	d.stopSending()
	for i, p := range d.pages {
		d.c.conns[i].frames.settleQueue(d.c.alive)
		p.Cutoff(d.c.env.elapsed())
	}
}

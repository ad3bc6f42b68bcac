package ledger

import (
	"sync"
	"time"

	"github.com/wsgov/wsgov/record"
)

// Book is the account of one plan over all its connections. Its methods may be called from any goroutine.
type Book struct {
	Plan string

	mu    sync.Mutex
	pages []*Page
}

// NewBook opens the account of a plan.
func NewBook(plan string) *Book { return &Book{Plan: plan} }

func (b *Book) add(p *Page) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pages = append(b.pages, p)
}

// each calls f for every page under its table's lock.
func (b *Book) each(f func(*Page)) {
	b.mu.Lock()
	pages := b.pages
	b.mu.Unlock()
	for _, p := range pages {
		p.table.mu.Lock()
		f(p)
		p.table.mu.Unlock()
	}
}

// Settled appends the entries that any page settled since the last call to dst.
func (b *Book) Settled(dst []*Entry) []*Entry {
	b.mu.Lock()
	pages := b.pages
	b.mu.Unlock()
	for _, p := range pages {
		dst = p.Settled(dst)
	}
	return dst
}

// Counts adds up all pages.
func (b *Book) Counts() Counts {
	sum := newCounts()
	b.each(func(p *Page) { sum.add(&p.counts) })
	return sum
}

// InFlight is how many of the plan's messages wait for a reply now, and the most that one connection had at once.
func (b *Book) InFlight() (now, highest int) {
	b.each(func(p *Page) {
		now += p.inFlight
		highest = max(highest, p.maxInFlight)
	})
	return now, highest
}

// LastFrameAt is when the last frame booked on this plan was read, zero if there was none.
func (b *Book) LastFrameAt() time.Duration {
	var last time.Duration
	b.each(func(p *Page) { last = max(last, p.lastFrameAt) })
	return last
}

// Account is what the counts say about a gateway's counters; handshakes are not among them.
func (c *Counts) Account() record.Account {
	return record.Account{
		Sent: c.Sent, OK: c.OK, Error: c.Error, Errors: c.Errors, Lost: c.Lost,
		LateOK: c.LateOK, LateError: c.LateError, LateErrors: c.LateErrors,
		Received: c.Frames.Received, Duplicate: c.Frames.Duplicate, Unmatched: c.Frames.Unmatched,
	}
}

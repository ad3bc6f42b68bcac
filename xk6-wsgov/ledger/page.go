package ledger

import (
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

// Page is the account of one plan on one connection. Plan, Unsent and Cutoff may be called from any goroutine.
type Page struct {
	book        *Book
	table       *Table
	counts      Counts
	inFlight    int
	maxInFlight int
	lastFrameAt time.Duration
	freedAt     time.Duration // when a message last left flight
	room        chan struct{}
	settled     []*Entry
}

func newPage(t *Table) *Page {
	return &Page{table: t, room: make(chan struct{}, 1), counts: newCounts()}
}

// Plan opens the entry of a message due at the given time: from here on it owes an outcome.
func (p *Page) Plan(msg int64, due time.Duration) *Entry {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	p.counts.Planned++
	return &Entry{Msg: msg, Due: due, page: p, index: -1}
}

// Unsent settles an entry that was not handed to the socket.
func (p *Page) Unsent(e *Entry, reason string) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	if e.Outcome != "" {
		return
	}
	e.Outcome, e.Reason = record.Unsent, reason
	p.counts.Unsent++
	p.counts.UnsentReasons[reason]++
	p.finish(e, nil)
}

// Cutoff loses the page's messages that are still in flight at the given time: nobody waits for their replies any longer.
// Those whose deadline had passed are lost by timeout, the others by the cutoff.
func (p *Page) Cutoff(at time.Duration) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	for i := 0; i < len(p.table.deadline); {
		if e := p.table.deadline[i]; e.page == p {
			reason := record.ReasonCutoff
			if e.Deadline <= at {
				reason = record.ReasonTimeout
			}
			p.table.settle(e, record.Lost, "", reason, nil)
			i = 0 // the heap moved
			continue
		}
		i++
	}
}

// InFlight is how many of the page's messages wait for a reply, and FreedAt when one last stopped waiting.
func (p *Page) InFlight() (n int, freedAt time.Duration) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	return p.inFlight, p.freedAt
}

// Room receives a value after a message left flight. It holds one value: look at InFlight after each.
func (p *Page) Room() <-chan struct{} { return p.room }

func (p *Page) sent() {
	p.counts.Sent++
	p.inFlight++
	p.maxInFlight = max(p.maxInFlight, p.inFlight)
}

func (p *Page) settleSent(e *Entry, o record.Outcome, code, reason string, part *reply.Part) {
	e.Outcome, e.Code, e.Reason = o, code, reason
	p.inFlight--
	switch o {
	case record.OK:
		e.Code = ""
		p.counts.OK++
	case record.Error:
		p.counts.Error++
		p.counts.Errors[code]++
	default:
		p.counts.Lost++
		p.counts.LostReasons[reason]++
	}
	p.freedAt = max(p.freedAt, e.ReceivedAt)
	p.finish(e, part)
	select {
	case p.room <- struct{}{}:
	default:
	}
}

// finish hands a settled entry to whoever waits for it.
func (p *Page) finish(e *Entry, part *reply.Part) {
	p.settled = append(p.settled, e)
	if e.Settled != nil {
		e.Settled(e, part)
	}
}

// part counts one part and what became of it.
func (p *Page) part(kind string) Verdict {
	f := &p.counts.Frames
	f.Parts++
	switch kind {
	case record.KindOK:
		p.counts.AnsweredOK++
	case record.KindError:
		p.counts.AnsweredError++
	case record.KindLate:
		f.Late++
	case record.KindDuplicate:
		f.Duplicate++
	case record.KindUnmatched:
		f.Unmatched++
	case record.KindMalformed:
		f.Malformed++
	case record.KindPush:
		f.Push++
	}
	return Verdict{Kind: kind}
}

// stray counts a reply that came late or twice, with how it was marked.
func (p *Page) stray(kind string, part *reply.Part) Verdict {
	switch {
	case kind == record.KindLate && part.OK:
		p.counts.LateOK++
	case kind == record.KindLate:
		p.counts.LateError++
		p.counts.LateErrors[part.Code]++
	case part.OK:
		p.counts.DuplicateOK++
	}
	return p.part(kind)
}

func (p *Page) noteIDKind(e *Entry, part *reply.Part) {
	if e.IDKind == reply.Unknown || part.IDKind == reply.Unknown {
		return
	}
	p.counts.PairedIDs++
	if e.IDKind != part.IDKind {
		p.counts.ChangedIDs++
	}
}

func (p *Page) noteLacksOK(part *reply.Part) {
	if part.LacksOK {
		p.counts.LacksOK++
	}
}

// Planned is how many messages were planned.
func (p *Page) Planned() int64 {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	return p.counts.Planned
}

// UnsentCount is how many messages were not handed to the socket.
func (p *Page) UnsentCount() int64 {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	return p.counts.Unsent
}

// Settled appends the entries settled since the last call to dst.
func (p *Page) Settled(dst []*Entry) []*Entry {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	dst = append(dst, p.settled...)
	clear(p.settled)
	p.settled = p.settled[:0]
	return dst
}

package ledger

import (
	"container/heap"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

// ErrInFlight says that a message with the same id is still unanswered on the connection.
var ErrInFlight = errors.New("a message with this id is still in flight on this connection: ids must differ between messages that wait for a reply at the same time")

// ErrDown says that the connection has ended and nothing can be sent on it.
var ErrDown = errors.New("the connection has ended")

// Table pairs the replies of one connection with the entries of every plan on it. Its methods may be called from any
// goroutine; its lock also guards the connection's pages.
type Table struct {
	mu       sync.Mutex
	open     map[string]*Entry
	deadline deadlines
	done     done
	down     bool  // the connection has ended
	current  *Page // the plan started last, which frames that belong to no message are booked on
}

// NewTable is the table of connection index (from 0) of connections. Message numbers of the connection are expected to be
// index + 1 + k·connections.
func NewTable(index, connections int) *Table {
	return &Table{open: make(map[string]*Entry), done: done{offset: int64(index) + 1, stride: int64(max(connections, 1))}}
}

// NewSidePage opens the connection's page of a book on which only that book's own messages are booked.
func (t *Table) NewSidePage(b *Book) *Page {
	p := newPage(t)
	p.book = b
	b.add(p)
	return p
}

// NewPage opens the connection's page of a book; from now on frames that belong to no message are booked on it. What
// the connection received before its first plan moves onto its first page.
func (t *Table) NewPage(b *Book) *Page {
	t.mu.Lock()
	defer t.mu.Unlock()
	p := newPage(t)
	if t.current != nil && t.current.book == nil {
		p.counts = t.current.counts
	}
	p.book, t.current = b, p
	b.add(p)
	return p
}

// Sent books that an entry's message is about to be written at the given time. It must be called before the write, so
// that no reply can come first. A second message in flight with the same id is refused with ErrInFlight, one on a
// connection that has ended with ErrDown; both stay unsent.
func (t *Table) Sent(e *Entry, at time.Duration, timeout time.Duration) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.down {
		return ErrDown
	}
	if _, taken := t.open[e.ID]; taken {
		return ErrInFlight
	}
	e.SentAt, e.Deadline, e.sent = at, at+timeout, true
	t.open[e.ID] = e
	t.deadline.push(e)
	e.page.sent()
	return nil
}

// Verdict is what became of one part.
type Verdict struct {
	Kind  string // record.KindOK and its kin
	Entry *Entry // the message that the part settled, nil otherwise
}

// Receive books one frame, read completely at the given time, with the parts found in it. The frame is booked on the page
// of the message that its first part is about. If verdicts is not nil it gets what became of each part.
func (t *Table) Receive(at time.Duration, parts []reply.Part, verdicts func(*reply.Part, Verdict)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	home := t.home()
	owner := home
	for i := range parts {
		page := home
		if e, ok := t.open[parts[i].ID]; ok && parts[i].Kind == reply.Reply {
			page = e.page
		}
		if i == 0 {
			owner = page
		}
		v := t.receivePart(home, at, &parts[i])
		if verdicts != nil {
			verdicts(&parts[i], v)
		}
	}
	owner.counts.Frames.Received++
	owner.lastFrameAt = max(owner.lastFrameAt, at)
}

// home is the page for what belongs to no message: the current plan's, or a page without a book before the first plan.
func (t *Table) home() *Page {
	if t.current == nil {
		t.current = newPage(t)
	}
	return t.current
}

func (t *Table) receivePart(home *Page, at time.Duration, p *reply.Part) Verdict {
	switch p.Kind {
	case reply.Malformed:
		return home.part(record.KindMalformed)
	case reply.Push:
		return home.part(record.KindPush)
	}
	if e, ok := t.open[p.ID]; ok {
		return t.answer(e, at, p)
	}
	switch t.done.get(p.ID) {
	case lost:
		t.done.set(p.ID, answered)
		return home.stray(record.KindLate, p)
	case answered:
		return home.stray(record.KindDuplicate, p)
	default:
		return home.part(record.KindUnmatched)
	}
}

// answer settles an entry in flight by its first reply, judged by when the reply was read.
func (t *Table) answer(e *Entry, at time.Duration, p *reply.Part) Verdict {
	page := e.page
	page.noteIDKind(e, p)
	if at > e.Deadline {
		t.settle(e, record.Lost, "", record.ReasonTimeout, p)
		page.freedAt = max(page.freedAt, at)
		t.done.set(e.ID, answered)
		return page.stray(record.KindLate, p)
	}
	e.ReceivedAt = at
	outcome, kind := record.OK, record.KindOK
	if !p.OK {
		outcome, kind = record.Error, record.KindError
		page.noteLacksOK(p)
	}
	t.settle(e, outcome, p.Code, "", p)
	v := page.part(kind)
	v.Entry = e
	return v
}

// settle gives a sent entry its outcome and takes it out of flight.
func (t *Table) settle(e *Entry, o record.Outcome, code, reason string, p *reply.Part) {
	delete(t.open, e.ID)
	t.deadline.remove(e)
	s := answered
	if o == record.Lost {
		s = lost
	}
	t.done.set(e.ID, s)
	e.page.settleSent(e, o, code, reason, p)
}

// Expire loses the messages whose deadline was before limit, and returns the next deadline, or false if nothing is in
// flight. Replies are judged by when they were read, so callers leave the reader a moment before they call this for a
// deadline; who waits for room has it from now on.
func (t *Table) Expire(limit, now time.Duration) (next time.Duration, waiting bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.deadline) > 0 {
		e := t.deadline[0]
		if e.Deadline >= limit {
			return e.Deadline, true
		}
		t.settle(e, record.Lost, "", record.ReasonTimeout, nil)
		e.page.freedAt = max(e.page.freedAt, now)
	}
	return 0, false
}

// Closed loses everything in flight because the connection ended at the given time with the close code.
func (t *Table) Closed(at time.Duration, code int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.down = true
	reason := fmt.Sprintf("%s:%d", record.ReasonClosed, code)
	for len(t.deadline) > 0 {
		e := t.deadline[0]
		t.settle(e, record.Lost, "", reason, nil)
		e.page.freedAt = max(e.page.freedAt, at)
	}
}

// Reopened allows sending again after Closed.
func (t *Table) Reopened() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.down = false
}

// Forgotten is how many ids the table no longer remembers: replies to them would be booked unmatched.
func (t *Table) Forgotten() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.done.forgotten
}

// deadlines is a heap of entries in flight, the earliest deadline first.
type deadlines []*Entry

func (d deadlines) Len() int           { return len(d) }
func (d deadlines) Less(i, j int) bool { return d[i].Deadline < d[j].Deadline }
func (d deadlines) Swap(i, j int) {
	d[i], d[j] = d[j], d[i]
	d[i].index, d[j].index = i, j
}

// Push and Pop are heap.Interface's.
func (d *deadlines) Push(x any) {
	e := x.(*Entry)
	e.index = len(*d)
	*d = append(*d, e)
}

func (d *deadlines) Pop() any {
	old := *d
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*d = old[:len(old)-1]
	e.index = -1
	return e
}

func (d *deadlines) push(e *Entry) { heap.Push(d, e) }

func (d *deadlines) remove(e *Entry) {
	if e.index >= 0 {
		heap.Remove(d, e.index)
	}
}

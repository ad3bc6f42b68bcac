package ledger

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

const ms = time.Millisecond

// bench is one connection with one plan on it; its books are checked when the test ends.
type bench struct {
	*testing.T
	book  *Book
	table *Table
	page  *Page
}

func newBench(t *testing.T) *bench {
	b := &bench{T: t, book: NewBook("main"), table: NewTable(0, 1)}
	b.page = b.table.NewPage(b.book)
	t.Cleanup(func() {
		c := b.book.Counts()
		if err := Check(&c); err != nil {
			t.Error(err)
		}
		for _, e := range b.book.Settled(nil) {
			if err := e.check(); err != nil {
				t.Error(err)
			}
		}
	})
	return b
}

func (b *bench) send(msg int64, id string, due, at time.Duration) *Entry {
	b.Helper()
	e := b.page.Plan(msg, due)
	e.ID = id
	if err := b.table.Sent(e, at, 100*ms); err != nil {
		b.Fatal(err)
	}
	return e
}

func (b *bench) receive(at time.Duration, parts ...reply.Part) {
	b.table.Receive(at, parts, nil)
}

func (b *bench) want(what string, got, want any) {
	b.Helper()
	if got != want {
		b.Errorf("%s is %v, want %v", what, got, want)
	}
}

func okPart(id string) reply.Part { return reply.Part{ID: id, OK: true} }

func TestEveryOutcome(t *testing.T) {
	b := newBench(t)
	ok, failed, late := b.send(1, "1", 0, ms), b.send(2, "2", 0, ms), b.send(3, "3", 0, ms)
	unsent := b.page.Plan(4, 5*ms)
	b.page.Unsent(unsent, record.ReasonCap)
	b.receive(10*ms, okPart("1"), reply.Part{ID: "2", Code: "RATE_LIMITED"})
	b.receive(102*ms, okPart("3"))
	b.receive(103*ms, okPart("1"), okPart("9"), reply.Part{Kind: reply.Push}, reply.Part{Kind: reply.Malformed})
	b.want("outcome", ok.Outcome, record.OK)
	b.want("response", ok.Response(), 10*ms)
	b.want("service", ok.Service(), 9*ms)
	b.want("code", failed.Code, "RATE_LIMITED")
	b.want("late outcome", late.Outcome, record.Lost)
	b.want("late reason", late.Reason, record.ReasonTimeout)
	b.want("unsent reason", unsent.Reason, record.ReasonCap)
	c := b.book.Counts()
	b.want("frames", c.Frames, record.FrameCounts{Received: 3, Parts: 7, Late: 1, Duplicate: 1, Unmatched: 1, Malformed: 1, Push: 1})
	b.want("late ok", c.LateOK, int64(1))
}

// A reply read in time is in time, however long it waits to be booked.
func TestDeadlineIsJudgedByWhenTheReplyWasRead(t *testing.T) {
	b := newBench(t)
	e := b.send(1, "1", 0, 0)
	b.table.Expire(100*ms, 100*ms)
	b.receive(100*ms, okPart("1"))
	b.want("outcome at the deadline", e.Outcome, record.OK)
	e = b.send(2, "2", 0, 0)
	b.receive(100*ms+1, okPart("2"))
	b.want("outcome after the deadline", e.Outcome, record.Lost)
}

func TestExpireThenLateThenDuplicate(t *testing.T) {
	b := newBench(t)
	e := b.send(1, "1", 0, 0)
	if next, waiting := b.table.Expire(50*ms, 50*ms); !waiting || next != 100*ms {
		t.Errorf("next deadline %v, %v; want 100ms", next, waiting)
	}
	if _, waiting := b.table.Expire(101*ms, 101*ms); waiting {
		t.Error("something is still in flight")
	}
	b.want("outcome", e.Outcome, record.Lost)
	b.receive(150*ms, reply.Part{ID: "1", Code: "SLOW"})
	b.receive(151*ms, okPart("1"))
	c := b.book.Counts()
	b.want("late error", c.LateErrors["SLOW"], int64(1))
	b.want("duplicates", c.Frames.Duplicate, int64(1))
}

func TestConnectionEndLosesWhatIsInFlight(t *testing.T) {
	b := newBench(t)
	e, answered := b.send(1, "1", 0, 0), b.send(2, "2", 0, 0)
	b.receive(ms, okPart("2"))
	b.table.Closed(2*ms, 1006)
	b.want("reason", e.Reason, "closed:1006")
	b.want("outcome", answered.Outcome, record.OK)
	n, freedAt := b.page.InFlight()
	b.want("in flight", n, 0)
	b.want("freed at", freedAt, 2*ms)
}

func TestTwoInFlightWithOneIDAreRefused(t *testing.T) {
	b := newBench(t)
	first := b.send(1, "x", 0, 0)
	second := b.page.Plan(2, 0)
	second.ID = "x"
	if err := b.table.Sent(second, ms, ms); !errors.Is(err, ErrInFlight) {
		t.Fatalf("error %v, want ErrInFlight", err)
	}
	b.page.Unsent(second, record.ReasonScript)
	b.receive(2*ms, okPart("x"))
	b.want("first", first.Outcome, record.OK)
	third := b.send(3, "x", 0, 3*ms)
	b.receive(4*ms, okPart("x"))
	b.want("id used again later", third.Outcome, record.OK)
}

// What a server says before the first plan is that plan's, so that a greeting is in its books.
func TestGreetingMovesToTheFirstPlan(t *testing.T) {
	table, book := NewTable(0, 1), NewBook("main")
	table.Receive(ms, []reply.Part{{Kind: reply.Malformed}}, nil)
	table.NewPage(book)
	if c := book.Counts(); c.Frames.Received != 1 || c.Frames.Malformed != 1 {
		t.Errorf("frames %+v, want the greeting", c.Frames)
	}
	second := NewBook("second")
	table.NewPage(second)
	if c := second.Counts(); c.Frames.Received != 0 {
		t.Errorf("the second plan has %+v", c.Frames)
	}
}

func TestCutoffLosesOnlyThePagesOwn(t *testing.T) {
	b := newBench(t)
	mine := b.send(1, "1", 0, 0)
	other := b.table.NewPage(NewBook("other"))
	e := other.Plan(2, 0)
	e.ID = "2"
	if err := b.table.Sent(e, 0, 100*ms); err != nil {
		t.Fatal(err)
	}
	b.page.Cutoff(50 * ms)
	b.want("mine", mine.Outcome, record.Lost)
	b.want("why", mine.Reason, record.ReasonCutoff)
	b.want("other", e.Outcome, record.Outcome(""))
}

func TestChangedIDTypes(t *testing.T) {
	b := newBench(t)
	e := b.page.Plan(1, 0)
	e.ID, e.IDKind = "1", reply.Number
	if err := b.table.Sent(e, 0, ms); err != nil {
		t.Fatal(err)
	}
	b.receive(ms, reply.Part{ID: "1", IDKind: reply.String, OK: true})
	c := b.book.Counts()
	b.want("changed", c.ChangedIDs, int64(1))
	b.want("paired", c.PairedIDs, int64(1))
}

func TestForeignIDsAreForgottenInOrderAndCounted(t *testing.T) {
	d := done{offset: 1, stride: 1}
	for i := range maxForeign + 2 {
		d.set("id-"+string(rune('a'+i%26))+time.Duration(i).String(), answered)
	}
	if d.forgotten != 2 || len(d.foreign) != maxForeign {
		t.Errorf("forgot %d and kept %d, want 2 and %d", d.forgotten, len(d.foreign), maxForeign)
	}
}

func TestOwnProgression(t *testing.T) {
	d := done{offset: 3, stride: 80}
	for id, want := range map[string]bool{"3": true, "83": true, "84": false, "03": false, "1": false, "": false, "x": false, "9007199254740993000": false} {
		d.foreign = nil
		if _, ok := d.ownIndex(id); ok != want {
			t.Errorf("ownIndex(%q) = %v, want %v", id, ok, want)
		}
	}
}

func TestTallyCountsTheUnansweredAsSlowest(t *testing.T) {
	tally := NewTally()
	page := NewTable(0, 1).NewPage(NewBook("main"))
	for i := range 100 {
		e := page.Plan(int64(i), 0)
		switch {
		case i < 98:
			e.sent, e.Outcome, e.SentAt, e.ReceivedAt, e.Deadline = true, record.OK, ms, time.Duration(i+2)*ms, time.Hour
		case i == 98:
			e.sent, e.Outcome = true, record.Lost
		default:
			e.Outcome = record.Unsent
		}
		if err := tally.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	response, service, lag := tally.Quantiles()
	if response.P50 != 51 || response.Count != 98 || response.Max != 99 || response.Min != 2 {
		t.Errorf("response %+v", response)
	}
	if !math.IsInf(float64(response.P99), 1) {
		t.Errorf("p99 of the response time is %v, want slower than all", response.P99)
	}
	if service.P50 != 50-1+1 || lag.Count != 99 || lag.P99 != 1 || !math.IsInf(float64(lag.P999), 1) {
		t.Errorf("service %+v lag %+v", service, lag)
	}
	if got := tally.AnsweredServiceP99(); got != 98 {
		t.Errorf("naive p99 %v, want 98", got)
	}
}

func TestTimesAgreeExactAndInTheHistogram(t *testing.T) {
	var few, many times
	for i := range 500 {
		few.add(time.Duration(i+1) * ms)
	}
	for i := range 50_000 {
		many.add(time.Duration(i/100+1) * ms)
	}
	for _, q := range []float64{0.001, 0.5, 0.9, 0.99, 0.999, 1} {
		a, b := float64(few.at(q)), float64(many.at(q))
		if math.Abs(a-b) > a/1000 {
			t.Errorf("quantile %v: exact %v, histogram %v", q, a, b)
		}
	}
	many.add(2 * time.Hour)
	if got := many.quantiles(); got.Count != 50_001 || got.Max != record.Milliseconds(record.Millis(2*time.Hour)) {
		t.Errorf("a time beyond the histogram was not kept: %+v", got)
	}
}

func TestCheckNamesWhatFails(t *testing.T) {
	c := newCounts()
	c.Planned, c.Sent, c.OK = 3, 2, 1
	err := Check(&c)
	if err == nil {
		t.Fatal("books that do not close were accepted")
	}
	for _, identity := range []string{"planned = sent + unsent", "sent = ok + error + lost", "messages answered ok"} {
		if !strings.Contains(err.Error(), identity) {
			t.Errorf("%q does not name %q", err, identity)
		}
	}
	if err := CheckLedger(&record.Ledger{Planned: 1}); err == nil {
		t.Error("a ledger that does not close was accepted")
	}
}

func TestCountsSince(t *testing.T) {
	a := newCounts()
	a.Planned, a.Errors["X"] = 2, 1
	b := newCounts()
	b.Planned, b.Errors["X"], b.Errors["Y"] = 5, 1, 2
	d := b.Since(&a)
	if d.Planned != 3 || len(d.Errors) != 1 || d.Errors["Y"] != 2 {
		t.Errorf("difference %+v", d)
	}
}

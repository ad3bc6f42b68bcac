package engine

import (
	"time"

	"github.com/wsgov/wsgov/xk6-wsgov/schedule"
)

// arrivals says when the next message of a connection is due, as an offset from the run's start.
type arrivals interface {
	// next is the next intended time. The closed model waits for the reply before it can say.
	next() (due time.Duration, ok bool)
	// afterEnd is the next intended time on a connection that has ended for good: as next, but nothing is waited for.
	afterEnd() (due time.Duration, ok bool)
	// peek is the intended time that next will return, where that is known before.
	peek() (due time.Duration, known bool)
}

func newArrivals(s *sender) arrivals {
	d := s.d
	switch d.plan.Model {
	case Closed:
		return newClosedArrivals(s)
	case Burst:
		return &burstArrivals{startedAt: d.startedAt, left: d.plan.Count}
	}
	return newOpenArrivals(s)
}

// openArrivals obeys a schedule.
type openArrivals struct {
	startedAt time.Duration
	sequence  schedule.Sequence
	ahead     time.Duration
	more      bool
}

func newOpenArrivals(s *sender) *openArrivals {
	d := s.d
	rate, err := d.rate()
	if err != nil { // openPages has proved that there is none
		return &openArrivals{}
	}
	a := &openArrivals{startedAt: d.startedAt}
	if d.plan.Arrivals == Poisson {
		a.sequence = schedule.Poisson(rate, s.k.index, d.plan.Seed)
	} else {
		a.sequence = schedule.Uniform(rate, s.k.index, len(d.c.conns))
	}
	if d.plan.Count > 0 {
		a.sequence = schedule.Limit(a.sequence, d.plan.Count)
	}
	a.ahead, a.more = a.sequence.Next()
	return a
}

func (a *openArrivals) next() (time.Duration, bool) {
	due, ok := a.startedAt+a.ahead, a.more
	if ok {
		a.ahead, a.more = a.sequence.Next()
	}
	return due, ok
}

func (a *openArrivals) afterEnd() (time.Duration, bool) { return a.next() }

func (a *openArrivals) peek() (time.Duration, bool) { return a.startedAt + a.ahead, a.more }

// burstArrivals intends every message at the start.
type burstArrivals struct {
	startedAt time.Duration
	left      int
}

func (a *burstArrivals) next() (time.Duration, bool) {
	a.left--
	return a.startedAt, a.left >= 0
}

func (a *burstArrivals) afterEnd() (time.Duration, bool) { return a.next() }

func (a *burstArrivals) peek() (time.Duration, bool) { return a.startedAt, a.left > 0 }

// closedArrivals intends a message when the one before was answered, or given up, and no sooner than the pace allows.
type closedArrivals struct {
	s         *sender
	gap       time.Duration // one over the rate, 0 without one
	last      time.Duration // the intended time before
	sent      int
	unsentNow int64
}

func newClosedArrivals(s *sender) *closedArrivals {
	a := &closedArrivals{s: s, last: s.d.startedAt}
	if r := s.d.plan.Rate; r > 0 {
		a.gap = time.Duration(float64(time.Second) / r)
		stagger := a.gap * time.Duration(s.k.index) / time.Duration(len(s.d.c.conns))
		a.last += stagger - a.gap
	}
	return a
}

func (a *closedArrivals) next() (time.Duration, bool) {
	d := a.s.d
	if d.plan.Count > 0 && a.sent >= d.plan.Count {
		return 0, false
	}
	freedAt := a.awaitReply()
	due := max(freedAt, a.last+a.gap)
	if yes, _ := d.halted(); yes || d.endsAt > 0 && due >= d.endsAt {
		return 0, false
	}
	a.last = due
	a.sent++
	return due, true
}

// awaitReply waits until nothing is in flight and says since when. A message that never left is waited for as long as its
// reply might have taken, so that a plan whose messages cannot be sent does not spin.
func (a *closedArrivals) awaitReply() time.Duration {
	for {
		n, freedAt := a.s.page.InFlight()
		if n == 0 {
			if unsent := a.s.page.UnsentCount(); unsent > a.unsentNow {
				a.unsentNow = unsent
				return max(freedAt, a.last+a.s.d.c.target.ReplyTimeout)
			}
			return freedAt
		}
		select {
		case <-a.s.page.Room():
		case <-a.s.d.halt:
			return freedAt
		}
	}
}

// afterEnd: a closed loop with a count owes all of it; one with a duration alone has planned what its replies allowed.
func (a *closedArrivals) afterEnd() (time.Duration, bool) {
	if a.sent >= a.s.d.plan.Count {
		return 0, false
	}
	a.sent++
	a.last += a.gap
	return a.last, true
}

func (a *closedArrivals) peek() (time.Duration, bool) { return 0, false }

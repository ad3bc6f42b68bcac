package engine

import (
	"context"
	"errors"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/ledger"
	"github.com/wsgov/wsgov/xk6-wsgov/wire"
)

// sender sends one connection's messages of a plan, in order, each at its time or as soon after as cap and socket allow.
type sender struct {
	d        *drive
	ctx      context.Context
	k        *conn
	page     *ledger.Page
	arrivals arrivals
	messages renderer
	numbers  *numbers
	timer    *time.Timer
	stalls   stalls
	blocked  time.Duration // until when the last write took
}

func newSender(ctx context.Context, d *drive, k *conn, page *ledger.Page) *sender {
	s := &sender{d: d, ctx: ctx, k: k, page: page, timer: time.NewTimer(never), numbers: newNumbers(k)}
	if source := d.plan.Source; source.Ahead() > 0 {
		s.messages = startAhead(ctx, s.numbers, source, d.plan.Count)
	} else {
		s.messages = &inline{numbers: s.numbers, source: source}
	}
	return s
}

// run sends until the arrivals end, or books what can no longer be sent.
func (s *sender) run() {
	defer s.timer.Stop()
	defer s.messages.stop()
	s.arrivals = newArrivals(s)
	for {
		due, ok := s.arrivals.next()
		if !ok {
			return
		}
		m, ok := s.messages.next(s.ctx)
		if !ok {
			s.unrendered(due)
			return
		}
		if !s.sleepUntil(due) {
			return // interrupted before it was due: never planned
		}
		if dead := s.deliver(m, due); dead {
			if next, more := s.arrivals.afterEnd(); more {
				s.rest(next, record.ReasonClosed)
			}
			return
		}
	}
}

// sleepUntil waits for an intended time and reports false if the run is interrupted before.
func (s *sender) sleepUntil(due time.Duration) bool {
	if yes, at := s.d.halted(); yes && at > 0 && due > at {
		return false // however late this sender is
	}
	wait := due - s.now()
	if wait <= 0 {
		return true
	}
	s.timer.Reset(wait)
	select {
	case <-s.timer.C:
		return true
	case <-s.d.halt:
		_, at := s.d.halted()
		return at == 0 // a window's own end comes after all its intended times
	}
}

func (s *sender) now() time.Duration { return s.d.c.env.elapsed() }

// deliver plans a message that is due and sends it, or books why not. It reports whether the connection is dead.
func (s *sender) deliver(m rendered, due time.Duration) (dead bool) {
	e := s.page.Plan(m.slot.ID, due)
	if m.msg.Err != nil || m.msg.ID == "" {
		s.refuse(e, m)
		return false
	}
	if reason := s.admit(e); reason != "" {
		s.page.Unsent(e, reason)
		return false
	}
	ws, dead := s.socket()
	switch {
	case dead:
		s.page.Unsent(e, record.ReasonClosed)
		return true
	case ws == nil:
		s.page.Unsent(e, record.ReasonCutoff)
		return false
	}
	s.send(ws, e, m)
	return false
}

// refuse books a message that could not be rendered.
func (s *sender) refuse(e *ledger.Entry, m rendered) {
	err := m.msg.Err
	if err == nil {
		err = errors.New("it has no id by which a reply could be paired")
	}
	s.d.c.noteRender(err)
	s.page.Unsent(e, record.ReasonScript)
}

// admit waits for room under the cap. It returns why the message cannot be sent, empty if it can.
func (s *sender) admit(e *ledger.Entry) (reason string) {
	if s.d.plan.Drop && s.overtaken(e) {
		return record.ReasonBackpressure
	}
	limit := *s.d.plan.Cap
	from := s.now()
	for {
		if yes, _ := s.d.halted(); yes {
			return record.ReasonCutoff
		}
		n, _ := s.page.InFlight()
		if limit == 0 || n < limit {
			return ""
		}
		if s.d.plan.Drop {
			return record.ReasonCap
		}
		select {
		case <-s.page.Room():
		case <-s.d.halt:
		}
		now := s.now()
		s.stalls.add(from, now, true)
		from = now
	}
}

// overtaken reports whether the socket was still taking an earlier message when this one and its successor were due.
func (s *sender) overtaken(e *ledger.Entry) bool {
	next, known := s.arrivals.peek()
	return known && next <= s.blocked && e.Due <= s.blocked
}

// socket waits for the connection to be up. Nil and not dead says that sending has ended meanwhile.
func (s *sender) socket() (ws *wire.Conn, dead bool) {
	if ws := s.k.up(); ws != nil {
		return ws, false
	}
	from := s.now()
	ws, dead = s.k.await(s.d.halt)
	s.stalls.add(from, s.now(), false)
	return ws, dead
}

// writeBound limits one write of a plan that has no window.
const writeBound = 10 * time.Second

// deadline is when a write is given up: at the cutoff, or where the plan has none, after the time a reply may take and
// some.
func (s *sender) deadline(now time.Duration) time.Time {
	cut := s.d.cutAt
	if cut == 0 {
		cut = now + s.d.c.target.ReplyTimeout + writeBound
	}
	return s.d.c.env.Start.Add(cut)
}

// send books the message as sent and writes it. A write that fails ends the connection, whose reader then loses the
// message.
func (s *sender) send(ws *wire.Conn, e *ledger.Entry, m rendered) {
	at := s.now()
	e.ID, e.IDKind = m.msg.ID, m.msg.IDKind
	e.CapWait, e.SocketWait = s.stalls.since(e.Due)
	switch err := s.k.table.Sent(e, at, s.d.c.target.ReplyTimeout); {
	case errors.Is(err, ledger.ErrDown):
		s.page.Unsent(e, record.ReasonClosed)
		return
	case err != nil:
		s.d.c.noteRender(err)
		s.page.Unsent(e, record.ReasonScript)
		return
	}
	if err := ws.Write(m.msg.Payload, m.msg.Binary, s.deadline(at)); err != nil {
		s.d.c.env.Logger.Debug("message not written", "conn", s.k.number(), "error", err)
		s.k.broken(ws)
	}
	s.blocked = s.now()
	s.stalls.add(at, s.blocked, false)
}

// unrendered books messages whose payload will not come: all that are left if the source failed, those already due if the
// run was interrupted.
func (s *sender) unrendered(due time.Duration) {
	if s.ctx.Err() == nil {
		s.rest(due, record.ReasonScript)
		return
	}
	<-s.d.halt
	until := s.d.stopped
	if until == 0 { // the window had ended before, and with it every intended time
		until = s.now()
	}
	for ok := true; ok && due <= until; due, ok = s.arrivals.next() {
		s.page.Unsent(s.page.Plan(s.numbers.next(), due), record.ReasonCutoff)
	}
}

// flushAfter bounds how many settled messages wait to be emitted when many are booked at once.
const flushAfter = 4096

// rest books a message due at the given time, and all that the arrivals still hold, as unsent: each at its time, since the
// run may be interrupted before, or at once if no connection is left that could take longer.
func (s *sender) rest(due time.Duration, reason string) {
	for n, ok := 1, true; ok; n++ {
		if !s.d.c.allDead() && !s.sleepUntil(due) {
			return
		}
		s.page.Unsent(s.page.Plan(s.numbers.next(), due), reason)
		if n%flushAfter == 0 {
			s.d.flush()
		}
		if yes, at := s.d.halted(); yes && at > 0 {
			return
		}
		due, ok = s.arrivals.afterEnd()
	}
}

package gateway

import (
	"errors"
	"slices"
	"strconv"
	"sync"

	"github.com/gorilla/websocket"
)

// session serves one connection.
type session interface {
	// serve returns when the connection has ended and all that was started for it has stopped.
	serve()
	// halt lets no further reply begin. It may be called by anyone, any number of times.
	halt()
}

// paced is a session whose replies wait until they are due.
type paced struct {
	*link
	discipline discipline
	outbox     *outbox
	output     []byte // the reply that was written last
}

func newPaced(l *link, d discipline) *paced {
	return &paced{link: l, discipline: d, outbox: newOutbox(l.now, l.server.options.MaxQueue)}
}

func (p *paced) serve() {
	var writer sync.WaitGroup
	writer.Go(p.write)
	err := p.pump(p.take)
	p.halt()
	p.finish(err) // which also frees a writer that is stuck
	writer.Wait()
}

func (p *paced) halt() { p.abandon(p.outbox.stop()...) }

// take judges a message and puts its reply in the outbox.
func (p *paced) take(_ int, payload []byte, r receipt) bool {
	due := r.received
	m := parseMessage(payload)
	switch {
	case m.control:
		r.verdict = verdictControl
	case m.id == nil:
		r.verdict = verdictBad
	default:
		r.verdict, due = p.discipline.judge(r.received)
	}
	r.id = slices.Clone(m.id)
	p.tally.receive(r.verdict)
	switch err := p.outbox.put(r, due); {
	case errors.Is(err, errFull):
		p.halt()
		p.abandon(r)
		p.closeWith(websocket.CloseTryAgainLater, p.fullReason())
	case err != nil:
		p.abandon(r)
	}
	return true
}

func (p *paced) fullReason() string {
	return "more than " + strconv.Itoa(p.server.options.MaxQueue) + " replies were waiting: send slower, or read the replies"
}

// write is the one goroutine that writes replies.
func (p *paced) write() {
	p.outbox.run(func(r receipt) bool {
		if r.verdict == verdictControl {
			return p.writeStats(r)
		}
		p.output = appendReply(p.output[:0], r)
		return p.deliver(r)
	})
}

// writeStats counts the control message itself only afterwards, which is why it is rendered here.
func (p *paced) writeStats(r receipt) bool {
	p.output = p.server.appendStatsReply(p.output[:0], r.id)
	return p.deliver(r)
}

func (p *paced) deliver(r receipt) bool {
	if p.answer(websocket.TextMessage, p.output, r) == nil {
		return true
	}
	p.halt()
	_ = p.ws.Close() // tells the reader; the connection is broken anyway
	return false
}

// mirror is the session of /echo. It replies before it reads on, which is the cheapest way to echo.
type mirror struct {
	*link
	output []byte
}

func (m *mirror) serve() { m.finish(m.pump(m.take)) }

// halt has nothing to do: take looks at the ending.
func (m *mirror) halt() {}

func (m *mirror) take(kind int, payload []byte, r receipt) bool {
	if m.lines.journal != nil || mayBeControl(payload) {
		parsed := parseMessage(payload)
		r.id = parsed.id
		if parsed.control {
			r.verdict, kind = verdictControl, websocket.TextMessage
			m.output = m.server.appendStatsReply(m.output[:0], r.id)
			payload = m.output
		}
	}
	m.tally.receive(r.verdict)
	if m.isEnding() {
		m.abandon(r)
		return true
	}
	return m.answer(kind, payload, r) == nil
}

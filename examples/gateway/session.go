package gateway

import (
	"errors"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// ending is how a connection ended: the close code, 1006 if it broke, and by whom.
type ending struct {
	code int
	by   string
}

const (
	byClient  = "client"
	byGateway = "gateway"
)

// closeGrace is how long a client may take to answer a Close frame.
const closeGrace = time.Second

// session serves one connection: its own goroutine reads and judges, another writes what is due.
type session struct {
	server *Server
	ws     *websocket.Conn
	path   string
	tally  *tally
	rules  discipline // nil on /echo
	lines  lineWriter
	out    *outbox
	buf    []byte // of the writer

	mu    sync.Mutex
	ended *ending // set when the gateway ends the connection
}

func (s *Server) newSession(ws *websocket.Conn, path string, rules Rules) *session {
	number := s.conns.Add(1)
	e := &session{
		server: s, ws: ws, path: path, tally: s.tallies[path],
		lines: newLineWriter(s.journal, number, ws.RemoteAddr().String(), path),
		out:   newOutbox(s.elapsed, s.options.MaxQueue),
	}
	switch path {
	case pathGateway:
		e.rules = newLimiter(rules, number)
	case pathSerial:
		e.rules = &series{delay: rules.SerialDelay}
	}
	ws.SetReadLimit(maxMessage)
	return e
}

// serve runs the connection to its end and books what was left.
func (e *session) serve(query string) {
	e.tally.open.Add(1)
	defer e.tally.open.Add(-1)
	e.lines.opened(query, e.server.elapsed())
	var writing sync.WaitGroup
	writing.Go(func() { e.out.run(e.deliver) })
	err := e.read()
	for _, r := range e.out.stop() {
		e.abandon(r)
	}
	writing.Wait()
	_ = e.ws.Close() // the connection is over; what is left of it does not matter
	e.lines.closed(e.server.elapsed(), e.endingOf(err))
}

// read takes in messages until the connection ends, and says why it did.
func (e *session) read() error {
	for {
		kind, payload, err := e.ws.ReadMessage()
		if err != nil {
			return err
		}
		received := e.server.elapsed()
		if e.rules == nil && !mayBeControl(payload) {
			e.echo(kind, payload, received)
			continue
		}
		if err := e.take(kind, payload, received); err != nil {
			return err
		}
	}
}

// take judges a message and puts its reply where it waits until it is due.
func (e *session) take(kind int, payload []byte, received time.Duration) error {
	m := parseMessage(payload)
	r, due := receipt{id: m.id, received: received, verdict: verdictControl}, received
	switch {
	case m.control:
	case e.rules == nil:
		e.echo(kind, payload, received)
		return nil
	case m.id == nil:
		r.verdict = verdictBad
	default:
		r.verdict, due = e.rules.judge(received)
	}
	e.tally.receive(r.verdict)
	err := e.out.put(r, due)
	if err == nil {
		return nil
	}
	e.abandon(r)
	if errors.Is(err, errFull) {
		e.shut(websocket.CloseTryAgainLater)
	}
	return err
}

// echo gives a frame back at once. The next one is read when it is written.
func (e *session) echo(kind int, payload []byte, received time.Duration) {
	r := receipt{received: received, verdict: verdictOK}
	if e.lines.journal != nil {
		r.id = parseMessage(payload).id
	}
	e.tally.receive(r.verdict)
	e.write(kind, payload, r)
}

// deliver writes a reply that is due, and reports whether the connection can take more.
func (e *session) deliver(r receipt) bool {
	e.buf = e.buf[:0]
	if r.verdict == verdictControl {
		e.buf = e.server.appendStatsReply(e.buf, r.id)
	} else {
		e.buf = appendReply(e.buf, r)
	}
	return e.write(websocket.TextMessage, e.buf, r)
}

// write counts a reply just before it is written, and books how the write went.
func (e *session) write(kind int, payload []byte, r receipt) bool {
	e.tally.answer(r.verdict)
	err := e.ws.SetWriteDeadline(time.Now().Add(e.server.options.WriteTimeout))
	if err == nil {
		err = e.ws.WriteMessage(kind, payload)
	}
	replied := e.server.elapsed()
	e.tally.served(r.verdict, replied-r.received, err)
	if err != nil {
		e.lines.message(r, replied, fateUndelivered)
		e.end(ending{websocket.CloseAbnormalClosure, byGateway})
		_ = e.ws.Close() // ends the reader, too
		return false
	}
	e.lines.message(r, replied, fateWritten)
	return true
}

func (e *session) abandon(r receipt) {
	e.tally.abandon(r.verdict)
	e.lines.message(r, 0, fateAbandoned)
}

// shut sends a Close frame and gives the client a moment to answer it.
func (e *session) shut(code int) {
	e.end(ending{code, byGateway})
	deadline := time.Now().Add(closeGrace)
	_ = e.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, closeReasons[code]), deadline) // a broken connection ends anyway
	_ = e.ws.SetReadDeadline(deadline)
}

// closeReasons are given with a close code.
var closeReasons = map[int]string{
	websocket.CloseGoingAway:     "the gateway is stopping",
	websocket.CloseTryAgainLater: "too many replies wait on this connection (--max-queue)",
}

// end notes how the gateway ended the connection; the first reason stands.
func (e *session) end(how ending) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended == nil {
		e.ended = &how
	}
}

// endingOf is how the connection ended: by us if we said so, else as the failed read says.
func (e *session) endingOf(err error) ending {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended != nil {
		return *e.ended
	}
	var closed *websocket.CloseError
	if errors.As(err, &closed) {
		return ending{closed.Code, byClient}
	}
	if errors.Is(err, websocket.ErrReadLimit) {
		return ending{websocket.CloseMessageTooBig, byGateway}
	}
	return ending{websocket.CloseAbnormalClosure, byClient}
}

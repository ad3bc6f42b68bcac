package gateway

import (
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

const (
	maxMessage = 1 << 20         // bytes, after decompression
	grace      = 1 * time.Second // for a client to answer a close frame, and for a control frame to get out
)

var errTooLarge = errors.New("message over 1 MiB")

// link is one upgraded connection: it stamps, counts and books what passes. One goroutine reads from it and one writes
// replies to it, which may be the same; closing it is safe from any.
type link struct {
	server *Server
	ws     *websocket.Conn
	number int64 // 1 for the first connection of the process
	tally  *tally
	lines  lineWriter

	input      []byte // the message that was read last
	writeUntil time.Duration
	ended      atomic.Pointer[ending]
}

func (l *link) now() time.Duration { return l.server.now() }

// read returns the next message and the instant at which the read that completed it returned. The payload is valid until
// the next read.
func (l *link) read() (kind int, payload []byte, received time.Duration, err error) {
	kind, r, err := l.ws.NextReader()
	if err != nil {
		return 0, nil, 0, err
	}
	l.input, err = readInto(l.input[:0], r)
	return kind, l.input, l.now(), err
}

// readInto appends all of r to buf, up to the largest message.
func readInto(buf []byte, r io.Reader) ([]byte, error) {
	for {
		if len(buf) == cap(buf) {
			buf = slices.Grow(buf, max(512, len(buf)))
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		switch {
		case len(buf) > maxMessage:
			return buf, errTooLarge
		case errors.Is(err, io.EOF):
			return buf, nil
		case err != nil:
			return buf, err
		}
	}
}

// answer counts a reply, writes it and books what became of it.
func (l *link) answer(kind int, payload []byte, r receipt) error {
	l.extendWriteDeadline()
	l.tally.answer(r.verdict)
	err := l.ws.WriteMessage(kind, payload)
	replied, outcome := l.now(), fateWritten
	if err != nil {
		outcome = fateUndelivered
		l.writeFailed(err)
	}
	l.tally.served(r.verdict, replied-r.received, err)
	l.lines.message(r, replied, outcome)
	return err
}

// extendWriteDeadline gives the next write at least nine tenths of the write timeout. Moving the deadline for each
// write would cost as much as a small write.
func (l *link) extendWriteDeadline() {
	timeout := l.server.options.WriteTimeout
	now := l.now()
	if l.writeUntil-now >= timeout-timeout/10 {
		return
	}
	l.writeUntil = now + timeout
	// It fails only on a closed connection, and then so does the write.
	_ = l.ws.SetWriteDeadline(l.server.start.Add(l.writeUntil))
}

// pump reads messages until a read fails, and returns that error, or until take returns false: nil.
func (l *link) pump(take func(kind int, payload []byte, r receipt) bool) error {
	for {
		kind, payload, received, err := l.read()
		if err != nil {
			return err
		}
		if !take(kind, payload, receipt{received: received}) {
			return nil
		}
	}
}

// abandon books messages that get no reply.
func (l *link) abandon(receipts ...receipt) {
	for _, r := range receipts {
		l.tally.abandon(r.verdict)
		l.lines.message(r, 0, fateAbandoned)
	}
}

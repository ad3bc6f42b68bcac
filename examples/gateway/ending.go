package gateway

import (
	"errors"
	"io"
	"net"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

const (
	byClient  = "client"
	byGateway = "gateway"
)

// ending is how a connection ended.
type ending struct {
	code int
	by   string // client or gateway
}

// end settles how the connection ended. The first to say so is right.
func (l *link) end(e ending) { l.ended.CompareAndSwap(nil, &e) }

// isEnding reports whether it has been settled that the connection ends.
func (l *link) isEnding() bool { return l.ended.Load() != nil }

// closeWith begins to close the connection: it sends a close frame and gives the client some time to answer it. The
// reader then finds the end.
func (l *link) closeWith(code int, reason string) {
	l.end(ending{code, byGateway})
	until := time.Now().Add(grace)
	frame := websocket.FormatCloseMessage(code, reason)
	// What cannot be sent or set belongs to a connection that is broken, and the reader knows.
	_ = l.ws.WriteControl(websocket.CloseMessage, frame, until)
	_ = l.ws.NetConn().SetDeadline(until)
}

// onClientClose lets halt be called when the client's close frame has been read and before it is answered: no reply
// may follow that.
func (l *link) onClientClose(halt func()) {
	answer := l.ws.CloseHandler()
	l.ws.SetCloseHandler(func(code int, text string) error {
		l.end(ending{code, byClient})
		halt()
		return answer(code, text)
	})
}

// linger lets a close frame arrive: a socket that is closed with input unread may discard what was sent last.
func (l *link) linger() {
	conn := l.ws.NetConn()
	if half, ok := conn.(interface{ CloseWrite() error }); !ok || half.CloseWrite() != nil {
		return
	}
	if conn.SetReadDeadline(time.Now().Add(grace)) == nil {
		_, _ = io.Copy(io.Discard, conn) // ends with the client's own close, or in time
	}
}

// writeFailed settles that a write ended the connection, unless it failed because a close frame had gone out: then the
// reader knows how it ended.
func (l *link) writeFailed(err error) {
	if !errors.Is(err, websocket.ErrCloseSent) {
		l.end(endingOfWrite(err))
	}
}

// finish settles the end after pump returned, explains it to the client where the library has not, and closes.
func (l *link) finish(err error) {
	e := endingOfRead(err)
	switch {
	case errors.Is(err, errTooLarge):
		l.closeWith(e.code, err.Error())
	case e.code == websocket.CloseInvalidFramePayloadData && e.by == byGateway:
		l.closeWith(e.code, "the compressed message cannot be read")
	}
	l.end(e)
	if e.by == byGateway {
		l.linger()
	}
	_ = l.ws.Close() // nothing can be done for a socket that does not close
}

// endingOfRead tells from the error of a read how the connection ended. No error means that reading on had no point: a
// write has failed and has settled it.
func endingOfRead(err error) ending {
	var closed *websocket.CloseError
	var broken net.Error
	switch {
	case err == nil:
		return ending{websocket.CloseAbnormalClosure, byClient}
	case errors.As(err, &closed):
		return ending{closed.Code, byClient}
	case errors.Is(err, websocket.ErrReadLimit), errors.Is(err, errTooLarge):
		return ending{websocket.CloseMessageTooBig, byGateway}
	case errors.As(err, &broken), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ending{websocket.CloseAbnormalClosure, byClient}
	case strings.HasPrefix(err.Error(), "websocket: "):
		return ending{websocket.CloseProtocolError, byGateway}
	default: // decompression
		return ending{websocket.CloseInvalidFramePayloadData, byGateway}
	}
}

// endingOfWrite tells from the error of a write how the connection ended: the gateway gave up, or the client had gone.
func endingOfWrite(err error) ending {
	if broken, ok := errors.AsType[net.Error](err); ok && broken.Timeout() {
		return ending{websocket.CloseAbnormalClosure, byGateway}
	}
	return ending{websocket.CloseAbnormalClosure, byClient}
}

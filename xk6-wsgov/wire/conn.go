package wire

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

var writeBuffers = &sync.Pool{}

// controlTimeout bounds the writing of a control frame.
const controlTimeout = 5 * time.Second

// Frame is one WebSocket data frame. At is when the read that completed it returned. Data is the caller's.
type Frame struct {
	At     time.Duration
	Data   []byte
	Binary bool
}

// Conn is an open connection. Read is for one goroutine; everything else may be called from any.
type Conn struct {
	ws     *websocket.Conn
	socket *stamped
	limit  int64

	writing sync.Mutex
	closing atomic.Bool
}

func newConn(ws *websocket.Conn, socket *stamped, cfg Config) *Conn {
	c := &Conn{ws: ws, socket: socket, limit: cfg.MaxFrameBytes}
	if c.limit > 0 {
		ws.SetReadLimit(c.limit)
	}
	ws.SetPingHandler(func(payload string) error {
		err := ws.WriteControl(websocket.PongMessage, []byte(payload), time.Now().Add(controlTimeout))
		if errors.Is(err, websocket.ErrCloseSent) || isTimeout(err) {
			return nil
		}
		return err
	})
	return c
}

// Read returns the next data frame; server pings are answered on the way. Its error is an *End.
func (c *Conn) Read() (Frame, error) {
	kind, data, err := c.ws.ReadMessage()
	if err != nil {
		return Frame{}, c.end(err)
	}
	return Frame{At: c.socket.lastRead(), Data: data, Binary: kind == websocket.BinaryMessage}, nil
}

// Write sends one data frame before the deadline (zero: no deadline). A frame that could only be written in part ends the
// connection, so an error is followed by the end of Read.
func (c *Conn) Write(data []byte, binary bool, deadline time.Time) error {
	kind := websocket.TextMessage
	if binary {
		kind = websocket.BinaryMessage
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.ws.SetWriteDeadline(deadline); err != nil {
		return fmt.Errorf("setting the write deadline: %w", err)
	}
	err := c.ws.WriteMessage(kind, data)
	if err != nil {
		_ = c.ws.Close() // the frame may have been cut; the reader learns it from here
	}
	return err
}

// AbortWrite fails a write that is under way, as an expired deadline does. It does nothing to later ones.
func (c *Conn) AbortWrite() {
	_ = c.socket.SetWriteDeadline(time.Unix(1, 0)) // fails on a closed socket only, which writes nothing
}

// Ping sends a WebSocket ping.
func (c *Conn) Ping() error {
	return c.ws.WriteControl(websocket.PingMessage, nil, time.Now().Add(controlTimeout))
}

// LastHeard is when a byte last came from the peer, data or control.
func (c *Conn) LastHeard() time.Duration { return c.socket.lastRead() }

// StartClose sends a Close frame. The peer's answer ends Read.
func (c *Conn) StartClose(code int, reason string) error {
	c.closing.Store(true)
	return c.ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(controlTimeout))
}

// Drop ends the connection at once without a Close frame.
func (c *Conn) Drop() {
	c.closing.Store(true)
	_ = c.ws.Close() // it is gone either way
}

// Who ended a connection.
const (
	ByClient  = "client"
	ByServer  = "server"
	ByNetwork = "network"
)

// End says how a connection ended. Code is the close code, 1006 without a Close frame. TooLarge is set if a frame above
// the limit was the cause.
type End struct {
	Code     int
	Reason   string
	By       string
	TooLarge bool
	Err      error
}

// Error says how the connection ended.
func (e *End) Error() string {
	return fmt.Sprintf("the connection was closed by the %s with code %d: %v", e.By, e.Code, e.Err)
}

// Unwrap returns the error underneath.
func (e *End) Unwrap() error { return e.Err }

// end explains a failed read and releases the socket.
func (c *Conn) end(err error) *End {
	byClient := c.closing.Load()
	_ = c.ws.Close() // reading failed; nothing more can be learned from the socket
	e := &End{Code: websocket.CloseAbnormalClosure, By: ByNetwork, Err: err}
	var closed *websocket.CloseError
	switch {
	case errors.Is(err, websocket.ErrReadLimit):
		e.Code, e.By, e.TooLarge = websocket.CloseMessageTooBig, ByClient, true
		e.Err = fmt.Errorf("a frame larger than %d bytes arrived: raise maxFrameBytes if it is expected", c.limit)
	case errors.As(err, &closed) && closed.Code != websocket.CloseAbnormalClosure:
		e.Code, e.Reason, e.By = closed.Code, closed.Text, ByServer
	case isProtocolError(err):
		e.Code, e.By = websocket.CloseProtocolError, ByClient
	}
	if byClient && !e.TooLarge {
		e.By = ByClient
	}
	return e
}

// isProtocolError tells a peer that broke the protocol from a network that broke the connection.
func isProtocolError(err error) bool {
	var n net.Error
	return says("websocket: ")(err) && !errors.As(err, &n) && !isAs[*websocket.CloseError](err)
}

package counters

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gorilla/websocket"
)

var defaultRequest = []byte(`{"cmd":"stats"}`)

const (
	maxAnswer    = 4 << 20
	closeTimeout = time.Second
)

// readWebSocket opens a control connection, sends the request and reads frames until one has the counters.
func (s *Source) readWebSocket(ctx context.Context, at string, control *int) (Reading, error) {
	d := websocket.Dialer{NetDialContext: s.Dial, TLSClientConfig: s.TLS, HandshakeTimeout: Timeout}
	ws, answer, err := d.DialContext(ctx, at, nil)
	if answer != nil && answer.Body != nil {
		defer answer.Body.Close()
	}
	if err != nil {
		if answer != nil {
			return Reading{}, fmt.Errorf("the upgrade was answered with %s: check the address", answer.Status)
		}
		return Reading{}, fmt.Errorf("%w: is the gateway running there?", err)
	}
	*control++
	if s.Opened != nil {
		s.Opened()
	}
	defer ws.Close()
	stop := context.AfterFunc(ctx, func() { _ = ws.Close() })
	defer stop()
	r, err := s.ask(ctx, ws)
	if err != nil && ctx.Err() != nil {
		return r, fmt.Errorf("no frame with the counters came within %s: check request and path", Timeout)
	}
	return r, err
}

// ask sends the request and finds the answer.
func (s *Source) ask(ctx context.Context, ws *websocket.Conn) (Reading, error) {
	request := s.Request
	if len(request) == 0 {
		request = defaultRequest
	}
	if deadline, ok := ctx.Deadline(); ok {
		_ = ws.SetWriteDeadline(deadline) // never fails: it is kept for the next write
	}
	if err := ws.WriteMessage(websocket.TextMessage, request); err != nil {
		return Reading{}, fmt.Errorf("the request cannot be sent: %w", err)
	}
	ws.SetReadLimit(maxAnswer)
	for {
		_, frame, err := ws.ReadMessage()
		if err != nil {
			return Reading{}, fmt.Errorf("the connection ended before the counters came: %w", err)
		}
		if r, ok := s.fromJSON(frame, false); ok {
			closeControl(ws)
			return r, nil
		}
	}
}

// closeControl closes the connection properly, so that the gateway does not count it as broken. Whether that works does not
// matter: the counters have been read.
func closeControl(ws *websocket.Conn) {
	deadline := time.Now().Add(closeTimeout)
	bye := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	err := errors.Join(ws.WriteControl(websocket.CloseMessage, bye, deadline), ws.SetReadDeadline(deadline))
	for err == nil {
		_, _, err = ws.NextReader()
	}
}

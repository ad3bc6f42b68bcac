package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
)

// bufferSize keeps an idle connection small; a larger frame costs more reads and writes, not correctness.
const bufferSize = 4 << 10

// Config says how to open a connection.
type Config struct {
	URL           string // ws or wss
	Header        http.Header
	Subprotocols  []string // if any is offered, the server must choose one of them
	Compression   bool
	TLS           *tls.Config
	MaxFrameBytes int64 // 0 means no limit
	// Dial opens the TCP connection; nil means the net package's dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Now is the clock all stamps are taken from: a monotonic offset.
	Now func() time.Duration
}

// Handshake is how opening a connection went. Times are offsets of Config.Now; a phase that did not happen is zero.
type Handshake struct {
	StartedAt, ConnectedAt, SecuredAt, EndedAt time.Duration
	Status                                     int
	Local                                      string
	Compressed                                 bool // the server agreed to compression
}

// Dial opens a connection within ctx. The error is a *DialError; the Handshake is filled either way. ctx has no effect
// once the connection is open.
func Dial(ctx context.Context, cfg Config) (*Conn, Handshake, error) {
	h := Handshake{StartedAt: cfg.Now()}
	var socket *stamped
	d := cfg.dialer(&h, &socket)
	ws, resp, err := d.DialContext(h.trace(ctx, cfg.Now), cfg.URL, cfg.Header)
	if socket != nil && !socket.release() && err == nil { // ctx ended in the last moment and cut the socket
		err = ctx.Err()
	}
	if resp != nil {
		h.Status = resp.StatusCode
	}
	if err == nil {
		err = cfg.checkSubprotocol(ws, resp)
	}
	h.EndedAt = cfg.Now()
	if err != nil {
		return nil, h, cfg.failed(ctx, resp, err)
	}
	h.Compressed = strings.Contains(resp.Header.Get("Sec-WebSocket-Extensions"), "permessage-deflate")
	h.Local = ws.LocalAddr().String()
	return newConn(ws, socket, cfg), h, nil
}

// failed explains an error, which a canceled or expired ctx may have caused by cutting the connection under the
// handshake.
func (cfg *Config) failed(ctx context.Context, resp *http.Response, err error) error {
	var already *DialError
	if errors.As(err, &already) {
		return already
	}
	if cause := ctx.Err(); cause != nil && !errors.Is(err, websocket.ErrBadHandshake) {
		err = fmt.Errorf("%w (%v)", cause, err)
	}
	return explain(cfg.URL, resp, err)
}

func (cfg *Config) dialer(h *Handshake, socket **stamped) *websocket.Dialer {
	dial := cfg.Dial
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	return &websocket.Dialer{
		NetDialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			c, err := dial(ctx, network, address)
			if err != nil {
				return nil, err
			}
			h.ConnectedAt = cfg.Now()
			*socket = stamp(c, cfg.Now)
			// The handshake itself does not watch ctx.
			(*socket).release = context.AfterFunc(ctx, func() { _ = c.Close() })
			return *socket, nil
		},
		TLSClientConfig: cfg.TLS,
		Subprotocols:    cfg.Subprotocols,
		ReadBufferSize:  bufferSize, WriteBufferSize: bufferSize, WriteBufferPool: writeBuffers,
		EnableCompression: cfg.Compression,
	}
}

func (h *Handshake) trace(ctx context.Context, now func() time.Duration) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		TLSHandshakeDone: func(tls.ConnectionState, error) { h.SecuredAt = now() },
	})
}

// checkSubprotocol fails a connection on which the server chose none of the offered subprotocols, and closes it.
func (cfg *Config) checkSubprotocol(ws *websocket.Conn, resp *http.Response) error {
	if len(cfg.Subprotocols) == 0 || slices.Contains(cfg.Subprotocols, ws.Subprotocol()) {
		return nil
	}
	_ = ws.Close() // the connection is refused; how its end goes does not matter
	return &DialError{
		URL: cfg.URL, Status: resp.StatusCode, Cause: "subprotocol", Blame: Gateway,
		Hint: "check subprotocols against what the server speaks",
		Err:  fmt.Errorf("the server chose %q and not one of the offered subprotocols %s", ws.Subprotocol(), strings.Join(cfg.Subprotocols, ", ")),
	}
}

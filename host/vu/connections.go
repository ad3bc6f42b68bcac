package vu

import (
	"context"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// dialer has k6's timeouts.
var dialer = net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}

// connections are a VU's open connections and the bytes that went through them. Its methods may be called from any
// goroutine.
type connections struct {
	sent, received atomic.Int64

	mu   sync.Mutex
	open map[*countedConn]struct{}
}

func (c *connections) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, fmt.Errorf("connecting to %s: %w", address, err)
	}
	counted := &countedConn{Conn: conn, of: c}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[*countedConn]struct{}{}
	}
	c.open[counted] = struct{}{}
	return counted, nil
}

func (c *connections) remove(conn *countedConn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, conn)
}

// closeAll closes what is open and returns how many connections that were.
func (c *connections) closeAll() int {
	c.mu.Lock()
	open := c.open
	c.open = nil
	c.mu.Unlock()
	for conn := range open {
		_ = conn.Conn.Close() // nobody is left to read the error
	}
	return len(open)
}

// take returns the bytes counted since the last call.
func (c *connections) take() (sent, received int64) { return c.sent.Swap(0), c.received.Swap(0) }

// countedConn counts what goes through a connection.
type countedConn struct {
	net.Conn
	of *connections
}

// NetConn is the connection underneath.
func (c *countedConn) NetConn() net.Conn { return c.Conn }

func (c *countedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.of.received.Add(int64(n))
	return n, err
}

func (c *countedConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	c.of.sent.Add(int64(n))
	return n, err
}

func (c *countedConn) Close() error {
	c.of.remove(c)
	return c.Conn.Close()
}

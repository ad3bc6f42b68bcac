package engine

import (
	"math"
	"sync"
	"time"

	"github.com/wsgov/wsgov/xk6-wsgov/wire"
)

// never is a timer that does not fire within any run.
const never = time.Duration(math.MaxInt64)

// startHeartbeat keeps a socket alive and watches that it is, until the function it returns is called.
func (k *conn) startHeartbeat(ws *wire.Conn) (stop func()) {
	h := k.c.target.Heartbeat
	if h == nil || h.Every <= 0 {
		return func() {}
	}
	done := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { k.beat(ws, h, done) })
	if h.DeadAfter > 0 {
		running.Go(func() { k.watch(ws, h, done) })
	}
	return func() {
		close(done)
		running.Wait()
	}
}

// beat sends a heartbeat every so often.
func (k *conn) beat(ws *wire.Conn, h *Heartbeat, done <-chan struct{}) {
	next := time.NewTimer(h.Every)
	defer next.Stop()
	for {
		select {
		case <-next.C:
			k.heartbeat(ws, h)
			next.Reset(h.Every)
		case <-done:
			return
		}
	}
}

// watch drops a connection on which nothing was heard for too long, also one that takes no heartbeat.
func (k *conn) watch(ws *wire.Conn, h *Heartbeat, done <-chan struct{}) {
	silence := time.NewTimer(h.DeadAfter)
	defer silence.Stop()
	for {
		select {
		case <-silence.C:
			left := ws.LastHeard() + h.DeadAfter - k.c.env.elapsed()
			if left <= 0 {
				k.c.noteDead()
				ws.Drop()
				return
			}
			silence.Reset(left)
		case <-done:
			return
		}
	}
}

// heartbeat sends one. That it could not be sent shows when the socket ends, which its reader books.
func (k *conn) heartbeat(ws *wire.Conn, h *Heartbeat) {
	var err error
	if h.Message == "" {
		err = ws.Ping()
	} else {
		err = k.write(ws, []byte(h.Message), false)
	}
	if err != nil {
		k.c.env.Logger.Debug("heartbeat not sent", "conn", k.number(), "error", err)
	}
}

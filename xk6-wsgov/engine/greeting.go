package engine

import (
	"time"

	"github.com/wsgov/wsgov/xk6-wsgov/wire"
)

// greeting sends a target's hello messages on a new socket, each waiting for the answer to the one before where the target
// says so.
type greeting struct {
	k     *conn
	ws    *wire.Conn
	next  int
	timer *time.Timer
}

// newGreeting bounds the whole greeting by the connect timeout: a server that never answers it gets its socket dropped.
func newGreeting(k *conn, ws *wire.Conn) *greeting {
	g := &greeting{k: k, ws: ws}
	if len(k.c.target.Hello) > 0 {
		g.timer = time.AfterFunc(k.c.target.Ramp.Timeout, func() {
			k.c.noteSilentGreeting()
			ws.Drop()
		})
	}
	return g
}

// waiting reports whether an answer is still awaited.
func (g *greeting) waiting() bool { return g.next < len(g.k.c.target.Hello) }

// advance sends hello messages up to the next that waits, and reports whether all are done.
func (g *greeting) advance() bool {
	hello := g.k.c.target.Hello
	for ; g.next < len(hello); g.next++ {
		if err := g.k.write(g.ws, hello[g.next].Message, hello[g.next].Binary); err != nil {
			return false // the reader learns why
		}
		if hello[g.next].Await != nil {
			return false
		}
	}
	g.stop()
	return true
}

// hear looks for the awaited answer in a frame, and reports whether the greeting is done with it.
func (g *greeting) hear(f wire.Frame) bool {
	if !g.k.c.target.Hello[g.next].Await.Match(f.Data) {
		return false
	}
	g.next++
	return g.advance()
}

func (g *greeting) stop() {
	if g.timer != nil {
		g.timer.Stop()
	}
}

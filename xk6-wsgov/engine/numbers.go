package engine

import "sync/atomic"

// numbers gives a plan's messages on one connection their numbers.
type numbers struct {
	k      *conn
	before int64 // numbers given on the connection before the plan
	issued atomic.Int64
}

func newNumbers(k *conn) *numbers { return &numbers{k: k, before: k.lastID.Load()} }

func (n *numbers) next() int64 {
	n.issued.Add(1)
	return n.k.newID()
}

// release gives back numbers of messages that were rendered and never planned, so that the next plan's numbers do not depend
// on how far rendering was ahead. If anybody else was given numbers meanwhile, none are given back.
func (n *numbers) release(planned int64) {
	if issued := n.issued.Load(); issued > planned {
		n.k.lastID.CompareAndSwap(n.before+issued, n.before+planned)
	}
}

package wire

import (
	"net"
	"sync/atomic"
	"time"
)

// stamped is a network connection that remembers when a read last returned bytes, as an offset from its clock's start.
type stamped struct {
	net.Conn
	now  func() time.Duration
	last atomic.Int64
	// release lets the connection outlive the context it was dialled with; false says that it was cut already.
	release func() bool
}

func stamp(c net.Conn, now func() time.Duration) *stamped {
	s := &stamped{Conn: c, now: now}
	s.last.Store(int64(now()))
	return s
}

// Read stamps before anything else can happen to the bytes.
func (s *stamped) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	if n > 0 {
		s.last.Store(int64(s.now()))
	}
	return n, err
}

func (s *stamped) lastRead() time.Duration { return time.Duration(s.last.Load()) }

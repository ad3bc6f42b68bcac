package gateway

import (
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Counts are counters since the start of the process. They never go down. The package documentation says what each
// counts.
type Counts struct {
	Conns       int64 `json:"conns"`       // accepted upgrades
	Received    int64 `json:"received"`    // messages, control messages apart
	Echoed      int64 `json:"echoed"`      // ok replies handed to the socket
	Limited     int64 `json:"limited"`     // RATE_LIMITED replies handed to the socket
	Bad         int64 `json:"bad"`         // BAD_MESSAGE replies handed to the socket
	Control     int64 `json:"control"`     // control messages answered
	Undelivered int64 `json:"undelivered"` // replies among these that the socket did not take
	Abandoned   int64 `json:"abandoned"`   // messages whose connection ended before their reply was due
}

func (c *Counts) add(other Counts) {
	c.Conns += other.Conns
	c.Received += other.Received
	c.Echoed += other.Echoed
	c.Limited += other.Limited
	c.Bad += other.Bad
	c.Control += other.Control
	c.Undelivered += other.Undelivered
	c.Abandoned += other.Abandoned
}

// PathStats are the counters of one endpoint and what it holds at the moment.
type PathStats struct {
	Counts
	Open    int64 `json:"open"`    // connections
	Waiting int64 `json:"waiting"` // messages whose reply is not due yet or not written yet
}

// tally counts for one endpoint. All of it is safe for concurrent use.
type tally struct {
	conns, open, received  atomic.Int64
	answered               [verdicts]atomic.Int64
	undelivered, abandoned atomic.Int64
	service                [verdicts]prometheus.Observer // seconds; nil where it is not observed
}

// receive counts a message. Control messages are counted when they are answered.
func (t *tally) receive(v verdict) {
	if v != verdictControl {
		t.received.Add(1)
	}
}

// answer counts a reply that is about to be written.
func (t *tally) answer(v verdict) { t.answered[v].Add(1) }

// served books the end of the write of an answered reply.
func (t *tally) served(v verdict, service time.Duration, err error) {
	if err != nil {
		t.undelivered.Add(1)
		return
	}
	if t.service[v] != nil {
		t.service[v].Observe(service.Seconds())
	}
}

// abandon counts a message that gets no reply.
func (t *tally) abandon(v verdict) {
	if v != verdictControl {
		t.abandoned.Add(1)
	}
}

// snapshot reads the outcomes before what they are outcomes of, so that Waiting is never negative.
func (t *tally) snapshot() PathStats {
	s := PathStats{Counts: Counts{
		Abandoned:   t.abandoned.Load(),
		Undelivered: t.undelivered.Load(),
		Echoed:      t.answered[verdictOK].Load(),
		Limited:     t.answered[verdictLimited].Load(),
		Bad:         t.answered[verdictBad].Load(),
		Control:     t.answered[verdictControl].Load(),
	}}
	s.Open = t.open.Load()
	s.Received = t.received.Load()
	s.Conns = t.conns.Load()
	s.Waiting = s.Received - s.Echoed - s.Limited - s.Bad - s.Abandoned
	return s
}

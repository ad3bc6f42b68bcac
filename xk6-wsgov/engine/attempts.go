package engine

import (
	"errors"
	"strconv"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/wire"
)

// attempt is one try to open a connection. It is kept until a plan starts, whose tag its points then carry.
type attempt struct {
	conn string
	h    wire.Handshake
	err  *wire.DialError
}

// bookAttempt counts an attempt at once for the gateway's account, and keeps it for the plan that follows.
func (c *Client) bookAttempt(k *conn, h wire.Handshake, err error) {
	a := attempt{conn: k.name, h: h}
	if err == nil {
		c.env.Book(record.Account{Handshakes: 1})
	} else if !errors.As(err, &a.err) {
		a.err = &wire.DialError{Cause: "other", Blame: wire.Undecided, Err: err}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.attempts = append(c.attempts, a)
}

// takeAttempts hands over the attempts nobody took yet.
func (c *Client) takeAttempts() []attempt {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.attempts
	c.attempts = nil
	return taken
}

// emitAttempts emits the points of attempts nobody took yet and returns their counts.
func (c *Client) emitAttempts(plan string, emit func([]record.Sample)) (counts record.HandshakeCounts, failed []*wire.DialError) {
	counts.Causes = map[string]int64{}
	var samples []record.Sample
	for _, a := range c.takeAttempts() {
		counts.Attempted++
		if a.err == nil {
			counts.Opened++
		} else {
			counts.Failed++
			counts.Causes[a.err.Cause]++
			failed = append(failed, a.err)
		}
		samples = append(samples, a.samples(plan, c.env.Start)...)
	}
	if len(samples) > 0 {
		emit(samples)
	}
	return counts, failed
}

func (a *attempt) samples(plan string, start time.Time) []record.Sample {
	tags, opened := record.NewTags(record.TagPlan, plan), 1.0
	if a.h.Status != 0 {
		tags = tags.With(record.TagStatus, strconv.Itoa(a.h.Status))
	}
	at := start.Add(a.h.StartedAt)
	connecting := record.Sample{
		Metric: record.Connecting, Time: at, Value: record.Millis(a.h.EndedAt - a.h.StartedAt), Tags: tags, Metadata: a.metadata(),
	}
	if a.err != nil {
		opened = 0
		tags = tags.With(record.TagCause, a.err.Cause).With(record.TagBlame, string(a.err.Blame))
	}
	return []record.Sample{{Metric: record.Handshakes, Time: at, Value: opened, Tags: tags, Metadata: record.NewTags(record.MetaConn, a.conn)}, connecting}
}

// metadata is the connection, its local address and the phases' times as far as they happened.
func (a *attempt) metadata() record.Tags {
	m := record.NewTags(record.MetaConn, a.conn)
	if a.h.Local != "" {
		m = m.With(record.MetaLocal, a.h.Local)
	}
	if a.h.ConnectedAt > 0 {
		m = m.With("tcp", formatMillis(a.h.ConnectedAt-a.h.StartedAt))
	}
	if a.h.SecuredAt > 0 {
		m = m.With("tls", formatMillis(a.h.SecuredAt-a.h.ConnectedAt))
	}
	return m
}

func formatInt(n int64) string { return strconv.FormatInt(n, 10) }

// formatMillis is the shortest decimal of d in milliseconds that keeps every nanosecond.
func formatMillis(d time.Duration) string {
	return strconv.FormatFloat(record.Millis(d), 'f', -1, 64)
}

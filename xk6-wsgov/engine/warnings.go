package engine

import (
	"fmt"
	"slices"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/ledger"
	"github.com/wsgov/wsgov/xk6-wsgov/wire"
)

// doubts counts what a client saw that makes a measurement doubtful, with the first case of each in words.
type doubts struct {
	render, classify int64
	renderErr        error
	classifyErr      error
	silentGreetings  int64
	dead             int64
}

// noteRender counts a message that could not be used, noteClassify a frame whose classification failed.
func (c *Client) noteRender(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.doubts.render++; c.doubts.renderErr == nil {
		c.doubts.renderErr = err
	}
}

func (c *Client) noteClassify(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.doubts.classify++; c.doubts.classifyErr == nil {
		c.doubts.classifyErr = err
	}
}

// noteSilentGreeting counts a connection whose hello was never answered, noteDead one on which nothing was heard.
func (c *Client) noteSilentGreeting() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doubts.silentGreetings++
}

func (c *Client) noteDead() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.doubts.dead++
}

// takeDoubts hands over what nobody took yet.
func (c *Client) takeDoubts() (doubts, []ending) {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken, ends := c.doubts, c.ends
	c.doubts, c.ends = doubts{}, nil
	return taken, ends
}

// warnings are the doubts about a plan's measurement.
func (d *drive) warnings(l *record.Ledger, c *ledger.Counts) []record.Warning {
	w := &warner{}
	if d.only != nil { // what the client saw is told by plans
		return w.list
	}
	seen, ends := d.c.takeDoubts()
	if d.stopped > 0 {
		w.add("interrupted", "the run was interrupted %s after the plan's start: nothing later was planned", round(d.stopped-d.startedAt))
	}
	d.warnConnections(w, l, seen, ends)
	warnReplies(w, c, &d.c.target)
	if seen.render > 0 {
		w.add("script", "%d messages could not be used (unsent: script); the first: %v", seen.render, seen.renderErr)
	}
	if seen.classify > 0 {
		w.add("classify", "classify failed for %d frames, booked malformed; the first: %v", seen.classify, seen.classifyErr)
	}
	d.warnLag(w, l)
	return w.list
}

// warner collects warnings.
type warner struct{ list []record.Warning }

func (w *warner) add(code, format string, args ...any) {
	w.list = append(w.list, record.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

func (d *drive) warnConnections(w *warner, l *record.Ledger, seen doubts, ends []ending) {
	for _, e := range d.books.failed {
		w.add("handshakes", "%d of %d connection attempts failed (%s, blame: %s): %v", l.Handshakes.Causes[e.Cause], l.Handshakes.Attempted, e.Cause, e.Blame, e)
	}
	if seen.silentGreetings > 0 {
		w.add("hello", "%d connections were dropped because their hello was not answered as its await says: check hello[].await", seen.silentGreetings)
	}
	if seen.dead > 0 {
		w.add("dead", "%d connections were dropped because nothing was heard on them for %s (heartbeat.deadAfter)", seen.dead, d.c.target.Heartbeat.DeadAfter)
	}
	warnEnds(w, ends)
}

// warnEnds classes connections that ended without a Close frame or because of a frame that was too large.
func warnEnds(w *warner, ends []ending) {
	var silent []time.Duration
	var large *wire.End
	n := 0
	for _, e := range ends {
		switch {
		case e.end.TooLarge:
			n++
			large = e.end
		case e.end.Code == 1006 && e.end.By == wire.ByNetwork:
			silent = append(silent, e.silent)
		}
	}
	if n > 0 {
		w.add("frame-too-large", "%d connections were closed: %v", n, large.Err)
	}
	if len(silent) == 0 {
		return
	}
	low, high := slices.Min(silent), slices.Max(silent)
	if len(silent) > 1 && high-low <= max(high/20, 20*time.Millisecond) && low >= minSilence {
		w.add("cut", "%d connections ended without a Close frame, all %s after the last byte: that points at a box in between that cuts silent connections (try heartbeat), not at the gateway", len(silent), round(high))
		return
	}
	w.add("cut", "%d connections ended without a Close frame, %s to %s after the last byte", len(silent), round(low), round(high))
}

// minSilence is the shortest silence that a timeout of a box in between may explain.
const minSilence = 100 * time.Millisecond

func warnReplies(w *warner, c *ledger.Counts, t *Target) {
	if replies := c.OK + c.Error; c.LacksOK > 0 && t.Reply != nil {
		w.add("no-ok", "%d of %d replies lack the path %q (reply.ok); if a reply with our id is a success, say so with ok: true", c.LacksOK, replies, t.Reply.OKPath())
	}
	if c.ChangedIDs > 0 {
		w.add("id-type", "the id of %d of %d replies had another JSON type than ours: they were paired by value, but the gateway changes ids", c.ChangedIDs, c.PairedIDs)
	}
	if c.Frames.Malformed > 0 {
		w.add("malformed", "%d parts could not be read by the reply rule", c.Frames.Malformed)
	}
	if c.Planned > 0 && c.Sent == c.Lost && c.Sent > 0 && c.Frames.Unmatched > 0 {
		w.add("no-pairs", "no reply could be paired, but %d carried an id nobody waits for: check reply.id against the message", c.Frames.Unmatched)
	}
}

// lateGenerator is the generator's own lag at p99 above which response times are not to be believed without a look at it.
const lateGenerator = 10 // ms

func (d *drive) warnLag(w *warner, l *record.Ledger) {
	if p99 := d.books.tally.GeneratorLagP99(); p99 > lateGenerator && d.plan.Model != Burst { // a burst is late by design
		w.add("generator-late", "this generator itself was late by %.1f ms or more for one message in a hundred: response times include that; lower the load or move the gateway to another machine", float64(p99))
	}
	if n := d.books.capWaits; n > 0 {
		w.add("cap", "%d of %d sent messages waited at the in-flight cap (maxInFlight %d): their service time hides that wait, their response time has it", n, l.Sent, *d.plan.Cap)
	}
	if forgotten := d.forgotten(); forgotten > 0 {
		w.add("forgotten", "%d ids were forgotten long after their messages were settled: a reply later than that is booked unmatched", forgotten)
	}
}

func (d *drive) forgotten() (n int64) {
	for _, k := range d.c.conns {
		n += k.table.Forgotten()
	}
	return n
}

// round keeps a duration readable.
func round(d time.Duration) time.Duration {
	if d >= 10*time.Second {
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}

package engine

import (
	"errors"
	"maps"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/ledger"
)

// finish closes the books: it publishes the ledger, proves it, and emits the end of the plan's run.
func (d *drive) finish() *record.Ledger {
	d.flushing.Lock()
	defer d.flushing.Unlock()
	counts := d.books.flushed
	length := d.length()
	l := d.publish(&counts, length)
	if err := errors.Join(ledger.Check(&counts), d.books.broken); err != nil {
		l.Warnings = append(l.Warnings, record.Warning{Code: "books", Text: err.Error()})
	}
	l.Warnings = append(l.Warnings, d.warnings(l, &counts)...)
	for _, w := range l.Warnings {
		d.c.env.Logger.Warn(w.Text, "plan", l.Plan)
	}
	d.emitEnd(l, length)
	return l
}

// length is from the plan's start to the later of its window's end and its last reply.
func (d *drive) length() time.Duration {
	now := d.c.env.elapsed()
	end := d.book.LastFrameAt()
	if d.stopped > 0 {
		end = max(end, d.stopped)
	} else if d.endsAt > 0 {
		end = max(end, d.endsAt) // also where every connection was dead before: the rest was planned all the same
	}
	if end <= d.startedAt {
		end = now
	}
	return max(end-d.startedAt, 1)
}

func (d *drive) publish(c *ledger.Counts, length time.Duration) *record.Ledger {
	_, highest := d.book.InFlight()
	l := c.Ledger()
	l.Plan, l.Handshakes, l.MaxInFlight = d.plan.Name, d.books.handshakes, int64(highest)
	l.DeliveryRatio, l.Goodput = ratio(c.OK, c.Planned), float64(c.OK)/length.Seconds()
	l.Warnings = []record.Warning{}
	l.Handshakes.Causes = maps.Clone(l.Handshakes.Causes)
	l.ResponseTime, l.ServiceTime, l.SendLag = d.books.tally.Quantiles()
	l.Naive = record.Naive{
		SuccessRatio: ratio(c.Frames.Received, c.Sent), FramesPerSecond: float64(c.Frames.Received) / length.Seconds(),
		P99: d.books.tally.AnsweredServiceP99(),
	}
	return l
}

// ratio is a share, 0 of nothing.
func ratio(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

package engine

import (
	"encoding/json"
	"runtime"
	"strconv"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/ledger"
	"github.com/wsgov/wsgov/xk6-wsgov/wire"
)

// Intervals of a plan's emission.
const (
	flushEvery = 50 * time.Millisecond
	gaugeEvery = time.Second
)

// books is what a drive has tallied and emitted so far, guarded by its flushing lock.
type books struct {
	tally      *ledger.Tally
	flushed    ledger.Counts
	handshakes record.HandshakeCounts
	failed     []*wire.DialError // the first of each cause
	broken     error             // the first message whose identity 4 failed
	capWaits   int64
	entries    []*ledger.Entry
	samples    []record.Sample
	gaugedAt   time.Duration
}

func newBooks() books {
	return books{tally: ledger.NewTally(), flushed: (&ledger.Book{}).Counts(), handshakes: record.HandshakeCounts{Causes: map[string]int64{}}}
}

// startFlushing emits settled messages until the function it returns is called, which emits the rest.
func (d *drive) startFlushing() (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		ticker := time.NewTicker(flushEvery)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				d.flush()
			case <-done:
				return
			}
		}
	}()
	return func() {
		close(done)
		<-ended
		d.flush()
	}
}

// flush tallies, books and emits what happened since the last flush. Any goroutine may call it.
func (d *drive) flush() {
	d.flushing.Lock()
	defer d.flushing.Unlock()
	b := &d.books
	b.samples = b.samples[:0]
	d.flushMessages()
	now := d.c.env.elapsed()
	counts := d.book.Counts()
	delta := counts.Since(&b.flushed)
	b.flushed = counts
	b.samples = d.points.counters(b.samples, now, &delta)
	if d.only == nil { // what belongs to the client is told by plans, not by single requests
		d.flushGauges(now)
		d.flushHandshakes()
	}
	d.c.env.Book(delta.Account())
	if len(b.samples) > 0 {
		d.plan.Emit(b.samples)
	}
}

// flushMessages tallies the settled messages and makes their points.
func (d *drive) flushMessages() {
	b := &d.books
	for i, p := range d.pages {
		b.entries = p.Settled(b.entries[:0])
		for _, e := range b.entries {
			if err := b.tally.Add(e); err != nil && b.broken == nil {
				b.broken = err
			}
			if e.CapWait > 0 {
				b.capWaits++
			}
			b.samples = d.points.append(b.samples, d.conn(i).name, e)
		}
		runtime.Gosched() // senders must not wait for the bookkeeping of all connections
	}
	clear(b.entries)
}

// conn is the connection of the i-th page.
func (d *drive) conn(i int) *conn {
	if d.only != nil {
		return d.only
	}
	return d.c.conns[i]
}

// flushGauges adds the samples of what is so now, once a second.
func (d *drive) flushGauges(now time.Duration) {
	b, at := &d.books, d.c.env.Start.Add(now)
	if now-b.gaugedAt < gaugeEvery {
		return
	}
	b.gaugedAt = now
	inFlight, _ := d.book.InFlight()
	open := 0
	for _, k := range d.c.conns {
		if k.up() != nil {
			open++
		}
	}
	b.samples = append(b.samples,
		record.Sample{Metric: record.Connections, Time: at, Value: float64(open), Tags: d.points.base},
		record.Sample{Metric: record.InFlight, Time: at, Value: float64(inFlight), Tags: d.points.base})
	if d.c.env.Self != nil {
		b.samples = append(b.samples, d.c.env.Self(now)...)
	}
}

// flushHandshakes takes over the attempts since the last flush.
func (d *drive) flushHandshakes() {
	b := &d.books
	counts, failed := d.c.emitAttempts(d.plan.Name, d.plan.Emit)
	h := &b.handshakes
	h.Attempted += counts.Attempted
	h.Opened += counts.Opened
	h.Failed += counts.Failed
	for _, e := range failed {
		if h.Causes[e.Cause]++; h.Causes[e.Cause] == 1 {
			b.failed = append(b.failed, e)
		}
	}
}

// emitStart marks the start of the plan's run.
func (d *drive) emitStart() {
	facts := record.NewTags(record.MetaModel, string(d.plan.Model), record.MetaOffset, formatMillis(d.startedAt))
	if d.only == nil { // a request has nothing that chance decides
		facts = facts.With(record.MetaSeed, strconv.FormatInt(d.plan.Seed, 10))
	}
	d.emitRun(record.PhaseStart, d.startedAt, facts)
}

// emitEnd marks its end with the final totals.
func (d *drive) emitEnd(l *record.Ledger, length time.Duration) {
	totals, err := json.Marshal(map[string]*record.Ledger{l.Plan: l})
	if err != nil { // a ledger is plain data
		d.c.env.Logger.Error("the totals of a plan cannot be written", "plan", l.Plan, "error", err)
	}
	warnings, err := json.Marshal(l.Warnings)
	if err != nil {
		d.c.env.Logger.Error("the warnings of a plan cannot be written", "plan", l.Plan, "error", err)
	}
	d.emitRun(record.PhaseEnd, d.c.env.elapsed(), record.NewTags(
		record.MetaTotals, string(totals), record.MetaLength, formatMillis(length), record.MetaWarn, string(warnings),
	))
}

func (d *drive) emitRun(phase string, at time.Duration, facts record.Tags) {
	d.plan.Emit([]record.Sample{{
		Metric: record.Run, Time: d.c.env.Start.Add(at), Value: 1,
		Tags: d.points.base.With(record.TagPhase, phase),
		Metadata: facts.Merge(record.NewTags(
			record.MetaSchema, record.SchemaVersion, record.MetaPlan, d.plan.Name, record.MetaRun, d.c.env.RunID,
			record.MetaDrive, formatInt(d.number), record.MetaVersion, d.c.env.Versions,
		)),
	}})
}

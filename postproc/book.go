package postproc

import (
	"maps"
	"math"
	"strconv"
	"time"

	"github.com/wsgov/wsgov/postproc/latency"
	"github.com/wsgov/wsgov/postproc/reconcile"
	"github.com/wsgov/wsgov/record"
)

// book is what the points of one plan say, and beside it what its end points claim. Its size does not grow with the number
// of messages.
type book struct {
	plan           string
	model          string
	starts, ends   int
	points, totals record.Ledger
	hasFrames      bool // frames came as points
	totalsFrames   bool // frames came with the totals
	totalsLinks    bool // handshakes came with the totals
	late           late
	times          times
	answered       difference // answered messages by their delivered points, less those by their response points
	conns          map[string]struct{}
	lastConn       string
	connections    int64 // distinct ones, once the part is complete
	closes         map[string]int64
	spans          []span
	open           map[string]time.Time // start of each drive without an end
	firstAt        time.Time
	lastAt         time.Time
}

// late splits the replies that came after the deadline as the gateway would.
type late struct {
	ok, err int64
	codes   map[string]int64
}

// span is the time that one drive took.
type span struct{ from, to time.Time }

// times are the distributions of a plan, in milliseconds.
type times struct {
	response   *latency.Histogram
	service    *latency.Histogram // response less lag
	services   *latency.Histogram // service time points, where no lag comes with the response
	lag        *latency.Histogram // lag that comes with the response or the loss
	lags       *latency.Histogram // send lag points
	cap        *latency.Histogram
	socket     *latency.Histogram
	generator  *latency.Histogram
	connecting *latency.Histogram
	sums       reconcile.Times // over all answered messages
	single     reconcile.Times // over those that were checked one by one
	servicePts int64
	last       answer
}

// answer is the last response point, to be held against the service time point that usually follows.
type answer struct {
	conn, msg     string
	response, lag float64
	known         bool
}

func newBook(plan string) *book {
	return &book{
		plan: plan, points: newLedger(plan), totals: newLedger(plan), late: late{codes: map[string]int64{}},
		conns: map[string]struct{}{}, closes: map[string]int64{}, open: map[string]time.Time{},
		times: times{
			response: latency.New(), service: latency.New(), services: latency.New(), lag: latency.New(), lags: latency.New(),
			cap: latency.NewCoarse(), socket: latency.NewCoarse(), generator: latency.NewCoarse(), connecting: latency.NewCoarse(),
		},
	}
}

func newLedger(plan string) record.Ledger {
	return record.Ledger{
		Plan: plan, Errors: map[string]int64{}, LostReasons: map[string]int64{}, UnsentReasons: map[string]int64{},
		Handshakes: record.HandshakeCounts{Causes: map[string]int64{}}, Warnings: []record.Warning{},
	}
}

// identified tells the points of a message of ours from those that a script wrote under the same name.
func identified(p *record.PointLine) (conn, msg string, ok bool) {
	conn, hasConn := p.Metadata.Get(record.MetaConn)
	msg, hasMsg := p.Metadata.Get(record.MetaMsg)
	return conn, msg, hasConn && hasMsg
}

func (b *book) delivered(p *record.PointLine) {
	conn, msg, _ := identified(p)
	b.points.Planned++
	if conn != b.lastConn {
		b.lastConn = conn
		b.conns[conn] = struct{}{}
	}
	switch record.Outcome(p.Tags.Value(record.TagOutcome)) {
	case record.OK:
		b.points.OK++
	case record.Error:
		b.points.Error++
		b.points.Errors[p.Tags.Value(record.TagCode)]++
	case record.Lost:
		b.lost(p)
		return
	case record.Unsent:
		b.points.Unsent++
		b.points.UnsentReasons[p.Tags.Value(record.TagReason)]++
		return
	default:
		return // planned without an outcome: identity 2 will not hold
	}
	b.points.Sent++
	if m, ok := messageOf(conn, msg); ok {
		b.answered.insert(m)
	} else {
		b.answered.odd = true
	}
}

func (b *book) lost(p *record.PointLine) {
	b.points.Lost++
	b.points.Sent++
	b.points.LostReasons[p.Tags.Value(record.TagReason)]++
	if lag, ok := millis(p.Metadata, record.MetaLag); ok {
		b.times.lag.Record(lag)
		b.times.parts(p)
	}
}

func (b *book) response(p *record.PointLine) {
	conn, msg, _ := identified(p)
	if m, ok := messageOf(conn, msg); ok {
		b.answered.remove(m)
	} else {
		b.answered.odd = true
	}
	b.times.response.Record(p.Value)
	lag, ok := millis(p.Metadata, record.MetaLag)
	b.times.last = answer{conn, msg, p.Value, lag, ok}
	if !ok {
		return
	}
	b.times.lag.Record(lag)
	b.times.service.Record(math.Round((p.Value-lag)*1e6) / 1e6) // to the nanosecond, as it was measured
	b.times.parts(p)
	b.times.sums.Messages++
	b.times.sums.Response += p.Value
	b.times.sums.Lag += lag
}

// parts books what a lag consists of.
func (t *times) parts(p *record.PointLine) {
	recordIf(t.cap, p, record.MetaCap)
	recordIf(t.socket, p, record.MetaSocket)
	recordIf(t.generator, p, record.MetaGen)
}

func recordIf(h *latency.Histogram, p *record.PointLine, key string) {
	if v, ok := millis(p.Metadata, key); ok {
		h.Record(v)
	}
}

func (b *book) service(p *record.PointLine) {
	conn, msg, _ := identified(p)
	t := &b.times
	t.servicePts++
	t.sums.Service += p.Value
	if t.service.Count() == 0 {
		t.services.Record(p.Value)
	}
	if last := t.last; last.known && last.msg == msg && last.conn == conn {
		t.last.known = false
		t.single.Messages++
		t.single.Response += last.response
		t.single.Lag += last.lag
		t.single.Service += p.Value
		if !reconcile.AddUp(last.response, last.lag, p.Value) {
			t.single.Broken++
		}
	}
}

func (b *book) sendLag(p *record.PointLine) { b.times.lags.Record(p.Value) }

func (b *book) frames(p *record.PointLine) {
	b.hasFrames = true
	n := int64(p.Value)
	f := &b.points.Frames
	switch p.Tags.Value(record.TagKind) {
	case record.KindReceived:
		f.Received += n
	case record.KindParts:
		f.Parts += n
	case record.KindLate:
		f.Late += n
		b.late.add(p, n)
	case record.KindDuplicate:
		f.Duplicate += n
	case record.KindUnmatched:
		f.Unmatched += n
	case record.KindMalformed:
		f.Malformed += n
	case record.KindPush:
		f.Push += n
	}
}

func (l *late) add(p *record.PointLine, n int64) {
	if p.Tags.Value(record.TagOutcome) == string(record.Error) {
		l.err += n
		l.codes[p.Tags.Value(record.TagCode)] += n
		return
	}
	l.ok += n
}

func (b *book) handshake(p *record.PointLine) {
	h := &b.points.Handshakes
	h.Attempted++
	if p.Value != 0 {
		h.Opened++
		return
	}
	h.Failed++
	h.Causes[p.Tags.Value(record.TagCause)]++
}

func (b *book) closed(p *record.PointLine) {
	b.closes[p.Tags.Value(record.TagCode)+" by "+p.Tags.Value(record.TagBy)]++
}

// seen keeps the range of wall-clock times.
func (b *book) seen(at time.Time) {
	if b.firstAt.IsZero() || at.Before(b.firstAt) {
		b.firstAt = at
	}
	if at.After(b.lastAt) {
		b.lastAt = at
	}
}

// compact gives memory back when no more points are expected.
func (b *book) compact() {
	for _, h := range b.times.all() {
		h.Compact()
	}
}

func (t *times) all() []*latency.Histogram {
	return []*latency.Histogram{t.response, t.service, t.services, t.lag, t.lags, t.cap, t.socket, t.generator, t.connecting}
}

// merge adds another part's points of the same plan.
func (b *book) merge(o *book) {
	b.model = firstOf(b.model, o.model)
	b.starts += o.starts
	b.ends += o.ends
	addLedger(&b.points, &o.points)
	addLedger(&b.totals, &o.totals)
	b.hasFrames = b.hasFrames || o.hasFrames
	b.totalsFrames = b.totalsFrames || o.totalsFrames
	b.totalsLinks = b.totalsLinks || o.totalsLinks
	b.late.ok += o.late.ok
	b.late.err += o.late.err
	addCounts(b.late.codes, o.late.codes)
	b.times.merge(&o.times)
	b.answered.merge(&o.answered)
	addCounts(b.closes, o.closes)
	b.spans = append(b.spans, o.spans...)
	maps.Copy(b.conns, o.conns)
	b.connections += o.connections
	maps.Copy(b.open, o.open)
	if !o.firstAt.IsZero() {
		b.seen(o.firstAt)
		b.seen(o.lastAt)
	}
}

func (t *times) merge(o *times) {
	others := o.all()
	for i, h := range t.all() {
		h.Merge(others[i])
	}
	for _, s := range []struct{ to, from *reconcile.Times }{{&t.sums, &o.sums}, {&t.single, &o.single}} {
		s.to.Messages += s.from.Messages
		s.to.Response += s.from.Response
		s.to.Lag += s.from.Lag
		s.to.Service += s.from.Service
		s.to.Broken += s.from.Broken
	}
	t.servicePts += o.servicePts
}

func millis(t record.Tags, key string) (float64, bool) {
	text, ok := t.Get(key)
	if !ok {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

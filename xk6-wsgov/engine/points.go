package engine

import (
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/ledger"
)

// points turns settled messages into samples. It is for one goroutine at a time.
type points struct {
	start time.Time // the run's anchor
	lean  bool
	base  record.Tags // the plan's own tags and its name
	ends  map[ending3]record.Tags
}

// ending3 is what distinguishes the tags of settled messages.
type ending3 struct {
	outcome      record.Outcome
	code, reason string
}

func newPoints(start time.Time, p Plan) *points {
	return &points{start: start, lean: p.Lean, base: p.Tags.Merge(record.NewTags(record.TagPlan, p.Name)), ends: map[ending3]record.Tags{}}
}

// tags is the tag set of an outcome, made once.
func (p *points) tags(e *ledger.Entry) record.Tags {
	key := ending3{e.Outcome, e.Code, e.Reason}
	t, ok := p.ends[key]
	if !ok {
		t = p.base.With(record.TagOutcome, string(e.Outcome))
		if e.Outcome == record.Error {
			t = t.With(record.TagCode, e.Code)
		}
		if e.Reason != "" {
			t = t.With(record.TagReason, e.Reason)
		}
		p.ends[key] = t
	}
	return t
}

// append adds the samples of one settled message.
func (p *points) append(dst []record.Sample, conn string, e *ledger.Entry) []record.Sample {
	tags, due, msg := p.tags(e), p.start.Add(e.Due), formatInt(e.Msg)
	delivered := record.Sample{Metric: record.Delivered, Time: due, Tags: tags, Metadata: p.identity(conn, msg, e)}
	if e.Outcome == record.OK {
		delivered.Value = 1
	}
	dst = append(dst, delivered)
	short := record.Tags{{Key: record.MetaConn, Value: conn}, {Key: record.MetaMsg, Value: msg}}
	if e.Answered() {
		dst = append(dst, record.Sample{
			Metric: record.ResponseTime, Time: due, Value: record.Millis(e.Response()), Tags: tags, Metadata: lagParts(conn, msg, e),
		})
	}
	if e.Answered() && !p.lean {
		dst = append(dst, record.Sample{
			Metric: record.ServiceTime, Time: p.start.Add(e.SentAt), Value: record.Millis(e.Service()), Tags: tags, Metadata: short,
		})
	}
	if e.Sent() && !p.lean {
		dst = append(dst, record.Sample{Metric: record.SendLag, Time: due, Value: record.Millis(e.Lag()), Tags: p.base, Metadata: short})
	}
	return dst
}

// identity is what names a message, its id on the wire where a script chose that, and the lag of a lost one, which no other point of a lean plan tells.
func (p *points) identity(conn, msg string, e *ledger.Entry) record.Tags {
	t := make(record.Tags, 0, 5)
	t = append(t, record.Tag{Key: record.MetaConn, Value: conn}, record.Tag{Key: record.MetaDue, Value: formatMillis(e.Due)})
	if e.Outcome == record.Lost {
		t = append(t, record.Tag{Key: record.MetaLag, Value: formatMillis(e.Lag())})
	}
	t = append(t, record.Tag{Key: record.MetaMsg, Value: msg})
	if e.ID != msg && e.ID != "" {
		t = append(t, record.Tag{Key: record.MetaWire, Value: e.ID})
	}
	return t
}

// lagParts names an answered message and splits its send lag. The keys are in the order a tag set has.
func lagParts(conn, msg string, e *ledger.Entry) record.Tags {
	return record.Tags{
		{Key: record.MetaCap, Value: formatMillis(e.CapWait)},
		{Key: record.MetaConn, Value: conn},
		{Key: record.MetaDue, Value: formatMillis(e.Due)},
		{Key: record.MetaGen, Value: formatMillis(e.GeneratorLag())},
		{Key: record.MetaLag, Value: formatMillis(e.Lag())},
		{Key: record.MetaMsg, Value: msg},
		{Key: record.MetaSocket, Value: formatMillis(e.SocketWait)},
	}
}

// counters are the samples of what was counted since the last flush.
func (p *points) counters(dst []record.Sample, at time.Duration, delta *ledger.Counts) []record.Sample {
	now := p.start.Add(at)
	add := func(m *record.Metric, n int64, tags record.Tags) {
		if n != 0 {
			dst = append(dst, record.Sample{Metric: m, Time: now, Value: float64(n), Tags: tags})
		}
	}
	outcome := func(n int64, o record.Outcome) { add(record.Messages, n, p.base.With(record.TagOutcome, string(o))) }
	outcome(delta.OK, record.OK)
	outcome(delta.Lost, record.Lost)
	outcome(delta.Unsent, record.Unsent)
	for code, n := range delta.Errors {
		add(record.Messages, n, p.base.With(record.TagOutcome, string(record.Error)).With(record.TagCode, code))
	}
	f := &delta.Frames
	kind := func(n int64, kind string) { add(record.Frames, n, p.base.With(record.TagKind, kind)) }
	kind(f.Received, record.KindReceived)
	kind(f.Parts, record.KindParts)
	kind(delta.AnsweredOK, record.KindOK)
	kind(delta.AnsweredError, record.KindError)
	kind(f.Unmatched, record.KindUnmatched)
	kind(f.Malformed, record.KindMalformed)
	kind(f.Push, record.KindPush)
	late := p.base.With(record.TagKind, record.KindLate)
	add(record.Frames, delta.LateOK, late.With(record.TagOutcome, string(record.OK)))
	for code, n := range delta.LateErrors {
		add(record.Frames, n, late.With(record.TagOutcome, string(record.Error)).With(record.TagCode, code))
	}
	twice := p.base.With(record.TagKind, record.KindDuplicate)
	add(record.Frames, delta.DuplicateOK, twice.With(record.TagOutcome, string(record.OK)))
	add(record.Frames, f.Duplicate-delta.DuplicateOK, twice.With(record.TagOutcome, string(record.Error)))
	return dst
}

package report

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wsgov/wsgov/record"
)

// fixture writes the lines of a run as the engine does, message by message, worked out on paper.
type fixture struct {
	t      testing.TB
	out    bytes.Buffer
	writer *record.Writer
	start  time.Time
	id     string
	drives int
	lean   bool
}

func newFixture(t testing.TB, id string) *fixture {
	f := &fixture{t: t, id: id, start: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
	f.writer = record.NewWriter(&f.out)
	return f
}

// msg is a planned message: due at ms, waited lag ms, answered after service ms.
type msg struct {
	due, lag, service float64
	outcome           record.Outcome
	detail            string // code or reason
}

// drive is one plan's run on one connection.
type drive struct {
	plan, model string
	messages    []msg
	frames      record.FrameCounts
	handshakes  int
	length      float64
	late        string // outcome of late frames
	noEnd       bool
	totals      func(*record.Ledger)
	warnings    string
}

func (f *fixture) at(ms float64) time.Time {
	return f.start.Add(time.Duration(ms * float64(time.Millisecond)))
}

func (f *fixture) point(m *record.Metric, at, value float64, tags, meta record.Tags) {
	f.t.Helper()
	err := f.writer.Write([]record.Sample{{Metric: m, Time: f.at(at), Value: value, Tags: tags, Metadata: meta}}, nil)
	if err != nil {
		f.t.Fatal(err)
	}
}

// text is everything written so far.
func (f *fixture) text() string {
	f.t.Helper()
	if err := f.writer.Flush(); err != nil {
		f.t.Fatal(err)
	}
	return f.out.String()
}

func (f *fixture) drive(d drive) {
	f.drives++
	conn := fmt.Sprint(f.drives)
	plan := record.NewTags(record.TagPlan, d.plan)
	f.point(record.Run, 0, 1, plan.With(record.TagPhase, record.PhaseStart), record.NewTags(record.MetaSchema, "1", record.MetaSeed, "7",
		record.MetaPlan, d.plan, record.MetaRun, f.id, record.MetaDrive, conn, record.MetaVersion, "wsgov/test", record.MetaModel, d.model, record.MetaOffset, "0"))
	for range d.handshakes {
		f.point(record.Handshakes, 0, 1, plan.With(record.TagStatus, "101"), record.NewTags(record.MetaConn, conn))
		f.point(record.Connecting, 0, 2.5, plan.With(record.TagStatus, "101"), record.NewTags(record.MetaConn, conn, record.MetaLocal, "127.0.0.1:500"+conn))
	}
	l := record.Ledger{Plan: d.plan, Frames: d.frames, Handshakes: record.HandshakeCounts{Attempted: int64(d.handshakes), Opened: int64(d.handshakes)}}
	for i, m := range d.messages {
		f.message(plan, conn, fmt.Sprint(i+1), m)
		book(&l, m)
	}
	f.frames(plan, d)
	if d.totals != nil {
		d.totals(&l)
	}
	totals, err := json.Marshal(map[string]*record.Ledger{d.plan: &l})
	if err != nil {
		f.t.Fatal(err)
	}
	if !d.noEnd {
		f.point(record.Run, d.length, 1, plan.With(record.TagPhase, record.PhaseEnd), record.NewTags(record.MetaPlan, d.plan, record.MetaRun, f.id, record.MetaDrive, conn,
			record.MetaTotals, string(totals), record.MetaLength, fmt.Sprint(d.length), record.MetaWarn, d.warnings))
	}
}

func book(l *record.Ledger, m msg) {
	l.Planned++
	l.Sent++
	switch m.outcome {
	case record.OK:
		l.OK++
	case record.Error:
		l.Error++
	case record.Lost:
		l.Lost++
	case record.Unsent:
		l.Unsent++
		l.Sent--
	}
}

func (f *fixture) message(plan record.Tags, conn, number string, m msg) {
	tags, value := plan.With(record.TagOutcome, string(m.outcome)), 0.0
	if m.outcome == record.OK {
		value = 1
	}
	if m.outcome == record.Error {
		tags = tags.With(record.TagCode, m.detail)
	} else if m.detail != "" {
		tags = tags.With(record.TagReason, m.detail)
	}
	id := record.NewTags(record.MetaConn, conn, record.MetaMsg, number)
	meta := id.With(record.MetaDue, fmt.Sprint(m.due))
	lagged := meta.Merge(record.NewTags(record.MetaLag, fmt.Sprint(m.lag), record.MetaCap, fmt.Sprint(m.lag/2), record.MetaSocket, "0", record.MetaGen, fmt.Sprint(m.lag/2)))
	if m.outcome == record.Lost {
		meta = meta.With(record.MetaLag, fmt.Sprint(m.lag))
	}
	f.point(record.Delivered, m.due, value, tags, meta)
	if m.outcome == record.OK || m.outcome == record.Error {
		f.point(record.ResponseTime, m.due, m.lag+m.service, tags, lagged)
		if !f.lean {
			f.point(record.ServiceTime, m.due+m.lag, m.service, tags, id)
		}
	}
	if m.outcome != record.Unsent && !f.lean {
		f.point(record.SendLag, m.due, m.lag, plan, id)
	}
}

func (f *fixture) frames(plan record.Tags, d drive) {
	c := &d.frames
	for kind, n := range map[string]int64{
		record.KindReceived: c.Received, record.KindParts: c.Parts, record.KindLate: c.Late, record.KindDuplicate: c.Duplicate,
		record.KindUnmatched: c.Unmatched, record.KindMalformed: c.Malformed, record.KindPush: c.Push,
	} {
		tags := plan.With(record.TagKind, kind)
		if kind == record.KindLate {
			tags = tags.With(record.TagOutcome, d.late)
		}
		if n > 0 {
			f.point(record.Frames, d.length, float64(n), tags, nil)
		}
	}
}

// snapshot writes the gateway's counters as alternating names and values.
func (f *fixture) snapshot(at float64, when, process string, control int, counters ...any) {
	maps := map[string]string{"echoed": "ok", "limited": "error:RATE_LIMITED", "conns": "handshakes"}
	for i := 0; i < len(counters); i += 2 {
		name := counters[i].(string)
		f.point(record.GatewayCount, at, float64(counters[i+1].(int)), record.NewTags(record.TagCounter, name, record.TagSnapshot, when),
			record.NewTags(record.MetaSource, "ws://gw.example.test/gateway", record.MetaProcess, process, record.MetaMaps, maps[name],
				record.MetaControl, fmt.Sprint(control), record.MetaID, fmt.Sprint(f.id, at)))
	}
}

// all repeats a message n times, 10 ms apart.
func all(n int, m msg) []msg {
	out := make([]msg, n)
	for i := range out {
		out[i] = m
		out[i].due = float64(10 * i)
	}
	return out
}

// answers are the frame counts of n replies, one a frame.
func answers(n int64) record.FrameCounts { return record.FrameCounts{Received: n, Parts: n} }

// report runs the command over text on standard input.
func report(t *testing.T, in string, args ...string) (code int, out, errors string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = Main(context.Background(), append(args, "-"), strings.NewReader(in), &stdout, &stderr)
	return code, stdout.String(), stderr.String()
}

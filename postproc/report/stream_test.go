package report

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/wsgov/wsgov/record"
)

// stream generates the lines of one run of four open plans with many distinct times, as long as limit bytes, and is read
// like a file. What it has planned is counted.
type stream struct {
	limit    int64
	written  int64
	planned  int64
	pending  []byte
	ended    bool
	started  time.Time
	buf      []byte
	maxHeap  uint64
	onRefill func()
}

var streamPlans = []string{"A", "B", "C", "D"}

func newStream(limit int64) *stream {
	s := &stream{limit: limit, started: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)}
	for _, plan := range streamPlans {
		s.point(record.Run, 0, 1, record.NewTags("plan", plan, "phase", "start"), record.NewTags("run", "r", "drive", plan, "model", "open"))
	}
	return s
}

func (s *stream) point(m *record.Metric, at, value float64, tags, meta record.Tags) {
	s.pending, _ = record.AppendPoint(s.pending, &record.Sample{
		Metric: m, Time: s.started.Add(time.Duration(at * 1e6)), Value: value, Tags: tags, Metadata: meta,
	})
}

func (s *stream) Read(p []byte) (int, error) {
	if len(s.pending) == 0 && !s.refill() {
		return 0, io.EOF
	}
	n := copy(p, s.pending)
	s.pending = s.pending[n:]
	s.written += int64(n)
	return n, nil
}

func (s *stream) refill() bool {
	if s.ended {
		return false
	}
	if s.onRefill != nil {
		s.onRefill()
	}
	s.pending = s.buf[:0]
	if s.written >= s.limit {
		s.ended = true
		for _, plan := range streamPlans {
			totals := fmt.Sprintf(`{%q:{"planned":%d,"sent":%d,"ok":%d}}`, plan, s.planned/4, s.planned/4, s.planned/4)
			s.point(record.Run, 10_000, 1, record.NewTags("plan", plan, "phase", "end"), record.NewTags("run", "r", "drive", plan, "length", "10000", "totals", totals))
		}
		return true
	}
	for range 4 * 250 {
		s.message(s.planned)
		s.planned++
	}
	s.buf = s.pending
	return true
}

// message writes the four points of an answered message, as the engine does.
func (s *stream) message(n int64) {
	plan := streamPlans[n%4]
	tags, base := record.NewTags("outcome", "ok", "plan", plan, "scenario", "default"), record.NewTags("plan", plan, "scenario", "default")
	conn, msg, due := fmt.Sprint(n%80+1), fmt.Sprint(n), fmt.Sprint(float64(n)/8)
	lag := float64(n*7919%100_003) / 1000
	service := float64(n*104_729%1_000_003) / 1000
	short := record.NewTags("conn", conn, "msg", msg)
	s.point(record.Delivered, 0, 1, tags, short.With("due", due))
	s.point(record.ResponseTime, 0, lag+service, tags, record.NewTags("cap", fmt.Sprint(lag/4), "conn", conn, "due", due, "generator", fmt.Sprint(lag/4), "lag", fmt.Sprint(lag), "msg", msg, "socket", fmt.Sprint(lag/2)))
	s.point(record.ServiceTime, 0, service, tags, short)
	s.point(record.SendLag, 0, lag, base, short)
}

func TestStreamIsSound(t *testing.T) {
	s := newStream(2 << 20)
	var out, errs bytes.Buffer
	if code := Main(context.Background(), []string{"-"}, s, &out, &errs); code != ExitFine || !strings.Contains(out.String(), "books close") {
		t.Fatalf("exit %d, %s\n%s", code, errs.String(), out.String())
	}
}

func BenchmarkReport(b *testing.B) {
	text, err := io.ReadAll(newStream(32 << 20))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if code := Main(context.Background(), []string{"-"}, bytes.NewReader(text), io.Discard, io.Discard); code != ExitFine {
			b.Fatalf("exit %d", code)
		}
	}
}

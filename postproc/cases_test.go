package postproc

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wsgov/wsgov/record"
)

// read summarises files of testdata.
func read(t *testing.T, names ...string) *Summary {
	t.Helper()
	c := NewCollector()
	for _, name := range names {
		r, err := record.Open(filepath.Join("testdata", name), nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Read(context.Background(), r); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return c.Summary()
}

// counts is one line per plan: planned sent ok error lost unsent.
func counts(s *Summary) string {
	var out []string
	for _, r := range s.Runs {
		for _, p := range r.Plans {
			out = append(out, fmt.Sprint(p.Ledger.Plan, " ", p.Planned, " ", p.Sent, " ", p.OK, " ", p.Error, " ", p.Lost, " ", p.Unsent))
		}
	}
	return strings.Join(out, "; ")
}

func TestMergedParts(t *testing.T) {
	s := read(t, "part-0.ndjson", "part-1.ndjson")
	if got := counts(s); got != "main 100 100 98 0 2 0" || len(s.Runs) != 1 || s.Runs[0].Parts != 2 {
		t.Fatalf("%s in %d runs", got, len(s.Runs))
	}
	p := s.Runs[0].Plans[0]
	q := p.ResponseTime
	if fmt.Sprint(p.DeliveryRatio, q.P50, q.P90, q.P95, q.P99, q.Count) != "0.98 15 19 1040 +Inf 98" {
		t.Errorf("delivery %v, quantiles %+v", p.DeliveryRatio, q)
	}
	g := s.Runs[0].Gateway
	if !g.Checked || g.Difference != 0 || len(g.Counters) != 2 || g.Counters[0].Expected != 98 || g.Counters[1].Expected != 2 {
		t.Errorf("gateway %+v", g)
	}
	if v := s.Verdict(); v.State != Closed || v.Text != "books close; gateway agrees: unreconciled 0" {
		t.Errorf("verdict %+v", v)
	}
	for _, i := range p.Identities {
		if i.Broken() || i.Checked == (i.Number == 3) {
			t.Errorf("identity %+v", i)
		}
	}
	if lag := p.SendLag; lag.Count != 100 || lag.P99 != 0.5 {
		t.Errorf("lag %+v", lag)
	}
}

func TestTwoRunsInOneFile(t *testing.T) {
	for _, name := range []string{"both.ndjson", "both.ndjson.gz"} {
		s := read(t, name)
		if got := counts(s); got != "main 10 10 10 0 0 0; main 10 10 6 4 0 0" || len(s.Runs) != 2 {
			t.Fatalf("%s: %s in %d runs", name, got, len(s.Runs))
		}
		one, two := s.Runs[0].Plans[0], s.Runs[1].Plans[0]
		if fmt.Sprint(one.LengthMillis, one.Goodput, two.LengthMillis, two.Goodput, two.Errors) != "1000 10 1000 6 map[RATE_LIMITED:4]" {
			t.Errorf("%s: lengths %v %v, goodput %v %v, errors %v", name, one.LengthMillis, two.LengthMillis, one.Goodput, two.Goodput, two.Errors)
		}
		if v := s.Verdict(); v.State != Closed || !strings.Contains(v.Text, "gateway NOT CHECKED") {
			t.Errorf("verdict %+v", v)
		}
	}
}

func TestCutMembers(t *testing.T) {
	s := read(t, "second-cut.ndjson.gz")
	if got := counts(s); !strings.HasPrefix(got, "main 10 10 10 0 0 0; main ") || len(s.Runs[0].Torn) != 0 || len(s.Runs[1].Torn) == 0 {
		t.Fatalf("%s, torn %q and %q", got, s.Runs[0].Torn, s.Runs[1].Torn)
	}
	if v := s.Verdict(); v.State != Torn || !strings.Contains(v.Text, "run 2: plan main: 1 of 1 drives have no end point") {
		t.Errorf("verdict %+v", v)
	}
	s = read(t, "first-cut.ndjson.gz")
	if v := s.Verdict(); v.State != Torn || !strings.Contains(s.Inputs[0].Torn, "of the compressed file") || len(s.Runs) == 0 {
		t.Errorf("verdict %+v, input %+v", v, s.Inputs[0])
	}
}

func TestInterleavedWriters(t *testing.T) {
	s := read(t, "shared-file.ndjson")
	if got := counts(s); got != "main 12 12 10 1 1 0" {
		t.Fatal(got)
	}
	p := s.Runs[0].Plans[0]
	if p.Points == nil || p.Points.Planned != 11 || p.Points.OK != 9 || fmt.Sprintf("%.4f", p.DeliveryRatio) != "0.8333" {
		t.Errorf("points %+v, delivery %v", p.Points, p.DeliveryRatio)
	}
	torn := strings.Join(s.Runs[0].Torn, "\n")
	for _, want := range []string{"planned 11 of 12", "ok 9 of 10", "without a response time point: message 5 on connection 1", "without a delivered point: message 9 on connection 1"} {
		if !strings.Contains(torn, want) {
			t.Errorf("%q is not in:\n%s", want, torn)
		}
	}
	if s.BadLines != 2 || s.Bad[0].Line != 24 || s.Bad[0].Offset != 3827 || s.Bad[0].Length != 257 || s.Bad[1].Line != 25 || s.Bad[1].Offset != 4085 || s.Bad[1].Length != 96 {
		t.Errorf("bad lines %v", s.Bad)
	}
	if v := s.Verdict(); v.State != Torn {
		t.Errorf("verdict %+v", v)
	}
}

func metricOf(s *Summary, name string) Metric {
	for _, m := range s.Metrics {
		if m.Name == name {
			return m
		}
	}
	return Metric{}
}

func TestForeignPointsAreNotPlanned(t *testing.T) {
	s := read(t, "name-taken.ndjson")
	if len(s.Runs) != 0 || metricOf(s, "wsgov_delivered").Foreign != 3 {
		t.Errorf("%d runs, %+v", len(s.Runs), metricOf(s, "wsgov_delivered"))
	}
	sent, received := metricOf(s, "ws_msgs_sent"), metricOf(s, "ws_msgs_received")
	if fmt.Sprint(sent.Sum, sent.URLSum, received.Sum, received.URLSum) != "20 10 16 8" {
		t.Errorf("sent %+v, received %+v", sent, received)
	}
	if v := s.Verdict(); v.State != NoPlans || !strings.HasPrefix(v.Text, "delivery is not in this input") {
		t.Errorf("verdict %+v", v)
	}
}

func TestOrdinaryFiles(t *testing.T) {
	s := read(t, "generator-full.ndjson")
	if fmt.Sprint(metricOf(s, "iterations").Sum, metricOf(s, "dropped_iterations").Sum, metricOf(s, "vus_max").Last) != "40 10 20" {
		t.Errorf("iterations %+v, dropped %+v", metricOf(s, "iterations"), metricOf(s, "dropped_iterations"))
	}
	s = read(t, "k6-v2.2.0.ndjson.gz")
	if s.Inputs[0].Lines != 3509 || s.BadLines != 0 || s.Verdict().State != NoPlans || len(s.Metrics) == 0 {
		t.Errorf("input %+v, %d bad lines, %d metrics", s.Inputs[0], s.BadLines, len(s.Metrics))
	}
	if m := metricOf(s, "ws_msgs_sent"); m.Kind != record.Counter || m.Sum != 340 {
		t.Errorf("ws_msgs_sent %+v", m)
	}
	s = read(t, "thresholds.ndjson")
	if m := metricOf(s, "ws_rtt"); s.BadLines != 0 || m.Count != 60 || m.Max != 880 {
		t.Errorf("ws_rtt %+v, %d bad lines", m, s.BadLines)
	}
}

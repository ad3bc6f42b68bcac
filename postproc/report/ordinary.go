package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/wsgov/wsgov/postproc"
	"github.com/wsgov/wsgov/postproc/reconcile"
	"github.com/wsgov/wsgov/record"
)

// writeMetrics shows what an input has besides our own runs: k6's metrics and those of a script. Beside runs of ours only
// what a reader must not miss is shown.
func writeMetrics(w io.Writer, s *postproc.Summary) {
	if len(s.Metrics) == 0 {
		return
	}
	fmt.Fprintln(w)
	writeOffer(w, s)
	for _, m := range s.Metrics {
		if m.Foreign > 0 {
			wrap(w, "foreign: ", fmt.Sprintf("%s points of %s name no message: a script wrote them, they are not planned messages", count(m.Foreign), safe(m.Name)))
		}
		if m.NotFinite > 0 {
			wrap(w, "not finite: ", fmt.Sprintf("%s values of %s are NaN or infinite and are not counted", count(m.NotFinite), safe(m.Name)))
		}
	}
	t := table{left: map[int]bool{1: true}}
	t.row("metrics in the input", "type", "points", "value")
	for i := range s.Metrics {
		m := &s.Metrics[i]
		kind := string(m.Kind)
		if kind == "" {
			kind = "unknown"
		}
		t.row(safe(m.Name), safe(kind), count(m.Count), aggregate(m))
	}
	t.left[3] = true
	t.print(w, 0)
	wrap(w, "", "(p50 and p95 by nearest rank to three digits; k6 interpolates between ranks)")
}

// writeOffer tells what became of the load that was to be offered, before any ratio.
func writeOffer(w io.Writer, s *postproc.Summary) {
	started, dropped := find(s, "iterations"), find(s, "dropped_iterations")
	if dropped.Sum > 0 {
		offer := started.Sum + dropped.Sum
		wrap(w, "offered: ", fmt.Sprintf("%s iterations, of which %s started (%s) and %s were dropped: the load was not offered as planned, so no ratio below is a capacity",
			value(offer), value(started.Sum), percent(started.Sum/offer), value(dropped.Sum)))
	}
	sent, received := builtIn(find(s, "ws_msgs_sent")), builtIn(find(s, "ws_msgs_received"))
	if sent > 0 {
		wrap(w, "naive: ", fmt.Sprintf("received / sent = %s / %s = %s, whatever the frames held", value(received), value(sent), decimal(received/sent, 4)))
	}
}

func find(s *postproc.Summary, name string) postproc.Metric {
	for _, m := range s.Metrics {
		if m.Name == name {
			return m
		}
	}
	return postproc.Metric{}
}

// builtIn is the part of a network metric that k6 itself wrote: its points carry the URL.
func builtIn(m postproc.Metric) float64 {
	if m.URLCount > 0 {
		return m.URLSum
	}
	return m.Sum
}

func aggregate(m *postproc.Metric) string {
	var text string
	switch {
	case m.Count == 0:
		return ""
	case m.Kind == record.Counter:
		text = "sum " + value(m.Sum)
	case m.Kind == record.Rate:
		text = fmt.Sprintf("%s (%s of %s)", percent(float64(m.NonZero)/float64(m.Count)), count(m.NonZero), count(m.Count))
	case m.Kind == record.Trend && m.Trend == nil:
		text = fmt.Sprintf("min %s  mean %s  max %s", value(m.Min), value(m.Sum/float64(m.Count)), value(m.Max))
	case m.Trend != nil:
		text = fmt.Sprintf("min %s  p50 %s  p95 %s  max %s", millis(m.Trend.Min), millis(m.Trend.P50), millis(m.Trend.P95), millis(m.Trend.Max))
	default:
		text = fmt.Sprintf("last %s  min %s  max %s", value(m.Last), value(m.Min), value(m.Max))
	}
	if strings.HasPrefix(m.Name, "ws_") && m.Kind == record.Counter && m.URLCount > 0 && m.URLCount < m.Count {
		text += fmt.Sprintf(" (k6's own %s, the script's %s)", value(m.URLSum), value(m.Sum-m.URLSum))
	}
	return text
}

func writeJournal(w io.Writer, j *reconcile.JournalResult, s *postproc.Summary) {
	fmt.Fprintf(w, "\njournal of gateway process %s: %s messages; the ledger planned %s\n", safe(j.Process), count(j.Messages), count(j.Planned))
	t := table{}
	for _, row := range []struct {
		name string
		n    int64
	}{
		{"matched, same verdict", j.Matched}, {"differing", j.Differing}, {"missing in the journal", j.MissingInJournal},
		{"missing in the ledger", j.MissingInLedger}, {"repeated in the journal", j.Repeated},
		{"lost to us, answered by the gateway", j.LostAnswered}, {"lost to us, not answered", j.LostUnanswered},
		{"of other clients", j.Foreign}, {"without a recorded address", j.Unlocated},
	} {
		t.row(row.name, count(row.n))
	}
	t.print(w, 2)
	for _, e := range j.Examples {
		wrap(w, "  ", sentence(e))
	}
	if j.BadLines > 0 {
		wrap(w, "  ", sentence(fmt.Sprintf("%s lines of the journal could not be read, the first at %s", count(j.BadLines), j.FirstBad)))
	}
	times := table{}
	times.row("service in ms", "p50", "p99", "ours p50", "ours p99")
	for _, p := range j.Plans {
		ours := oursOf(s, p.Plan)
		times.row("plan "+safe(p.Plan), millis(p.Service.P50), millis(p.Service.P99), millis(ours.P50), millis(ours.P99))
	}
	times.print(w, 2)
	wrap(w, "  ", "the gateway's service time is from its read to its write; ours adds the way there and back")
}

// oursOf is our service time of a plan, of the first run that has it.
func oursOf(s *postproc.Summary, plan string) record.Quantiles {
	for i := range s.Runs {
		for j := range s.Runs[i].Plans {
			if p := &s.Runs[i].Plans[j]; p.Ledger.Plan == plan {
				return p.ServiceTime
			}
		}
	}
	return record.Quantiles{}
}

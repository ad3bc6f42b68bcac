package report

import (
	"fmt"
	"io"
	"math"

	"github.com/wsgov/wsgov/postproc"
	"github.com/wsgov/wsgov/record"
)

func writePlan(w io.Writer, p *postproc.Plan) {
	head := "plan " + safe(p.Ledger.Plan)
	if p.Model != "" {
		head += "  " + safe(p.Model)
	}
	if p.LengthMillis > 0 {
		head += fmt.Sprintf("  %s s", decimal(p.LengthMillis/1000, 3))
	}
	fmt.Fprintf(w, "\n  %s\n", head)
	writeStory(w, p)
	for _, warning := range p.Warnings {
		wrap(w, "    warning: ", sentence(warning.Text))
	}
	fmt.Fprintln(w)
	writeCounts(w, p)
	fmt.Fprintln(w)
	writeTimes(w, p)
	fmt.Fprintln(w)
	writeIdentities(w, p.Identities)
}

// writeStory puts what a script that only counts frames would say beside the truth.
func writeStory(w io.Writer, p *postproc.Plan) {
	t := table{left: map[int]bool{1: true, 2: true}}
	t.row("", "the naive story", "the truth")
	what := "frames"
	if !p.FramesRecorded {
		what = "answers"
	}
	t.row("delivery", fmt.Sprintf("success %s (%s / sent)", percent(p.Naive.SuccessRatio), what), fmt.Sprintf("delivered %s (%s ok of %s planned)", percent(p.DeliveryRatio), count(p.OK), count(p.Planned)))
	if p.Model != "request" { // single steps of a script have no rate
		t.row("rate", rate(p.Naive.FramesPerSecond)+" "+what, rate(p.Goodput)+" goodput")
	}
	t.row("p99", naiveTime(p)+" from the send, answered only", inMillis(p.ResponseTime.P99)+" from the intended time, all planned")
	t.print(w, 4)
}

func naiveTime(p *postproc.Plan) string {
	if p.ServiceTime.Count == 0 {
		return "no time"
	}
	return inMillis(p.Naive.P99)
}

// inMillis prints milliseconds with their unit.
func inMillis(m record.Milliseconds) string {
	if math.IsInf(float64(m), 1) {
		return pastDeadline
	}
	return millis(m) + " ms"
}

// writeCounts prints every planned message's outcome, then what was received, then the connections.
func writeCounts(w io.Writer, p *postproc.Plan) {
	t := table{left: map[int]bool{3: true}}
	line := func(name string, n int64, detail string) { t.row(name, count(n), share(n, p.Planned), detail) }
	t.row("planned", count(p.Planned))
	line("  error", p.Error, tally(p.Errors))
	line("  lost", p.Lost, tally(p.LostReasons))
	line("  unsent", p.Unsent, tally(p.UnsentReasons))
	line("  ok", p.OK, "")
	t.row("sent", count(p.Sent), share(p.Sent, p.Planned), "")
	t.print(w, 4)
	writePoints(w, p)
	if f := &p.Frames; p.FramesRecorded {
		wrap(w, "    frames      ", fmt.Sprintf("%s received with %s parts: %s ok, %s error, %s late, %s duplicate, %s unmatched, %s malformed, %s push",
			count(f.Received), count(f.Parts), count(p.OK), count(p.Error), count(f.Late), count(f.Duplicate), count(f.Unmatched), count(f.Malformed), count(f.Push)))
	} else {
		fmt.Fprintln(w, "    frames      not recorded")
	}
	if p.LinksRecorded {
		wrap(w, "    handshakes  ", handshakes(&p.Handshakes))
	} else {
		fmt.Fprintln(w, "    handshakes  not recorded")
	}
	if p.MaxInFlight > 0 {
		fmt.Fprintf(w, "    in flight   at most %s on one connection\n", count(p.MaxInFlight))
	}
	if len(p.Closes) > 0 {
		wrap(w, "    closes      ", tally(p.Closes))
	}
}

// writePoints says what the points alone add up to, where that differs from the totals.
func writePoints(w io.Writer, p *postproc.Plan) {
	if p.Points == nil {
		return
	}
	l := p.Points
	wrap(w, "    these are the totals of the end point; ", fmt.Sprintf("the points that are there say planned %s, sent %s, ok %s, error %s, lost %s, unsent %s",
		count(l.Planned), count(l.Sent), count(l.OK), count(l.Error), count(l.Lost), count(l.Unsent)))
}

func share(n, of int64) string {
	if of == 0 {
		return ""
	}
	return percent(float64(n) / float64(of))
}

// writeTimes prints the distributions, and for an open plan what measuring from the send would have hidden.
func writeTimes(w io.Writer, p *postproc.Plan) {
	t := table{}
	t.row("times in ms", "min", "p50", "p90", "p95", "p99", "p99.9", "max", "mean")
	row := func(name string, q record.Quantiles) {
		if q.Count == 0 && q.P50 == 0 {
			t.row(name, "-", "-", "-", "-", "-", "-", "-", "-")
			return
		}
		t.row(name, bounded(q, q.Min), millis(q.P50), millis(q.P90), millis(q.P95), millis(q.P99), millis(q.P999), bounded(q, q.Max), bounded(q, q.Mean))
	}
	row("response", p.ResponseTime)
	row("service", p.ServiceTime)
	row("send lag", p.SendLag)
	for _, part := range []struct {
		name string
		q    record.Quantiles
	}{{"  cap", p.Lag.Cap}, {"  socket", p.Lag.Socket}, {"  generator", p.Lag.Generator}, {"connecting", p.Connecting}} {
		if part.q.Count > 0 {
			row(part.name, part.q)
		}
	}
	t.print(w, 4)
	wrap(w, "    ", "response: from the intended time, over all planned; service: from the send, over all sent; what has no answer is slower than all")
	writeModel(w, p)
}

// bounded prints a figure that only answered messages have.
func bounded(q record.Quantiles, m record.Milliseconds) string {
	if q.Count == 0 {
		return "-"
	}
	return millis(m)
}

func writeModel(w io.Writer, p *postproc.Plan) {
	switch {
	case p.Sent == 0:
	case p.Model == "open":
		wrap(w, "    ", fmt.Sprintf("open load, seen twice: p99 %s from the send, %s from the intended time; waiting at the cap p99 %s",
			inMillis(p.ServiceTime.P99), inMillis(p.ResponseTime.P99), waiting(p)))
	case p.Model == "closed":
		wrap(w, "    ", "closed load: the next message waits for the last reply, so a slow gateway lowers the load and hides its queue")
	case p.Model == "burst":
		wrap(w, "    ", "burst: all are meant to leave at once, so these times say how long this machine and the gateway take to write, answer and read all of it, not what one message takes")
	}
}

func waiting(p *postproc.Plan) string {
	if p.Lag.Cap.Count == 0 {
		return "not recorded"
	}
	return inMillis(p.Lag.Cap.P99)
}

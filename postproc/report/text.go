package report

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/wsgov/wsgov/postproc"
	"github.com/wsgov/wsgov/postproc/reconcile"
	"github.com/wsgov/wsgov/record"
)

// Text writes the report for people: the verdict in the first line, then per run its plans, each with the naive story
// beside the truth, then what could not be read. It needs 100 columns and plain ASCII, but for names from the input. The
// error is the first that writing meets.
func Text(w io.Writer, r *Report) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, sentence(r.Verdict().Text)) // on one line, for those who look at the first line only
	for _, hit := range r.Hits {
		wrap(out, "fail-on: ", sentence(hit.Text))
	}
	for i := range r.Summary.Runs {
		writeRun(out, r.Summary, i)
	}
	writeTogether(out, r.Summary)
	if r.Journal != nil {
		writeJournal(out, r.Journal, r.Summary)
	}
	writeMetrics(out, r.Summary)
	writeInputs(out, r.Summary)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func writeRun(w io.Writer, s *postproc.Summary, i int) {
	r := &s.Runs[i]
	head := fmt.Sprintf("run %d", i+1)
	if !r.StartedAt.IsZero() {
		head += "  " + r.StartedAt.Format("2006-01-02 15:04:05Z07:00")
	}
	if r.Seed != "" {
		head += "  seed " + safe(r.Seed)
	}
	if r.Versions != "" {
		head += "  " + safe(r.Versions)
	}
	fmt.Fprintf(w, "\n%s\n", head)
	for _, in := range r.Inputs {
		fmt.Fprintf(w, "  from %s\n", safe(s.Inputs[in].Name))
	}
	for _, finding := range r.Torn {
		wrap(w, "  torn: ", sentence(finding))
	}
	for _, warning := range r.Warnings {
		wrap(w, "  warning: ", sentence(warning.Text))
	}
	if r.Handshakes.Attempted > 0 {
		fmt.Fprintf(w, "  connections without a plan: %s\n", handshakes(&r.Handshakes))
	}
	if len(r.Generator) > 0 {
		wrap(w, "  generator at most: ", resources(r.Generator))
	}
	writeOverview(w, r.Plans)
	for j := range r.Plans {
		writePlan(w, &r.Plans[j])
	}
	writeGateway(w, r)
}

// resources prints what the generator itself used, by resource.
func resources(m map[string]float64) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, resource(name, m[name]))
	}
	return strings.Join(out, ", ")
}

// resource prints one resource of the generator with its unit; one that is not known has none.
func resource(name string, v float64) string {
	switch name {
	case "cpu":
		return fmt.Sprintf("cpu %.2f cores", v)
	case "rss":
		return fmt.Sprintf("memory %.0f MB", v/1e6)
	case "gc_pause":
		return "GC pause " + millis(record.Milliseconds(v)) + " ms"
	case "timer_slip":
		return "timer slip " + millis(record.Milliseconds(v)) + " ms"
	case "fds":
		return value(v) + " descriptors"
	}
	return safe(name) + " " + value(v)
}

func handshakes(h *record.HandshakeCounts) string {
	text := fmt.Sprintf("%s attempted, %s opened, %s failed", count(h.Attempted), count(h.Opened), count(h.Failed))
	if len(h.Causes) > 0 {
		text += ": " + tally(h.Causes)
	}
	return text
}

// tally prints counts by name, the largest first.
func tally(m map[string]int64) string {
	names := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(names, func(a, b string) int { return int(min(max(m[b]-m[a], -1), 1)) })
	var out []string
	for i, name := range names {
		if i == 10 {
			out = append(out, fmt.Sprintf("%d more", len(names)-i))
			break
		}
		if name == "" {
			name = "not recorded"
		}
		out = append(out, safe(name)+" "+count(m[names[i]]))
	}
	return strings.Join(out, ", ")
}

// writeTogether gives one figure for all runs, since files are joined by people who want one.
func writeTogether(w io.Writer, s *postproc.Summary) {
	if len(s.Runs) < 2 {
		return
	}
	t := together(s)
	fmt.Fprintf(w, "\nall runs together: planned %s, ok %s, delivery %s\n", count(t.Planned), count(t.OK), percent(t.DeliveryRatio))
}

func writeGateway(w io.Writer, r *postproc.Run) {
	fmt.Fprintln(w)
	defer writeIdentities(w, []reconcile.Identity{r.Identity})
	if len(r.Gateway.Sources) > 0 {
		fmt.Fprintf(w, "  gateway %s\n", safe(strings.Join(r.Gateway.Sources, ", ")))
	}
	if len(r.Gateway.Counters) == 0 {
		return
	}
	t := table{}
	t.row("counter", "before", "after", "delta", "expected", "difference")
	for _, c := range r.Gateway.Counters {
		t.row(safe(c.Name), value(c.Before), value(c.After), value(c.Delta), value(c.Expected), signed(c.Difference))
	}
	t.row("unreconciled", "", "", "", "", value(r.Gateway.Difference))
	t.print(w, 4)
	for _, c := range r.Gateway.Counters {
		for _, e := range c.Explanations {
			wrap(w, fmt.Sprintf("    %s %s: ", safe(c.Name), signed(c.Difference)), sentence(e))
		}
	}
}

func writeIdentities(w io.Writer, all []reconcile.Identity) {
	for _, i := range all {
		switch {
		case !i.Checked:
			wrap(w, fmt.Sprintf("    identity %d  NOT CHECKED  ", i.Number), i.Name+": "+sentence(i.Note))
		case i.Holds:
			wrap(w, fmt.Sprintf("    identity %d  holds        ", i.Number), equation(i))
		default:
			wrap(w, fmt.Sprintf("    identity %d  DOES NOT HOLD  ", i.Number), equation(i))
		}
	}
}

// equation prints an identity with its numbers.
func equation(i reconcile.Identity) string {
	left, right, sign := value(i.Left), value(i.Right), "="
	if i.Number == 4 {
		left, right = decimal(i.Left, 3), decimal(i.Right, 3)
	}
	if i.Broken() {
		sign = "is not"
	}
	return fmt.Sprintf("%s: %s %s %s", i.Name, left, sign, right)
}

func writeInputs(w io.Writer, s *postproc.Summary) {
	fmt.Fprintln(w)
	for _, in := range s.Inputs {
		fmt.Fprintf(w, "read %s: %s lines, %s bytes, %s bad\n", safe(in.Name), count(int64(in.Lines)), count(in.Bytes), count(in.Bad))
		if in.Torn != "" {
			wrap(w, "  torn: ", sentence(in.Torn))
		}
	}
	for _, b := range s.Bad {
		wrap(w, "  bad line: ", sentence(b.String()))
	}
	if more := s.BadLines - int64(len(s.Bad)); more > 0 {
		fmt.Fprintf(w, "  and %s more bad lines\n", count(more))
	}
}

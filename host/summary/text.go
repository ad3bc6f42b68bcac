package summary

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/wsgov/wsgov/host/metrics"
	"github.com/wsgov/wsgov/host/threshold"
	"github.com/wsgov/wsgov/record"
)

// Text is the summary that is printed at the end of a run.
func (d *Data) Text() string {
	var b strings.Builder
	d.thresholds(&b)
	b.WriteString("\n\n  █ TOTAL RESULTS \n\n")
	if checks := d.checks(); len(checks) > 0 {
		d.checkRows(&b, checks)
	}
	d.metrics(&b)
	return b.String()
}

// thresholds prints every metric that has some, sub-metrics below their metric if that has some of its own.
func (d *Data) thresholds(b *strings.Builder) {
	parent := ""
	for _, s := range d.Series {
		if len(s.Verdicts) == 0 {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\n\n  █ THRESHOLDS \n")
		}
		indent, name := "    ", s.Name
		if s.Suffix == "" {
			parent = s.Parent
		} else if s.Parent == parent {
			indent, name = "      ", "{"+s.Suffix+"}"
		}
		fmt.Fprintf(b, "\n%s%s\n", indent, oneLine(name))
		for _, v := range s.Verdicts {
			fmt.Fprintf(b, "%s%s '%s' %s\n", indent, d.mark(v.OK), v.Threshold.Source, d.observed(&s, v))
		}
	}
}

// observed is what a threshold looked at, in the metric's unit.
func (d *Data) observed(s *Series, v threshold.Verdict) string {
	a := v.Threshold.Expression.Aggregation
	if v.Missing {
		return "no samples"
	}
	text := value(v.Observed, s.Contains, d.TimeUnit)
	switch {
	case s.Kind == record.Rate:
		text = percent(v.Observed)
	case s.Kind == record.Counter && a.Name == "rate":
		text += "/s"
	}
	return a.String() + "=" + text
}

func (d *Data) mark(ok bool) string {
	switch {
	case ok && d.Color:
		return "\x1b[32m✓\x1b[0m"
	case ok:
		return "✓"
	case d.Color:
		return "\x1b[31m✗\x1b[0m"
	}
	return "✗"
}

// checkRows prints the totals of all checks and then each one.
func (d *Data) checkRows(b *strings.Builder, checks []metrics.Check) {
	var passes, fails int64
	for _, c := range checks {
		passes, fails = passes+c.Passes, fails+c.Fails
	}
	total := passes + fails
	t := table{rows: []row{
		{name: "checks_total", value: number(float64(total), 6), extras: rate(float64(total), d)},
		{name: "checks_succeeded", value: share(passes, total), extras: []string{outOf(passes, total)}},
		{name: "checks_failed", value: share(fails, total), extras: []string{outOf(fails, total)}},
	}}
	t.write(b)
	b.WriteByte('\n')
	for _, c := range checks {
		fmt.Fprintf(b, "    %s %s\n", d.mark(c.Fails == 0), oneLine(c.Name))
		if c.Fails > 0 {
			fmt.Fprintf(b, "      ↳  %d%% — ✓ %d / ✗ %d\n", 100*c.Passes/(c.Passes+c.Fails), c.Passes, c.Fails)
		}
	}
	b.WriteByte('\n')
}

func rate(total float64, d *Data) []string {
	if d.Duration <= 0 {
		return nil
	}
	return []string{number(total/d.Duration.Seconds(), 6) + "/s"}
}

func share(n, total int64) string { return percent(float64(n) / float64(max(total, 1))) }

func outOf(n, total int64) string { return fmt.Sprintf("%d out of %d", n, total) }

// oneLine keeps a name from tearing the layout.
func oneLine(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == utf8.RuneError || r == 0x7f {
			return '·'
		}
		return r
	}, name)
}

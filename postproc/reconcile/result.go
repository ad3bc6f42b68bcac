package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/wsgov/wsgov/record"
)

// Result is the comparison of a run's account with its gateway's counters. If it could not be made, Checked is false and
// Why says what is missing.
type Result struct {
	record.Reconciliation
	Checked bool     `json:"checked"`
	Why     string   `json:"why"`
	Sources []string `json:"sources"`
}

// referenceMaps is what the counters of the reference gateway mean, for inputs that do not say so themselves.
var referenceMaps = map[string]string{"echoed": "ok", "limited": "error:RATE_LIMITED", "conns": "handshakes"}

// Reconcile compares the account, to which the snapshots' own connections are added, with the counters: from the first
// snapshot before to the last after, per source and process, added up over them. Doubts are weak points of the account
// that could explain a difference.
func (s *Snapshots) Reconcile(account record.Account, doubts ...string) *Result {
	out := &Result{Sources: s.Sources()}
	out.Counters, out.Warnings = []record.CounterCheck{}, []record.Warning{}
	if s.Empty() {
		out.Why = "no gateway counters in this input"
		return out
	}
	account.Control += s.Control()
	for _, name := range s.order {
		s.check(name, out, &account, doubts)
	}
	s.warnNotZero(out)
	if out.Checked = len(out.Counters) > 0; !out.Checked && out.Why == "" {
		out.Why = "none of the gateway's counters could be compared"
	}
	return out
}

func (s *Snapshots) check(name string, out *Result, account *record.Account, doubts []string) {
	books := s.byName(name)
	var before, after float64
	var haveBefore, haveAfter bool
	maps := referenceMaps[name]
	for _, b := range books {
		if b.maps != "" {
			maps = b.maps
		}
		if b.before != nil {
			before, haveBefore = before+b.before.Value, true
		}
		if b.after != nil {
			after, haveAfter = after+b.after.Value, true
		}
	}
	if maps == "" { // the script did not say what to expect of it
		return
	}
	if !haveBefore || !haveAfter {
		missing := map[bool]string{true: "after", false: "before"}[haveBefore]
		out.Why = fmt.Sprintf("the gateway's counters were not read %s the load", missing)
		out.warn("snapshot-missing", fmt.Sprintf("counter %s was not read %s the load: it cannot be compared; take both snapshots", name, missing))
		return
	}
	if err := out.Check(name, maps, before, after, account); err != nil {
		out.warn("counter-unmapped", fmt.Sprintf("counter %s is not compared: %v", name, err))
		return
	}
	changed := out.restarts(name, books)
	c := &out.Counters[len(out.Counters)-1]
	if c.Difference != 0 {
		c.Explanations = append(append(changed, doubts...), c.Explanations...)
	}
}

func (r *Result) warn(code, text string) {
	w := record.Warning{Code: code, Text: text}
	if !slices.Contains(r.Warnings, w) {
		r.Warnings = append(r.Warnings, w)
	}
}

// restarts warns of processes that were seen on one side only and of counters that fell.
func (r *Result) restarts(name string, books []sourced) (explanations []string) {
	for i, b := range books {
		if b.fell {
			text := fmt.Sprintf("counter %s of %s fell from %s to less: the gateway restarted or its counter was reset", name, named(b.source), plain(b.fellFrom))
			r.warn("gateway-restarted", text)
			explanations = append(explanations, text)
		}
		if b.before != nil && b.after != nil {
			continue
		}
		for _, o := range books[i+1:] {
			if o.source == b.source && (o.before == nil) != (b.before == nil) {
				text := fmt.Sprintf("the process behind %s changed from %s to %s: the gateway restarted, or another replica answered, and what the first one counted is not known",
					named(b.source), named(b.process), named(o.process))
				r.warn("gateway-restarted", text)
				explanations = append(explanations, text)
			}
		}
	}
	return explanations
}

// warnNotZero says which counters had already counted something that our own first snapshot does not account for.
func (s *Snapshots) warnNotZero(out *Result) {
	var stale []string
	_, opened := s.control()
	for _, c := range out.Counters {
		own := float64(0)
		if c.Name == "conns" || s.mapsTo(c.Name, "handshakes") {
			own = float64(opened)
		}
		if c.Before > own {
			stale = append(stale, fmt.Sprintf("%s %s", c.Name, plain(c.Before)))
		}
	}
	if len(stale) > 0 {
		out.warn("counters-not-zero", fmt.Sprintf("the gateway had counted before this run (%s): the differences are used; make sure that it is the gateway you meant and that nobody else uses it",
			strings.Join(stale, ", ")))
	}
}

func (s *Snapshots) mapsTo(name, prediction string) bool {
	return slices.ContainsFunc(s.byName(name), func(b sourced) bool { return b.maps == prediction })
}

func named(s string) string {
	if s == "" {
		return "(unnamed)"
	}
	return s
}

func plain(f float64) string { return fmt.Sprintf("%.15g", f) }

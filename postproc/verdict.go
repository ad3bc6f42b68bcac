package postproc

import (
	"fmt"

	"github.com/wsgov/wsgov/postproc/reconcile"
)

// State is what a summary is worth.
type State string

// The states, from the best to the worst.
const (
	Closed  State = "closed"  // every plan is whole and every identity that could be checked holds
	NoPlans State = "noplans" // there is nothing of ours in the input: ordinary k6 output, or handshakes only
	Open    State = "open"    // an identity or the gateway's counters do not agree
	Torn    State = "torn"    // the input is not whole, which explains any disagreement
)

// Verdict is a summary's state with the reason in one sentence.
type Verdict struct {
	State State  `json:"state"`
	Text  string `json:"text"`
}

// Verdict judges the summary. A torn input is torn even if its identities happen to hold, since nobody knows what is
// missing.
func (s *Summary) Verdict() Verdict {
	if text, n := s.torn(); n > 0 {
		if n > 1 {
			text = fmt.Sprintf("%s (and %d more)", text, n-1)
		}
		return Verdict{Torn, "TORN: " + text}
	}
	if broken := s.Broken(); len(broken) > 0 {
		text := broken[0]
		if n := len(broken); n > 1 {
			text = fmt.Sprintf("%s (and %d more)", text, n-1)
		}
		return Verdict{Open, "BOOKS DO NOT CLOSE: " + text}
	}
	if !s.hasPlans() {
		return Verdict{NoPlans, s.withoutPlans()}
	}
	text := "books close; " + s.gateway()
	if s.BadLines > 0 {
		text += fmt.Sprintf("; %d lines could not be used, none of them of a message by the totals", s.BadLines)
	}
	return Verdict{Closed, text}
}

// torn gives the first sign that the input is not whole, and how many there are.
func (s *Summary) torn() (first string, n int) {
	var all []string
	for i := range s.Runs {
		for _, finding := range s.Runs[i].Torn {
			all = append(all, s.prefix(i)+finding)
		}
	}
	for _, in := range s.Inputs {
		if in.Torn != "" {
			all = append(all, in.Torn)
		}
	}
	if len(all) == 0 && s.Damaged && !s.hasPlans() {
		all = append(all, fmt.Sprintf("%d lines could not be read and nothing tells what they held", s.BadLines))
	}
	if len(all) == 0 && len(s.Runs) == 0 && len(s.Metrics) == 0 {
		all = append(all, "there is not one point in the input")
	}
	if len(all) == 0 {
		return "", 0
	}
	return all[0], len(all)
}

// Broken lists the identities that do not hold, the gateway's included.
func (s *Summary) Broken() []string {
	var out []string
	for i := range s.Runs {
		r := &s.Runs[i]
		for _, p := range r.Plans {
			for _, id := range p.Identities {
				if id.Broken() {
					out = append(out, fmt.Sprintf("%splan %s: %s, but %s", s.prefix(i), p.Ledger.Plan, id.Name, sides(id)))
				}
			}
		}
		if r.Identity.Broken() {
			out = append(out, fmt.Sprintf("%sthe gateway's counters differ from the ledger by %.15g", s.prefix(i), r.Gateway.Difference))
		}
	}
	return out
}

func sides(i reconcile.Identity) string { return fmt.Sprintf("%.15g is not %.15g", i.Left, i.Right) }

// prefix names a run where there are several.
func (s *Summary) prefix(run int) string {
	if len(s.Runs) == 1 {
		return ""
	}
	return fmt.Sprintf("run %d: ", run+1)
}

func (s *Summary) hasPlans() bool {
	for i := range s.Runs {
		if len(s.Runs[i].Plans) > 0 {
			return true
		}
	}
	return false
}

func (s *Summary) withoutPlans() string {
	for i := range s.Runs {
		if s.Runs[i].Handshakes.Attempted > 0 {
			return "no plan was driven: the input has handshakes only"
		}
	}
	return "delivery is not in this input: it is ordinary k6 output, which does not say what became of each message"
}

// gateway says in how far the gateway's own counters agree.
func (s *Summary) gateway() string {
	checked, why := 0, ""
	for i := range s.Runs {
		if s.Runs[i].Identity.Checked {
			checked++
		} else if why == "" {
			why = s.Runs[i].Identity.Note
		}
	}
	switch checked {
	case len(s.Runs):
		return "gateway agrees: unreconciled 0"
	case 0:
		return "gateway NOT CHECKED: " + why
	}
	return fmt.Sprintf("gateway agrees in %d of %d runs: unreconciled 0; in the others NOT CHECKED: %s", checked, len(s.Runs), why)
}

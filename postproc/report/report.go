package report

import (
	"fmt"

	"github.com/wsgov/wsgov/postproc"
	"github.com/wsgov/wsgov/postproc/reconcile"
)

// The exit codes of the command.
const (
	ExitFine   = 0
	ExitUsage  = 1 // or an input that cannot be read
	ExitFailOn = 2 // a condition was hit
	ExitTorn   = 3 // the input is not whole
	ExitOpen   = 4 // the books do not close
)

// Report is a summary with what the user asked of it.
type Report struct {
	Summary *postproc.Summary
	Hits    []Hit
	Journal *reconcile.JournalResult // nil if no journal was given
}

// Verdict is the summary's, in which a journal that disagrees keeps the books from closing.
func (r *Report) Verdict() postproc.Verdict {
	v := r.Summary.Verdict()
	if r.Journal == nil || v.State == postproc.Torn || v.State == postproc.Open {
		return v
	}
	if n := r.Journal.Disagreements(); n > 0 {
		return postproc.Verdict{State: postproc.Open, Text: fmt.Sprintf("BOOKS DO NOT CLOSE: %s messages differ between the ledger and the gateway's journal", count(n))}
	}
	if r.Journal.BadLines > 0 {
		return postproc.Verdict{State: postproc.Torn, Text: fmt.Sprintf("TORN: %s lines of the journal could not be read", count(r.Journal.BadLines))}
	}
	v.Text += fmt.Sprintf("; journal agrees on %s messages", count(r.Journal.Matched))
	return v
}

// ExitCode is what the command ends with: the worst of what applies.
func (r *Report) ExitCode() int {
	switch r.Verdict().State {
	case postproc.Torn:
		return ExitTorn
	case postproc.Open:
		return ExitOpen
	}
	if len(r.Hits) > 0 {
		return ExitFailOn
	}
	return ExitFine
}

// sum is what all runs have together.
type sum struct {
	Planned       int64   `json:"planned"`
	OK            int64   `json:"ok"`
	DeliveryRatio float64 `json:"deliveryRatio"`
}

func together(s *postproc.Summary) sum {
	var t sum
	for i := range s.Runs {
		for j := range s.Runs[i].Plans {
			t.Planned += s.Runs[i].Plans[j].Planned
			t.OK += s.Runs[i].Plans[j].OK
		}
	}
	if t.Planned > 0 {
		t.DeliveryRatio = float64(t.OK) / float64(t.Planned)
	}
	return t
}

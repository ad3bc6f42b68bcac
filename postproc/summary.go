package postproc

import (
	"time"

	"github.com/wsgov/wsgov/postproc/reconcile"
	"github.com/wsgov/wsgov/record"
)

// Summary is what a set of result files says.
type Summary struct {
	Inputs   []Input
	Runs     []Run
	Metrics  []Metric // not about our planned messages
	Bad      []*record.Bad
	BadLines int64 // all of them, Bad holds the first
	Damaged  bool  // a line was unusable, other than by a value that is not finite
}

// Run is one run: its parts may come from several inputs.
type Run struct {
	ID         string
	Seed       string
	Versions   string
	Inputs     []int // indices into Summary.Inputs
	Parts      int
	StartedAt  time.Time // wall clock, as the first start point has it
	Plans      []Plan
	Handshakes record.HandshakeCounts // of connections that belong to no plan
	Gateway    *reconcile.Result
	Claimed    *float64           // the difference that the run itself reconciled, if it did
	Identity   reconcile.Identity // the fifth, of the gateway
	Generator  map[string]float64 // highest value by resource
	Torn       []string           // what is missing or contradicts itself; empty for a whole run
	Warnings   []record.Warning
}

// Plan is the account of one plan in one run. Where the points and the totals of the end point disagree, the counts are
// those of the totals, the times those of the points that are there, and Points what the points say.
type Plan struct {
	record.Ledger
	Model           string               // open, closed, burst or empty if not recorded
	LengthMillis    float64              // time that drives of the plan were under way, 0 if not known
	FramesPerSecond float64              // data frames received per second, of any kind
	Lag             LagParts             // what the send lag consists of
	Connecting      record.Quantiles     // time of connection attempts
	Closes          map[string]int64     // ends of connections, by "code by whom"
	Points          *record.Ledger       // set where points and totals disagree
	FramesRecorded  bool                 // the frame counts are from the input
	LinksRecorded   bool                 // the handshake counts are from the input
	Clamped         int64                // times outside the range of the distributions
	Identities      []reconcile.Identity // the first four
}

// LagParts are the three parts of the send lag: waiting at the in-flight cap, for the socket or a connection, and the
// lateness of the generator itself.
type LagParts struct {
	Cap       record.Quantiles `json:"cap"`
	Socket    record.Quantiles `json:"socket"`
	Generator record.Quantiles `json:"generator"`
}

// Summary ends the collection. Parts of one run that came from several inputs, by their identity or because they were
// under way at the same time, become one run; runs after one another stay apart.
func (c *Collector) Summary() *Summary {
	out := &Summary{Inputs: c.inputs, Bad: c.bad, BadLines: c.badSum, Damaged: c.damaged, Runs: []Run{}, Metrics: []Metric{}}
	units := sameRun(c.parts)
	for _, u := range units {
		u.complete()
	}
	for _, group := range together(units) {
		out.Runs = append(out.Runs, group.run())
	}
	for _, name := range c.names {
		if m := c.metrics[name]; m.Count > 0 || m.NotFinite > 0 {
			out.Metrics = append(out.Metrics, m.summary())
		}
	}
	return out
}

// group is the parts of one run.
type group struct {
	*part
	size int
}

// sameRun joins parts of one identity.
func sameRun(parts []*part) []*part {
	var out []*part
	byID := map[string]*part{}
	for _, p := range parts {
		if first := byID[p.id]; p.id != "" && first != nil {
			first.absorb(p)
			continue
		}
		byID[p.id] = p
		out = append(out, p)
	}
	return out
}

// together joins parts from different inputs whose times overlap.
func together(parts []*part) []group {
	var out []group
	var windows [][]span
	for _, p := range parts {
		w, joined := p.window(), false
		for i := range out {
			if !joined && overlapsAny(windows[i], w) && disjoint(out[i].inputs, p.inputs) {
				out[i].absorb(p)
				out[i].size++
				windows[i] = append(windows[i], w)
				joined = true
			}
		}
		if !joined {
			out = append(out, group{p, 1})
			windows = append(windows, []span{w})
		}
	}
	return out
}

func overlapsAny(all []span, w span) bool {
	for _, o := range all {
		if o.overlaps(w) {
			return true
		}
	}
	return false
}

func disjoint(a, b []int) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return false
			}
		}
	}
	return true
}

package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/wsgov/wsgov/postproc"
	"github.com/wsgov/wsgov/postproc/reconcile"
	"github.com/wsgov/wsgov/record"
)

// Schema names the form of the JSON report and changes when a field changes its meaning.
const Schema = "wsgov-report/1"

type document struct {
	Schema         string                   `json:"schema"`
	Verdict        verdict                  `json:"verdict"`
	Input          input                    `json:"input"`
	Runs           []run                    `json:"runs"`
	Plans          []plan                   `json:"plans"`
	Together       sum                      `json:"together"`
	Reconciliation *reconcile.Result        `json:"reconciliation"`
	Identities     []identity               `json:"identities"`
	Metrics        []postproc.Metric        `json:"metrics"`
	FailOn         []Hit                    `json:"failOn"`
	Journal        *reconcile.JournalResult `json:"journal"`
}

type verdict struct {
	postproc.Verdict
	ExitCode int `json:"exitCode"`
}

type input struct {
	Files    []postproc.Input `json:"files"`
	Lines    int64            `json:"lines"`
	Bytes    int64            `json:"bytes"`
	Bad      int64            `json:"bad"`
	BadLines []badLine        `json:"badLines"`
}

type badLine struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Offset int64  `json:"offset"`
	Length int64  `json:"length"`
	Reason string `json:"reason"`
	Text   string `json:"text"`
	Metric string `json:"metric"`
}

type run struct {
	ID             string                 `json:"id"`
	Seed           string                 `json:"seed"`
	Versions       string                 `json:"versions"`
	StartedAt      *time.Time             `json:"startedAt"`
	Inputs         []int                  `json:"inputs"`
	Parts          int                    `json:"parts"`
	Plans          []string               `json:"plans"`
	Torn           []string               `json:"torn"`
	Warnings       []record.Warning       `json:"warnings"`
	Handshakes     record.HandshakeCounts `json:"handshakes"`
	Generator      map[string]float64     `json:"generator"`
	Claimed        *float64               `json:"claimed"`
	Reconciliation *reconcile.Result      `json:"reconciliation"`
}

type plan struct {
	record.Ledger
	Run                int               `json:"run"`
	Model              string            `json:"model"`
	LengthMillis       float64           `json:"lengthMillis"`
	FramesPerSecond    float64           `json:"framesPerSecond"`
	Lag                postproc.LagParts `json:"lag"`
	Connecting         record.Quantiles  `json:"connecting"`
	Closes             map[string]int64  `json:"closes"`
	Points             *record.Ledger    `json:"points"`
	FramesRecorded     bool              `json:"framesRecorded"`
	HandshakesRecorded bool              `json:"handshakesRecorded"`
}

type identity struct {
	Run  int    `json:"run"`
	Plan string `json:"plan"`
	reconcile.Identity
}

// JSON writes the report as one object, as documented for the package. The error is that of writing.
func JSON(w io.Writer, r *Report) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(r.document()); err != nil {
		return fmt.Errorf("writing the report as JSON: %w", err)
	}
	return nil
}

func (r *Report) document() *document {
	s := r.Summary
	d := &document{
		Schema: Schema, Verdict: verdict{r.Verdict(), r.ExitCode()}, Runs: []run{}, Plans: []plan{}, Together: together(s),
		Identities: []identity{}, Metrics: make([]postproc.Metric, len(s.Metrics)), FailOn: append([]Hit{}, r.Hits...), Journal: r.Journal,
		Input: input{Files: append([]postproc.Input{}, s.Inputs...), Bad: s.BadLines, BadLines: []badLine{}},
	}
	for _, in := range s.Inputs {
		d.Input.Lines += int64(in.Lines)
		d.Input.Bytes += in.Bytes
	}
	for _, b := range s.Bad {
		d.Input.BadLines = append(d.Input.BadLines, badLine{b.File, b.Line, b.Offset, b.Length, b.Reason, b.Text, b.Metric})
	}
	for i, m := range s.Metrics {
		m.Sum, m.URLSum = finite(m.Sum), finite(m.URLSum)
		d.Metrics[i] = m
	}
	for i := range s.Runs {
		d.addRun(i, &s.Runs[i])
	}
	return d
}

func (d *document) addRun(i int, r *postproc.Run) {
	out := run{
		ID: r.ID, Seed: r.Seed, Versions: r.Versions, Inputs: r.Inputs, Parts: r.Parts, Plans: []string{}, Torn: append([]string{}, r.Torn...),
		Warnings: r.Warnings, Handshakes: r.Handshakes, Generator: r.Generator, Claimed: r.Claimed, Reconciliation: finiteResult(r.Gateway),
	}
	if !r.StartedAt.IsZero() {
		out.StartedAt = &r.StartedAt
	}
	for j := range r.Plans {
		p := &r.Plans[j]
		out.Plans = append(out.Plans, p.Ledger.Plan)
		d.Plans = append(d.Plans, plan{
			Ledger: p.Ledger, Run: i, Model: p.Model, LengthMillis: p.LengthMillis, FramesPerSecond: p.FramesPerSecond, Lag: p.Lag, Connecting: p.Connecting,
			Closes: p.Closes, Points: p.Points, FramesRecorded: p.FramesRecorded, HandshakesRecorded: p.LinksRecorded,
		})
		for _, id := range p.Identities {
			d.identity(i, p.Ledger.Plan, id)
		}
	}
	d.identity(i, "", r.Identity)
	d.Runs = append(d.Runs, out)
	d.reconciled(out.Reconciliation)
}

func (d *document) identity(run int, plan string, id reconcile.Identity) {
	id.Left, id.Right = finite(id.Left), finite(id.Right)
	d.Identities = append(d.Identities, identity{run, plan, id})
}

// reconciled adds a run's reconciliation to that of all runs, which is checked only if each of them is.
func (d *document) reconciled(r *reconcile.Result) {
	if d.Reconciliation == nil {
		all := *r
		d.Reconciliation = &all
		return
	}
	all := d.Reconciliation
	all.Counters = append(append([]record.CounterCheck{}, all.Counters...), r.Counters...)
	all.Warnings = append(append([]record.Warning{}, all.Warnings...), r.Warnings...)
	all.Sources = append(append([]string{}, all.Sources...), r.Sources...)
	all.Difference = finite(all.Difference + r.Difference)
	if all.Checked = all.Checked && r.Checked; all.Why == "" {
		all.Why = r.Why
	}
}

func finiteResult(r *reconcile.Result) *reconcile.Result {
	out := *r
	out.Difference = finite(r.Difference)
	out.Counters = append([]record.CounterCheck{}, r.Counters...)
	for i := range out.Counters {
		c := &out.Counters[i]
		for _, f := range []*float64{&c.Before, &c.After, &c.Delta, &c.Expected, &c.Difference} {
			*f = finite(*f)
		}
	}
	return &out
}

// finite keeps sums of extreme values within what JSON can hold.
func finite(f float64) float64 {
	if math.IsNaN(f) {
		return 0
	}
	return math.Min(math.Max(f, -math.MaxFloat64), math.MaxFloat64)
}

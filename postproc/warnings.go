package postproc

import (
	"fmt"

	"github.com/wsgov/wsgov/record"
)

// lateMillis is the generator's own lateness in milliseconds, at its 99th percentile, from which a measurement is doubted.
const lateMillis = 10

// warnings adds the doubts that follow from the run's own figures.
func (r *Run) warnings() {
	for i := range r.Plans {
		p := &r.Plans[i]
		if late := p.Lag.Generator.P99; p.Lag.Generator.Count > 0 && late > lateMillis && p.Model != "burst" { // a burst is late by design
			p.warn("generator-late", fmt.Sprintf("this generator itself was late: p99 %.1f ms, which is included in every response time; give it more CPU, or split the load", float64(late)))
		}
		if p.Clamped > 0 {
			p.warn("times-clamped", fmt.Sprintf("%d times lay outside 0 to 1 h and count at the nearer end in the quantiles", p.Clamped))
		}
		if known := p.SendLag.Count; known < p.Sent && p.Sent > 0 {
			p.warn("lag-unknown", fmt.Sprintf("the send lag of %d of %d sent messages is not recorded", p.Sent-known, p.Sent))
		}
		if p.LengthMillis == 0 && p.Planned > 0 {
			p.warn("length-unknown", "how long the plan took is not recorded: rates cannot be given")
		}
	}
	if r.Gateway != nil && r.Gateway.Checked && r.Claimed != nil && *r.Claimed != r.Gateway.Difference {
		r.Warnings = append(r.Warnings, record.Warning{Code: "reconciliation-differs",
			Text: fmt.Sprintf("the run itself reconciled with a difference of %g, its points give %g", *r.Claimed, r.Gateway.Difference)})
	}
	if r.Gateway != nil {
		r.Warnings = append(r.Warnings, r.Gateway.Warnings...)
	}
	if r.Parts > 1 {
		r.Warnings = append(r.Warnings, record.Warning{Code: "parts-merged",
			Text: fmt.Sprintf("%d parts were under way at the same time: their ledgers and distributions are merged as one run", r.Parts)})
	}
}

func (p *Plan) warn(code, text string) {
	for _, w := range p.Warnings {
		if w.Code == code {
			return // the run said so itself
		}
	}
	p.Warnings = append(p.Warnings, record.Warning{Code: code, Text: text})
}

package postproc

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/wsgov/wsgov/postproc/reconcile"
	"github.com/wsgov/wsgov/record"
)

// part is what one input has of one run.
type part struct {
	inputs    []int
	id        string
	facts     map[string]string // of the start points: seed, versions, schema
	books     map[string]*book
	order     []string // plans as first seen
	drives    map[string]bool
	snapshots reconcile.Snapshots
	base      *record.Account // what had been counted when the first snapshot was taken
	claimed   *float64        // what the run itself reconciled
	generator map[string]float64
	findings  []string // what is missing or contradictory
	startedAt time.Time
	hasStart  bool
}

func newPart(input int) *part {
	return &part{
		inputs: []int{input}, facts: map[string]string{}, books: map[string]*book{}, drives: map[string]bool{}, generator: map[string]float64{},
	}
}

func (p *part) book(plan string) *book {
	b := p.books[plan]
	if b == nil {
		b = newBook(plan)
		p.books[plan] = b
		p.order = append(p.order, plan)
	}
	return b
}

// isOpen tells whether a drive of any plan has no end yet.
func (p *part) isOpen() bool {
	for _, b := range p.books {
		if b.starts > b.ends {
			return true
		}
	}
	return false
}

func (p *part) start(at *record.PointLine, plan string) {
	b := p.book(plan)
	b.starts++
	b.model = firstOf(b.model, at.Metadata.Value(record.MetaModel))
	for _, key := range []string{record.MetaSeed, record.MetaVersion, record.MetaSchema} {
		p.facts[key] = firstOf(p.facts[key], at.Metadata.Value(key))
	}
	drive := at.Metadata.Value(record.MetaDrive)
	if drive != "" && p.drives[drive] {
		p.findings = append(p.findings, fmt.Sprintf("drive %s of plan %s starts twice: the same lines seem to be in the input twice", drive, plan))
	}
	p.drives[drive] = true
	b.open[drive] = at.Time
	if !p.hasStart || at.Time.Before(p.startedAt) {
		p.startedAt, p.hasStart = at.Time, true
	}
}

func (p *part) end(at *record.PointLine, plan string) {
	b := p.book(plan)
	b.ends++
	drive := at.Metadata.Value(record.MetaDrive)
	from, ok := b.open[drive]
	delete(b.open, drive)
	if ok {
		to := at.Time
		if length, ok := millis(at.Metadata, record.MetaLength); ok {
			to = from.Add(time.Duration(length * float64(time.Millisecond)))
		}
		b.spans = append(b.spans, span{from, to})
	}
	p.totals(at, plan, b)
	if b.starts == b.ends {
		b.compact()
	}
}

// totals adds what an end point claims.
func (p *part) totals(at *record.PointLine, plan string, b *book) {
	var byPlan map[string]json.RawMessage
	text, ok := at.Metadata.Get(record.MetaTotals)
	if !ok {
		p.findings = append(p.findings, fmt.Sprintf("the end point of plan %s has no totals", plan))
		return
	}
	l, has := newLedger(plan), map[string]json.RawMessage{}
	err := json.Unmarshal([]byte(text), &byPlan)
	if err == nil {
		err = json.Unmarshal(byPlan[plan], &l)
	}
	if err == nil {
		err = json.Unmarshal(byPlan[plan], &has)
	}
	if err != nil {
		p.findings = append(p.findings, fmt.Sprintf("the totals in the end point of plan %s cannot be read: %v", plan, err))
		return
	}
	var warnings []record.Warning
	if json.Unmarshal([]byte(at.Metadata.Value(record.MetaWarn)), &warnings) == nil {
		l.Warnings = append(l.Warnings, warnings...)
	}
	addLedger(&b.totals, &l)
	b.totalsFrames = b.totalsFrames || has["frames"] != nil
	b.totalsLinks = b.totalsLinks || has["handshakes"] != nil
}

// reading books a counter of the gateway, and at the first snapshot what of our account lies before it.
func (p *part) reading(at *record.PointLine) {
	r := reconcile.ReadingOf(at)
	if !r.After && p.base == nil {
		base := p.accountSoFar()
		p.base = &base
	}
	p.snapshots.Add(r)
}

// accountSoFar is what the points read until now say about a gateway's counters.
func (p *part) accountSoFar() record.Account {
	var sum record.Account
	for _, b := range p.books {
		sum.Add(b.account(&b.points, p.linksRecorded()))
	}
	return sum
}

// precede adds what came before a start point of this part. If the first snapshot is in it, all that the part had counted
// lies before that snapshot too.
func (p *part) precede(pending *part) {
	if pending.base != nil && p.base == nil {
		base := p.accountSoFar()
		base.Add(*pending.base)
		p.base = &base
	}
	pending.base = nil
	p.absorb(pending)
}

// linksRecorded tells whether handshakes are recorded. A plan that uses the connections of another has none of its own.
func (p *part) linksRecorded() bool {
	for _, b := range p.books {
		if b.totalsLinks || b.points.Handshakes.Attempted > 0 {
			return true
		}
	}
	return false
}

// account is what the counts of ledger l say about a gateway's counters. Without recorded handshakes the plan's distinct
// connections stand for them.
func (b *book) account(l *record.Ledger, links bool) record.Account {
	opened := l.Handshakes.Opened
	if !links {
		opened = b.connections + int64(len(b.conns))
	}
	return record.Account{
		Handshakes: opened, Sent: l.Sent, OK: l.OK, Error: l.Error, Errors: l.Errors, Lost: l.Lost,
		LateOK: b.late.ok, LateError: b.late.err, LateErrors: b.late.codes,
		Received: l.Frames.Received, Duplicate: l.Frames.Duplicate, Unmatched: l.Frames.Unmatched,
	}
}

// absorb adds another part of the same run.
func (p *part) absorb(o *part) {
	for _, in := range o.inputs {
		if !slices.Contains(p.inputs, in) {
			p.inputs = append(p.inputs, in)
		}
	}
	p.id = firstOf(p.id, o.id)
	for k, v := range o.facts {
		p.facts[k] = firstOf(p.facts[k], v)
	}
	for _, plan := range o.order {
		p.book(plan).merge(o.books[plan])
	}
	p.absorbDrives(o)
	p.snapshots.Merge(&o.snapshots)
	if o.base != nil {
		if p.base == nil {
			p.base = &record.Account{}
		}
		p.base.Add(*o.base)
	}
	if o.claimed != nil {
		p.claimed = o.claimed
	}
	for k, v := range o.generator {
		p.generator[k] = max(p.generator[k], v)
	}
	p.findings = append(p.findings, o.findings...)
	if o.hasStart && (!p.hasStart || o.startedAt.Before(p.startedAt)) {
		p.startedAt, p.hasStart = o.startedAt, true
	}
}

func (p *part) absorbDrives(o *part) {
	for drive := range o.drives {
		if drive != "" && p.id != "" && p.id == o.id && p.drives[drive] {
			p.findings = append(p.findings, fmt.Sprintf("drive %s of run %s starts in two inputs: the same lines seem to be in the input twice", drive, p.id))
		}
		p.drives[drive] = true
	}
}

// window is the range of wall-clock times that the part's points cover.
func (p *part) window() span {
	var w span
	for _, b := range p.books {
		if !b.firstAt.IsZero() && (w.from.IsZero() || b.firstAt.Before(w.from)) {
			w.from = b.firstAt
		}
		if b.lastAt.After(w.to) {
			w.to = b.lastAt
		}
	}
	return w
}

func (s span) overlaps(o span) bool { return !s.to.Before(o.from) && !o.to.Before(s.from) }

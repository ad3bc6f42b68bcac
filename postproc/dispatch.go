package postproc

import (
	"strings"

	"github.com/wsgov/wsgov/record"
)

// point books one point where it belongs.
func (c *Collector) point(p *record.PointLine) {
	if !strings.HasPrefix(p.Metric, record.Prefix) {
		c.metric(p.Metric).add(p)
		return
	}
	if c.Observe != nil {
		c.Observe(c.file.number, p)
	}
	switch p.Metric {
	case "wsgov_run":
		c.file.run(p)
	case "wsgov_delivered", "wsgov_response_time", "wsgov_service_time", "wsgov_send_lag":
		c.message(p)
	case "wsgov_gateway":
		c.file.reading(p)
	default:
		c.file.side(p)
	}
}

// message books a point about one planned message; a script's own point under the same name is only counted.
func (c *Collector) message(p *record.PointLine) {
	if _, _, ok := identified(p); !ok {
		c.metric(p.Metric).add(p)
		c.metric(p.Metric).Foreign++
		return
	}
	b := c.file.bookOf(p.Tags.Value(record.TagPlan))
	switch p.Metric {
	case "wsgov_delivered":
		b.delivered(p)
		b.seen(p.Time)
	case "wsgov_response_time":
		b.response(p)
	case "wsgov_service_time":
		b.service(p)
	case "wsgov_send_lag":
		b.sendLag(p)
	}
}

// bookOf finds where the messages of a plan belong: the last part that knows the plan, else the current one.
func (f *file) bookOf(plan string) *book {
	if f.book != nil && f.plan == plan {
		return f.book
	}
	at := f.current
	for i := len(f.parts) - 1; i >= 0; i-- {
		if b := f.parts[i].books[plan]; b != nil && b.starts > 0 {
			at = f.parts[i]
			break
		}
	}
	if at == nil {
		at = f.begin("")
	}
	f.plan, f.book = plan, at.book(plan)
	return f.book
}

// begin opens a new part.
func (f *file) begin(id string) *part {
	f.current = newPart(f.number)
	f.current.id = id
	f.parts = append(f.parts, f.current)
	return f.current
}

// run books the start or the end of a drive. A start belongs to the run with its identity; without one, to the current run
// unless that has driven the plan before.
func (f *file) run(p *record.PointLine) {
	f.book = nil
	plan, ok := p.Tags.Get(record.TagPlan)
	if !ok {
		plan = p.Metadata.Value(record.MetaPlan)
	}
	id := p.Metadata.Value(record.MetaRun)
	if p.Tags.Value(record.TagPhase) == record.PhaseEnd {
		at := f.ending(id, plan)
		at.end(p, plan)
		at.book(plan).seen(p.Time)
		return
	}
	at := f.starting(id, plan)
	f.current = at
	if f.pending != nil {
		at.precede(f.pending)
		f.pending = nil
	}
	at.start(p, plan)
	at.book(plan).seen(p.Time)
}

func (f *file) starting(id, plan string) *part {
	if id != "" {
		if at := f.withID(id); at != nil {
			return at
		}
		return f.begin(id)
	}
	if f.current == nil || f.current.id != "" || !f.current.hasStart {
		return f.begin("")
	}
	if b := f.current.books[plan]; b != nil && b.starts > 0 {
		return f.begin("")
	}
	return f.current
}

func (f *file) withID(id string) *part {
	for _, p := range f.parts {
		if p.id == id {
			return p
		}
	}
	return nil
}

// ending finds the part that an end belongs to: the one with its identity, else the last in which the plan is open.
func (f *file) ending(id, plan string) *part {
	if id != "" {
		if at := f.withID(id); at != nil {
			return at
		}
	}
	for i := len(f.parts) - 1; i >= 0; i-- {
		at := f.parts[i]
		if b := at.books[plan]; b != nil && b.starts > b.ends && (id == "" || at.id == "") {
			return at
		}
	}
	if f.current == nil || (id != "" && f.current.id != "") {
		return f.begin(id)
	}
	f.current.id = firstOf(f.current.id, id)
	return f.current
}

// between gives the part for points that may come before the start of the run they belong to: they wait for it unless a
// drive is under way.
func (f *file) between() *part {
	if f.current != nil && f.current.isOpen() {
		return f.current
	}
	if f.pending == nil {
		f.pending = newPart(f.number)
	}
	return f.pending
}

// after gives the part for points that may come after the end of the run they belong to.
func (f *file) after() *part {
	if f.current != nil {
		return f.current
	}
	return f.between()
}

func (f *file) reading(p *record.PointLine) {
	if p.Tags.Value(record.TagSnapshot) == record.SnapshotBefore {
		f.between().reading(p)
		return
	}
	f.after().reading(p)
}

// side books the points that are about no single message.
func (f *file) side(p *record.PointLine) {
	plan := p.Tags.Value(record.TagPlan)
	switch p.Metric {
	case "wsgov_frames":
		f.bookOf(plan).frames(p)
	case "wsgov_handshakes":
		f.between().book(plan).handshake(p)
	case "wsgov_connecting":
		f.between().book(plan).times.connecting.Record(p.Value)
	case "wsgov_closes":
		f.after().book(plan).closed(p)
	case "wsgov_in_flight":
		// A sum over connections, sampled once a second; the ledger's own figure is the most on one connection.
	case "wsgov_unreconciled":
		v := p.Value
		f.after().claimed = &v
	case "wsgov_generator":
		g, resource := f.after().generator, p.Tags.Value(record.TagResource)
		g[resource] = max(g[resource], p.Value)
	}
}

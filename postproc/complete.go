package postproc

import (
	"fmt"
	"slices"
)

// complete ends the collection of a part: it looks for what is missing in it or contradicts itself, plan by plan.
func (p *part) complete() {
	for _, plan := range p.order {
		b := p.books[plan]
		b.connections += int64(len(b.conns))
		b.conns = nil
		for _, finding := range slices.Concat(b.edges(), b.sums(), b.pairing(), b.coverage()) {
			p.findings = append(p.findings, fmt.Sprintf("plan %s: %s", plan, finding))
		}
	}
}

// edges looks for missing starts and ends.
func (b *book) edges() []string {
	switch {
	case b.starts == 0 && b.ends == 0 && b.hasMessages():
		return []string{fmt.Sprintf("the start point is missing and so is the end point: %d planned messages were read, how many there were is not known", b.points.Planned)}
	case b.starts > b.ends:
		return []string{fmt.Sprintf("%d of %d drives have no end point: the run was cut short after %d planned messages (%d ok, %d error, %d lost, %d unsent)",
			b.starts-b.ends, b.starts, b.points.Planned, b.points.OK, b.points.Error, b.points.Lost, b.points.Unsent)}
	case b.starts < b.ends:
		return []string{fmt.Sprintf("%d of %d drives have no start point: the beginning is missing", b.ends-b.starts, b.ends)}
	}
	return nil
}

func (b *book) hasMessages() bool { return b.points.Planned > 0 || b.times.response.Count() > 0 }

// whole tells whether every drive has both ends, so that the totals stand for all of the plan.
func (b *book) whole() bool { return b.ends > 0 && b.starts <= b.ends }

// sums holds the points against the totals of the end points.
func (b *book) sums() []string {
	if !b.whole() {
		return nil
	}
	out := outcomeDifferences(&b.points, &b.totals)
	if b.hasFrames && b.totalsFrames {
		out = append(out, missingFrames(&b.points.Frames, &b.totals.Frames)...)
	}
	if len(out) == 0 {
		return nil
	}
	return []string{"points are missing: of the totals in the end point, the file has " + list(out)}
}

// pairing looks for messages that have one of their two points only.
func (b *book) pairing() []string {
	answered, responses := b.points.OK+b.points.Error, b.times.response.Count()
	noResponse, noDelivered, complete := b.answered.split()
	var out []string
	if len(noResponse) > 0 && complete && !b.answered.odd {
		out = append(out, fmt.Sprintf("answered but without a response time point: %s", names(noResponse)))
	}
	if len(noDelivered) > 0 && complete && !b.answered.odd {
		out = append(out, fmt.Sprintf("with a response time but without a delivered point: %s", names(noDelivered)))
	}
	if len(out) == 0 && (answered != responses || !complete) {
		out = append(out, fmt.Sprintf("%d answered messages and %d response times do not belong to the same messages", answered, responses))
	}
	return out
}

// coverage holds the optional points against the messages: they are there for all or for none.
func (b *book) coverage() []string {
	var out []string
	if n, answered := b.times.servicePts, b.points.OK+b.points.Error; n > 0 && n != answered {
		out = append(out, fmt.Sprintf("%d service times for %d answered messages", n, answered))
	}
	if n := b.times.lags.Count(); n > 0 && n != b.points.Sent {
		out = append(out, fmt.Sprintf("%d send lags for %d sent messages", n, b.points.Sent))
	}
	return out
}

// names lists up to ten messages.
func names(all []message) string {
	slices.SortFunc(all, func(a, b message) int {
		if a.conn != b.conn {
			return compare(a.conn, b.conn)
		}
		return compare(a.msg, b.msg)
	})
	const limit = 10
	out := ""
	for i, m := range all {
		if i == limit {
			return out + fmt.Sprintf(" and %d more", len(all)-limit)
		}
		if i > 0 {
			out += ", "
		}
		out += fmt.Sprintf("message %d on connection %d", m.msg, m.conn)
	}
	return out
}

func compare(a, b uint64) int {
	if a < b {
		return -1
	}
	if a > b {
		return 1
	}
	return 0
}

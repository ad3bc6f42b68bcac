package postproc

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/wsgov/wsgov/postproc/latency"
	"github.com/wsgov/wsgov/postproc/reconcile"
	"github.com/wsgov/wsgov/record"
)

// run settles the books of a group's plans and compares them with the gateway.
func (g group) run() Run {
	out := Run{
		ID: g.id, Seed: g.facts[record.MetaSeed], Versions: g.facts[record.MetaVersion], Inputs: g.inputs, Parts: g.size,
		StartedAt: g.startedAt, Plans: []Plan{}, Claimed: g.claimed, Generator: g.generator, Torn: g.findings, Warnings: []record.Warning{},
		Handshakes: record.HandshakeCounts{Causes: map[string]int64{}},
	}
	var account record.Account
	for _, name := range g.order {
		b := g.books[name]
		p := b.settle()
		p.LinksRecorded = g.linksRecorded()
		account.Add(b.account(&p.Ledger, p.LinksRecorded))
		if b.starts+b.ends == 0 && !b.hasMessages() && !b.hasFrames {
			addHandshakes(&out.Handshakes, &b.points.Handshakes)
			continue
		}
		out.Plans = append(out.Plans, p)
	}
	if g.base != nil {
		account.Sub(*g.base)
	}
	out.Gateway = g.snapshots.Reconcile(account, doubts(out.Plans)...)
	out.Identity = reconcile.Gateway(out.Gateway)
	out.warnings()
	return out
}

func addHandshakes(to, from *record.HandshakeCounts) {
	to.Attempted += from.Attempted
	to.Opened += from.Opened
	to.Failed += from.Failed
	addCounts(to.Causes, from.Causes)
}

// doubts are the weak points of an account that could explain a difference from a gateway's counters.
func doubts(plans []Plan) []string {
	var out []string
	for _, p := range plans {
		if !p.FramesRecorded {
			out = append(out, fmt.Sprintf("frames of plan %s are not recorded, so late replies are not in what is expected", p.Ledger.Plan))
		}
		if !p.LinksRecorded {
			out = append(out, fmt.Sprintf("handshakes of plan %s are not recorded: its distinct connections stand for them", p.Ledger.Plan))
		}
	}
	return out
}

// settle makes the plan's account.
func (b *book) settle() Plan {
	out := Plan{Ledger: newLedger(b.plan), Model: b.model, Closes: b.closes}
	l := &out.Ledger
	addLedger(l, &b.points)
	if b.whole() && len(outcomeDifferences(&b.points, &b.totals)) > 0 {
		points := newLedger(b.plan)
		addLedger(&points, &b.points)
		out.Points = &points
		l.Planned, l.Sent, l.Unsent, l.OK, l.Error, l.Lost = b.totals.Planned, b.totals.Sent, b.totals.Unsent, b.totals.OK, b.totals.Error, b.totals.Lost
		replace(&l.Errors, b.totals.Errors)
		replace(&l.LostReasons, b.totals.LostReasons)
		replace(&l.UnsentReasons, b.totals.UnsentReasons)
	}
	out.FramesRecorded = b.hasFrames || b.totalsFrames
	if b.totalsFrames && b.whole() && len(missingFrames(&b.points.Frames, &b.totals.Frames)) > 0 {
		l.Frames = b.totals.Frames
	}
	if b.points.Handshakes.Attempted == 0 {
		l.Handshakes = b.totals.Handshakes
	}
	l.MaxInFlight = max(l.MaxInFlight, b.totals.MaxInFlight)
	l.Warnings = append(l.Warnings, b.totals.Warnings...)
	b.settleTimes(&out)
	b.settleRates(&out)
	out.Identities = []reconcile.Identity{
		reconcile.Planned(l), reconcile.Sent(l), reconcile.Parts(l, out.FramesRecorded), b.identity4(),
	}
	return out
}

func replace(to *map[string]int64, by map[string]int64) {
	if len(by) > 0 {
		*to = by
	}
}

// identity4 is checked over sums where every response time has its service time, else over the pairs that came together.
func (b *book) identity4() reconcile.Identity {
	t := b.times.single
	if b.times.sums.Messages == b.times.servicePts {
		t.Messages, t.Response, t.Lag, t.Service = b.times.sums.Messages, b.times.sums.Response, b.times.sums.Lag, b.times.sums.Service
	}
	t.Single = b.times.single.Messages
	i := reconcile.Response(t)
	if !i.Checked && b.times.sums.Messages > 0 {
		i.Note = "service times are not recorded: they are taken as response less lag"
	}
	return i
}

// settleTimes takes each distribution over its population: responses over all planned, services over the sent, lags over
// all planned messages.
func (b *book) settleTimes(out *Plan) {
	t, l := &b.times, &out.Ledger
	service, lag := t.service, t.lag
	if t.services.Count() > service.Count() {
		service = t.services
	}
	if t.lags.Count() >= lag.Count() {
		lag = t.lags
	}
	out.Naive.P99 = service.Quantile(.99)
	t.response.AddSlower(l.Lost + l.Unsent)
	service.AddSlower(l.Lost)
	lag.AddSlower(l.Unsent)
	l.ResponseTime, l.ServiceTime, l.SendLag = t.response.Quantiles(), service.Quantiles(), lag.Quantiles()
	out.Lag = LagParts{Cap: t.cap.Quantiles(), Socket: t.socket.Quantiles(), Generator: t.generator.Quantiles()}
	out.Connecting = t.connecting.Quantiles()
	for _, h := range []*latency.Histogram{t.response, service, lag} {
		out.Clamped += h.Clamped()
	}
}

func (b *book) settleRates(out *Plan) {
	l := &out.Ledger
	length := union(b.spans)
	if len(b.open) > 0 || length == 0 {
		length = max(length, b.lastAt.Sub(b.firstAt))
	}
	out.LengthMillis = record.Millis(length)
	frames := l.Frames.Received
	if !out.FramesRecorded {
		frames = l.OK + l.Error // each answer came in a frame; what else came is not known
	}
	if l.Planned > 0 {
		l.DeliveryRatio = float64(l.OK) / float64(l.Planned)
	}
	if l.Sent > 0 {
		l.Naive.SuccessRatio = float64(frames) / float64(l.Sent)
	}
	if seconds := length.Seconds(); seconds > 0 {
		l.Goodput = float64(l.OK) / seconds
		out.FramesPerSecond = float64(frames) / seconds
		l.Naive.FramesPerSecond = out.FramesPerSecond
	}
}

// union is the time that at least one of the spans covers.
func union(spans []span) time.Duration {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Or(a.from.Compare(b.from), a.to.Compare(b.to)) })
	var sum time.Duration
	var to time.Time
	for _, s := range spans {
		if s.from.Before(to) {
			s.from = to
		}
		if s.to.After(s.from) {
			sum += s.to.Sub(s.from)
			to = s.to
		}
	}
	return sum
}

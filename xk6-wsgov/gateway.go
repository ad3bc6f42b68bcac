package wsgov

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/counters"
)

// gateway is what stands behind a script's Gateway.
type gateway struct {
	m       *Module
	options gatewayOptions
}

// gatewayOptions are a gateway's source as it is read.
type gatewayOptions struct {
	m        *Module
	urls     []string
	identity string
	request  []byte
	path     string
	maps     map[string]string
}

func (o *gatewayOptions) fields() []field {
	return []field{
		{"url", func(v value) error {
			if _, ok := primitive(v.js).(string); ok {
				o.urls = []string{""}
				return text(&o.urls[0])(v)
			}
			if _, ok := v.js.(*sobek.Object); !ok {
				return v.refuse("an address or an array of addresses")
			}
			return texts(&o.urls)(v)
		}},
		{"identity", text(&o.identity)},
		{"request", (&clientOptions{m: o.m}).message(&o.request)},
		{"path", text(&o.path)},
		{"map", func(v value) error {
			if err := dictionary(&o.maps)(v); err != nil {
				return err
			}
			for _, name := range slices.Sorted(maps.Keys(o.maps)) {
				if _, err := (&record.Account{}).Expect(o.maps[name]); err != nil {
					return fmt.Errorf("%s: %w", v.key(name, nil).name(), err)
				}
			}
			return nil
		}},
	}
}

func (m *Module) constructGateway(this *sobek.Object, args []sobek.Value) error {
	g := &gateway{m: m, options: gatewayOptions{m: m}}
	if absent(argument(args, 0)) {
		return errors.New("new Gateway() needs a source, such as { url: 'ws://127.0.0.1:8080/gateway', map: { echoed: 'ok' } }")
	}
	if err := decode(value{js: argument(args, 0), kind: "Gateway option"}, g.options.fields()); err != nil {
		return err
	}
	if len(g.options.maps) == 0 {
		return errors.New("Gateway option 'map' is missing: say what the ledger predicts for each counter, such as map: { echoed: 'ok', limited: 'error:RATE_LIMITED' }")
	}
	if err := g.source(nil).Check(); err != nil {
		return fmt.Errorf("new Gateway(): %w", err)
	}
	if err := m.method(this, "snapshot", g.m.rejecting(g.jsSnapshot)); err != nil {
		return err
	}
	return m.method(this, "reconcile", g.m.rejecting(g.jsReconcile))
}

// source is where the counters are read. opened books a control connection.
func (g *gateway) source(opened func()) *counters.Source {
	o := &g.options
	return &counters.Source{
		URLs: o.urls, Request: o.request, Path: o.path, Identity: o.identity, Names: slices.Sorted(maps.Keys(o.maps)),
		Dial: g.m.host.DialContext, TLS: g.m.host.TLSConfig(), Opened: opened,
	}
}

func (g *gateway) jsSnapshot([]sobek.Value) (sobek.Value, error) {
	if err := g.m.running("snapshot"); err != nil {
		return nil, err
	}
	p, ctx, take := g.m.host.Process(), g.m.host.Context(), g.prepare()
	return g.m.promise(func() (any, error) {
		s, _, err := take(ctx, record.SnapshotBefore)
		if err != nil {
			return nil, err
		}
		p.snapshots.remember(s)
		return s.counters, nil
	})
}

// prepare captures the VU's tags and returns a function that takes a snapshot and emits it. It also returns the
// counters that were wanted and not told.
func (g *gateway) prepare() func(ctx context.Context, which string) (snapshot, []string, error) {
	emit, source, p := g.m.host.Emitter(), g.source(func() { g.m.host.Process().Book(record.Account{Control: 1}) }), g.m.host.Process()
	return func(ctx context.Context, which string) (snapshot, []string, error) {
		r, err := source.Read(ctx)
		if err != nil {
			return snapshot{}, nil, err
		}
		// Taken after the answer and after our own connection was booked, as the gateway has counted it in its answer.
		s := snapshot{source: strings.Join(source.URLs, ","), counters: r.Counters, identity: r.Identity, account: p.Account()}
		for _, name := range r.Missing {
			s.counters[name] = 0
		}
		s.id = fmt.Sprintf("%s-%d", p.ID, p.snapshots.number())
		emit(g.samples(&s, which, r.Control, p.Start.Add(p.Elapsed())))
		return s, r.Missing, nil
	}
}

// samples are the points of a snapshot, one per counter.
func (g *gateway) samples(s *snapshot, which string, control int, at time.Time) []record.Sample {
	meta := record.NewTags(record.MetaSource, s.source, record.MetaControl, strconv.Itoa(control), record.MetaID, s.id)
	if s.identity != "" {
		meta = meta.With(record.MetaProcess, s.identity)
	}
	var out []record.Sample
	for _, name := range slices.Sorted(maps.Keys(s.counters)) {
		m := meta
		if what := g.options.maps[name]; what != "" {
			m = m.With(record.MetaMaps, what)
		}
		out = append(out, record.Sample{
			Metric: record.GatewayCount, Time: at, Value: s.counters[name],
			Tags: record.NewTags(record.TagCounter, name, record.TagSnapshot, which), Metadata: m,
		})
	}
	return out
}

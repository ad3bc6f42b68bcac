package vu

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"sync"
	"unsafe"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/record"
	wsgov "github.com/wsgov/wsgov/xk6-wsgov"
)

// Runtime implements wsgov.Host.
func (v *VU) Runtime() *sobek.Runtime { return v.rt }

// Context implements wsgov.Host. Any goroutine may call it.
func (v *VU) Context() context.Context { return v.epoch.Load().ctx }

// InitPhase implements wsgov.Host.
func (v *VU) InitPhase() bool { return v.inInit }

// VU implements wsgov.Host.
func (v *VU) VU() int {
	if v.inInit {
		return 0
	}
	return v.id
}

// Loop implements wsgov.Host.
func (v *VU) Loop() wsgov.Loop { return v.loop }

// DialContext implements wsgov.Host. Any goroutine may call it.
func (v *VU) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return v.conns.dial(ctx, network, address)
}

// TLSConfig implements wsgov.Host.
func (v *VU) TLSConfig() *tls.Config {
	if !v.shared.options().InsecureTLS {
		return nil
	}
	return &tls.Config{InsecureSkipVerify: true} //nolint:gosec // the script's option insecureSkipTLSVerify asks for it
}

// Logger implements wsgov.Host. Any goroutine may use it.
func (v *VU) Logger() *slog.Logger { return v.shared.Logger }

// Process implements wsgov.Host. Any goroutine may use it.
func (v *VU) Process() *wsgov.Process { return v.shared.Process }

// Emitter implements wsgov.Host.
func (v *VU) Emitter() func([]record.Sample) {
	if v.inInit {
		return nil
	}
	e := &emitter{scope: v.scope, emit: v.shared.Emit}
	return e.send
}

// emitter adds one scope to samples. Samples share their tag sets, so each set is merged once.
type emitter struct {
	scope  Scope
	emit   func(...record.Sample)
	mu     sync.Mutex
	merged map[tagSet]mergedSet
	out    []record.Sample
}

// tagSet is the identity of a shared, immutable set of tags.
type tagSet struct {
	first *record.Tag
	n     int
}

// mergedSet keeps the original alive, so that its identity stays its own.
type mergedSet struct{ original, with record.Tags }

// maxMergedSets bounds what an emitter remembers, for samples whose tags are all different.
const maxMergedSets = 4096

func (e *emitter) send(samples []record.Sample) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.out = append(e.out[:0], samples...)
	for i := range e.out {
		s := &e.out[i]
		s.Tags = e.merge(s.Tags)
		if len(e.scope.Metadata) > 0 {
			s.Metadata = e.scope.Metadata.Merge(s.Metadata)
		}
	}
	e.emit(e.out...)
	clear(e.out)
}

func (e *emitter) merge(tags record.Tags) record.Tags {
	id := tagSet{unsafe.SliceData(tags), len(tags)}
	if m, ok := e.merged[id]; ok {
		return m.with
	}
	if e.merged == nil || len(e.merged) >= maxMergedSets {
		e.merged = map[tagSet]mergedSet{}
	}
	m := mergedSet{original: tags, with: e.scope.Tags.Merge(tags)}
	e.merged[id] = m
	return m.with
}

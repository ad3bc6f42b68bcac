package wsgov_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"slices"
	"sync"
	"testing"

	"github.com/grafana/sobek"
	"go.uber.org/goleak"

	"github.com/wsgov/wsgov/record"
	wsgov "github.com/wsgov/wsgov/xk6-wsgov"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// vu is a host with one VU, for tests.
type vu struct {
	t       testing.TB
	rt      *sobek.Runtime
	module  *wsgov.Module
	process *wsgov.Process
	loop    loop
	ctx     context.Context
	stop    context.CancelFunc
	init    bool
	number  int
	tags    record.Tags
	logged  lockedBuffer

	mu      sync.Mutex
	emitted *sync.Cond
	samples []record.Sample
}

// newVU makes a VU past its init phase. It is closed when the test ends.
func newVU(t testing.TB) *vu { return newVUOf(t, wsgov.NewProcess(1)) }

func newVUOf(t testing.TB, p *wsgov.Process) *vu {
	t.Helper()
	v := &vu{t: t, rt: sobek.New(), process: p, number: 1}
	v.emitted = sync.NewCond(&v.mu)
	v.loop.wake = make(chan struct{}, 1)
	v.ctx, v.stop = context.WithCancel(context.Background())
	v.module = wsgov.New(v)
	for name, value := range v.module.Exports() {
		if err := v.rt.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	// A machine that is busy with other tests is no doubt that a test is about.
	if _, err := v.rt.RunString(`const doubts = (l) => l.warnings.filter((w) => w.code !== 'generator-late')`); err != nil {
		t.Fatal(err)
	}
	if err := v.rt.Set("hold", func() func() {
		release, _ := v.loop.Hold()
		return release
	}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		v.stop()
		v.module.Close()
	})
	return v
}

func (v *vu) Runtime() *sobek.Runtime  { return v.rt }
func (v *vu) Context() context.Context { return v.ctx }
func (v *vu) InitPhase() bool          { return v.init }
func (v *vu) VU() int                  { return v.number }
func (v *vu) Loop() wsgov.Loop         { return &v.loop }
func (v *vu) TLSConfig() *tls.Config   { return nil }
func (v *vu) Process() *wsgov.Process  { return v.process }
func (v *vu) Logger() *slog.Logger     { return slog.New(slog.NewTextHandler(&v.logged, nil)) }

func (v *vu) Emitter() func([]record.Sample) {
	if v.init {
		return nil
	}
	tags := v.tags
	return func(s []record.Sample) {
		v.mu.Lock()
		defer v.mu.Unlock()
		for _, one := range s {
			one.Tags = tags.Merge(one.Tags)
			v.samples = append(v.samples, one)
		}
		v.emitted.Broadcast()
	}
}

func (v *vu) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return new(net.Dialer).DialContext(ctx, network, address)
}

// of returns the samples of one metric.
func (v *vu) of(m *record.Metric) (found []record.Sample) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, s := range v.samples {
		if s.Metric == m {
			found = append(found, s)
		}
	}
	return found
}

// await waits for a sample of a metric that carries a tag.
func (v *vu) await(m *record.Metric, tag, value string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for !slices.ContainsFunc(v.samples, func(s record.Sample) bool { return s.Metric == m && s.Tags.Value(tag) == value }) {
		v.emitted.Wait()
	}
}

// run runs the body of an async function to its end, as an iteration, and returns what it returned.
func (v *vu) run(body string) (sobek.Value, error) {
	v.t.Helper()
	v.loop.open()
	var promise *sobek.Promise
	v.loop.Post(func() error {
		result, err := v.rt.RunString("(async () => {" + body + "\n})()")
		if err != nil {
			return err
		}
		promise = result.Export().(*sobek.Promise)
		return nil
	})
	if err := v.loop.run(v.ctx); err != nil {
		return nil, err
	}
	switch promise.State() {
	case sobek.PromiseStateFulfilled:
		return promise.Result(), nil
	case sobek.PromiseStateRejected:
		return nil, errors.New(promise.Result().String())
	}
	return nil, errors.New("the function never ended")
}

// must is run for scripts that should not fail.
func (v *vu) must(body string) sobek.Value {
	v.t.Helper()
	result, err := v.run(body)
	if err != nil {
		v.t.Fatal(err)
	}
	return result
}

// json is must for a script whose result is compared as JSON.
func (v *vu) json(body string) string {
	v.t.Helper()
	return v.must("return JSON.stringify(await (async () => {" + body + "\n})())").String()
}

// loop is the least event loop.
type loop struct {
	mu     sync.Mutex
	queue  []func() error
	holds  int
	opened bool
	wake   chan struct{}
}

func (l *loop) open() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue, l.holds, l.opened = nil, 0, true
}

func (l *loop) Post(f func() error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened {
		l.queue = append(l.queue, f)
		l.ring()
	}
	return l.opened
}

func (l *loop) Hold() (func(), bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.opened {
		return func() {}, false
	}
	l.holds++
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.holds--
		l.ring()
	}), true
}

func (l *loop) ring() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// next takes a function; none and dry says that the loop has ended.
func (l *loop) next() (f func() error, dry bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) > 0 {
		f, l.queue = l.queue[0], l.queue[1:]
		return f, false
	}
	l.opened = l.holds > 0
	return nil, !l.opened
}

func (l *loop) run(ctx context.Context) error {
	for {
		f, dry := l.next()
		switch {
		case dry:
			return nil
		case ctx.Err() != nil:
			l.mu.Lock()
			defer l.mu.Unlock()
			l.opened = false
			return ctx.Err()
		case f != nil:
			if err := f(); err != nil {
				l.mu.Lock()
				defer l.mu.Unlock()
				l.opened = false
				return err
			}
		default:
			select {
			case <-l.wake:
			case <-ctx.Done():
			}
		}
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

package wsgov

import (
	"github.com/grafana/sobek"
)

// promise runs work on a goroutine of its own, holding the event loop, and settles the promise it returns with what work
// made. If the loop has ended meanwhile the promise stays as it is, for nobody listens any more.
func (m *Module) promise(work func() (any, error)) (sobek.Value, error) {
	loop := m.host.Loop()
	release, accepted := loop.Hold()
	if !accepted {
		return nil, errLoopEnded
	}
	p, resolve, reject := m.host.Runtime().NewPromise()
	m.pending.Go(func() {
		defer release()
		result, err := work()
		loop.Post(func() error {
			if err != nil {
				return reject(m.jsError(err))
			}
			return m.try(func() error { return resolve(m.toJS(result)) })
		})
	})
	return m.host.Runtime().ToValue(p), nil
}

// Package loop is a JavaScript event loop without the JavaScript: one goroutine runs what others post.
package loop

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
)

// Loop runs posted functions one after the other on the goroutine that calls Run. It is open from Open until it runs
// dry or is closed, and may be opened again. The zero value is not usable; New makes one.
type Loop struct {
	// Check is called after every round of functions, on the loop; its error ends the round as a function's would.
	Check func() error

	mu    sync.Mutex
	queue []func() error
	holds int
	round uint64
	open  bool
	wake  chan struct{}
}

// New makes a closed loop.
func New() *Loop { return &Loop{wake: make(chan struct{}, 1)} }

// Open makes an empty loop that accepts functions. What an earlier opening left behind is forgotten.
func (l *Loop) Open() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue, l.holds, l.open = nil, 0, true
	l.round++
}

// Close stops accepting and forgets what is left; it returns how many holds were not released. Closing twice is harmless.
func (l *Loop) Close() (holds int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	holds = l.holds
	l.queue, l.holds, l.open = nil, 0, false
	return holds
}

// Post queues f for the loop and reports whether the loop accepted it. Any goroutine may call it.
func (l *Loop) Post(f func() error) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.open {
		return false
	}
	l.queue = append(l.queue, f)
	l.signal()
	return true
}

// Hold keeps the loop from running dry until release is called, once or more often. A closed loop does not accept it.
// Any goroutine may call it and release.
func (l *Loop) Hold() (release func(), accepted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.open {
		return func() {}, false
	}
	l.holds++
	round := l.round
	return sync.OnceFunc(func() { l.release(round) }), true
}

func (l *Loop) release(round uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if round == l.round && l.open {
		l.holds--
		l.signal()
	}
}

// Holds is the number of holds that have not been released.
func (l *Loop) Holds() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holds
}

// Run runs what is posted until the queue is empty and nothing holds the loop; the loop is closed then. It returns
// early, with the loop still open, when a function or Check fails, or with ctx's cause when ctx ends.
func (l *Loop) Run(ctx context.Context) error {
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		fs, dry := l.take()
		if dry {
			return nil
		}
		if len(fs) == 0 {
			l.wait(ctx)
			continue
		}
		if err := l.runAll(fs); err != nil {
			return err
		}
	}
}

// take empties the queue, or closes a loop that has run dry.
func (l *Loop) take() (fs []func() error, dry bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 && l.holds == 0 {
		l.open = false
		return nil, true
	}
	fs, l.queue = l.queue, nil
	return fs, false
}

func (l *Loop) wait(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-l.wake:
	}
}

func (l *Loop) runAll(fs []func() error) error {
	for i, f := range fs {
		if err := safely(f); err != nil {
			l.putBack(fs[i+1:])
			return err
		}
	}
	if l.Check != nil {
		return l.Check()
	}
	return nil
}

// PanicError is a Go panic in a function that the loop ran: a fault of the host or of a module, not of the script.
type PanicError struct {
	Value any
	Stack []byte
}

// Error is the panic's value with the goroutine's stack.
func (p *PanicError) Error() string { return fmt.Sprintf("Go panic: %v\n%s", p.Value, p.Stack) }

// safely makes an error of a panic, so that one function cannot take the books of a whole run with it.
func safely(f func() error) (err error) {
	defer func() {
		if x := recover(); x != nil {
			err = &PanicError{x, debug.Stack()}
		}
	}()
	return f()
}

// putBack returns functions to the head of the queue.
func (l *Loop) putBack(fs []func() error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open && len(fs) > 0 {
		l.queue = append(fs[:len(fs):len(fs)], l.queue...)
		l.signal()
	}
}

// signal wakes a waiting Run; the caller holds the lock.
func (l *Loop) signal() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

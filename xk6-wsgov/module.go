package wsgov

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/grafana/sobek"
)

// Module is the JavaScript module on one VU's runtime. Its methods are called on the VU's event loop, but for Close.
type Module struct {
	host  Host
	json  sobek.Callable // JSON.stringify, and JSON.parse, as they were before the script ran
	parse sobek.Callable

	pending sync.WaitGroup // goroutines behind promises

	mu      sync.Mutex
	clients map[*client]struct{} // that are not closed
	made    int                  // clients so far
}

// New makes the module for a host's VU.
func New(h Host) *Module {
	m := &Module{host: h, clients: map[*client]struct{}{}}
	rt := h.Runtime()
	if o, ok := rt.GlobalObject().Get("JSON").(*sobek.Object); ok {
		m.json, _ = sobek.AssertFunction(o.Get("stringify"))
		m.parse, _ = sobek.AssertFunction(o.Get("parse"))
	}
	return m
}

// Exports are the module's named exports: the constructors Client and Gateway.
func (m *Module) Exports() map[string]sobek.Value {
	return map[string]sobek.Value{
		"Client":  m.constructor("Client", m.constructClient),
		"Gateway": m.constructor("Gateway", m.constructGateway),
	}
}

// Close ends every client that the script left open, and waits for all that the module started. The host calls it from
// any goroutine when the VU has ended: after Context has ended, since what waits for replies waits for that.
func (m *Module) Close() {
	m.mu.Lock()
	clients := slices.Collect(maps.Keys(m.clients))
	clear(m.clients)
	m.mu.Unlock()
	var closing sync.WaitGroup
	for _, c := range clients {
		closing.Go(c.abandon)
	}
	closing.Wait()
	m.pending.Wait()
}

// adopt numbers a new client and remembers to close it.
func (m *Module) adopt(c *client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.made++
	c.ordinal = m.made
	m.clients[c] = struct{}{}
}

// disown forgets a client that was closed.
func (m *Module) disown(c *client) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.clients, c)
}

func (m *Module) constructor(name string, construct func(this *sobek.Object, args []sobek.Value) error) sobek.Value {
	f := m.host.Runtime().ToValue(func(call sobek.ConstructorCall) *sobek.Object {
		if err := construct(call.This, call.Arguments); err != nil {
			m.throw(err)
		}
		return nil
	})
	if o, ok := f.(*sobek.Object); ok {
		// Fails only on a frozen object, which a new function is not.
		_ = o.DefineDataProperty("name", m.host.Runtime().ToValue(name), sobek.FLAG_FALSE, sobek.FLAG_TRUE, sobek.FLAG_FALSE)
	}
	return f
}

// method puts a method on an object. An error it returns is thrown.
func (m *Module) method(this *sobek.Object, name string, f func(args []sobek.Value) (sobek.Value, error)) error {
	rt := m.host.Runtime()
	call := func(call sobek.FunctionCall) sobek.Value {
		v, err := f(call.Arguments)
		if err != nil {
			m.throw(err)
		}
		return v
	}
	return this.DefineDataProperty(name, rt.ToValue(call), sobek.FLAG_TRUE, sobek.FLAG_TRUE, sobek.FLAG_FALSE)
}

// rejecting makes a method return a rejected promise where it would throw, as an async function does.
func (m *Module) rejecting(f func(args []sobek.Value) (sobek.Value, error)) func(args []sobek.Value) (sobek.Value, error) {
	return func(args []sobek.Value) (sobek.Value, error) {
		v, err := f(args)
		if err == nil {
			return v, nil
		}
		p, _, reject := m.host.Runtime().NewPromise()
		return m.host.Runtime().ToValue(p), reject(m.jsError(err))
	}
}

// throw raises an error as a JavaScript exception.
func (m *Module) throw(err error) { panic(m.jsError(err)) }

// jsError is an error as a JavaScript Error whose message is the error's text.
func (m *Module) jsError(err error) sobek.Value {
	var thrown *sobek.Exception
	if errors.As(err, &thrown) {
		return thrown.Value()
	}
	rt := m.host.Runtime()
	o, failed := rt.New(rt.GlobalObject().Get("Error"), rt.ToValue(err.Error()))
	if failed != nil { // the script replaced Error
		return rt.NewGoError(err)
	}
	return o
}

// running refuses traffic in the init phase.
func (m *Module) running(method string) error {
	if m.host.InitPhase() {
		return fmt.Errorf("%s() makes traffic, which init code must not do: call it in setup(), in the default function or in teardown()", method)
	}
	return nil
}

// stringify is JSON.stringify.
func (m *Module) stringify(v sobek.Value) ([]byte, error) {
	if m.json == nil {
		return nil, errors.New("the runtime has no JSON.stringify")
	}
	s, err := m.json(sobek.Undefined(), v)
	if err != nil {
		return nil, err
	}
	text, ok := primitive(s).(string)
	if !ok {
		return nil, fmt.Errorf("%s has no JSON form", describe(v))
	}
	return []byte(text), nil
}

// try runs what touches JavaScript values outside of a call from JavaScript, and returns what it throws.
func (m *Module) try(f func() error) (err error) {
	if thrown := m.host.Runtime().Try(func() { err = f() }); thrown != nil {
		return thrown
	}
	return err
}

// argument is the n-th argument, undefined if there are fewer.
func argument(args []sobek.Value, n int) sobek.Value {
	if n < len(args) {
		return args[n]
	}
	return sobek.Undefined()
}

package wsgov

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
	"unicode/utf8"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/engine"
)

// requestOptions are the options of one request.
type requestOptions struct {
	engine.RequestOptions
	tags map[string]string
}

func (o *requestOptions) fields() []field {
	return []field{
		{"timeout", length(&o.Timeout, time.Millisecond)},
		{"name", text(&o.Name)},
		{"tags", dictionary(&o.tags)},
	}
}

func (c *client) jsRequest(args []sobek.Value) (sobek.Value, error) {
	e, err := c.ready("request")
	if err != nil {
		return nil, err
	}
	var o requestOptions
	if err := decode(value{js: argument(args, 1), kind: "request option"}, o.fields()); err != nil {
		return nil, err
	}
	o.Emit, o.RequestOptions.Tags = *c.emit.Load(), record.TagsFromMap(o.tags)
	render, err := c.requestMessage(argument(args, 0))
	if err != nil {
		return nil, err
	}
	ctx := c.m.host.Context()
	return c.m.promise(func() (any, error) {
		if _, _, err := e.Connect(ctx); err != nil {
			return nil, err
		}
		slot := e.NewSlot()
		r, err := e.Request(ctx, slot, render(slot), o.RequestOptions)
		return lazy(func(rt *sobek.Runtime) sobek.Value { return c.requestResult(rt, r) }), err
	})
}

// requestMessage prepares the message of a request: a template, or bytes with their id.
func (c *client) requestMessage(v sobek.Value) (func(engine.Slot) engine.Message, error) {
	_, content, both := identified(v)
	_, inside := bytesOf(content)
	_, bytes := bytesOf(v)
	if bytes || both && inside {
		m, err := c.madeMessage(v, true)
		return func(engine.Slot) engine.Message { return m }, err
	}
	if absent(v) {
		return nil, errors.New("request() needs a message, such as { id: '{{id}}', cmd: 'login' }")
	}
	t, err := c.compile(v, "the message of request()")
	if err != nil {
		return nil, err
	}
	s, err := c.newTemplateSource(t, false)
	if err != nil {
		return nil, fmt.Errorf("request() cannot be sent: %w", err)
	}
	return s.render, nil
}

// requestResult is { ok, code, body, responseTime }. A message that was not answered has its reason as code, no body, and a
// response time above all others.
func (c *client) requestResult(rt *sobek.Runtime, r engine.RequestResult) sobek.Value {
	o := rt.NewObject()
	put(o, "ok", rt.ToValue(r.Outcome == record.OK))
	switch r.Outcome {
	case record.OK:
	case record.Error:
		put(o, "code", rt.ToValue(r.Code))
	default:
		put(o, "code", rt.ToValue(r.Reason))
	}
	if r.Outcome == record.OK || r.Outcome == record.Error {
		put(o, "body", c.m.body(r.Body))
		put(o, "responseTime", rt.ToValue(record.Millis(r.ResponseTime)))
	} else {
		put(o, "body", sobek.Null())
		put(o, "responseTime", rt.ToValue(math.Inf(1)))
	}
	return o
}

// body is a reply as a script wants it: parsed if it is JSON, else text, else an ArrayBuffer.
func (m *Module) body(b []byte) sobek.Value {
	rt := m.host.Runtime()
	if !utf8.Valid(b) {
		return rt.ToValue(rt.NewArrayBuffer(b))
	}
	if json.Valid(b) && m.parse != nil {
		if v, err := m.parse(sobek.Undefined(), rt.ToValue(string(b))); err == nil {
			return v
		}
	}
	return rt.ToValue(string(b))
}

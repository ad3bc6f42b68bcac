package wsgov

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/xk6-wsgov/engine"
	"github.com/wsgov/wsgov/xk6-wsgov/payload"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

// isJSON reports whether a value is an object or array that JSON can express, and no bytes, function or promise.
func isJSON(v sobek.Value) bool {
	o, ok := v.(*sobek.Object)
	if !ok {
		return false
	}
	_, bytes := bytesOf(v)
	return !bytes && !isPromise(v) && (o.ClassName() == "Object" || o.ClassName() == "Array")
}

func isPromise(v sobek.Value) bool {
	o, ok := v.(*sobek.Object)
	return ok && o.ExportType() == reflect.TypeFor[*sobek.Promise]()
}

// bytesOf copies the bytes of an ArrayBuffer, a typed array or a DataView.
func bytesOf(v sobek.Value) ([]byte, bool) {
	o, ok := v.(*sobek.Object)
	if !ok {
		return nil, false
	}
	if b, ok := arrayBuffer(o); ok {
		return slices.Clone(b), true
	}
	buffer, offset, size := o.Get("buffer"), o.Get("byteOffset"), o.Get("byteLength")
	if buffer == nil || offset == nil || size == nil {
		return nil, false
	}
	b, ok := arrayBuffer(buffer)
	if !ok {
		return nil, false
	}
	from, n := offset.ToInteger(), size.ToInteger()
	if from < 0 || n < 0 || from+n > int64(len(b)) {
		return nil, false
	}
	return slices.Clone(b[from : from+n]), true
}

func arrayBuffer(v sobek.Value) ([]byte, bool) {
	if o, ok := v.(*sobek.Object); !ok || o.ExportType() != reflect.TypeFor[sobek.ArrayBuffer]() {
		return nil, false
	}
	b, ok := v.Export().(sobek.ArrayBuffer)
	return b.Bytes(), ok
}

// newSource makes the source of a plan's messages. A template whose replies could not be paired is refused here, before
// anything is sent; single says that each connection sends only one message.
func (c *client) newSource(message sobek.Value, binary, single bool) (engine.Source, error) {
	if f, ok := sobek.AssertFunction(message); ok {
		return &scriptSource{c: c, f: f, loop: c.m.host.Loop(), binary: binary}, nil
	}
	t, err := c.compile(message, "plan option 'message'")
	if err != nil {
		return nil, err
	}
	s, err := c.newTemplateSource(t, binary)
	if err != nil {
		return nil, err
	}
	if !single && s.fixed() {
		return nil, fmt.Errorf("every message of the plan would carry the same id: write '{{id}}' where the id stands (%s)", c.rule.IDPath())
	}
	return s, nil
}

// compile makes a template from text or an object.
func (c *client) compile(message sobek.Value, what string) (*payload.Template, error) {
	if s, ok := primitive(message).(string); ok {
		return payload.Compile(s), nil
	}
	if !isJSON(message) {
		return nil, fmt.Errorf("%s is %s: give text, an object or a function that returns them", what, describe(message))
	}
	raw, err := c.m.stringify(message)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written as JSON: %w", what, err)
	}
	return payload.CompileJSON(raw)
}

// templateSource fills numbers into a template.
type templateSource struct {
	c      *client
	t      *payload.Template
	binary bool
	direct bool         // the id in the payload is the message number
	kind   reply.IDKind // of a direct id
}

// newTemplateSource checks that the template's payloads have an id. With a classify function, which may find ids anywhere,
// the message number must occur in them.
func (c *client) newTemplateSource(t *payload.Template, binary bool) (*templateSource, error) {
	const probe = 90071992547409 // a number that does not stand in a payload by chance
	s := &templateSource{c: c, t: t, binary: binary}
	id, kind, ok := c.rule.IDOf(t.Append(nil, probe, 1, 1))
	switch {
	case ok && id == strconv.Itoa(probe):
		s.direct, s.kind = true, kind
	case ok:
	case c.classify == nil:
		return nil, c.noID()
	case string(t.Append(nil, probe, 1, 1)) == string(t.Append(nil, probe+1, 1, 1)):
		return nil, errors.New("the message holds no '{{id}}' by which classify could pair its reply: write it where the id stands, or use a function that returns { id, payload }")
	default:
		s.direct = true
	}
	return s, nil
}

// noID explains how to write an id.
func (c *client) noID() error {
	return fmt.Errorf("the message has no id by which its reply could be paired: it is read at %q (reply.id), so write '{{id}}' there", c.rule.IDPath())
}

// fixed reports whether two messages of a connection carry the same id.
func (s *templateSource) fixed() bool {
	a := s.render(engine.Slot{ID: 1, Conn: 1, Seq: 1})
	b := s.render(engine.Slot{ID: 2, Conn: 1, Seq: 2})
	return a.ID == b.ID
}

// Ahead is 0: a template is filled in less time than it takes to hand it over.
func (s *templateSource) Ahead() int { return 0 }

// Render fills the template.
func (s *templateSource) Render(_ context.Context, slots []engine.Slot, out []engine.Message) error {
	for i, slot := range slots {
		out[i] = s.render(slot)
	}
	return nil
}

func (s *templateSource) render(slot engine.Slot) engine.Message {
	m := engine.Message{Binary: s.binary, Payload: s.t.Append(make([]byte, 0, s.t.Size()), slot.ID, slot.Conn, slot.Seq)}
	if s.direct {
		m.ID, m.IDKind = strconv.FormatInt(slot.ID, 10), s.kind
		return m
	}
	var ok bool
	if m.ID, m.IDKind, ok = s.c.rule.IDOf(m.Payload); !ok {
		m.Err = s.c.noID()
	}
	return m
}

package wsgov

import (
	"fmt"
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

// ruleOptions are the options under 'reply'.
type ruleOptions struct {
	spec     reply.Spec
	timeout  time.Duration
	classify sobek.Callable
	ignored  []string // keys given that a classify function makes useless
}

func (o *ruleOptions) fields() []field {
	s := &o.spec
	return []field{
		{"preset", o.rules(oneOf(&s.Preset, reply.Plain, reply.Echo, reply.JSONRPC, reply.SocketIO))},
		{"separator", o.rules(text(&s.Separator))},
		{"parts", o.rules(text(&s.Parts))},
		{"when", o.rules(condition(&s.When))},
		{"id", text(&s.ID)},
		{"ok", o.rules(okRule(&s.OK))},
		{"error", o.rules(text(&s.Error))},
		{"code", o.rules(text(&s.Code))},
		{"timeout", length(&o.timeout, time.Millisecond)},
		{"classify", callable(&o.classify)},
	}
}

// rules notes that the key was given.
func (o *ruleOptions) rules(read func(value) error) func(value) error {
	return func(v value) error {
		o.ignored = append(o.ignored, v.path)
		return read(v)
	}
}

// okRule reads true, a path or a condition.
func okRule(to *reply.OK) func(value) error {
	return func(v value) error {
		if _, ok := plainObject(v.js); ok {
			return condition(&to.Condition)(v)
		}
		switch x := primitive(v.js).(type) {
		case bool:
			if to.Always = x; x {
				return nil
			}
		case string:
			return text(&to.Path)(v)
		}
		return v.refuse("true (a reply with our id is ok), a path or a condition")
	}
}

func callable(to *sobek.Callable) func(value) error {
	return func(v value) error {
		f, ok := sobek.AssertFunction(v.js)
		if !ok {
			return v.refuse("a function")
		}
		*to = f
		return nil
	}
}

// rule compiles what was read. With a classify function it serves to read the ids of our own payloads only.
func (o *ruleOptions) rule() (*reply.Rule, error) {
	if o.classify != nil && len(o.ignored) > 0 {
		return nil, fmt.Errorf("Client option '%s' has no effect beside 'reply.classify', which reads frames itself: leave one of them out", o.ignored[0])
	}
	r, err := reply.Compile(o.spec)
	if err != nil {
		return nil, fmt.Errorf("Client option %w", err)
	}
	return r, nil
}

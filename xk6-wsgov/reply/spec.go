package reply

import (
	"fmt"
)

// Preset names a rule for a well-known protocol. Fields of a Spec that are given replace the preset's.
type Preset string

// The presets.
const (
	// Plain: the id at 'id', ok if 'ok' is truthy, the code at 'code'.
	Plain Preset = "plain"
	// Echo: the id at 'id'; any reply with our id is ok.
	Echo Preset = "echo"
	// JSONRPC is JSON-RPC 2.0, batches included: the id at 'id', not ok if 'error' is present and not null, the code at
	// 'error.code'; what has a 'method' is a call or an event of the server.
	JSONRPC Preset = "jsonrpc"
	// SocketIO is Socket.IO 4 over a WebSocket: acks (43 and 46, with or without a namespace) are replies whose id is the ack
	// number, all else is a push. Paths begin at the ack's array: ok if '0.status' is 'ok', the code at '0.code'.
	SocketIO Preset = "socketio"
)

// Spec is a reply rule as the user writes it. Empty fields are the preset's, empty there too: not used.
type Spec struct {
	Preset    Preset     // default Plain
	Separator string     // between the records of one frame
	Parts     string     // path of an array of replies
	When      *Condition // only such parts are replies
	ID        string     // path of the id, in replies and in our own payloads
	OK        OK
	Error     string // path whose presence, other than null, means not ok
	Code      string // path of the error code
}

// OK says when a reply without an error is ok: always, if the value at Path is truthy as in JavaScript, or if Condition
// holds. At most one is set.
type OK struct {
	Always    bool
	Path      string
	Condition *Condition
}

func (o OK) isZero() bool { return !o.Always && o.Path == "" && o.Condition == nil }

func (p Preset) spec() (Spec, error) {
	switch p {
	case "", Plain:
		return Spec{ID: "id", OK: OK{Path: "ok"}, Code: "code"}, nil
	case Echo:
		return Spec{ID: "id", OK: OK{Always: true}, Code: "code"}, nil
	case JSONRPC:
		absent := false
		return Spec{
			ID: "id", OK: OK{Always: true}, Error: "error", Code: "error.code", When: &Condition{Path: "method", Exists: &absent},
		}, nil
	case SocketIO:
		return Spec{OK: OK{Condition: &Condition{Path: "0.status", Equals: "ok"}}, Code: "0.code"}, nil
	}
	return Spec{}, fmt.Errorf("reply.preset is %q: use plain, echo, jsonrpc or socketio", p)
}

// filled is the spec with the preset's fields where it has none of its own.
func (s Spec) filled() (Spec, error) {
	base, err := s.Preset.spec()
	if err != nil {
		return s, err
	}
	if s.Preset == SocketIO && (s.ID != "" || s.Parts != "" || s.Separator != "" || s.When != nil) {
		return s, fmt.Errorf("reply.preset socketio reads ids and packets itself: leave out id, parts, separator and when")
	}
	for _, f := range []struct{ to, from *string }{{&s.ID, &base.ID}, {&s.Error, &base.Error}, {&s.Code, &base.Code}} {
		if *f.to == "" {
			*f.to = *f.from
		}
	}
	if s.When == nil {
		s.When = base.When
	}
	if s.OK.isZero() {
		s.OK = base.OK
	}
	return s, nil
}

// Compile checks a spec and makes it a rule. The error names the field by its name in the JavaScript API.
func Compile(s Spec) (*Rule, error) {
	s, err := s.filled()
	if err != nil {
		return nil, err
	}
	r := &Rule{separator: s.Separator, socketIO: s.Preset == SocketIO, always: s.OK.Always}
	for _, f := range []struct {
		name, text string
		to         **path
	}{{"parts", s.Parts, &r.parts}, {"id", s.ID, &r.id}, {"ok", s.OK.Path, &r.ok}, {"error", s.Error, &r.err}, {"code", s.Code, &r.code}} {
		if f.text == "" {
			continue
		}
		p, err := compilePath(f.text)
		if err != nil {
			return nil, fmt.Errorf("reply.%s is %q, which is no path: %w", f.name, f.text, err)
		}
		*f.to = &p
	}
	if r.when, err = compileCondition("when", s.When); err != nil {
		return nil, err
	}
	r.okIf, err = compileCondition("ok", s.OK.Condition)
	return r, err
}

func compileCondition(name string, c *Condition) (*Condition, error) {
	if c == nil {
		return nil, nil
	}
	compiled, err := NewCondition(*c)
	if err != nil {
		return nil, fmt.Errorf("reply.%s: %w", name, err)
	}
	return compiled, nil
}

// OKPath is the path that judges a reply, empty if there is none.
func (r *Rule) OKPath() string {
	switch {
	case r.ok != nil:
		return r.ok.text
	case r.okIf != nil:
		return r.okIf.Path
	}
	return ""
}

// IDPath is the path at which ids are read; for Socket.IO it says where the number stands.
func (r *Rule) IDPath() string {
	if r.socketIO {
		return "the ack number after 42"
	}
	return r.id.text
}

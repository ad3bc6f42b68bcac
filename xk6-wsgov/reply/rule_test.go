package reply_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

func compile(t testing.TB, s reply.Spec) *reply.Rule {
	t.Helper()
	r, err := reply.Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// show writes parts as one line, for tables.
func show(parts []reply.Part) string {
	var out []string
	for _, p := range parts {
		switch {
		case p.Kind == reply.Push:
			out = append(out, "push")
		case p.Kind == reply.Malformed:
			out = append(out, "malformed")
		case p.OK:
			out = append(out, p.ID+" ok")
		case p.LacksOK:
			out = append(out, p.ID+" lacks")
		default:
			out = append(out, p.ID+" error "+p.Code)
		}
	}
	return strings.Join(out, ", ")
}

var yes, no = true, false

func TestParts(t *testing.T) {
	next := &reply.Condition{Path: "type", In: []any{"next", "error"}}
	for _, c := range []struct {
		name  string
		spec  reply.Spec
		frame string
		want  string
	}{
		{"plain", reply.Spec{}, `{"id":1,"ok":true}`, "1 ok"},
		{"truthy number", reply.Spec{}, `{"id":1,"ok":1}`, "1 ok"},
		{"falsy number", reply.Spec{}, `{"id":1,"ok":0}`, "1 error "},
		{"falsy text", reply.Spec{}, `{"id":1,"ok":""}`, "1 error "},
		{"truthy object", reply.Spec{}, `{"id":1,"ok":{}}`, "1 ok"},
		{"null ok", reply.Spec{}, `{"id":1,"ok":null}`, "1 error "},
		{"absent ok", reply.Spec{}, `{"id":1}`, "1 lacks"},
		{"code number", reply.Spec{}, `{"id":4,"ok":false,"code":503}`, "4 error 503"},
		{"code text", reply.Spec{}, `{"id":4,"ok":false,"code":"503"}`, "4 error 503"},
		{"code zero", reply.Spec{}, `{"id":4,"ok":false,"code":0}`, "4 error 0"},
		{"code negative", reply.Spec{}, `{"id":4,"ok":false,"code":-32601.0}`, "4 error -32601"},
		{"code object", reply.Spec{}, `{"id":4,"ok":false,"code":{"a":1}}`, `4 error {"a":1}`},
		{"no id", reply.Spec{}, `{"type":"event"}`, "push"},
		{"null id", reply.Spec{}, `{"id":null,"ok":true}`, "push"},
		{"unusable id", reply.Spec{}, `{"id":true,"ok":true}`, " ok"},
		{"not JSON", reply.Spec{}, `hello from web-7`, "malformed"},
		{"two values", reply.Spec{}, `{"id":1} {"id":2}`, "malformed"},
		{"scalar", reply.Spec{}, `2`, "push"},
		{"empty", reply.Spec{}, ``, "push"},
		{"blank", reply.Spec{}, " \n", "push"},
		{"spaced", reply.Spec{}, " {\"id\":1,\"ok\":true}\n", "1 ok"},
		{"array", reply.Spec{}, ` [ {"id":2,"ok":true},{"type":"event"}, {"id":1,"ok":false,"code":"x"}]`, "2 ok, push, 1 error x"},
		{"empty array", reply.Spec{}, `[]`, "push"},
		{"array of scalars", reply.Spec{}, `[1,"a"]`, "push, push"},
		{"nested id", reply.Spec{ID: "meta.id"}, `{"meta":{"id":"a"},"ok":true}`, "a ok"},
		{"parts path", reply.Spec{Parts: "data.list"}, `{"data":{"list":[{"id":1,"ok":true},{"id":2}]}}`, "1 ok, 2 lacks"},
		{"parts path absent", reply.Spec{Parts: "data.list"}, `{"id":7,"ok":true}`, "7 ok"},
		{"parts path empty", reply.Spec{Parts: "list"}, `{"list":[]}`, "push"},
		{"separator", reply.Spec{Separator: "\x1e"}, "{\"id\":1,\"ok\":true}\x1e{\"id\":2,\"ok\":true}\x1e", "1 ok, 2 ok"},
		{"separator, one broken", reply.Spec{Separator: "\x1e"}, "{\"id\":1,\"ok\":true}\x1eoops\x1e\x1e", "1 ok, malformed"},
		{"separator alone", reply.Spec{Separator: "\x1e"}, "\x1e", "push"},
		{"when", reply.Spec{When: next}, `{"id":"1","type":"complete"}`, "push"},
		{"when matches", reply.Spec{When: next, OK: reply.OK{Always: true}}, `{"id":"1","type":"next"}`, "1 ok"},
		{"when without id", reply.Spec{When: next, OK: reply.OK{Always: true}}, `{"type":"next"}`, " ok"},
		{"always ok", reply.Spec{OK: reply.OK{Always: true}}, `{"id":1}`, "1 ok"},
		{"ok elsewhere", reply.Spec{OK: reply.OK{Path: "a.b"}}, `{"id":1,"a":{"b":"yes"}}`, "1 ok"},
		{"ok condition", reply.Spec{OK: reply.OK{Condition: &reply.Condition{Path: "status", Equals: int64(200)}}}, `{"id":1,"status":200}`, "1 ok"},
		{"ok condition fails", reply.Spec{OK: reply.OK{Condition: &reply.Condition{Path: "status", Equals: int64(200)}}}, `{"id":1,"status":500,"code":"E"}`, "1 error E"},
		{"ok condition absent", reply.Spec{OK: reply.OK{Condition: &reply.Condition{Path: "status", Equals: int64(200)}}}, `{"id":1}`, "1 lacks"},
		{"error path", reply.Spec{Error: "err", Code: "err.no"}, `{"id":1,"ok":true,"err":{"no":7}}`, "1 error 7"},
		{"error null", reply.Spec{Error: "err"}, `{"id":1,"ok":true,"err":null}`, "1 ok"},
		{"error without ok", reply.Spec{Error: "err"}, `{"id":1,"err":"x"}`, "1 error "},
		{"echo", reply.Spec{Preset: reply.Echo}, `{"id":1,"payload":"p"}`, "1 ok"},
		{"jsonrpc", reply.Spec{Preset: reply.JSONRPC}, `{"jsonrpc":"2.0","id":1,"result":null}`, "1 ok"},
		{"jsonrpc error", reply.Spec{Preset: reply.JSONRPC}, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"m"}}`, "1 error -32601"},
		{"jsonrpc null error", reply.Spec{Preset: reply.JSONRPC}, `{"id":1,"result":3,"error":null}`, "1 ok"},
		{"jsonrpc call", reply.Spec{Preset: reply.JSONRPC}, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "push"},
		{"jsonrpc batch", reply.Spec{Preset: reply.JSONRPC}, `[{"id":2,"result":1},{"id":1,"error":{"code":0}}]`, "2 ok, 1 error 0"},
		{"preset field replaced", reply.Spec{Preset: reply.Echo, ID: "seq"}, `{"seq":3}`, "3 ok"},
		{"socketio ack", reply.Spec{Preset: reply.SocketIO}, `4310[{"status":"error","code":"COOLDOWN"}]`, "10 error COOLDOWN"},
		{"socketio ok", reply.Spec{Preset: reply.SocketIO}, `439[{"status":"ok"}]`, "9 ok"},
		{"socketio empty ack", reply.Spec{Preset: reply.SocketIO}, `4312[]`, "12 lacks"},
		{"socketio own ok", reply.Spec{Preset: reply.SocketIO, OK: reply.OK{Always: true}}, `4312[]`, "12 ok"},
		{"socketio namespace", reply.Spec{Preset: reply.SocketIO}, `43/admin,12[{"status":"ok"}]`, "12 ok"},
		{"socketio binary ack", reply.Spec{Preset: reply.SocketIO}, `461-/admin,7[{"status":"ok","f":{"_placeholder":true,"num":0}}]`, "7 ok"},
		{"socketio event", reply.Spec{Preset: reply.SocketIO}, `42["posted",{"id":10}]`, "push"},
		{"socketio open", reply.Spec{Preset: reply.SocketIO}, `0{"sid":"s1"}`, "push"},
		{"socketio ping", reply.Spec{Preset: reply.SocketIO}, `2`, "push"},
		{"socketio broken ack", reply.Spec{Preset: reply.SocketIO}, `43[{"status":"ok"}]`, "malformed"},
		{"socketio cut ack", reply.Spec{Preset: reply.SocketIO}, `439[{"status"`, "malformed"},
		{"socketio other text", reply.Spec{Preset: reply.SocketIO}, `{"id":1}`, "malformed"},
		{"special characters", reply.Spec{ID: "@id", OK: reply.OK{Path: `a\.b|c`}}, `{"@id":1,"a.b|c":true}`, "1 ok"},
		{"wildcards are keys", reply.Spec{ID: "i*"}, `{"id":1,"ok":true}`, "push"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := compile(t, c.spec).Parts(nil, []byte(c.frame), false)
			if show(got) != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.frame, show(got), c.want)
			}
		})
	}
}

func TestPartsBinary(t *testing.T) {
	for _, c := range []struct {
		preset reply.Preset
		frame  string
		want   string
	}{
		{reply.Plain, `{"id":1,"ok":true}`, "1 ok"},
		{reply.Plain, "\x40\x02\x00\x01", "malformed"},
		{reply.SocketIO, "\x40\x02", "push"},
	} {
		if got := show(compile(t, reply.Spec{Preset: c.preset}).Parts(nil, []byte(c.frame), true)); got != c.want {
			t.Errorf("%s %q: got %s, want %s", c.preset, c.frame, got, c.want)
		}
	}
}

func TestBodies(t *testing.T) {
	for _, c := range []struct {
		spec  reply.Spec
		frame string
		want  []string
	}{
		{reply.Spec{}, `{"id":1}`, []string{`{"id":1}`}},
		{reply.Spec{}, ` [ {"id":2} ,3 ]`, []string{`{"id":2}`, `3`}},
		{reply.Spec{Parts: "a.b"}, `  {"a":{"x":[9],"b": [ {"id":2},"z"]}}`, []string{`{"id":2}`, `"z"`}},
		{reply.Spec{Separator: ";"}, `{"id":1};x;[{"id":2}]`, []string{`{"id":1}`, `x`, `{"id":2}`}},
		{reply.Spec{Preset: reply.SocketIO}, `439[1]`, []string{`439[1]`}},
	} {
		frame := []byte(c.frame)
		parts := compile(t, c.spec).Parts(nil, frame, false)
		var got []string
		for _, p := range parts {
			got = append(got, string(p.Body))
			if !aliases(frame, p.Body) {
				t.Errorf("%s: the body %s is no part of the frame's memory", c.frame, p.Body)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%s: got %q, want %q", c.frame, got, c.want)
		}
	}
}

func aliases(frame, body []byte) bool {
	for i := range frame {
		if &frame[i] == &body[0] {
			return true
		}
	}
	return false
}

func TestIDsOutliveTheFrame(t *testing.T) {
	frame := []byte(`{"id":"abc","ok":false,"code":"E7"}`)
	p := compile(t, reply.Spec{}).Parts(nil, frame, false)[0]
	id, _, _ := compile(t, reply.Spec{}).IDOf(frame)
	for i := range frame {
		frame[i] = 'X'
	}
	if p.ID != "abc" || p.Code != "E7" || id != "abc" {
		t.Errorf("after the frame was overwritten: id %q, code %q, own id %q", p.ID, p.Code, id)
	}
}

func TestPartsAppends(t *testing.T) {
	dst := []reply.Part{{Kind: reply.Push, ID: "kept"}}
	got := compile(t, reply.Spec{Separator: ";"}).Parts(dst, []byte(";"), false)
	if len(got) != 2 || got[0].ID != "kept" || got[1].Kind != reply.Push {
		t.Errorf("got %+v", got)
	}
}

func TestDepth(t *testing.T) {
	deep := bytes.Repeat([]byte("["), 2_000_000)
	for _, frame := range [][]byte{deep, append(bytes.Clone(deep), bytes.Repeat([]byte("]"), 2_000_000)...)} {
		if got := show(compile(t, reply.Spec{}).Parts(nil, frame, false)); got != "malformed" {
			t.Errorf("nesting of two million: %s", got)
		}
	}
	quoted := []byte(`{"id":1,"ok":true,"text":"` + strings.Repeat(`\"[`, 20_000) + `"}`)
	if got := show(compile(t, reply.Spec{}).Parts(nil, quoted, false)); got != "1 ok" {
		t.Errorf("brackets in text: %s", got)
	}
}

func TestIDOf(t *testing.T) {
	for _, c := range []struct {
		spec    reply.Spec
		payload string
		id      string
		kind    reply.IDKind
		ok      bool
	}{
		{reply.Spec{}, `{"id":1}`, "1", reply.Number, true},
		{reply.Spec{}, `{"id":"1"}`, "1", reply.String, true},
		{reply.Spec{}, `[{"id":5}]`, "5", reply.Number, true},
		{reply.Spec{}, `[{"id":5},{"id":6}]`, "", reply.Unknown, false},
		{reply.Spec{}, `{"id":true}`, "", reply.Unknown, false},
		{reply.Spec{}, `{}`, "", reply.Unknown, false},
		{reply.Spec{}, ``, "", reply.Unknown, false},
		{reply.Spec{}, `hello`, "", reply.Unknown, false},
		{reply.Spec{ID: "a.b"}, `{"a":{"b":"x"}}`, "x", reply.String, true},
		{reply.Spec{ID: "invocationId", Separator: "\x1e"}, "{\"invocationId\":\"7\"}\x1e", "7", reply.String, true},
		{reply.Spec{Preset: reply.SocketIO}, `4210["post",{}]`, "10", reply.Number, true},
		{reply.Spec{Preset: reply.SocketIO}, `42/admin,10["post"]`, "10", reply.Number, true},
		{reply.Spec{Preset: reply.SocketIO}, `451-3["post",{"_placeholder":true,"num":0}]`, "3", reply.Number, true},
		{reply.Spec{Preset: reply.SocketIO}, `42["post"]`, "", reply.Unknown, false},
		{reply.Spec{Preset: reply.SocketIO}, `{"id":1}`, "", reply.Unknown, false},
	} {
		id, kind, ok := compile(t, c.spec).IDOf([]byte(c.payload))
		if id != c.id || kind != c.kind || ok != c.ok {
			t.Errorf("IDOf(%q) = %q, %v, %v; want %q, %v, %v", c.payload, id, kind, ok, c.id, c.kind, c.ok)
		}
	}
}

func TestCompileErrors(t *testing.T) {
	for _, c := range []struct {
		spec reply.Spec
		want string
	}{
		{reply.Spec{Preset: "soap"}, `reply.preset is "soap": use plain, echo, jsonrpc or socketio`},
		{reply.Spec{ID: "a..b"}, "reply.id"},
		{reply.Spec{Parts: "."}, "reply.parts"},
		{reply.Spec{OK: reply.OK{Path: `a\`}}, "reply.ok"},
		{reply.Spec{Error: "a."}, "reply.error"},
		{reply.Spec{Code: ".a"}, "reply.code"},
		{reply.Spec{When: &reply.Condition{Equals: "x"}}, "reply.when: a condition needs a path"},
		{reply.Spec{When: &reply.Condition{Path: "x", In: []any{}}}, "reply.when: in is an empty list"},
		{reply.Spec{When: &reply.Condition{Path: "x", Text: "y"}}, "reply.when: a condition has either"},
		{reply.Spec{OK: reply.OK{Condition: &reply.Condition{Path: "x", Equals: []int{1}}}}, "reply.ok: equals"},
		{reply.Spec{Preset: reply.SocketIO, ID: "id"}, "leave out id"},
	} {
		_, err := reply.Compile(c.spec)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.spec, err, c.want)
		}
	}
}

func TestDescribes(t *testing.T) {
	for _, c := range []struct {
		spec   reply.Spec
		ok, id string
	}{
		{reply.Spec{}, "ok", "id"},
		{reply.Spec{ID: "a.b", OK: reply.OK{Always: true}}, "", "a.b"},
		{reply.Spec{Preset: reply.SocketIO}, "0.status", "the ack number after 42"},
	} {
		r := compile(t, c.spec)
		if r.OKPath() != c.ok || r.IDPath() != c.id {
			t.Errorf("%+v: got %q and %q", c.spec, r.OKPath(), r.IDPath())
		}
	}
}

func FuzzParts(f *testing.F) {
	for _, s := range []string{`{"id":1,"ok":true}`, `[{"id":2},[],3]`, "hi\x1e", `43/a,1[{"status":"ok"}]`, `461-1[]`, `{"list":[{"id":"\ud800"}]}`, "[[[["} {
		f.Add([]byte(s), false)
	}
	rules := []*reply.Rule{
		compile(f, reply.Spec{}), compile(f, reply.Spec{Preset: reply.JSONRPC}), compile(f, reply.Spec{Preset: reply.SocketIO}),
		compile(f, reply.Spec{Separator: "\x1e", Parts: "list", When: &reply.Condition{Path: "a.0", Exists: &no}}),
	}
	f.Fuzz(func(t *testing.T, frame []byte, binary bool) {
		for _, r := range rules {
			parts := r.Parts(nil, frame, binary)
			if len(parts) == 0 {
				t.Fatalf("no part in %q", frame)
			}
			for _, p := range parts {
				if !bytes.Contains(frame, p.Body) {
					t.Fatalf("the body %q is not in %q", p.Body, frame)
				}
				if p.OK && (p.Code != "" || p.LacksOK) {
					t.Fatalf("ok with a code: %+v", p)
				}
			}
			r.IDOf(frame)
		}
	})
}

func TestAllocations(t *testing.T) {
	r := compile(t, reply.Spec{})
	frame, dst := []byte(`{"id":1,"ok":true}`), make([]reply.Part, 0, 4)
	if n := testing.AllocsPerRun(100, func() { dst = r.Parts(dst[:0], frame, false) }); n > 1 {
		t.Errorf("%v allocations for one plain reply, want the id's only", n)
	}
}

func BenchmarkPlain(b *testing.B) {
	r := compile(b, reply.Spec{})
	frame, dst := []byte(`{"id":1,"ok":true}`), make([]reply.Part, 0, 4)
	b.ReportAllocs()
	for b.Loop() {
		dst = r.Parts(dst[:0], frame, false)
	}
}

package gateway

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestParseMessage(t *testing.T) {
	for payload, want := range map[string]message{
		`{"id":1}`:                {id: []byte(`1`)},
		`{"id":"1"}`:              {id: []byte(`"1"`)},
		`{"id":3.0}`:              {id: []byte(`3.0`)},
		`{"id":"06"}`:             {id: []byte(`"06"`)},
		`{"id":9007199254740993}`: {id: []byte(`9007199254740993`)},
		`{"id":-1e-7 }`:           {id: []byte(`-1e-7`)},
		`{"id":false}`:            {id: []byte(`false`)},
		`{"id":[1, {"id":2}]}`:    {id: []byte(`[1, {"id":2}]`)},
		`{"id":{}}`:               {id: []byte(`{}`)},
		" \t\r\n{ \"a\" : [ ] , \"id\"\n:\n\"}\" } \n": {id: []byte(`"}"`)},
		`{"a":{"id":1},"b":"\"id\":2","id":"x\\"}`:     {id: []byte(`"x\\"`)},
		`{"id":1,"id":2}`:             {id: []byte(`2`)},
		`{"id":1,"id":null}`:          {},
		`{"ID":1}`:                    {},
		`{"i\u0064":5}`:               {id: []byte(`5`)},
		`{"id":null}`:                 {},
		`{"cmd":"stats"}`:             {control: true},
		`{"id":8,"cmd":"st\u0061ts"}`: {id: []byte(`8`), control: true},
		`{"cmd":"other"}`:             {},
		`{"cmd":1}`:                   {},
		`{"cmd":"stats","cmd":0}`:     {},
		`{}`:                          {},
		`[{"id":1}]`:                  {},
		`"id"`:                        {},
		`7`:                           {},
		`{"id":1`:                     {},
		`{"id":1}{"id":2}`:            {},
		`{"id":01}`:                   {},
		``:                            {},
	} {
		got := parseMessage([]byte(payload))
		if !bytes.Equal(got.id, want.id) || (got.id == nil) != (want.id == nil) || got.control != want.control {
			t.Errorf("%s: id %s, control %v; want %s, %v", payload, got.id, got.control, want.id, want.control)
		}
	}
}

// FuzzParseMessage holds the parser against the standard library, which reads an object into a map: names exactly, the
// last of several.
func FuzzParseMessage(f *testing.F) {
	for _, seed := range []string{
		`{"id":1}`, `{"a":{"id":[2,"\"}"]},"id":"x","id":{"y":[]}}`, `{"cmd":"stats"}`, ` { } `, `{"i\u0064":-0.5e3}`, `[`, `{"":""}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		got := parseMessage(payload)
		var want map[string]json.RawMessage
		if json.Unmarshal(payload, &want) != nil {
			want = nil
		}
		id := want["id"]
		if string(id) == "null" {
			id = nil
		}
		if !bytes.Equal(got.id, id) {
			t.Errorf("id %q, want %q", got.id, id)
		}
		var cmd any
		if raw, ok := want["cmd"]; ok && json.Unmarshal(raw, &cmd) != nil {
			t.Fatalf("cmd %q", raw)
		}
		if got.control != (cmd == "stats") {
			t.Errorf("control %v with cmd %v", got.control, cmd)
		}
		if got.control && !mayBeControl(payload) {
			t.Error("the quick test misses a control message")
		}
	})
}

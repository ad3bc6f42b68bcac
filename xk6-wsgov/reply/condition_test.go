package reply_test

import (
	"testing"

	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

func TestConditionMatch(t *testing.T) {
	for _, c := range []struct {
		name string
		cond reply.Condition
		part string
		want bool
	}{
		{"present", reply.Condition{Path: "a"}, `{"a":null}`, true},
		{"absent", reply.Condition{Path: "a"}, `{"b":1}`, false},
		{"text", reply.Condition{Path: "type", Equals: "ack"}, ` {"type":"ack"} `, true},
		{"other text", reply.Condition{Path: "type", Equals: "ack"}, `{"type":"nack"}`, false},
		{"number", reply.Condition{Path: "n", Equals: 1.0}, `{"n":1.0}`, true},
		{"whole number", reply.Condition{Path: "n", Equals: int64(1)}, `{"n":1e0}`, true},
		{"huge number", reply.Condition{Path: "n", Equals: 1e21}, `{"n":1000000000000000000000}`, true},
		{"number is not text", reply.Condition{Path: "n", Equals: int64(1)}, `{"n":"1"}`, false},
		{"true", reply.Condition{Path: "b", Equals: true}, `{"b":true}`, true},
		{"true is not 1", reply.Condition{Path: "b", Equals: true}, `{"b":1}`, false},
		{"false", reply.Condition{Path: "b", Equals: false}, `{"b":false}`, true},
		{"false is not absent", reply.Condition{Path: "b", Equals: false}, `{}`, false},
		{"in", reply.Condition{Path: "t", In: []any{"x", int64(2)}}, `{"t":2}`, true},
		{"not in", reply.Condition{Path: "t", In: []any{"x", int64(2)}}, `{"t":"2"}`, false},
		{"exists", reply.Condition{Path: "t", Exists: &yes}, `{"t":null}`, true},
		{"must be absent", reply.Condition{Path: "t", Exists: &no}, `{}`, true},
		{"must be absent but is not", reply.Condition{Path: "t", Exists: &no}, `{"t":0}`, false},
		{"both", reply.Condition{Path: "t", Equals: "a", In: []any{"b"}}, `{"t":"a"}`, false},
		{"array position", reply.Condition{Path: "l.1.x", Equals: "y"}, `{"l":[0,{"x":"y"}]}`, true},
		{"not JSON", reply.Condition{Path: "t"}, `hello`, false},
		{"not JSON has no path", reply.Condition{Path: "t", Exists: &no}, `hello`, true},
		{"scalar JSON", reply.Condition{Path: "t", Exists: &no}, `2`, true},
		{"whole text", reply.Condition{Text: "2"}, `2`, true},
		{"not the whole text", reply.Condition{Text: "2"}, `22`, false},
		{"prefix", reply.Condition{Prefix: "40"}, `40{"sid":"x"}`, true},
		{"no prefix", reply.Condition{Prefix: "40"}, `0{"sid":"x"}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			cond, err := reply.NewCondition(c.cond)
			if err != nil {
				t.Fatal(err)
			}
			if got := cond.Match([]byte(c.part)); got != c.want {
				t.Errorf("%s: %v", c.part, got)
			}
		})
	}
}

func TestConditionErrors(t *testing.T) {
	for _, c := range []reply.Condition{{}, {Equals: 1.0}, {Text: "a", Prefix: "b"}, {Path: "a", Prefix: "b"}, {Path: "a."}, {Path: "a", In: []any{nil}}} {
		if _, err := reply.NewCondition(c); err == nil {
			t.Errorf("%+v: no error", c)
		}
	}
}

func FuzzConditionMatch(f *testing.F) {
	f.Add("a.0.b", `{"a":[{"b":1}]}`)
	f.Add(`@this|#(x)`, `[1]`)
	f.Add(`\#.a`, `{"#":{"a":1}}`)
	f.Fuzz(func(t *testing.T, path, part string) {
		c, err := reply.NewCondition(reply.Condition{Path: path})
		if err != nil {
			return
		}
		absent, _ := reply.NewCondition(reply.Condition{Path: path, Exists: &no})
		if c.Match([]byte(part)) == absent.Match([]byte(part)) {
			t.Fatalf("%q is both present and absent in %q, or neither", path, part)
		}
	})
}

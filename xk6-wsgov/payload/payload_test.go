package payload_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/wsgov/wsgov/xk6-wsgov/payload"
)

func TestCompile(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, ``},
		{`plain`, `plain`},
		{`{{id}}`, `17`},
		{`{"id":{{id}},"c":"c{{conn}}","s":"{{seq}}"}`, `{"id":17,"c":"c3","s":"5"}`},
		{`42{{id}}["post"]`, `4217["post"]`},
		{`{{id}}{{id}}{{conn}}`, `17173`},
		{`{{{id}}}`, `{17}`},
		{`{{{{id}}`, `{{17`},
		{`{{name}} {{id}}`, `{{name}} 17`},
		{`{{ id }}{{ID}}{{id}`, `{{ id }}{{ID}}{{id}`},
		{`é{{seq}}é`, `é5é`},
	} {
		if got := string(payload.Compile(c.text).Append(nil, 17, 3, 5)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.text, got, c.want)
		}
	}
}

func TestCompileJSON(t *testing.T) {
	for _, c := range []struct{ json, want string }{
		{`{"id":"{{id}}","body":"hi"}`, `{"id":17,"body":"hi"}`},
		{`{"id":"m-{{id}}","l":["{{conn}}","{{seq}}","t{{conn}}"]}`, `{"id":"m-17","l":[3,5,"t3"]}`},
		{`{"{{id}}": "{{id}}", "k{{seq}}" : 1}`, `{"17": 17, "k5" : 1}`},
		{`"{{id}}"`, `17`},
		{`"\"{{id}}\""`, `"\"17\""`},
		{`["\\","{{id}}"]`, `["\\",17]`},
		{`{"a":"\u007b{id}}"}`, `{"a":"\u007b{id}}"}`},
		{`[1,2,null]`, `[1,2,null]`},
	} {
		tmpl, err := payload.CompileJSON([]byte(c.json))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(tmpl.Append(nil, 17, 3, 5)); got != c.want {
			t.Errorf("%s: got %s, want %s", c.json, got, c.want)
		}
	}
}

func TestCompileJSONRefuses(t *testing.T) {
	for _, raw := range []string{``, `{`, `{"a":{{id}}}`, `undefined`, `1 2`} {
		if _, err := payload.CompileJSON([]byte(raw)); err == nil || !strings.Contains(err.Error(), "not valid JSON") {
			t.Errorf("%q: got %v", raw, err)
		}
	}
}

func TestAppendKeepsDst(t *testing.T) {
	if got := string(payload.Compile("x{{id}}").Append([]byte("kept "), -1, 0, 0)); got != "kept x-1" {
		t.Errorf("got %q", got)
	}
}

// values are JSON values rich in placeholders and in what looks like them.
func values() *rapid.Generator[any] {
	text := rapid.SampledFrom([]string{"{{id}}", "{{conn}}", "{{seq}}", "a{{id}}", "{{id}}{{seq}}", "{{", "\"{{id}}\"", "\\", ":", "é", ""})
	leaf := rapid.OneOf(rapid.Map(text, func(s string) any { return s }), rapid.Just[any](nil), rapid.Just[any](true), rapid.Just[any](1.5))
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(leaf, 0, 4), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(text, leaf, 0, 4), func(m map[string]any) any { return m }),
		rapid.Map(rapid.MapOfN(text, rapid.SliceOfN(leaf, 0, 3), 0, 3), func(m map[string][]any) any { return m }))
}

// fill is what a template must do, done on the value.
func fill(v any) any {
	digits := strings.NewReplacer("{{id}}", "17", "{{conn}}", "3", "{{seq}}", "5")
	numbers := map[string]float64{"{{id}}": 17, "{{conn}}": 3, "{{seq}}": 5}
	switch v := v.(type) {
	case string:
		if n, ok := numbers[v]; ok {
			return n
		}
		return digits.Replace(v)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = fill(v[i])
		}
		return out
	case map[string]any:
		out := map[string]any{}
		for k, e := range v {
			out[digits.Replace(k)] = fill(e)
		}
		return out
	}
	return v
}

func TestCompileJSONProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw, _ := json.Marshal(values().Draw(t, "value"))
		var value, got any
		_ = json.Unmarshal(raw, &value)
		tmpl, err := payload.CompileJSON(raw)
		if err != nil {
			t.Fatal(err)
		}
		rendered := tmpl.Append(nil, 17, 3, 5)
		if err := json.Unmarshal(rendered, &got); err != nil {
			t.Fatalf("%s renders as %s: %v", raw, rendered, err)
		}
		want, _ := json.Marshal(fill(value))
		if again, _ := json.Marshal(got); string(again) != string(want) {
			t.Fatalf("%s renders as %s, want %s", raw, rendered, want)
		}
	})
}

func FuzzCompileJSON(f *testing.F) {
	f.Add([]byte(`{"id":"{{id}}","a":["\\\"{{seq}}",{}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		tmpl, err := payload.CompileJSON(raw)
		if err != nil {
			return
		}
		if out := tmpl.Append(nil, 1, 2, 3); !json.Valid(out) && json.Valid(raw) {
			t.Fatalf("%q renders as %q", raw, out)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	tmpl := payload.Compile(`{"id":{{id}},"type":"echo","payload":"c{{conn}}"}`)
	dst := make([]byte, 0, tmpl.Size())
	b.ReportAllocs()
	for b.Loop() {
		dst = tmpl.Append(dst[:0], 1234567, 80, 100)
	}
}

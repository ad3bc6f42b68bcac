package reply_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
	"pgregory.net/rapid"

	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

func TestCanonical(t *testing.T) {
	for _, c := range []struct {
		json, id string
		kind     reply.IDKind
		ok       bool
	}{
		{`1`, "1", reply.Number, true},
		{`"1"`, "1", reply.String, true},
		{`1.0`, "1", reply.Number, true},
		{`1e0`, "1", reply.Number, true},
		{`0.1E+1`, "1", reply.Number, true},
		{`10e-1`, "1", reply.Number, true},
		{`"06"`, "06", reply.String, true},
		{`-0`, "0", reply.Number, true},
		{`-0.0e5`, "0", reply.Number, true},
		{`-12`, "-12", reply.Number, true},
		{`-1.20`, "-1.2", reply.Number, true},
		{`0.00120`, "0.0012", reply.Number, true},
		{`12.5e3`, "12500", reply.Number, true},
		{`9007199254740993`, "9007199254740993", reply.Number, true},
		{`9007199254740993.0`, "9007199254740993", reply.Number, true},
		{`9.007199254740993e15`, "9007199254740993", reply.Number, true},
		{`123456789012345678901234567890`, "123456789012345678901234567890", reply.Number, true},
		{`1e999999`, "1e999999", reply.Number, true},
		{`10.0e999999`, "1e1000000", reply.Number, true},
		{`1e-999999`, "1e-999999", reply.Number, true},
		{`1e99999999999999999999999`, "1e99999999999999999999999", reply.Number, true},
		{`10e99999999999999999999999`, "1e100000000000000000000000", reply.Number, true},
		{`"\u0041é"`, "Aé", reply.String, true},
		{`""`, "", reply.String, false},
		{`true`, "", reply.Unknown, false},
		{`false`, "", reply.Unknown, false},
		{`null`, "", reply.Unknown, false},
		{`{"a":1}`, "", reply.Unknown, false},
		{`[1]`, "", reply.Unknown, false},
	} {
		id, kind, ok := reply.Canonical(gjson.Parse(c.json))
		if id != c.id || kind != c.kind || ok != c.ok {
			t.Errorf("Canonical(%s) = %q, %v, %v; want %q, %v, %v", c.json, id, kind, ok, c.id, c.kind, c.ok)
		}
	}
}

func TestCanonicalNumberRefuses(t *testing.T) {
	for _, text := range []string{"", "-", "01", "+1", "1.", ".5", "1e", "1e+", "NaN", "Infinity", "0x10", "1 ", "1_0", "--1", "1e1.5"} {
		if got, ok := reply.CanonicalNumber(text); ok {
			t.Errorf("CanonicalNumber(%q) = %q, want it refused", text, got)
		}
	}
}

// Two spellings are one id exactly when they are one rational number.
func TestCanonicalNumberByValue(t *testing.T) {
	number := rapid.Custom(func(t *rapid.T) string {
		s := rapid.StringMatching(`-?(0|[1-9][0-9]{0,5})(\.[0-9]{1,6})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "number")
		return s
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := number.Draw(t, "a"), number.Draw(t, "b")
		if rapid.Bool().Draw(t, "respell") {
			b = respell(t, a)
		}
		x, _ := new(big.Rat).SetString(a)
		y, _ := new(big.Rat).SetString(b)
		ca, okA := reply.CanonicalNumber(a)
		cb, okB := reply.CanonicalNumber(b)
		if !okA || !okB {
			t.Fatalf("refused %q or %q", a, b)
		}
		if (x.Cmp(y) == 0) != (ca == cb) {
			t.Fatalf("%q is %q and %q is %q, but their values compare as %d", a, ca, b, cb, x.Cmp(y))
		}
		again, _ := reply.CanonicalNumber(ca)
		if again != ca {
			t.Fatalf("%q becomes %q", ca, again)
		}
	})
}

// respell writes the same value with other zeros and another exponent.
func respell(t *rapid.T, a string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(a), "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += "."
	}
	mantissa += strings.Repeat("0", rapid.IntRange(1, 4).Draw(t, "zeros"))
	if exponent == "" {
		exponent = "0"
	}
	return fmt.Sprintf("%se%s", mantissa, exponent)
}

func FuzzCanonicalNumber(f *testing.F) {
	for _, s := range []string{"1", "1.0", "-0", "1e999999999999", "06", "1e-400", "0.000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, ok := reply.CanonicalNumber(s)
		if ok != (gjson.Valid(s) && gjson.Parse(s).Type == gjson.Number && strings.TrimSpace(s) == s) {
			t.Fatalf("CanonicalNumber(%q) says %v", s, ok)
		}
		if again, _ := reply.CanonicalNumber(id); ok && again != id {
			t.Fatalf("%q becomes %q, which becomes %q", s, id, again)
		}
		if len(id) > 2*len(s)+2*400 {
			t.Fatalf("%d bytes became %d", len(s), len(id))
		}
	})
}

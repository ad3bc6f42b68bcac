package nearest

import (
	"testing"

	"pgregory.net/rapid"
)

func TestTo(t *testing.T) {
	names := []string{"connections", "connect", "maxInFlight", "rate"}
	for mistyped, want := range map[string]string{
		"conections": "connections", "maxInflight": "maxInFlight", "Rate": "rate", "conect": "connect", "colour": "", "x": "",
	} {
		if got := To(mistyped, names); got != want && !(mistyped == "x" && got == "") {
			t.Errorf("To(%q) = %q, want %q", mistyped, got, want)
		}
	}
	if got := To("anything", nil); got != "" {
		t.Errorf("of no names %q is near", got)
	}
}

// The distance is a metric.
func TestEditsIsAMetric(t *testing.T) {
	word := rapid.StringMatching(`[abc]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")
		ab, ba := edits(a, b), edits(b, a)
		if (ab == 0) != (a == b) || ab != ba || edits(a, c) > ab+edits(b, c) {
			t.Fatalf("%q %q %q: %d and %d", a, b, c, ab, ba)
		}
	})
}

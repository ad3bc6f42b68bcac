package duration_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/wsgov/wsgov/xk6-wsgov/duration"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0":         0,
		"0s":        0,
		"1500":      1500 * time.Millisecond,
		"1.5":       1500 * time.Microsecond,
		"-20":       -20 * time.Millisecond,
		"1e3":       time.Second,
		"10s":       10 * time.Second,
		" 10s ":     10 * time.Second,
		"1m30s":     90 * time.Second,
		"-1m":       -time.Minute,
		"1.5h":      90 * time.Minute,
		"250us":     250 * time.Microsecond,
		"250µs":     250 * time.Microsecond,
		"7ns":       7,
		"1d":        24 * time.Hour,
		"1d2h30m":   26*time.Hour + 30*time.Minute,
		"-1d2h":     -26 * time.Hour,
		"-0d2h":     -2 * time.Hour,
		"0d5s":      5 * time.Second,
		"106751d":   106751 * 24 * time.Hour,
		"100000d0s": 100000 * 24 * time.Hour,
	} {
		got, err := duration.Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, reason := range map[string]string{
		"":              "empty",
		"  ":            "empty",
		"soon":          "invalid duration",
		"10":            "",
		"10x":           "unknown unit",
		"1.5d":          "whole number of days",
		"d":             "whole number of days",
		"1d-2h":         "sign",
		"1d+2h":         "sign",
		"1d2":           "missing unit",
		"NaN":           "not a number",
		"Inf":           "292 years",
		"-Inf":          "292 years",
		"1e300":         "292 years",
		"9999999999d":   "292 years",
		"106751d23h59m": "292 years",
		"10 s":          "unknown unit",
	} {
		_, err := duration.Parse(text)
		if reason == "" {
			if err != nil {
				t.Errorf("Parse(%q): %v", text, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), reason) || !strings.Contains(err.Error(), "use '10s'") {
			t.Errorf("Parse(%q) error = %v; want one that says %q and the accepted forms", text, err, reason)
		}
	}
}

func TestFromNumber(t *testing.T) {
	for ms, want := range map[float64]time.Duration{0: 0, 1: time.Millisecond, 0.25: 250 * time.Microsecond, -3: -3 * time.Millisecond} {
		if got, err := duration.FromNumber(ms); err != nil || got != want {
			t.Errorf("FromNumber(%v) = %v, %v; want %v", ms, got, err, want)
		}
	}
	for _, ms := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, 9.3e12} {
		if got, err := duration.FromNumber(ms); err == nil {
			t.Errorf("FromNumber(%v) = %v, want an error", ms, got)
		}
	}
}

func TestGoDurationsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := time.Duration(rapid.Int64().Draw(t, "ns"))
		if got, err := duration.Parse(want.String()); err != nil || got != want {
			t.Fatalf("Parse(%q) = %v, %v", want.String(), got, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"10s", "1d2h", "-1d", "1500", "NaN", "1e309", "µ", "1d1d", "9223372036854775807d"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := duration.Parse(text)
		if err != nil {
			return
		}
		if again, err := duration.Parse(d.String()); err != nil || again != d {
			t.Fatalf("Parse(%q) = %v, which reads back as %v, %v", text, d, again, err)
		}
	})
}

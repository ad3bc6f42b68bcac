package wsgov_test

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wsgov/wsgov/record"
	wsgov "github.com/wsgov/wsgov/xk6-wsgov"
)

var (
	declaration = regexp.MustCompile(`(?ms)^  export interface (\w+) \{\n(.*?)^  \}`)
	member      = regexp.MustCompile(`(?m)^    (\w+)\??:`)
)

// declared are the keys of every interface in the type declarations.
func declared(t *testing.T) map[string][]string {
	text, err := os.ReadFile("../js/wsgov.d.ts")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for _, d := range declaration.FindAllStringSubmatch(string(text), -1) {
		for _, m := range member.FindAllStringSubmatch(d[2], -1) {
			out[d[1]] = append(out[d[1]], m[1])
		}
	}
	return out
}

func TestDeclarationsMatchOptions(t *testing.T) {
	all := declared(t)
	for name, keys := range wsgov.OptionKeys() {
		want := slices.Sorted(slices.Values(all[name]))
		if got := slices.Sorted(slices.Values(keys)); !slices.Equal(got, want) {
			t.Errorf("%s: decoded are\n%v, declared are\n%v", name, got, want)
		}
	}
}

func TestDeclarationsMatchResults(t *testing.T) {
	all := declared(t)
	for name, v := range map[string]any{
		"Ledger": record.Ledger{}, "Quantiles": record.Quantiles{}, "FrameCounts": record.FrameCounts{}, "Naive": record.Naive{},
		"HandshakeCounts": record.HandshakeCounts{}, "Warning": record.Warning{},
		"Reconciliation": record.Reconciliation{}, "CounterCheck": record.CounterCheck{},
	} {
		var keys []string
		for i := range reflect.TypeOf(v).NumField() {
			key, _, _ := strings.Cut(reflect.TypeOf(v).Field(i).Tag.Get("json"), ",")
			keys = append(keys, key)
		}
		if want := slices.Sorted(slices.Values(all[name])); !slices.Equal(slices.Sorted(slices.Values(keys)), want) {
			t.Errorf("%s: made are\n%v, declared are\n%v", name, keys, want)
		}
	}
}

func TestDeclarationsHaveNoDoubles(t *testing.T) {
	for name, keys := range declared(t) {
		slices.Sort(keys)
		if len(slices.Compact(slices.Clone(keys))) != len(keys) {
			t.Errorf("%s declares a key twice: %v", name, keys)
		}
	}
}

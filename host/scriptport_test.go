package host_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// A team's own script: scenarios with exec, tokens from a SharedArray by VU number, a sleep in the wrong place, thresholds
// on sub-metrics, a summary of its own.
func TestScriptOfATeam(t *testing.T) {
	after, err := os.ReadFile("testdata/script-port/after.js")
	if err != nil {
		t.Fatal(err)
	}
	tokens, err := os.ReadFile("testdata/script-port/tokens.json")
	if err != nil {
		t.Fatal(err)
	}
	l := newLab(t, map[string]string{"after.js": string(after), "tokens.json": string(tokens)})
	r := l.run("--gateway", "--out", "json=out.json", "after.js")
	r.want(t, 0, "chat lag p99")
	var own struct {
		Chat, Feed struct{ Rate, Passes, Fails float64 }
		P99        float64
		N          int
	}
	last := r.out[strings.LastIndex(strings.TrimRight(r.out, "\n"), "\n")+1:]
	if err := json.Unmarshal([]byte(last), &own); err != nil {
		t.Fatalf("%v in %q", err, last)
	}
	if own.Chat.Passes != 60 || own.Feed.Passes != 120 || own.Chat.Fails+own.Feed.Fails != 0 || own.N != 180 || own.P99 <= 0 {
		t.Errorf("the script's own summary says %+v", own)
	}
	text := read(t, "out.json")
	if n := points(t, text); n["wsgov_handshakes"] != 23 || n["wsgov_delivered"] != 180 {
		t.Errorf("points %v", n)
	}
	if strings.Contains(text+r.out+r.err, "SECRET-") {
		t.Error("a token got into the output")
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, `"Point"`) && strings.Contains(line, `"metric":"wsgov_`) && !strings.Contains(line, `"scenario":"`) {
			t.Fatalf("a sample without a scenario: %s", line)
		}
	}
}

package gateway

import (
	"testing"
	"time"
)

// Each flag, and each query parameter, changes exactly the rule it is for.
func TestKnobs(t *testing.T) {
	for _, c := range []struct {
		flag, path, param, value string
		change                   func(*Rules)
	}{
		{"capacity", "/gateway", "capacity", "5", func(r *Rules) { r.Capacity = 5 }},
		{"refill", "/gateway", "refill", "0.5", func(r *Rules) { r.Refill = 0.5 }},
		{"delay", "/gateway", "delay", "16ms", func(r *Rules) { r.Delay = 16 * time.Millisecond }},
		{"jitter", "/gateway", "jitter", "0", func(r *Rules) { r.Jitter = 0 }},
		{"seed", "/gateway", "seed", "99", func(r *Rules) { r.Seed = 99 }},
		{"serial-delay", "/serial", "delay", "1.5", func(r *Rules) { r.SerialDelay = 1500 * time.Microsecond }},
	} {
		want := DefaultRules()
		c.change(&want)
		o, err := parseFlags([]string{"--" + c.flag, c.value})
		if err != nil || *o.Rules != want {
			t.Errorf("--%s %s: %+v, %v", c.flag, c.value, *o.Rules, err)
		}
		got, err := DefaultRules().withQuery(c.path, c.param+"="+c.value)
		if err != nil || got != want {
			t.Errorf("%s?%s=%s: %+v, %v", c.path, c.param, c.value, got, err)
		}
	}
	if n := len(knobs); n != 6 {
		t.Errorf("%d knobs, of which 6 are tested", n)
	}
}

func TestOtherFlags(t *testing.T) {
	o, err := parseFlags([]string{
		"--addr", "localhost:99", "--journal", "j", "--compression", "--max-queue", "7", "--write-timeout", "3s",
	})
	if err != nil || o.Addr != "localhost:99" || o.Journal != "j" || !o.Compression || o.MaxQueue != 7 || o.WriteTimeout != 3*time.Second {
		t.Errorf("%+v, %v", o, err)
	}
	o, err = parseFlags(nil)
	if err != nil || o.Addr != "127.0.0.1:0" || o.Journal != "" || o.Compression || o.MaxQueue != 100_000 ||
		o.WriteTimeout != 10*time.Second || *o.Rules != DefaultRules() {
		t.Errorf("defaults %+v, %v", o, err)
	}
}

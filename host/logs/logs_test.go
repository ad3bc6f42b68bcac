package logs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/wsgov/wsgov/host/logs"
)

// written logs one record of each level 61 s after the start and returns what came out.
func written(t *testing.T, options logs.Options) string {
	t.Helper()
	var b bytes.Buffer
	synctest.Test(t, func(*testing.T) {
		options.Start = time.Now()
		time.Sleep(61 * time.Second)
		l := logs.New(&b, options)
		l.Debug("small talk")
		l.With("source", "console").Info("hello", "empty", "", "two words", "a b")
		l.Warn("watch out")
		l.Error("it broke", "error", errors.New("no room"))
	})
	return b.String()
}

func TestText(t *testing.T) {
	got := written(t, logs.Options{Verbose: true})
	want := "DEBU[0061] small talk\n" +
		"INFO[0061] hello" + strings.Repeat(" ", 39) + ` source=console empty="" two words="a b"` + "\n" +
		"WARN[0061] watch out\n" +
		"ERRO[0061] it broke" + strings.Repeat(" ", 36) + ` error="no room"` + "\n"
	if got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestVerboseAndColorChangeSomething(t *testing.T) {
	if got := written(t, logs.Options{}); strings.Contains(got, "small talk") || strings.Contains(got, "\x1b") {
		t.Errorf("plain output %q", got)
	}
	if got := written(t, logs.Options{Color: true}); !strings.Contains(got, "\x1b[31mERRO\x1b[0m[0061]") {
		t.Errorf("coloured output %q", got)
	}
}

func TestRaw(t *testing.T) {
	if got, want := written(t, logs.Options{Format: logs.Raw}), "hello\nwatch out\nit broke\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestJSON(t *testing.T) {
	lines := strings.Split(strings.TrimSpace(written(t, logs.Options{Format: logs.JSON})), "\n")
	var last map[string]any
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err != nil {
		t.Fatal(err)
	}
	if len(lines) != 3 || last["level"] != "error" || last["msg"] != "it broke" || last["error"] != "no room" {
		t.Errorf("%d lines, last %v", len(lines), last)
	}
}

func TestJSONOfAValueThatItCannotHold(t *testing.T) {
	var b bytes.Buffer
	logs.New(&b, logs.Options{Format: logs.JSON}).Info("odd", "f", func() {})
	if !json.Valid(b.Bytes()) || !strings.Contains(b.String(), "odd") {
		t.Errorf("got %q", b.String())
	}
}

func TestGroup(t *testing.T) {
	var b bytes.Buffer
	l := slog.New(logs.New(&b, logs.Options{Start: time.Now()}).Handler().WithGroup("net"))
	l.Info("x", "host", "h")
	if !strings.Contains(b.String(), "net.host=h") {
		t.Errorf("got %q", b.String())
	}
}

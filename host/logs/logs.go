// Package logs writes log records in the look of k6's console.
package logs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Format is how a record is written.
type Format string

// The formats: "INFO[0001] text key=value", one JSON object per line, or the bare text.
const (
	Text Format = "text"
	JSON Format = "json"
	Raw  Format = "raw"
)

// Options configure a handler. Start is the instant that the seconds in brackets count from.
type Options struct {
	Format  Format
	Color   bool
	Verbose bool // also debug records
	Start   time.Time
}

// handler implements slog.Handler. Groups are not used by this project and are written as a prefix.
type handler struct {
	Options
	out    *lockedWriter
	attrs  []slog.Attr
	prefix string
}

type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// New makes a logger that writes to w, one call per record.
func New(w io.Writer, options Options) *slog.Logger {
	return slog.New(&handler{Options: options, out: &lockedWriter{w: w}})
}

// Enabled implements slog.Handler.
func (h *handler) Enabled(_ context.Context, level slog.Level) bool {
	return level >= slog.LevelInfo || h.Verbose
}

// WithAttrs implements slog.Handler.
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	c := *h
	c.attrs = append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)
	return &c
}

// WithGroup implements slog.Handler.
func (h *handler) WithGroup(name string) slog.Handler {
	c := *h
	c.prefix = h.prefix + name + "."
	return &c
}

// Handle implements slog.Handler.
func (h *handler) Handle(_ context.Context, r slog.Record) error {
	attrs := h.attrs[:len(h.attrs):len(h.attrs)]
	r.Attrs(func(a slog.Attr) bool {
		a.Key = h.prefix + a.Key
		attrs = append(attrs, a)
		return true
	})
	var line []byte
	switch h.Format {
	case JSON:
		line = jsonLine(r, attrs)
	case Raw:
		line = []byte(r.Message + "\n")
	default:
		line = h.textLine(r, attrs)
	}
	h.out.mu.Lock()
	defer h.out.mu.Unlock()
	_, err := h.out.w.Write(line)
	return err
}

func (h *handler) textLine(r slog.Record, attrs []slog.Attr) []byte {
	var b bytes.Buffer
	label, color := level(r.Level)
	seconds := int(r.Time.Sub(h.Start).Seconds())
	fmt.Fprintf(&b, "%s[%04d] %s", paint(label, color, h.Color), max(seconds, 0), r.Message)
	if pad := 44 - len(r.Message); pad > 0 && len(attrs) > 0 {
		b.WriteString(strings.Repeat(" ", pad))
	}
	for _, a := range attrs {
		fmt.Fprintf(&b, " %s=%s", paint(a.Key, color, h.Color), quote(a.Value.String()))
	}
	b.WriteByte('\n')
	return b.Bytes()
}

func level(l slog.Level) (label string, color int) {
	switch {
	case l >= slog.LevelError:
		return "ERRO", 31
	case l >= slog.LevelWarn:
		return "WARN", 33
	case l >= slog.LevelInfo:
		return "INFO", 36
	}
	return "DEBU", 37
}

func paint(s string, color int, on bool) string {
	if !on {
		return s
	}
	return fmt.Sprintf("\x1b[%dm%s\x1b[0m", color, s)
}

// quote quotes a value that a reader could not tell from what surrounds it.
func quote(s string) string {
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == '"' || r == '=' }) {
		return strconv.Quote(s)
	}
	return s
}

func jsonLine(r slog.Record, attrs []slog.Attr) []byte {
	fields := map[string]any{"time": r.Time.Format(time.RFC3339Nano), "level": strings.ToLower(r.Level.String()), "msg": r.Message}
	for _, a := range attrs {
		if v, ok := a.Value.Any().(error); ok {
			fields[a.Key] = v.Error()
		} else {
			fields[a.Key] = a.Value.Any()
		}
	}
	line, err := json.Marshal(fields)
	if err != nil { // a value that JSON cannot hold: its text will do
		line, _ = json.Marshal(map[string]string{"level": r.Level.String(), "msg": r.Message, "error": err.Error()})
	}
	return append(line, '\n')
}

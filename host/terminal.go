package host

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/wsgov/wsgov/host/logs"
	"github.com/wsgov/wsgov/host/output"
)

// terminal is where a run writes what people read.
type terminal struct {
	ui     io.Writer // description, progress, summary
	tty    bool      // ui is a terminal
	color  bool
	outTTY bool
	errTTY bool
	start  time.Time
}

// newTerminal decides where people read: stdout, but stderr where samples go to stdout.
func newTerminal(p Process, f *flags) terminal {
	if p.IsTerminal == nil {
		p.IsTerminal = isTerminal
	}
	t := terminal{ui: p.Stdout, outTTY: p.IsTerminal(p.Stdout), errTTY: p.IsTerminal(p.Stderr), start: time.Now()}
	t.tty = t.outTTY
	for _, spec := range f.outs {
		if output.ToStdout(spec) {
			t.ui, t.tty = p.Stderr, t.errTTY
		}
	}
	t.color = t.tty && !f.noColor
	return t
}

// isTerminal reports whether w is a terminal: a character device that is not the null device.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok || f.Name() == os.DevNull {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

func (r *run) logOptions() logs.Options {
	return logs.Options{
		Format: logs.Format(r.flags.logFormat), Verbose: r.flags.verbose, Start: r.start,
		Color: r.errTTY && !r.flags.noColor,
	}
}

// environment looks variables up in a list of NAME=VALUE.
func environment(list []string) func(string) (string, bool) {
	vars := asMap(list)
	return func(name string) (string, bool) { v, ok := vars[name]; return v, ok }
}

func asMap(list []string) map[string]string {
	vars := make(map[string]string, len(list))
	for _, entry := range list {
		if name, value, found := strings.Cut(entry, "="); found {
			vars[name] = value
		}
	}
	return vars
}

// print writes for people; a stdout that cannot be written to is not worth ending a measurement for.
func (r *run) print(format string, args ...any) { fmt.Fprintf(r.ui, format, args...) }

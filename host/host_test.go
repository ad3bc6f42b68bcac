package host_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/wsgov/wsgov/examples/gateway"
	"github.com/wsgov/wsgov/host"
)

// The test binary is the reference gateway too: `… gateway` serves until SIGTERM, or for a life that the environment sets.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "gateway" {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		if life, err := time.ParseDuration(os.Getenv("WSGOV_TEST_GATEWAY_LIFE")); err == nil {
			time.AfterFunc(life, crash)
		}
		code := gateway.Main(ctx, os.Args[2:], os.Stdin, os.Stdout, os.Stderr)
		stop()
		os.Exit(code)
	}
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0") // children that race-detect need no second to end
	goleak.VerifyTestMain(m)
}

// crash ends the process at once and without a word.
func crash() {
	if p, err := os.FindProcess(os.Getpid()); err == nil {
		_ = p.Kill() // there is nobody to tell
	}
}

// lab is a directory with files, in which scripts are run.
type lab struct {
	t     *testing.T
	ctx   context.Context
	env   []string
	stdin string
	tty   bool
	// onErr is called with everything that stderr has got so far, whenever it gets more.
	onErr func(text string)
}

// result is what a run left behind.
type result struct {
	code     int
	out, err string
}

func newLab(t *testing.T, files map[string]string) *lab {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	return &lab{t: t, ctx: t.Context()}
}

// script is a lab with one script, main.js.
func script(t *testing.T, text string) *lab {
	t.Helper()
	return newLab(t, map[string]string{"main.js": text})
}

// watched is a buffer that tells what it has got.
type watched struct {
	mu  sync.Mutex
	buf bytes.Buffer
	on  func(string)
}

func (w *watched) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.buf.Write(p)
	if w.on != nil {
		w.on(w.buf.String())
	}
	return n, err
}

func (w *watched) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.buf.String()
}

func (l *lab) run(args ...string) result {
	l.t.Helper()
	self, err := os.Executable()
	if err != nil {
		l.t.Fatal(err)
	}
	out, stderr := &watched{}, &watched{on: l.onErr}
	code := host.Main(l.ctx, args, host.Process{
		Stdin: strings.NewReader(l.stdin), Stdout: out, Stderr: stderr, Environ: l.env,
		Gateway: []string{self, "gateway"}, Version: "wsgov/test", IsTerminal: func(io.Writer) bool { return l.tty },
	})
	return result{code, out.String(), stderr.String()}
}

// stopAfter ends the lab's run from outside as soon as stderr says text.
func (l *lab) stopAfter(text string) {
	ctx, cancel := context.WithCancelCause(l.ctx)
	l.t.Cleanup(func() { cancel(nil) })
	l.ctx = ctx
	l.onErr = func(s string) {
		if strings.Contains(s, text) {
			cancel(errors.New("SIGINT"))
		}
	}
}

func (r result) want(t *testing.T, code int, texts ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", r.code, code, r.out, r.err)
	}
	for _, text := range texts {
		if !strings.Contains(r.out+r.err, text) {
			t.Errorf("nothing says %q\nstdout:\n%s\nstderr:\n%s", text, r.out, r.err)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

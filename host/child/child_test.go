package child_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"github.com/wsgov/wsgov/host/child"
)

// The test binary is the gateway too, when it is told how to behave.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "gateway" {
		os.Exit(behave(os.Args[2]))
	}
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0") // children that race-detect need no second to end
	goleak.VerifyTestMain(m)
}

func behave(how string) int {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	switch how {
	case "fail":
		fmt.Fprintln(os.Stderr, "port is taken")
		return 3
	case "die":
		fmt.Println("wsgov gateway ready ws://127.0.0.1:7 pid=1")
		return 4
	case "mute":
		<-terminated
		return 0
	}
	fmt.Println("some other line")
	fmt.Println("wsgov gateway ready ws://127.0.0.1:7 pid=1")
	<-terminated
	return 0
}

func start(t *testing.T, ctx context.Context, how string) (*child.Gateway, *bytes.Buffer, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stderr := new(bytes.Buffer)
	g, err := child.Start(ctx, []string{self, "gateway", how}, stderr)
	return g, stderr, err
}

func TestStartAndStop(t *testing.T) {
	g, _, err := start(t, t.Context(), "work")
	if err != nil {
		t.Fatal(err)
	}
	if g.URL != "ws://127.0.0.1:7" || g.Died() != nil {
		t.Errorf("URL %q, died %v", g.URL, g.Died())
	}
	if err := g.Stop(); err != nil {
		t.Error(err)
	}
	<-g.Exited()
	if g.Died() != nil {
		t.Errorf("a stopped gateway has died: %v", g.Died())
	}
}

func TestGatewayThatCannotStart(t *testing.T) {
	_, stderr, err := start(t, t.Context(), "fail")
	if err == nil || !strings.Contains(err.Error(), "exit status 3") || !strings.Contains(stderr.String(), "port is taken") {
		t.Errorf("error %v, stderr %q", err, stderr)
	}
	if _, err := child.Start(t.Context(), []string{"/no/such/program"}, nil); err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("error %v", err)
	}
}

func TestGatewayThatDies(t *testing.T) {
	g, _, err := start(t, t.Context(), "die")
	if err != nil {
		t.Fatal(err)
	}
	<-g.Exited()
	for _, err := range []error{g.Died(), g.Stop()} {
		if err == nil || !strings.Contains(err.Error(), "ended during the run (exit status 4)") {
			t.Errorf("error %v", err)
		}
	}
}

func TestStartIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("told to stop")
	cancel(stop)
	g, _, err := start(t, ctx, "mute")
	if !errors.Is(err, stop) {
		t.Errorf("error %v, want the cause", err)
	}
	<-g.Exited()
}

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"": nil, " a  b\t": {"a", "b"}, `--journal 'my file' --x="a b"c`: {"--journal", "my file", "--x=a bc"}, `''`: {""},
	} {
		if got, err := child.Words(line); err != nil || strings.Join(got, "|") != strings.Join(want, "|") || len(got) != len(want) {
			t.Errorf("Words(%q) = %q, %v; want %q", line, got, err, want)
		}
	}
	if _, err := child.Words(`a 'b`); err == nil {
		t.Error("an open quote is no error")
	}
}

func FuzzWords(f *testing.F) {
	f.Add(`a 'b c' "d"`)
	f.Fuzz(func(t *testing.T, line string) {
		words, err := child.Words(line)
		if err == nil && strings.Count(strings.Join(words, ""), "") > strings.Count(line, "") {
			t.Fatalf("%q has more in its words %q than in itself", line, words)
		}
	})
}

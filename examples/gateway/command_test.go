package gateway_test

import (
	"bytes"
	"context"
	"flag"
	"io"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"github.com/wsgov/wsgov/examples/gateway"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestUsage(t *testing.T) {
	var stdout, stderr bytes.Buffer
	if code := gateway.Main(t.Context(), []string{"--help"}, nil, &stdout, &stderr); code != 0 || stderr.Len() > 0 {
		t.Errorf("--help: code %d, stderr %q", code, stderr.String())
	}
	const golden = "testdata/usage.txt"
	if *update {
		if err := os.WriteFile(golden, stdout.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := stdout.String(); got != strings.ReplaceAll(string(want), "\r\n", "\n") {
		t.Errorf("usage differs from %s (run with -update to accept):\n%s", golden, got)
	}
}

func TestBadArguments(t *testing.T) {
	taken := start(t, gateway.Options{})
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--capasity", "5"}, "flag provided but not defined: -capasity"},
		{[]string{"serve"}, `unexpected argument "serve": there are only flags`},
		{[]string{"--delay", "-1ms"}, "use a duration from 0 to 1h"},
		{[]string{"--delay", "2h"}, "use a duration from 0 to 1h"},
		{[]string{"--serial-delay", "soon"}, "use a duration from 0 to 1h"},
		{[]string{"--jitter", "NaN"}, "use a duration from 0 to 1h"},
		{[]string{"--refill", "NaN"}, "use a number per second from 0"},
		{[]string{"--refill", "-1"}, "use a number per second from 0"},
		{[]string{"--capacity", "1.5"}, "use a whole number from 0"},
		{[]string{"--max-queue", "0"}, "use a whole number from 1"},
		{[]string{"--write-timeout", "0"}, "--write-timeout must be longer than 0"},
		{[]string{"--addr", taken.Addr()}, "an older gateway may still be running"},
		{[]string{"--journal", t.TempDir()}, "give --journal a file that can be written"},
	} {
		var stdout, stderr bytes.Buffer
		code := gateway.Main(t.Context(), c.args, nil, &stdout, &stderr)
		if code != 1 || stdout.Len() > 0 || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("%q: code %d, stdout %q, stderr %q; want 1, nothing and %q", c.args, code, stdout.String(), stderr.String(), c.want)
		}
		if strings.Count(stderr.String(), "wsgov gateway: ") != 1 {
			t.Errorf("%q is complained about more than once: %q", c.args, stderr.String())
		}
	}
}

// command runs Main in the background and returns its base URL once it is ready, and a function that stops it and
// returns its exit code.
func command(t *testing.T, stderr io.Writer, args ...string) (url string, stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stdout, ready := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- gateway.Main(ctx, args, nil, ready, stderr)
		ready.Close()
	}()
	line := make([]byte, 200)
	n, err := stdout.Read(line)
	match := regexp.MustCompile(`^wsgov gateway ready (ws://127\.0\.0\.1:[1-9]\d*) pid=(\d+)\n$`).FindSubmatch(line[:n])
	if match == nil {
		cancel()
		t.Fatalf("ready line %q, %v; exit code %d", line[:n], err, <-code)
	}
	if pid := string(match[2]); pid != strconv.Itoa(os.Getpid()) {
		t.Errorf("pid %s in the ready line, not %d", pid, os.Getpid())
	}
	return string(match[1]), func() int {
		cancel()
		if rest, err := io.ReadAll(stdout); len(rest) > 0 || err != nil {
			t.Errorf("after the ready line stdout has %q, %v", rest, err)
		}
		return <-code
	}
}

func TestStopWithOpenConnections(t *testing.T) {
	var stderr bytes.Buffer
	url, stop := command(t, &stderr, "--addr", "127.0.0.1:0", "--serial-delay", "1h")
	var clients []*websocket.Conn
	for _, path := range []string{"/gateway", "/serial", "/echo", "/serial"} {
		ws := dialURL(t, url+path)
		send(t, ws, `{"id":1}`)
		clients = append(clients, ws)
	}
	receive(t, clients[0])
	receive(t, clients[2])
	gone := make(chan error, len(clients))
	for _, ws := range clients {
		go func() {
			_, _, err := ws.ReadMessage()
			gone <- err
		}()
	}
	if code := stop(); code != 0 || stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
	for range clients {
		if err := <-gone; !websocket.IsCloseError(err, websocket.CloseGoingAway) {
			t.Errorf("a client saw %v, not 1001", err)
		}
	}
	for _, ws := range clients {
		ws.Close()
	}
	goleak.VerifyNone(t)
}

// A client that does not answer the close frame, and one that never sent a request, are cut off.
func TestStopWithSilentClients(t *testing.T) {
	var stderr bytes.Buffer
	url, stop := command(t, &stderr)
	ws := dialURL(t, url+"/gateway")
	defer ws.Close()
	idle := dialTCP(t, strings.TrimPrefix(url, "ws://"))
	defer idle.Close()
	if code := stop(); code != 0 || stderr.Len() > 0 {
		t.Errorf("exit code %d, stderr %q", code, stderr.String())
	}
}

func TestUnwritableStdout(t *testing.T) {
	stdout, broken := io.Pipe()
	stdout.Close()
	var stderr bytes.Buffer
	if code := gateway.Main(t.Context(), nil, nil, broken, &stderr); code != 1 {
		t.Errorf("exit code %d with a closed stdout", code)
	}
	if !strings.Contains(stderr.String(), "say that the gateway is ready") {
		t.Errorf("stderr %q", stderr.String())
	}
}

func TestFullDisk(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("there is no /dev/full")
	}
	complaints, stderr := io.Pipe()
	url, stop := command(t, stderr, "--journal", "/dev/full")
	line := make([]byte, 500)
	n, err := complaints.Read(line)
	if err != nil || !strings.Contains(string(line[:n]), "write the journal /dev/full") {
		t.Errorf("stderr %q, %v", line[:n], err)
	}
	ws := dialURL(t, url+"/gateway")
	send(t, ws, `{"id":1}`)
	if got := receive(t, ws); got != `{"id":1,"ok":true}` {
		t.Errorf("with a full disk the reply is %s", got)
	}
	ws.Close()
	rest := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(complaints)
		rest <- b
	}()
	if code := stop(); code != 1 {
		t.Errorf("exit code %d with a full disk", code)
	}
	stderr.Close()
	if more := <-rest; len(more) > 0 {
		t.Errorf("said again: %q", more)
	}
}

package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/wsgov/wsgov/examples/gateway"
)

func start(t *testing.T, o gateway.Options) *gateway.Server {
	t.Helper()
	s, err := gateway.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return s
}

func dial(t *testing.T, s *gateway.Server, path string) *websocket.Conn {
	t.Helper()
	ws, resp, err := websocket.DefaultDialer.Dial("ws://"+s.Addr()+path, nil)
	if err != nil {
		if resp != nil {
			body, _ := io.ReadAll(resp.Body)
			t.Fatalf("%v: %s %s", err, resp.Status, body)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	return ws
}

func send(t *testing.T, ws *websocket.Conn, text string) {
	t.Helper()
	if err := ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, ws *websocket.Conn) string {
	t.Helper()
	_, data, err := ws.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// Ids come back with the type and the very text they were sent with.
func TestIdsComeBackAsTheyWere(t *testing.T) {
	s := start(t, gateway.Options{})
	ws := dial(t, s, "/gateway?delay=0&jitter=0")
	for _, id := range []string{`1`, `"1"`, `1.0`, `"06"`, `9007199254740993`, `1e3`, `true`, `["a",{"b":1}]`, `"é\n"`} {
		send(t, ws, `{"x":{"id":7},"id":`+id+`,"pad":"y"}`)
		if got, want := receive(t, ws), `{"id":`+id+`,"ok":true}`; got != want {
			t.Errorf("reply %s, want %s", got, want)
		}
	}
}

func TestMessagesThatCannotBeAnswered(t *testing.T) {
	s := start(t, gateway.Options{})
	ws := dial(t, s, "/gateway?capacity=1&refill=0")
	for _, text := range []string{`hello`, `{}`, `{"id":null}`, `[1]`, `{"ID":1}`, ``} {
		send(t, ws, text)
		if got := receive(t, ws); got != `{"id":null,"ok":false,"code":"BAD_MESSAGE"}` {
			t.Errorf("%q: reply %s", text, got)
		}
	}
	send(t, ws, `{"id":1}`) // they cost no token
	if got := receive(t, ws); got != `{"id":1,"ok":true}` {
		t.Errorf("reply %s", got)
	}
	if n := s.Stats().Total.Bad; n != 6 {
		t.Errorf("%d bad messages, want 6", n)
	}
}

// Without refill exactly the bucket's capacity is granted, however long it takes.
func TestTheLimitIsExact(t *testing.T) {
	s := start(t, gateway.Options{})
	ws := dial(t, s, "/gateway?refill=0&capacity=100&delay=1ms&jitter=1ms")
	for i := range 1000 {
		send(t, ws, fmt.Sprintf(`{"id":%d}`, i))
	}
	verdicts := map[bool]int{}
	seen := map[int]bool{}
	for range 1000 {
		var r struct {
			ID   int
			OK   bool
			Code string
		}
		if err := json.Unmarshal([]byte(receive(t, ws)), &r); err != nil {
			t.Fatal(err)
		}
		if seen[r.ID] || r.OK != (r.Code == "") || !r.OK && r.Code != "RATE_LIMITED" {
			t.Fatalf("reply %+v", r)
		}
		seen[r.ID] = true
		verdicts[r.OK]++
	}
	if verdicts[true] != 100 || verdicts[false] != 900 {
		t.Errorf("verdicts %v, want 100 granted and 900 limited", verdicts)
	}
	if c := s.Stats().Total; c.Echoed != 100 || c.Limited != 900 || c.Received != 1000 || c.Conns != 1 {
		t.Errorf("counters %+v", c)
	}
}

func TestStatsOverTheControlMessage(t *testing.T) {
	s := start(t, gateway.Options{})
	for _, path := range []string{"/gateway?capacity=0", "/serial?delay=1h", "/echo"} {
		ws := dial(t, s, path)
		if strings.HasPrefix(path, "/serial") {
			send(t, ws, `{"id":1}`) // waits for an hour; the control message does not
		}
		send(t, ws, `{"id":"c","cmd":"stats"}`)
		var reply struct {
			ID      string           `json:"id"`
			Stats   map[string]int64 `json:"server_stats"`
			Process string           `json:"process"`
		}
		if err := json.Unmarshal([]byte(receive(t, ws)), &reply); err != nil {
			t.Fatal(err)
		}
		if reply.ID != "c" || reply.Process != s.Stats().Process || reply.Stats["conns"] < 1 {
			t.Errorf("%s: %+v", path, reply)
		}
		for _, counter := range []string{"conns", "echoed", "limited"} {
			if _, told := reply.Stats[counter]; !told {
				t.Errorf("%s: no counter %q", path, counter)
			}
		}
	}
}

func get(t *testing.T, s *gateway.Server, path string) (int, string) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Get("http://" + s.Addr() + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

func TestHTTPEndpoints(t *testing.T) {
	s := start(t, gateway.Options{})
	ws := dial(t, s, "/gateway?delay=0&jitter=0")
	send(t, ws, `{"id":1}`)
	receive(t, ws)
	if status, body := get(t, s, "/stats"); status != 200 || !strings.Contains(body, `"echoed":1`) || !strings.Contains(body, s.Stats().Process) {
		t.Errorf("stats: %d %s", status, body)
	}
	_, metrics := get(t, s, "/metrics")
	for _, line := range []string{
		`wsgov_gateway_connections_total{path="/gateway"} 1`, `wsgov_gateway_echoed_total{path="/gateway"} 1`,
		`wsgov_gateway_service_seconds_count{path="/gateway",verdict="ok"}`, "process_start_time_seconds", "go_goroutines",
	} {
		if !strings.Contains(metrics, line) && !(strings.HasPrefix(line, "process_") && runtime.GOOS != "linux") {
			t.Errorf("the metrics lack %s", line)
		}
	}
	if status, _ := get(t, s, "/healthz"); status != 200 {
		t.Errorf("health: %d", status)
	}
	if status, body := get(t, s, "/gateway"); status != http.StatusUpgradeRequired || !strings.Contains(body, "ws://") {
		t.Errorf("a plain request: %d %s", status, body)
	}
}

func TestBadQueriesAreRefusedWithASentence(t *testing.T) {
	s := start(t, gateway.Options{})
	for query, part := range map[string]string{
		"/gateway?rate=1":             "valid ones are capacity, refill, delay, jitter, seed",
		"/gateway?capacity=-1":        "whole number",
		"/gateway?refill=NaN":         "number per second",
		"/gateway?delay=soon":         "duration",
		"/gateway?delay=1ms&delay=2s": "give it once",
		"/serial?refill=0":            "valid ones are delay",
		"/echo?delay=1ms":             "it takes none",
	} {
		_, resp, err := websocket.DefaultDialer.Dial("ws://"+s.Addr()+query, nil)
		if err == nil || resp == nil || resp.StatusCode != http.StatusBadRequest {
			t.Fatalf("%s: %v %v", query, resp, err)
		}
		if body, _ := io.ReadAll(resp.Body); !strings.Contains(string(body), part) {
			t.Errorf("%s: %s", query, body)
		}
	}
	if n := s.Stats().Total.Conns; n != 0 {
		t.Errorf("%d connections were counted", n)
	}
}

func TestEcho(t *testing.T) {
	s := start(t, gateway.Options{Compression: true})
	ws := dial(t, s, "/echo")
	if err := ws.WriteMessage(websocket.BinaryMessage, []byte{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	kind, data, err := ws.ReadMessage()
	if err != nil || kind != websocket.BinaryMessage || !bytes.Equal(data, []byte{1, 2, 3}) {
		t.Errorf("echo %d %v %v", kind, data, err)
	}
}

// The journal has a line for every message, which adds up to the counters.
func TestJournalEqualsCounters(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.ndjson")
	s, err := gateway.Start(gateway.Options{Journal: path})
	if err != nil {
		t.Fatal(err)
	}
	ws := dial(t, s, "/gateway?refill=0&capacity=3&delay=0&jitter=0")
	for i := range 10 {
		send(t, ws, fmt.Sprintf(`{"id":%d}`, i))
		receive(t, ws)
	}
	send(t, ws, `nonsense`)
	receive(t, ws)
	total := s.Stats().Total
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	kinds, verdicts := map[string]int64{}, map[string]int64{}
	var received int64
	for _, line := range lines(t, path) {
		kinds[line["kind"].(string)]++
		if line["kind"] != "message" {
			continue
		}
		verdicts[line["verdict"].(string)]++
		if line["remote"] != ws.LocalAddr().String() || line["replied"].(float64) < line["received"].(float64) || int64(line["received"].(float64)) < received {
			t.Errorf("line %v", line)
		}
		received = int64(line["received"].(float64))
	}
	if kinds["head"] != 1 || kinds["open"] != 1 || kinds["close"] != 1 || kinds["message"] != 11 {
		t.Errorf("lines %v", kinds)
	}
	if verdicts["ok"] != total.Echoed || verdicts["limited"] != total.Limited || verdicts["bad"] != total.Bad || total.Echoed != 3 || total.Limited != 7 {
		t.Errorf("the journal says %v, the counters %+v", verdicts, total)
	}
}

func lines(t *testing.T, path string) (all []map[string]any) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for scanner := bufio.NewScanner(f); scanner.Scan(); {
		var line map[string]any
		if err := json.Unmarshal(scanner.Bytes(), &line); err != nil {
			t.Fatalf("%v: %s", err, scanner.Text())
		}
		all = append(all, line)
	}
	return all
}

func TestTooManyWaitingRepliesCloseTheConnection(t *testing.T) {
	s := start(t, gateway.Options{MaxQueue: 2})
	ws := dial(t, s, "/serial?delay=1h")
	for i := range 3 {
		send(t, ws, fmt.Sprintf(`{"id":%d}`, i))
	}
	_, _, err := ws.ReadMessage()
	if !websocket.IsCloseError(err, websocket.CloseTryAgainLater) || !strings.Contains(err.Error(), "replies were waiting") {
		t.Fatalf("the connection ended with %v", err)
	}
	for s.Stats().Total.Abandoned < 3 { // booked when the session has ended
		if t.Context().Err() != nil {
			t.Fatalf("counters %+v", s.Stats().Total)
		}
		runtime.Gosched()
	}
}

func TestStoppingClosesWithGoingAway(t *testing.T) {
	s := start(t, gateway.Options{})
	ws := dial(t, s, "/serial?delay=1h")
	send(t, ws, `{"id":1}`)
	closed := make(chan error, 1)
	go func() { closed <- s.Close(context.Background()) }()
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseGoingAway) {
		t.Errorf("the connection ended with %v", err)
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
}

// command runs Main until it printed its ready line, or ended.
func command(t *testing.T, args ...string) (ready string, stop func() (int, string)) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	out, w := io.Pipe()
	var stderr bytes.Buffer
	code := make(chan int, 1)
	go func() {
		code <- gateway.Main(ctx, args, nil, w, &stderr)
		w.Close()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return line, func() (int, string) {
		cancel()
		return <-code, stderr.String()
	}
}

func TestCommandPrintsItsAddressAndEndsCleanly(t *testing.T) {
	ready, stop := command(t, "--seed", "7", "--serial-delay", "16ms")
	var address string
	var pid int
	if _, err := fmt.Sscanf(ready, "wsgov gateway ready %s pid=%d\n", &address, &pid); err != nil || pid != os.Getpid() {
		t.Fatalf("ready line %q: %v", ready, err)
	}
	ws, _, err := websocket.DefaultDialer.Dial(address+"/gateway", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	if code, stderr := stop(); code != 0 || stderr != "" {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestCommandRefusesBadFlags(t *testing.T) {
	for args, part := range map[string]string{
		"--capacity=-1":                       "whole number",
		"--nonsense":                          "nonsense",
		"extra":                               "there are only flags",
		"--addr=127.0.0.1:99999":              "--addr",
		"--journal=/nonexistent/dir/j.ndjson": "--journal",
	} {
		_, stop := command(t, args)
		if code, stderr := stop(); code != 1 || !strings.Contains(stderr, part) {
			t.Errorf("%s: exit %d: %s", args, code, stderr)
		}
	}
}

func TestFullDiskIsReportedOnceAndFails(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	_, stop := command(t, "--journal", "/dev/full")
	code, stderr := stop()
	if code != 1 || strings.Count(stderr, "incomplete") != 1 {
		t.Errorf("exit %d: %s", code, stderr)
	}
}

func TestUsage(t *testing.T) {
	var out bytes.Buffer
	if code := gateway.Main(t.Context(), []string{"-h"}, nil, &out, io.Discard); code != 0 {
		t.Errorf("exit %d", code)
	}
	golden := filepath.Join("testdata", "usage.txt")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("the usage is\n%s\nwant\n%s(UPDATE_GOLDEN=1 go test rewrites it)", out.String(), want)
	}
}

// A reply leaves after its delay, whatever it is.
func TestDelays(t *testing.T) {
	s := start(t, gateway.Options{})
	ws := dial(t, s, "/gateway?delay=30ms&jitter=0")
	began := time.Now()
	send(t, ws, `{"id":1}`)
	receive(t, ws)
	if took := time.Since(began); took < 30*time.Millisecond {
		t.Errorf("answered after %v, before its delay", took)
	}
}

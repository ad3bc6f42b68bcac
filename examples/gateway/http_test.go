package gateway_test

import (
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/wsgov/wsgov/examples/gateway"
)

func TestStatsPage(t *testing.T) {
	s := start(t, gateway.Options{})
	ws := dial(t, s, "/gateway?delay=0&jitter=0")
	send(t, ws, `{"id":1}`)
	receive(t, ws)
	resp, err := http.Get("http://" + s.Addr() + "/stats")
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer resp.Body.Close()
	if kind := resp.Header.Get("Content-Type"); kind != "application/json" {
		t.Errorf("content type %q", kind)
	}
	var page gateway.Stats
	if err := json.NewDecoder(resp.Body).Decode(&page); err != nil {
		t.Fatal(err)
	}
	counts := gateway.Counts{Conns: 1, Received: 1, Echoed: 1}
	if page.Total != counts || page.Process != s.Stats().Process || page.Process == "" {
		t.Errorf("page %+v", page)
	}
	if want := (gateway.PathStats{Counts: counts, Open: 1}); page.Paths["/gateway"] != want || len(page.Paths) != 3 {
		t.Errorf("paths %+v", page.Paths)
	}
}

func TestProcessIdentity(t *testing.T) {
	if a, b := start(t, gateway.Options{}), start(t, gateway.Options{}); a.Stats().Process == b.Stats().Process {
		t.Errorf("two gateways are both %s", a.Stats().Process)
	}
}

func TestMetrics(t *testing.T) {
	s := start(t, gateway.Options{})
	ws := dial(t, s, "/gateway?capacity=1&refill=0")
	for _, message := range []string{`{"id":1}`, `{"id":2}`, `bad`, `{"cmd":"stats"}`} {
		send(t, ws, message)
		receive(t, ws)
	}
	hangUp(t, ws)
	stalled := dial(t, s, "/serial?delay=1h")
	send(t, stalled, `{"id":1}`)
	send(t, stalled, `{"cmd":"stats"}`)
	receive(t, stalled)
	status, page := get(t, s, "/metrics")
	if status != http.StatusOK {
		t.Fatalf("status %d", status)
	}
	for _, line := range []string{
		`wsgov_gateway_connections_total{path="/gateway"} 1`,
		`wsgov_gateway_connections_total{path="/echo"} 0`,
		`wsgov_gateway_received_total{path="/gateway"} 3`,
		`wsgov_gateway_echoed_total{path="/gateway"} 1`,
		`wsgov_gateway_limited_total{path="/gateway"} 1`,
		`wsgov_gateway_bad_total{path="/gateway"} 1`,
		`wsgov_gateway_control_total{path="/gateway"} 1`,
		`wsgov_gateway_undelivered_total{path="/gateway"} 0`,
		`wsgov_gateway_abandoned_total{path="/gateway"} 0`,
		`wsgov_gateway_open_connections{path="/serial"} 1`,
		`wsgov_gateway_waiting_messages{path="/serial"} 1`,
		`wsgov_gateway_service_seconds_count{path="/gateway",verdict="ok"} 1`,
		`wsgov_gateway_service_seconds_count{path="/gateway",verdict="limited"} 1`,
		`wsgov_gateway_start_time_seconds{process="` + s.Stats().Process + `"}`,
		"go_goroutines ",
	} {
		if !strings.Contains(page, line) {
			t.Errorf("the metrics lack %s", line)
		}
	}
	if runtime.GOOS == "linux" && !strings.Contains(page, "process_start_time_seconds ") {
		t.Error("the metrics lack the process's own")
	}
}

func TestPlainRequests(t *testing.T) {
	s := start(t, gateway.Options{})
	for target, want := range map[string]struct {
		status int
		part   string
	}{
		"/healthz": {http.StatusOK, "ok"},
		"/gateway": {http.StatusUpgradeRequired, "connect to ws://" + s.Addr() + "/gateway"},
		"/nothing": {http.StatusNotFound, "/gateway, /serial, /echo"},
	} {
		if status, body := get(t, s, target); status != want.status || !strings.Contains(body, want.part) {
			t.Errorf("%s: %d %q, want %d and %q", target, status, body, want.status, want.part)
		}
	}
}

func TestBadQueries(t *testing.T) {
	s := start(t, gateway.Options{})
	const ofGateway = "valid ones are capacity, refill, delay, jitter, seed"
	for query, part := range map[string]string{
		"/gateway?rate=1":             `no parameter "rate"; ` + ofGateway,
		"/gateway?capacity=-1":        "whole number",
		"/gateway?capacity=1.5":       ofGateway,
		"/gateway?refill=NaN":         "number per second",
		"/gateway?delay=soon":         "duration",
		"/gateway?seed=x":             "whole number",
		"/gateway?delay=1ms&delay=2s": "give it once",
		"/gateway?delay=%zz":          "cannot be read",
		"/serial?refill=0":            "valid ones are delay",
		"/serial?delay=2h":            "duration from 0 to 1h",
		"/echo?delay=1ms":             "it takes none",
	} {
		ws, resp, err := websocket.DefaultDialer.Dial("ws://"+s.Addr()+query, nil)
		if err == nil || resp == nil || resp.StatusCode != http.StatusBadRequest {
			t.Errorf("%s: %v %v %v", query, ws, resp, err)
			continue
		}
		if body, _ := io.ReadAll(resp.Body); !strings.Contains(string(body), part) {
			t.Errorf("%s: %s, want %s", query, body, part)
		}
	}
	if n := s.Stats().Total.Conns; n != 0 {
		t.Errorf("%d connections were counted", n)
	}
}

func TestRefusedUpgradeIsExplained(t *testing.T) {
	s := start(t, gateway.Options{})
	req, err := http.NewRequest(http.MethodGet, "http://"+s.Addr()+"/echo", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-Websocket-Version": "7"} {
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), "cannot upgrade /echo") {
		t.Errorf("%d %q", resp.StatusCode, body)
	}
	if n := s.Stats().Total.Conns; n != 0 {
		t.Errorf("%d connections were counted", n)
	}
}

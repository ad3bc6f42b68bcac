package counters_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"github.com/wsgov/wsgov/xk6-wsgov/counters"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func get(t *testing.T, contentType, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// websocketServer sends the given frames after the first message, and tells how the connection ended.
func websocketServer(t *testing.T, frames ...string) (url string, request, end func() string) {
	t.Helper()
	requests, ends := make(chan string, 4), make(chan string, 4)
	var open sync.WaitGroup
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		open.Add(1)
		defer open.Done()
		ws, err := new(websocket.Upgrader).Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer ws.Close()
		_, data, _ := ws.ReadMessage()
		requests <- string(data)
		for _, f := range frames {
			_ = ws.WriteMessage(websocket.TextMessage, []byte(f))
		}
		_, _, err = ws.ReadMessage()
		ends <- fmt.Sprint(err)
	}))
	t.Cleanup(func() {
		s.Close()
		open.Wait()
	})
	return "ws" + strings.TrimPrefix(s.URL, "http"), func() string { return <-requests }, func() string { return <-ends }
}

const prometheus = `# HELP replies_total Replies.
# TYPE replies_total counter
replies_total{path="/a",code="ok"} 3
replies_total{path="/b",code="ok"} 4
replies_total{path="/a",code="RATE_LIMITED"} 5
# TYPE start_seconds gauge
start_seconds 1.7e9
plain 2
# TYPE h histogram
h_bucket{le="+Inf"} 1
h_sum 1
h_count 1
`

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, contentType, body string
		source                  counters.Source
		want                    map[string]float64
		identity                string
		missing                 string
	}{
		{"JSON", "application/json", `{"server_stats":{"conns":1,"echoed":2,"note":"x"},"process":"p1"}`,
			counters.Source{Names: []string{"echoed"}, Identity: "process"}, map[string]float64{"conns": 1, "echoed": 2}, "p1", ""},
		{"JSON path", "application/json", `{"a":{"b":{"x":1,"y":{"z":4}}},"start":17}`,
			counters.Source{Path: "a.b", Names: []string{"y.z"}, Identity: "start"}, map[string]float64{"x": 1, "y.z": 4}, "17", ""},
		{"JSON root", "text/plain", ` {"echoed":9}`, counters.Source{Names: []string{"echoed"}}, map[string]float64{"echoed": 9}, "", ""},
		{"missing", "application/json", `{"echoed":9}`, counters.Source{Names: []string{"limited"}}, map[string]float64{"echoed": 9}, "", "limited"},
		{"Prometheus", "text/plain; version=0.0.4", prometheus,
			counters.Source{Names: []string{"replies_total", `replies_total{code="RATE_LIMITED"}`, `replies_total{code="ok", path="/b"}`, "plain", "gone"}, Identity: "start_seconds"},
			map[string]float64{"replies_total": 12, `replies_total{code="RATE_LIMITED"}`: 5, `replies_total{code="ok", path="/b"}`: 4, "plain": 2}, "1700000000", "gone"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.source.URLs = []string{get(t, c.contentType, c.body)}
			if err := c.source.Check(); err != nil {
				t.Fatal(err)
			}
			r, err := c.source.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(r.Counters, c.want) || r.Identity != c.identity || strings.Join(r.Missing, ",") != c.missing || r.Control != 0 {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestReadWebSocket(t *testing.T) {
	url, request, end := websocketServer(t, "hello", `[1]`, `{"event":1}`, `{"server_stats":{"conns":1},"process":"p1"}`)
	opened := 0
	s := counters.Source{URLs: []string{url}, Identity: "process", Opened: func() { opened++ }}
	r, err := s.Read(t.Context())
	if err != nil || r.Counters["conns"] != 1 || r.Identity != "p1" || r.Control != 1 || opened != 1 {
		t.Errorf("got %+v, %v; %d opened", r, err, opened)
	}
	if got := request(); got != `{"cmd":"stats"}` {
		t.Errorf("asked with %s", got)
	}
	if got := end(); !strings.Contains(got, "1000") {
		t.Errorf("the control connection ended with %s", got)
	}
}

func TestOwnRequestAndPath(t *testing.T) {
	url, request, _ := websocketServer(t, `{"server_stats":{"conns":1}}`, `{"data":{"counts":{"conns":2}}}`)
	s := counters.Source{URLs: []string{url}, Request: []byte("STATS"), Path: "data.counts"}
	r, err := s.Read(t.Context())
	if err != nil || r.Counters["conns"] != 2 || request() != "STATS" {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestReplicasAddUp(t *testing.T) {
	a, b := get(t, "application/json", `{"echoed":1,"x":1,"p":"a"}`), get(t, "application/json", `{"echoed":2,"p":"b"}`)
	s := counters.Source{URLs: []string{a, b}, Names: []string{"echoed"}, Identity: "p"}
	r, err := s.Read(t.Context())
	if err != nil || r.Counters["echoed"] != 3 || r.Counters["x"] != 1 || r.Identity != "a,b" {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestReadFailures(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	l.Close()
	gone, _, _ := websocketServer(t)
	missing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(missing.Close)
	for _, c := range []struct{ url, want string }{
		{"ws://" + closed, "is the gateway running there?"},
		{"http://" + closed, "is the gateway running there?"},
		{missing.URL, "404 Not Found: check the address"},
		{"ws" + strings.TrimPrefix(missing.URL, "http"), "404 Not Found: check the address"},
		{get(t, "application/json", `[1]`), `no object of counters at "server_stats" (path): it is no JSON object`},
		{get(t, "text/html", "<html>"), "neither JSON nor Prometheus text"},
	} {
		s := counters.Source{URLs: []string{c.url}}
		_, err := s.Read(t.Context())
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.url) {
			t.Errorf("%s: got %v, want %q", c.url, err, c.want)
		}
	}
	s := counters.Source{URLs: []string{get(t, "application/json", `{"a":1,"b":{}}`)}, Path: "x"}
	if _, err := s.Read(t.Context()); err == nil || !strings.Contains(err.Error(), `"x" (path): it has the keys a, b`) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	silent := counters.Source{URLs: []string{gone}, Opened: cancel}
	if _, err := silent.Read(ctx); err == nil || !strings.Contains(err.Error(), "check request and path") {
		t.Errorf("a silent gateway: %v", err)
	}
}

func TestCheck(t *testing.T) {
	for _, c := range []struct {
		source counters.Source
		want   string
	}{
		{counters.Source{}, "there is no address"},
		{counters.Source{URLs: []string{"ftp://x"}}, "must begin with ws://"},
		{counters.Source{URLs: []string{"http:///x"}}, "name a host"},
		{counters.Source{URLs: []string{"http://[x"}}, "cannot be read"},
		{counters.Source{URLs: []string{"http://x"}, Request: []byte("x")}, "leave out request"},
		{counters.Source{URLs: []string{"http://x"}, Names: []string{`m{a=}`}}, "names no metric"},
	} {
		if err := c.source.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %q", c.source, err, c.want)
		}
	}
}

func FuzzPrometheus(f *testing.F) {
	f.Add(`m{a="x",b="\"}"}`, prometheus)
	f.Add(`replies_total{code="ok"}`, `replies_total{code="ok"} NaN`)
	f.Fuzz(func(t *testing.T, name, text string) {
		s := counters.Source{URLs: []string{"http://x"}, Names: []string{name}, Identity: name}
		err := s.Check()
		r, failed := s.Parse([]byte(text), "text/plain")
		if err != nil && failed == nil && len(r.Counters) > 0 && !strings.HasPrefix(strings.TrimSpace(text), "{") {
			t.Fatalf("%q was refused and found: %v", name, r.Counters)
		}
	})
}

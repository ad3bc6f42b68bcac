package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var upgrader = websocket.Upgrader{Subprotocols: []string{"mqtt"}, CheckOrigin: func(*http.Request) bool { return true }}

// server upgrades every connection and hands it to serve.
func server(t *testing.T, serve func(*websocket.Conn)) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := upgrader.Upgrade(w, r, nil)
		if err != nil {
			return // the client sees it
		}
		defer ws.Close()
		serve(ws)
	}))
	t.Cleanup(s.Close)
	return "ws" + strings.TrimPrefix(s.URL, "http")
}

func config(url string) Config {
	start := time.Now()
	return Config{URL: url, Now: func() time.Duration { return time.Since(start) }}
}

func dial(t *testing.T, cfg Config) *Conn {
	t.Helper()
	c, h, err := Dial(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if h.Status != 101 || h.Local == "" || h.ConnectedAt < h.StartedAt || h.EndedAt < h.ConnectedAt {
		t.Errorf("handshake %+v", h)
	}
	t.Cleanup(c.Drop)
	return c
}

func echo(ws *websocket.Conn) {
	for {
		kind, data, err := ws.ReadMessage()
		if err != nil || ws.WriteMessage(kind, data) != nil {
			return
		}
	}
}

func TestEchoOfBothKinds(t *testing.T) {
	c := dial(t, config(server(t, echo)))
	for _, binary := range []bool{false, true} {
		before := c.socket.now()
		if err := c.Write([]byte("hello"), binary, time.Time{}); err != nil {
			t.Fatal(err)
		}
		f, err := c.Read()
		if err != nil || string(f.Data) != "hello" || f.Binary != binary {
			t.Fatalf("read %+v, %v", f, err)
		}
		if f.At < before || f.At > c.socket.now() || c.LastHeard() < f.At {
			t.Errorf("stamp %v is not between send and now", f.At)
		}
	}
}

// Frames that one read of the socket brought have that read's time, however late they are looked at.
func TestStampIsTheReadsNotTheCallers(t *testing.T) {
	url := server(t, func(ws *websocket.Conn) {
		raw := ws.NetConn()
		_, _ = raw.Write([]byte{0x81, 1, 'a', 0x81, 1, 'b'}) // two frames in one segment
		_, _, _ = ws.ReadMessage()
	})
	c := dial(t, config(url))
	first, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	second, err := c.Read()
	if err != nil {
		t.Fatal(err)
	}
	if string(first.Data)+string(second.Data) != "ab" || first.At != second.At {
		t.Errorf("frames %+v and %+v", first, second)
	}
}

func TestRefusedUpgradesAreExplained(t *testing.T) {
	for status, hint := range map[int]string{200: "path", 401: "headers", 426: "subprotocol", 502: "proxy", 418: "address"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }))
		_, h, err := Dial(t.Context(), config("ws"+strings.TrimPrefix(s.URL, "http")))
		s.Close()
		var e *DialError
		if !errors.As(err, &e) {
			t.Fatalf("status %d: error %v", status, err)
		}
		if e.Status != status || h.Status != status || e.Blame != Gateway || !strings.HasPrefix(e.Cause, "http-") || !strings.Contains(e.Error(), hint) {
			t.Errorf("status %d: %+v", status, e)
		}
	}
}

func dialFailure(t *testing.T, cfg Config, timeout time.Duration) *DialError {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	_, _, err := Dial(ctx, cfg)
	var e *DialError
	if !errors.As(err, &e) {
		t.Fatalf("error %v is no DialError", err)
	}
	if e.Hint == "" || !strings.Contains(e.Error(), cfg.URL) {
		t.Errorf("%q does not say where and what to do", e)
	}
	return e
}

func TestFailedDialsAreClassified(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	silent := "ws://" + l.Addr().String()
	t.Cleanup(func() { l.Close() })
	closed := httptest.NewServer(nil)
	closed.Close()
	secure := httptest.NewTLSServer(nil)
	secure.Config.ErrorLog = nil
	t.Cleanup(secure.Close)
	plain := server(t, echo)
	withProtocol := config(plain)
	withProtocol.Subprotocols = []string{"graphql-transport-ws"}
	for name, c := range map[string]struct {
		cfg   Config
		cause string
		blame Blame
	}{
		"refused":      {config("ws" + strings.TrimPrefix(closed.URL, "http")), "refused", Gateway},
		"silent":       {config(silent), "timeout", Undecided},
		"tls to plain": {config("wss" + strings.TrimPrefix(plain, "ws")), "tls-to-plain-port", Gateway},
		"certificate":  {config("wss" + strings.TrimPrefix(secure.URL, "https")), "certificate", Gateway},
		"subprotocol":  {withProtocol, "subprotocol", Gateway},
	} {
		timeout := 10 * time.Second
		if name == "silent" {
			timeout = 50 * time.Millisecond
		}
		if e := dialFailure(t, c.cfg, timeout); e.Cause != c.cause || e.Blame != c.blame {
			t.Errorf("%s: %+v, want cause %s and blame %s", name, e, c.cause, c.blame)
		}
	}
}

func TestTLSOptions(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ws, err := upgrader.Upgrade(w, r, nil); err == nil {
			defer ws.Close()
			echo(ws)
		}
	}))
	t.Cleanup(s.Close)
	cfg := config("wss" + strings.TrimPrefix(s.URL, "https"))
	cfg.TLS = &tls.Config{InsecureSkipVerify: true} //nolint:gosec // the test's own server
	_, h, err := Dial(t.Context(), cfg)
	if err != nil || h.SecuredAt == 0 {
		t.Fatalf("handshake %+v, %v", h, err)
	}
}

func TestHowConnectionsEnd(t *testing.T) {
	for name, c := range map[string]struct {
		serve func(*websocket.Conn)
		want  End
	}{
		"close frame": {func(ws *websocket.Conn) {
			_ = ws.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(1011, "boom"), time.Now().Add(time.Second))
		}, End{Code: 1011, Reason: "boom", By: ByServer}},
		"cut":      {func(ws *websocket.Conn) { ws.NetConn().Close() }, End{Code: 1006, By: ByNetwork}},
		"too big":  {func(ws *websocket.Conn) { _ = ws.WriteMessage(websocket.TextMessage, make([]byte, 200)) }, End{Code: 1009, By: ByClient, TooLarge: true}},
		"protocol": {func(ws *websocket.Conn) { _, _ = ws.NetConn().Write([]byte{0xff, 0xff}) }, End{Code: 1002, By: ByClient}},
	} {
		cfg := config(server(t, c.serve))
		cfg.MaxFrameBytes = 100
		_, err := dial(t, cfg).Read()
		var e *End
		if !errors.As(err, &e) {
			t.Fatalf("%s: error %v is no End", name, err)
		}
		if e.Code != c.want.Code || e.Reason != c.want.Reason || e.By != c.want.By || e.TooLarge != c.want.TooLarge {
			t.Errorf("%s: %+v, want %+v", name, e, c.want)
		}
	}
}

func TestCloseByClient(t *testing.T) {
	c := dial(t, config(server(t, echo)))
	if err := c.StartClose(4000, "done"); err != nil {
		t.Fatal(err)
	}
	_, err := c.Read()
	var e *End
	if !errors.As(err, &e) || e.By != ByClient || e.Code != 4000 {
		t.Errorf("end %+v, %v", e, err)
	}
}

func TestServerPingsAreAnsweredAndHeard(t *testing.T) {
	pong := make(chan string, 1)
	url := server(t, func(ws *websocket.Conn) {
		ws.SetPongHandler(func(p string) error {
			pong <- p
			return ws.WriteMessage(websocket.TextMessage, []byte("thanks"))
		})
		_ = ws.WriteControl(websocket.PingMessage, []byte("p"), time.Now().Add(time.Second))
		_, _, _ = ws.ReadMessage()
	})
	c := dial(t, config(url))
	if f, err := c.Read(); err != nil || string(f.Data) != "thanks" {
		t.Fatalf("read %+v, %v", f, err)
	}
	if got := <-pong; got != "p" {
		t.Errorf("pong %q", got)
	}
}

func TestWriteDeadline(t *testing.T) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	c := dial(t, config(server(t, func(*websocket.Conn) { <-release })))
	for range 100 {
		if err := c.Write(make([]byte, 1<<20), true, time.Now().Add(20*time.Millisecond)); err != nil {
			return
		}
	}
	t.Error("100 MiB went into a socket that nobody reads")
}

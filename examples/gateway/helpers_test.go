package gateway_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"go.uber.org/goleak"

	"github.com/wsgov/wsgov/examples/gateway"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// deadline ends a test that waits for what does not come.
const deadline = 20 * time.Second

func start(t *testing.T, o gateway.Options) *gateway.Server {
	t.Helper()
	s, err := gateway.Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close(context.Background()) })
	return s
}

func stop(t *testing.T, s *gateway.Server) {
	t.Helper()
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func dial(t *testing.T, s *gateway.Server, target string) *websocket.Conn {
	t.Helper()
	return dialURL(t, "ws://"+s.Addr()+target)
}

func dialURL(t *testing.T, url string) *websocket.Conn {
	t.Helper()
	ws, resp, err := websocket.DefaultDialer.Dial(url, nil)
	if err != nil {
		if resp != nil {
			body, _ := io.ReadAll(resp.Body)
			t.Fatalf("%v: %s %s", err, resp.Status, body)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	ws.SetReadDeadline(time.Now().Add(deadline))
	ws.SetWriteDeadline(time.Now().Add(deadline))
	return ws
}

func dialTCP(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := net.DialTimeout("tcp", addr, deadline)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}

func send(t *testing.T, ws *websocket.Conn, message string) {
	t.Helper()
	if err := ws.WriteMessage(websocket.TextMessage, []byte(message)); err != nil {
		t.Fatal(err)
	}
}

func receive(t *testing.T, ws *websocket.Conn) string {
	t.Helper()
	kind, payload, err := ws.ReadMessage()
	if err != nil {
		t.Fatal(err)
	}
	if kind != websocket.TextMessage {
		t.Errorf("frame type %d with %q", kind, payload)
	}
	return string(payload)
}

// hangUp closes the way a client should and waits for the gateway's answer.
func hangUp(t *testing.T, ws *websocket.Conn) {
	t.Helper()
	frame := websocket.FormatCloseMessage(websocket.CloseNormalClosure, "")
	if err := ws.WriteMessage(websocket.CloseMessage, frame); err != nil {
		t.Fatal(err)
	}
	for {
		if _, _, err := ws.ReadMessage(); err != nil {
			if !websocket.IsCloseError(err, websocket.CloseNormalClosure) {
				t.Errorf("close answered by %v", err)
			}
			return
		}
	}
}

func get(t *testing.T, s *gateway.Server, target string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+s.Addr()+target, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Close = true
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

// awaitNoConnection returns when the gateway has seen the end of all its connections.
func awaitNoConnection(t *testing.T, s *gateway.Server) {
	t.Helper()
	for begin := time.Now(); ; runtime.Gosched() {
		var open int64
		for _, p := range s.Stats().Paths {
			open += p.Open
		}
		if open == 0 {
			return
		}
		if time.Since(begin) > deadline {
			t.Fatalf("%d connections are still open", open)
		}
	}
}

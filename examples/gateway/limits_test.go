package gateway_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/wsgov/wsgov/examples/gateway"
)

// closing returns the lines of journal that tell how connections ended.
func closing(lines []line) (all []line) {
	for _, l := range lines {
		if l.Kind == "close" {
			all = append(all, l)
		}
	}
	return all
}

func TestTooManyWaitingReplies(t *testing.T) {
	lines, counts := journalled(t, gateway.Options{MaxQueue: 2}, func(s *gateway.Server) {
		ws := dial(t, s, "/serial?delay=1h")
		for i := range 3 {
			send(t, ws, fmt.Sprintf(`{"id":%d}`, i))
		}
		_, _, err := ws.ReadMessage()
		if !websocket.IsCloseError(err, websocket.CloseTryAgainLater) || !strings.Contains(err.Error(), "more than 2 replies were waiting") {
			t.Errorf("the connection ended with %v", err)
		}
	})
	check(t, lines, counts)
	if want := (gateway.Counts{Conns: 1, Received: 3, Abandoned: 3}); counts != want {
		t.Errorf("counters %+v, want %+v", counts, want)
	}
	if end := closing(lines)[0]; end.Code != websocket.CloseTryAgainLater || end.By != "gateway" {
		t.Errorf("closed as %+v", end)
	}
}

// A client that reads nothing is cut off, and every message it sent is booked.
func TestSlowReader(t *testing.T) {
	padding := strings.Repeat("x", 500_000)
	for _, path := range []string{"/gateway?delay=0&jitter=0&capacity=100000", "/echo"} {
		lines, counts := journalled(t, gateway.Options{WriteTimeout: 50 * time.Millisecond}, func(s *gateway.Server) {
			ws := dial(t, s, path)
			for {
				if ws.WriteMessage(websocket.TextMessage, []byte(`{"id":"`+padding+`"}`)) != nil {
					break
				}
			}
		})
		check(t, lines, counts)
		if counts.Undelivered != 1 {
			t.Errorf("%s: counters %+v", path, counts)
		}
		if end := closing(lines)[0]; end.Code != websocket.CloseAbnormalClosure || end.By != "gateway" {
			t.Errorf("%s: closed as %d by %s", path, end.Code, end.By)
		}
	}
}

func TestMessageTooLarge(t *testing.T) {
	for _, compression := range []bool{false, true} {
		lines, counts := journalled(t, gateway.Options{Compression: compression}, func(s *gateway.Server) {
			dialer := *websocket.DefaultDialer
			dialer.EnableCompression = compression
			ws, _, err := dialer.Dial("ws://"+s.Addr()+"/echo", nil)
			if err != nil {
				t.Fatal(err)
			}
			defer ws.Close()
			fits := bytes.Repeat([]byte("x"), 1<<20)
			if err := ws.WriteMessage(websocket.BinaryMessage, fits); err != nil {
				t.Fatal(err)
			}
			if _, data, err := ws.ReadMessage(); err != nil || len(data) != len(fits) {
				t.Errorf("compression %v: 1 MiB came back as %d bytes, %v", compression, len(data), err)
			}
			if err := ws.WriteMessage(websocket.BinaryMessage, append(fits, 'x')); err != nil {
				t.Fatal(err)
			}
			if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseMessageTooBig) {
				t.Errorf("compression %v: the connection ended with %v", compression, err)
			}
			ws.Close()
			awaitNoConnection(t, s)
		})
		check(t, lines, counts)
		if end := closing(lines)[0]; end.Code != websocket.CloseMessageTooBig || end.By != "gateway" {
			t.Errorf("closed as %+v", end)
		}
	}
}

func TestBrokenClients(t *testing.T) {
	for name, c := range map[string]struct {
		bytes []byte
		code  int
		by    string
	}{
		"no close frame":     {nil, websocket.CloseAbnormalClosure, "client"},
		"torn frame":         {[]byte{0x81, 0x85, 0, 0, 0, 0, 'h'}, websocket.CloseAbnormalClosure, "client"},
		"unmasked frame":     {[]byte{0x81, 0x01, 'h'}, websocket.CloseProtocolError, "gateway"},
		"reserved opcode":    {[]byte{0x83, 0x81, 0, 0, 0, 0, 'h'}, websocket.CloseProtocolError, "gateway"},
		"broken deflate":     {[]byte{0xc1, 0x82, 0, 0, 0, 0, 0xff, 0xff}, websocket.CloseInvalidFramePayloadData, "gateway"},
		"close code 4321":    {[]byte{0x88, 0x82, 0, 0, 0, 0, 4321 >> 8, 4321 & 0xff}, 4321, "client"},
		"close with no code": {[]byte{0x88, 0x80, 0, 0, 0, 0}, websocket.CloseNoStatusReceived, "client"},
	} {
		lines, counts := journalled(t, gateway.Options{Compression: true}, func(s *gateway.Server) {
			dialer := *websocket.DefaultDialer
			dialer.EnableCompression = true
			ws, _, err := dialer.Dial("ws://"+s.Addr()+"/gateway", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ws.NetConn().Write(c.bytes); err != nil {
				t.Fatal(err)
			}
			if c.bytes != nil && name != "torn frame" {
				_, _, err = ws.ReadMessage()
				if c.by == "gateway" && !websocket.IsCloseError(err, c.code) {
					t.Errorf("%s: the client saw %v", name, err)
				}
			}
			ws.Close()
			awaitNoConnection(t, s)
		})
		check(t, lines, counts)
		if end := closing(lines)[0]; end.Code != c.code || end.By != c.by {
			t.Errorf("%s: closed as %d by %s, want %d by %s", name, end.Code, end.By, c.code, c.by)
		}
	}
}

// A small frame that inflates without end is not inflated further than the limit.
func TestDecompressionBomb(t *testing.T) {
	s := start(t, gateway.Options{Compression: true})
	dialer := *websocket.DefaultDialer
	dialer.EnableCompression = true
	ws, _, err := dialer.Dial("ws://"+s.Addr()+"/gateway", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	if err := ws.WriteMessage(websocket.BinaryMessage, make([]byte, 8<<20)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, websocket.CloseMessageTooBig) {
		t.Errorf("the connection ended with %v", err)
	}
}

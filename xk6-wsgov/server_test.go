package wsgov_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
)

// server is a gateway for tests whose connections do what the test says.
type server struct {
	url string

	mu       sync.Mutex
	requests []*http.Request
	received []string
	open     sync.WaitGroup
}

// serve starts a server. handle owns a connection, which is closed when it returns.
func serve(t testing.TB, up websocket.Upgrader, handle func(*server, *websocket.Conn)) *server {
	t.Helper()
	s := &server{}
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r)
		s.mu.Unlock()
		s.open.Add(1) // while the server still counts the request as its own
		defer s.open.Done()
		if ws, err := up.Upgrade(w, r, nil); err == nil {
			defer ws.Close()
			handle(s, ws)
		}
	}))
	t.Cleanup(func() {
		h.Close()
		s.open.Wait()
	})
	s.url = "ws" + strings.TrimPrefix(h.URL, "http")
	return s
}

// answering starts a server that answers each message with what answer makes of it; empty texts are not sent.
func answering(t testing.TB, answer func(message string) []string) *server {
	return serve(t, websocket.Upgrader{}, func(s *server, ws *websocket.Conn) {
		for {
			kind, data, err := ws.ReadMessage()
			if err != nil {
				return
			}
			s.note(fmt.Sprintf("%d:%s", kind, data))
			for _, text := range answer(string(data)) {
				if ws.WriteMessage(websocket.TextMessage, []byte(text)) != nil {
					return
				}
			}
		}
	})
}

// okServer answers every message that has an id with ok.
func okServer(t testing.TB) *server {
	return answering(t, func(message string) []string {
		var m struct {
			ID json.RawMessage `json:"id"`
		}
		if json.Unmarshal([]byte(message), &m) != nil || m.ID == nil {
			return nil
		}
		return []string{fmt.Sprintf(`{"id":%s,"ok":true}`, m.ID)}
	})
}

func (s *server) note(message string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.received = append(s.received, message)
}

// messages are what was received so far, as kind:data.
func (s *server) messages() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.received...)
}

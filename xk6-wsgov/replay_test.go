package wsgov_test

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"
)

// happening is one line of a recorded conversation, seen from the client: T is milliseconds from the start.
type happening struct {
	T    float64 `json:"t"`
	Ev   string  `json:"ev"`
	Msg  int     `json:"msg"`
	Text *string `json:"text"`
	Hex  string  `json:"hex"`
	Code int     `json:"code"`
}

func (h *happening) data() (kind int, data []byte) {
	if h.Text != nil {
		return websocket.TextMessage, []byte(*h.Text)
	}
	data, _ = hex.DecodeString(h.Hex)
	return websocket.BinaryMessage, data
}

// conversation reads a case's recording, without the plan in its first line.
func conversation(t *testing.T, name string) (events []happening) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", "cases", name, "exchange.ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var h happening
		if err := json.Unmarshal(lines.Bytes(), &h); err != nil {
			t.Fatal(err)
		}
		if h.Ev != "" {
			events = append(events, h)
		}
	}
	if lines.Err() != nil || len(events) == 0 {
		t.Fatalf("%s: %d events, %v", name, len(events), lines.Err())
	}
	return events
}

// replay is a server that holds the other side of a conversation: it waits for each message of the client that the recording
// has, and sends its own frames after the recorded time since the event before, divided by speed.
type replay struct {
	*server
	t      *testing.T
	events []happening
	speed  float64
	missed chan string // a message that the recording has and the client did not send
}

func startReplay(t *testing.T, up websocket.Upgrader, speed float64, events []happening) *replay {
	r := &replay{t: t, events: events, speed: speed, missed: make(chan string, 1)}
	r.server = serve(t, up, r.talk)
	return r
}

func (r *replay) talk(_ *server, ws *websocket.Conn) {
	inbox := newInbox()
	var reading sync.WaitGroup
	reading.Go(func() { inbox.fill(ws) })
	defer reading.Wait()
	defer ws.Close()
	at := 0.0
	for i := range r.events {
		e := &r.events[i]
		kind, data := e.data()
		gap := time.Duration((e.T - at) / r.speed * float64(time.Millisecond))
		at = e.T
		if e.Ev == "send" {
			if !inbox.await(kind, data) {
				r.missed <- string(data)
				return
			}
			continue
		}
		<-time.After(gap)
		if e.Ev == "close" {
			_ = ws.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(e.Code, ""))
		} else {
			_ = ws.WriteMessage(kind, data)
		}
	}
	inbox.untilEnd()
}

// inbox is what the client sent and the conversation has not come to.
type inbox struct {
	mu       sync.Mutex
	changed  *sync.Cond
	messages [][]byte // kind byte, then data
	ended    bool
}

func newInbox() *inbox {
	b := &inbox{}
	b.changed = sync.NewCond(&b.mu)
	return b
}

func (b *inbox) fill(ws *websocket.Conn) {
	for {
		kind, data, err := ws.ReadMessage()
		b.mu.Lock()
		if err == nil {
			b.messages = append(b.messages, append([]byte{byte(kind)}, data...))
		}
		b.ended = err != nil
		b.changed.Broadcast()
		b.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// await takes a message out, waiting for it; false says that the client has gone.
func (b *inbox) await(kind int, data []byte) bool {
	want := append([]byte{byte(kind)}, data...)
	b.mu.Lock()
	defer b.mu.Unlock()
	for {
		i := slices.IndexFunc(b.messages, func(m []byte) bool { return bytes.Equal(m, want) })
		if i >= 0 {
			b.messages = slices.Delete(b.messages, i, i+1)
			return true
		}
		if b.ended {
			return false
		}
		b.changed.Wait()
	}
}

func (b *inbox) untilEnd() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.ended {
		b.changed.Wait()
	}
}

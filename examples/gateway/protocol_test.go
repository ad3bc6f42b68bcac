package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/wsgov/wsgov/examples/gateway"
)

// Ids come back with the type and the very text they were sent with.
func TestIdsComeBackAsTheyWere(t *testing.T) {
	s := start(t, gateway.Options{})
	for _, path := range []string{"/gateway?delay=0&jitter=0", "/serial?delay=0"} {
		ws := dial(t, s, path)
		for _, id := range []string{`1`, `"1"`, `1.0`, `3.0`, `"06"`, `9007199254740993`, `1e3`, `0`, `""`, `true`, `["a",{"b":1}]`, `"é\n<"`} {
			send(t, ws, `{"x":{"id":7},"id": `+id+` ,"pad":"y"}`)
			if got, want := receive(t, ws), `{"id":`+id+`,"ok":true}`; got != want {
				t.Errorf("%s: reply %s, want %s", path, got, want)
			}
		}
	}
}

func TestMessagesThatCannotBeAnswered(t *testing.T) {
	s := start(t, gateway.Options{})
	for _, path := range []string{"/gateway?capacity=1&refill=0", "/serial"} {
		ws := dial(t, s, path)
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
	}
	if n := s.Stats().Total.Bad; n != 12 {
		t.Errorf("%d bad messages, want 12", n)
	}
}

// Without refill exactly the bucket's capacity is granted, however long it takes.
func TestTheLimitIsExact(t *testing.T) {
	s := start(t, gateway.Options{})
	ws := dial(t, s, "/gateway?refill=0&delay=1ms&jitter=1ms")
	for i := range 1000 {
		send(t, ws, fmt.Sprintf(`{"id":%d}`, i))
	}
	verdicts, seen := map[bool]int{}, map[int]bool{}
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
	want := gateway.Counts{Conns: 1, Received: 1000, Echoed: 100, Limited: 900}
	if got := s.Stats().Total; got != want {
		t.Errorf("counters %+v, want %+v", got, want)
	}
}

// Replies come out of order: granted ones wait, limited ones do not.
func TestLimitedRepliesOvertake(t *testing.T) {
	s := start(t, gateway.Options{})
	ws := dial(t, s, "/gateway?capacity=1&refill=0&delay=50ms&jitter=0")
	send(t, ws, `{"id":1}`)
	send(t, ws, `{"id":2}`)
	got := receive(t, ws) + receive(t, ws)
	if want := `{"id":2,"ok":false,"code":"RATE_LIMITED"}{"id":1,"ok":true}`; got != want {
		t.Errorf("replies %s, want %s", got, want)
	}
}

func TestControlMessage(t *testing.T) {
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
	if c := s.Stats().Total; c.Control != 3 || c.Received != 1 || c.Limited != 0 {
		t.Errorf("counters %+v", c)
	}
}

func TestControlMessageWithoutID(t *testing.T) {
	s := start(t, gateway.Options{})
	ws := dial(t, s, "/gateway")
	send(t, ws, `{"cmd":"stats"}`)
	want := `{"server_stats":{"conns":1,"received":0,"echoed":0,"limited":0,"bad":0,"control":0,"undelivered":0,"abandoned":0},"process":"` + s.Stats().Process + `"}`
	if got := receive(t, ws); got != want {
		t.Errorf("reply %s, want %s", got, want)
	}
}

func TestEcho(t *testing.T) {
	for _, compression := range []bool{false, true} {
		s := start(t, gateway.Options{Compression: compression})
		dialer := *websocket.DefaultDialer
		dialer.EnableCompression = true
		ws, resp, err := dialer.Dial("ws://"+s.Addr()+"/echo", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer ws.Close()
		if agreed := strings.Contains(resp.Header.Get("Sec-Websocket-Extensions"), "permessage-deflate"); agreed != compression {
			t.Errorf("compression agreed: %v, want %v", agreed, compression)
		}
		for _, payload := range [][]byte{{}, {1, 2, 3}, []byte("not JSON"), []byte(`{"cmd":"other"}`), bytes.Repeat([]byte("long "), 100_000)} {
			for _, kind := range []int{websocket.BinaryMessage, websocket.TextMessage} {
				if err := ws.WriteMessage(kind, payload); err != nil {
					t.Fatal(err)
				}
				if got, data, err := ws.ReadMessage(); err != nil || got != kind || !bytes.Equal(data, payload) {
					t.Fatalf("echo of type %d and %d bytes: type %d, %d bytes, %v", kind, len(payload), got, len(data), err)
				}
			}
		}
		if c := s.Stats().Total; c.Echoed != 10 || c.Received != 10 {
			t.Errorf("counters %+v", c)
		}
	}
}

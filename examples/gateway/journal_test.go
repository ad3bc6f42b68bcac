package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/wsgov/wsgov/examples/gateway"
)

// line is any line of a journal.
type line struct {
	Kind, Process, Remote, Path, Query, Verdict, Fate, By string
	Version, PID, Code                                    int
	Start                                                 time.Time
	Seed, Capacity                                        uint64
	Refill                                                float64
	Delay, Jitter                                         time.Duration
	SerialDelay                                           time.Duration `json:"serial_delay"`
	Conn, At, Received, Replied                           int64
	ID                                                    json.RawMessage
}

func readJournal(t *testing.T, name string) (lines []line) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasSuffix(data, []byte("\n")) {
		t.Error("the last line is torn")
	}
	for text := range bytes.Lines(data) {
		var l line
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&l); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		lines = append(lines, l)
	}
	return lines
}

// journalled runs the test with a gateway and returns its journal and its counters after it has stopped.
func journalled(t *testing.T, o gateway.Options, test func(*gateway.Server)) ([]line, gateway.Counts) {
	t.Helper()
	o.Journal = filepath.Join(t.TempDir(), "journal.ndjson")
	s := start(t, o)
	test(s)
	stop(t, s)
	return readJournal(t, o.Journal), s.Stats().Total
}

// check proves that a journal is well-formed and says the same as the counters.
func check(t *testing.T, lines []line, c gateway.Counts) {
	t.Helper()
	counted, open := gateway.Counts{}, map[int64]string{}
	received := map[int64]int64{}
	for i, l := range lines {
		who := fmt.Sprintf("%d %s %s", l.Conn, l.Remote, l.Path)
		switch l.Kind {
		case "head":
			if i != 0 {
				t.Errorf("line %d is a head", i+1)
			}
			continue
		case "open":
			counted.Conns++
			open[l.Conn] = who
			continue
		case "close":
			delete(open, l.Conn)
			continue
		}
		if open[l.Conn] != who {
			t.Errorf("line %d: message of a connection that is not open: %+v", i+1, l)
		}
		if l.Fate != "abandoned" && l.Replied < l.Received || l.Received <= 0 {
			t.Errorf("line %d: times %+v", i+1, l)
		}
		received[l.Conn] = max(received[l.Conn], l.Received)
		book(t, &counted, l)
	}
	if len(open) > 0 {
		t.Errorf("never closed: %v", open)
	}
	if counted != c {
		t.Errorf("the journal says %+v,\nthe counters  %+v", counted, c)
	}
	if c.Received != c.Echoed+c.Limited+c.Bad+c.Abandoned {
		t.Errorf("the counters do not add up: %+v", c)
	}
}

func book(t *testing.T, c *gateway.Counts, l line) {
	t.Helper()
	if l.Verdict != "control" {
		c.Received++
	}
	switch l.Fate {
	case "abandoned":
		if l.Verdict != "control" {
			c.Abandoned++
		}
		return
	case "undelivered":
		c.Undelivered++
	case "":
	default:
		t.Errorf("fate %q", l.Fate)
	}
	switch l.Verdict {
	case "ok":
		c.Echoed++
	case "limited":
		c.Limited++
	case "bad":
		c.Bad++
	case "control":
		c.Control++
	default:
		t.Errorf("verdict %q", l.Verdict)
	}
}

func TestJournalEqualsCounters(t *testing.T) {
	lines, counts := journalled(t, gateway.Options{}, func(s *gateway.Server) {
		for _, path := range []string{"/gateway?refill=0&capacity=3", "/serial?delay=1ms", "/echo"} {
			ws := dial(t, s, path)
			for i := range 10 {
				send(t, ws, fmt.Sprintf(`{"id":%d}`, i))
			}
			send(t, ws, "nonsense")
			send(t, ws, `{"cmd":"stats"}`)
			for range 12 {
				receive(t, ws)
			}
			hangUp(t, ws)
		}
		gone := dial(t, s, "/serial?delay=1h")
		send(t, gone, `{"id":"a"}`)
		send(t, gone, `{"id":"b"}`)
		hangUp(t, gone)
	})
	check(t, lines, counts)
	want := gateway.Counts{Conns: 4, Received: 35, Echoed: 24, Limited: 7, Bad: 2, Control: 3, Abandoned: 2}
	if counts != want {
		t.Errorf("counters %+v, want %+v", counts, want)
	}
	for _, l := range lines {
		if l.Kind == "close" && (l.Code != websocket.CloseNormalClosure || l.By != "client") {
			t.Errorf("closed as %+v", l)
		}
	}
}

func TestJournalLines(t *testing.T) {
	var local, process string
	rules := gateway.Rules{Capacity: 9, Refill: 0.5, Delay: 1, Jitter: 2, SerialDelay: 3, Seed: 42}
	lines, _ := journalled(t, gateway.Options{Rules: &rules}, func(s *gateway.Server) {
		ws := dial(t, s, "/gateway?delay=3ms&jitter=0")
		local, process = ws.LocalAddr().String(), s.Stats().Process
		send(t, ws, "{\"id\":\n{\"a\":\n[1, 2]}}")
		receive(t, ws)
		hangUp(t, ws)
	})
	if len(lines) != 4 {
		t.Fatalf("%d lines", len(lines))
	}
	head, open, message, closed := lines[0], lines[1], lines[2], lines[3]
	if head.Kind != "head" || head.Version != 1 || head.Process != process || head.PID != os.Getpid() || head.Start.IsZero() ||
		head.Seed != 42 || head.Capacity != 9 || head.Refill != 0.5 || head.Delay != 1 || head.Jitter != 2 || head.SerialDelay != 3 {
		t.Errorf("head %+v", head)
	}
	for _, l := range lines[1:] {
		if l.Conn != 1 || l.Remote != local || l.Path != "/gateway" {
			t.Errorf("line %+v of connection 1 from %s", l, local)
		}
	}
	if open.Kind != "open" || open.Query != "delay=3ms&jitter=0" {
		t.Errorf("open %+v", open)
	}
	if message.Kind != "message" || string(message.ID) != `{"a":[1,2]}` || message.Verdict != "ok" {
		t.Errorf("message %+v with id %s", message, message.ID)
	}
	if service := time.Duration(message.Replied - message.Received); service < 3*time.Millisecond {
		t.Errorf("a delay of 3 ms was served in %v", service)
	}
	if closed.Kind != "close" || !(open.At <= message.Received && message.Replied <= closed.At) {
		t.Errorf("times of %+v, %+v, %+v", open, message, closed)
	}
}

// With one seed, connections of one number have the same delays, which shows in the order of their replies.
func TestSeed(t *testing.T) {
	replies := func(seed string) string {
		ws := dial(t, start(t, gateway.Options{}), "/gateway?delay=0&jitter=60ms&seed="+seed)
		for i := range 6 {
			send(t, ws, fmt.Sprintf(`{"id":%d}`, i))
		}
		var all strings.Builder
		for range 6 {
			all.WriteString(receive(t, ws))
		}
		return all.String()
	}
	if a, b := replies("1"), replies("2"); a == b {
		t.Errorf("seeds 1 and 2 both give %s", a)
	}
}

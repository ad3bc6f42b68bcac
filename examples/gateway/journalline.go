package gateway

import (
	"bytes"
	"encoding/json"
	"os"
	"strconv"
	"time"
)

// journalHead is the first line of a journal.
type journalHead struct {
	Kind        string        `json:"kind"`
	Version     int           `json:"version"`
	Process     string        `json:"process"`
	PID         int           `json:"pid"`
	Start       time.Time     `json:"start"` // wall clock of the instant from which the times count
	Seed        uint64        `json:"seed"`
	Capacity    uint64        `json:"capacity"`
	Refill      float64       `json:"refill"`
	Delay       time.Duration `json:"delay"` // ns, as the two below
	Jitter      time.Duration `json:"jitter"`
	SerialDelay time.Duration `json:"serial_delay"`
}

func newJournalHead(process string, start time.Time, r Rules) journalHead {
	return journalHead{
		Kind: "head", Version: 1, Process: process, PID: os.Getpid(), Start: start.UTC(),
		Seed: r.Seed, Capacity: r.Capacity, Refill: r.Refill, Delay: r.Delay, Jitter: r.Jitter, SerialDelay: r.SerialDelay,
	}
}

func (h journalHead) append(dst []byte) []byte {
	line, err := json.Marshal(h)
	if err != nil {
		return dst // cannot happen: rates are finite
	}
	return append(append(dst, line...), '\n')
}

// lineWriter writes the journal lines of one connection.
type lineWriter struct {
	journal *journal
	who     []byte // `"conn":…,"remote":…,"path":…`, the same in each line
}

func newLineWriter(j *journal, conn int64, remote, path string) lineWriter {
	who := strconv.AppendInt([]byte(`"conn":`), conn, 10)
	who = strconv.AppendQuote(append(who, `,"remote":`...), remote)
	who = strconv.AppendQuote(append(who, `,"path":`...), path)
	return lineWriter{j, who}
}

func (w lineWriter) opened(query string, at time.Duration) {
	w.journal.add(func(dst []byte) []byte {
		dst = w.begin(dst, "open")
		if quoted, err := json.Marshal(query); err == nil {
			dst = append(append(dst, `,"query":`...), quoted...)
		}
		dst = appendNanos(dst, `,"at":`, at)
		return append(dst, "}\n"...)
	})
}

func (w lineWriter) closed(at time.Duration, e ending) {
	w.journal.add(func(dst []byte) []byte {
		dst = appendNanos(w.begin(dst, "close"), `,"at":`, at)
		dst = strconv.AppendInt(append(dst, `,"code":`...), int64(e.code), 10)
		dst = strconv.AppendQuote(append(dst, `,"by":`...), e.by)
		return append(dst, "}\n"...)
	})
}

func (w lineWriter) message(r receipt, replied time.Duration, f fate) {
	w.journal.add(func(dst []byte) []byte {
		dst = appendOneLine(append(w.begin(dst, "message"), `,"id":`...), r.id)
		dst = appendNanos(dst, `,"received":`, r.received)
		dst = appendNanos(dst, `,"replied":`, replied)
		dst = append(append(append(dst, `,"verdict":"`...), r.verdict.String()...), '"')
		if f != fateWritten {
			dst = append(append(append(dst, `,"fate":"`...), f...), '"')
		}
		return append(dst, "}\n"...)
	})
}

func (w lineWriter) begin(dst []byte, kind string) []byte {
	dst = append(append(append(dst, `{"kind":"`...), kind...), `",`...)
	return append(dst, w.who...)
}

func appendNanos(dst []byte, name string, at time.Duration) []byte {
	return strconv.AppendInt(append(dst, name...), int64(at), 10)
}

// appendOneLine appends a JSON value, null for nil. A value with line breaks loses its white space: it stays the same
// value, in one line.
func appendOneLine(dst, value []byte) []byte {
	if value == nil {
		return append(dst, "null"...)
	}
	if bytes.IndexByte(value, '\n') < 0 && bytes.IndexByte(value, '\r') < 0 {
		return append(dst, value...)
	}
	var b bytes.Buffer
	if json.Compact(&b, value) != nil {
		return append(dst, "null"...)
	}
	return append(dst, b.Bytes()...)
}

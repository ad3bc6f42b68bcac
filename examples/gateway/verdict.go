package gateway

import "time"

// verdict is what the gateway decided about a message.
type verdict uint8

const (
	verdictOK      verdict = iota // it gets, or got, its ok reply
	verdictLimited                // no token
	verdictBad                    // not JSON, or no id
	verdictControl                // it asks for the counters
	verdicts       int     = iota
)

var verdictNames = [verdicts]string{"ok", "limited", "bad", "control"}

func (v verdict) String() string { return verdictNames[v] }

// fate is what became of a reply.
type fate string

const (
	fateWritten     fate = ""            // handed to the socket
	fateUndelivered fate = "undelivered" // handed to the socket, which did not take it
	fateAbandoned   fate = "abandoned"   // never handed over: the connection ended first
)

// receipt is a message that was received and judged.
type receipt struct {
	id       []byte        // JSON text, nil if there is none
	received time.Duration // when the read that completed it returned
	verdict  verdict
}

// appendReply appends the reply to a message that is no control message.
func appendReply(dst []byte, r receipt) []byte {
	dst = append(dst, `{"id":`...)
	if r.id == nil {
		dst = append(dst, "null"...)
	}
	dst = append(dst, r.id...)
	switch r.verdict {
	case verdictOK:
		return append(dst, `,"ok":true}`...)
	case verdictLimited:
		return append(dst, `,"ok":false,"code":"RATE_LIMITED"}`...)
	default:
		return append(dst, `,"ok":false,"code":"BAD_MESSAGE"}`...)
	}
}

package engine

import (
	"crypto/tls"
	"net/http"
	"time"

	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

// Target says where a client's connections go and how they behave. The zero value of every field but URL means its
// default; New clones and defaults it once.
type Target struct {
	URL          string // ws or wss, no fragment
	Connections  int    // default 1
	Ramp         Ramp
	Header       http.Header
	Subprotocols []string // if any is offered, the server must choose one
	Compression  bool     // permessage-deflate without context takeover
	// LocalAddresses are source addresses to rotate over.
	LocalAddresses []string
	TLS            *tls.Config
	MaxFrameBytes  int64      // default 1 MiB
	Reconnect      *Reconnect // nil: a connection that ended stays closed
	Reply          *reply.Rule
	ReplyTimeout   time.Duration // default 5 s
	// Classify replaces Reply for protocols that rules cannot express.
	Classify  Classifier
	Hello     []Hello
	AutoReply []AutoReply
	Heartbeat *Heartbeat
	Hooks     Hooks
}

// Ramp opens Batch connections every Every, each within Timeout.
type Ramp struct {
	Batch   int           // default: all at once
	Every   time.Duration // default 0
	Timeout time.Duration // default 15 s
}

// Reconnect opens a connection again after it ended, up to Attempts times in a row.
type Reconnect struct {
	Attempts int           // default 5
	Delay    time.Duration // default 1 s
}

// Hello is sent on every connection after it opened. With Await, the next Hello and the plan wait for a frame that it
// matches.
type Hello struct {
	Message []byte
	Binary  bool
	Await   *reply.Condition
}

// AutoReply answers the server's own application pings and calls: a part that When matches, or a text frame equal to
// Text, is answered with Message.
type AutoReply struct {
	When    *reply.Condition
	Text    string
	Message []byte
}

// Heartbeat sends a WebSocket ping, or Message if it is not empty, Every so often. A connection on which nothing at all
// arrived for DeadAfter is closed and counted as dead; zero never declares one dead.
type Heartbeat struct {
	Every     time.Duration
	Message   string
	DeadAfter time.Duration
}

// Hooks tell a script what happened. They are called from connections' reader goroutines, must not block and must not
// keep Frame.Data. Nil hooks are skipped.
type Hooks struct {
	Push  func(Frame)
	Close func(CloseEvent)
	Error func(ErrorEvent)
}

// Frame is one WebSocket data frame, or one part of it, as read. At is a monotonic offset from the run's start, taken when
// the read that completed the frame returned. Conn counts from 1 on its client.
type Frame struct {
	Conn   int
	At     time.Duration
	Data   []byte
	Binary bool
}

// CloseEvent says that a connection ended. Code is the close code (1006 without a Close frame), By is client, server or
// network.
type CloseEvent struct {
	Conn   int
	At     time.Duration
	Code   int
	Reason string
	By     string
}

// ErrorEvent says that a connection could not be opened or failed.
type ErrorEvent struct {
	Conn int
	At   time.Duration
	Err  error
}

// Classifier finds the parts of a frame outside of the engine, for instance in JavaScript. Classify must copy what it
// keeps, return soon, and see to it that done is called exactly once from any goroutine, in the order of the frames of a
// connection; a nil slice means that the frame completes no part. It reports false, and never calls done, if it can take
// no more frames because its event loop ended.
type Classifier interface {
	Classify(f Frame, done func(parts []reply.Part, err error)) bool
}

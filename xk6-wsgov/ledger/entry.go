package ledger

import (
	"errors"
	"fmt"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

// Entry is the account of one planned message. Times are monotonic offsets from the run's start. From Page.Plan on it owes
// an outcome; once it has one it no longer changes.
type Entry struct {
	Msg    int64
	ID     string // canonical id on the wire
	IDKind reply.IDKind

	Due        time.Duration // when the schedule intended it
	SentAt     time.Duration // just before the write
	Deadline   time.Duration // SentAt + reply timeout
	ReceivedAt time.Duration // when the read that completed its reply returned

	// CapWait and SocketWait are the parts of the send lag spent at the in-flight cap and on the socket; the rest is the
	// generator's own lateness.
	CapWait, SocketWait time.Duration

	Outcome record.Outcome
	Code    string // of an error
	Reason  string // of a lost or unsent message

	// Settled, if set before the entry is sent, is called once with the reply's part when the entry gets its outcome. It
	// is called under the table's lock: it must not block or call back.
	Settled func(e *Entry, part *reply.Part)

	page  *Page
	sent  bool
	index int // position in the table's deadline heap, −1 outside
}

// Sent reports whether the message was handed to the socket.
func (e *Entry) Sent() bool { return e.sent }

// Answered reports whether a reply came in time.
func (e *Entry) Answered() bool { return e.Outcome == record.OK || e.Outcome == record.Error }

// Lag is the send lag of a sent message.
func (e *Entry) Lag() time.Duration { return e.SentAt - e.Due }

// GeneratorLag is the part of the lag that neither the cap nor the socket explains.
func (e *Entry) GeneratorLag() time.Duration { return e.Lag() - e.CapWait - e.SocketWait }

// Service is the service time of an answered message.
func (e *Entry) Service() time.Duration { return e.ReceivedAt - e.SentAt }

// Response is the response time of an answered message.
func (e *Entry) Response() time.Duration { return e.ReceivedAt - e.Due }

// check proves identity 4 and that no time runs backwards.
func (e *Entry) check() error {
	var errs []error
	fail := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("message %d: "+format, append([]any{e.Msg}, args...)...))
	}
	if e.Outcome == "" {
		fail("has no outcome")
	}
	if e.sent == (e.Outcome == record.Unsent) {
		fail("is %s although sent is %v", e.Outcome, e.sent)
	}
	if e.sent && (e.Lag() < 0 || e.CapWait < 0 || e.SocketWait < 0 || e.GeneratorLag() < 0) {
		fail("lag %v = cap %v + socket %v + generator %v has a negative part", e.Lag(), e.CapWait, e.SocketWait, e.GeneratorLag())
	}
	if e.Answered() && (e.Service() < 0 || e.Response() != e.Lag()+e.Service() || e.ReceivedAt > e.Deadline) {
		fail("response %v, lag %v, service %v, deadline %v do not fit", e.Response(), e.Lag(), e.Service(), e.Deadline)
	}
	return errors.Join(errs...)
}

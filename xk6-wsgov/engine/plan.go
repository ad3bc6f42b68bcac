package engine

import (
	"context"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
	"github.com/wsgov/wsgov/xk6-wsgov/schedule"
)

// Model says what a send depends on.
type Model string

// The three models.
const (
	Open   Model = "open"   // sends at the intended times whatever the gateway does
	Closed Model = "closed" // sends after the reply to the message before, at most at the rate
	Burst  Model = "burst"  // sends Count messages as fast as the socket takes them
)

// Arrivals is the arrival process of the open model.
type Arrivals string

// The two arrival processes.
const (
	Uniform Arrivals = "uniform" // evenly spaced, staggered over the connections
	Poisson Arrivals = "poisson" // exponential gaps, seeded
)

// Stage ramps the rate linearly from the stage before to its target; a zero duration jumps.
type Stage = schedule.Stage

// Plan is a load: how many messages are intended, and when. Its zero values mean defaults; Drive clones it.
type Plan struct {
	Name     string   // default "main"
	Model    Model    // default Open
	Rate     float64  // messages per second and connection; with Stages the rate to start from
	Stages   []Stage  // instead of Duration
	Arrivals Arrivals // default Uniform
	Seed     int64
	Duration time.Duration
	Count    int  // messages per connection, instead of or besides Duration
	Cap      *int // unanswered messages allowed per connection; nil means 32, 0 no cap
	Drop     bool // at the cap, or behind a blocked socket: drop instead of wait
	// Drain is how long after the window messages are still sent and replies awaited; nil means the reply timeout.
	Drain  *time.Duration
	Source Source
	Lean   bool // leave out points that follow from others
	Tags   record.Tags
	// Emit takes this plan's samples; nil means the client's.
	Emit func([]record.Sample)
}

// Slot identifies a message before it is rendered. ID is unique on the client, Conn counts from 1, Seq from 1 per plan
// and connection.
type Slot struct {
	ID   int64
	Conn int
	Seq  int
}

// Message is a rendered message. ID is the canonical id its reply will carry (see reply.Canonical); an empty one cannot be
// paired and is refused.
type Message struct {
	Payload []byte
	Binary  bool
	ID      string
	IDKind  reply.IDKind // JSON type of the id in the payload, reply.Unknown if it has none
	// Err is why this message could not be rendered; it ends unsent with reason script.
	Err error
}

// Source renders messages.
type Source interface {
	// Ahead is how many messages of a connection should be rendered before they are due: 0 renders each one in the
	// sender just before it waits, which suits templates; more renders in batches on another goroutine.
	Ahead() int
	// Render fills out[i] for slots[i]. It may block until ctx ends; its error ends the plan's sending on this connection,
	// with everything left unsent for reason script.
	Render(ctx context.Context, slots []Slot, out []Message) error
}

// RequestOptions refine one request; the zero value means the client's reply timeout and the plan name "request".
type RequestOptions struct {
	Timeout time.Duration
	Name    string
	Tags    record.Tags
	Emit    func([]record.Sample) // nil means the client's
}

// RequestResult is the end of one request. Body is the reply's part as text, or the frame if it was not text.
type RequestResult struct {
	Outcome      record.Outcome
	Code         string
	Reason       string
	Body         []byte
	Binary       bool
	ResponseTime time.Duration
}

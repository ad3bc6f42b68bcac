package main

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/engine"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

const connections = 80

// padded is a message of about 256 bytes with its id.
type padded struct{}

var padding = bytes.Repeat([]byte("x"), 230)

func (padded) Ahead() int { return 0 }

func (padded) Render(_ context.Context, slots []engine.Slot, out []engine.Message) error {
	for i, s := range slots {
		id := strconv.FormatInt(s.ID, 10)
		payload := append(append(append([]byte(`{"id":`), id...), `,"text":"`...), padding...)
		out[i] = engine.Message{Payload: append(payload, `"}`...), ID: id, IDKind: reply.Number}
	}
	return nil
}

// plainLoop is what one writes without us: a goroutine per connection, write, read, again. It pairs nothing and books
// nothing.
func plainLoop(ctx context.Context, d time.Duration) ([]figure, error) {
	address, stop, err := start(ctx, "child-ws-echo")
	if err != nil {
		return nil, err
	}
	defer stop()
	var n atomic.Int64
	var running sync.WaitGroup
	errs := make(chan error, connections)
	began, cpu := time.Now(), cpuSeconds()
	for range connections {
		running.Go(func() { errs <- plainConnection(address, began.Add(d), &n) })
	}
	running.Wait()
	for range connections {
		if err := <-errs; err != nil {
			return nil, err
		}
	}
	return tripFigures(n.Load(), time.Since(began), cpuSeconds()-cpu), nil
}

func plainConnection(address string, until time.Time, n *atomic.Int64) error {
	ws, _, err := websocket.DefaultDialer.Dial("ws://"+address, nil)
	if err != nil {
		return err
	}
	defer ws.Close()
	payload := append(append([]byte(`{"id":12345,"text":"`), padding...), `"}`...)
	for time.Now().Before(until) {
		if err := ws.WriteMessage(websocket.TextMessage, payload); err != nil {
			return err
		}
		if _, _, err := ws.ReadMessage(); err != nil {
			return err
		}
		n.Add(1)
	}
	return nil
}

func tripFigures(n int64, took time.Duration, cpu float64) []figure {
	return []figure{
		{"round trips", perSecond, float64(n) / took.Seconds()},
		{"client CPU per 100,000", "s", cpu / float64(n) * 1e5},
	}
}

// roundTrips runs the engine with full accounting against the same peer.
func roundTrips(inFlight int) func(context.Context, time.Duration) ([]figure, error) {
	return func(ctx context.Context, d time.Duration) ([]figure, error) {
		address, stop, err := start(ctx, "child-ws-echo")
		if err != nil {
			return nil, err
		}
		defer stop()
		rule, err := reply.Compile(reply.Spec{Preset: "echo"})
		if err != nil {
			return nil, err
		}
		p := engine.Plan{Model: engine.Closed, Duration: d}
		if inFlight > 1 { // more than the socket can take, so that the cap decides
			p = engine.Plan{Model: engine.Open, Rate: 2000, Duration: d, Cap: &inFlight, Drain: new(time.Duration)}
		}
		p.Source = padded{}
		began, cpu := time.Now(), cpuSeconds()
		l, err := drive(ctx, engine.Target{URL: "ws://" + address, Connections: connections, Reply: rule}, p, func([]record.Sample) {})
		if err != nil {
			return nil, err
		}
		if l.Error > 0 || l.OK == 0 {
			return nil, fmt.Errorf("%d ok, %d errors: %v", l.OK, l.Error, l.Warnings)
		}
		return tripFigures(l.OK, time.Since(began), cpuSeconds()-cpu), nil
	}
}

// drive runs one plan on a client of its own.
func drive(ctx context.Context, t engine.Target, p engine.Plan, emit func([]record.Sample)) (*record.Ledger, error) {
	c, err := engine.New(t, engine.Env{Emit: emit, RunID: "bench", Versions: "bench"})
	if err != nil {
		return nil, err
	}
	l, err := c.Drive(ctx, p)
	if err != nil {
		return nil, err
	}
	return l, c.Close(ctx, websocket.CloseNormalClosure, "")
}

package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/ledger"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

// NewSlot numbers a message for Request on the next open connection in turn.
func (c *Client) NewSlot() Slot {
	k, _ := c.pick()
	return Slot{ID: k.newID(), Conn: k.number(), Seq: 1}
}

// Request sends one message in the given slot and waits for its reply, opening the connections first if need be. It is
// booked like a plan of one message. Error and lost are results, not errors; an error says that the message could not be
// used or the run was interrupted.
func (c *Client) Request(ctx context.Context, slot Slot, m Message, o RequestOptions) (RequestResult, error) {
	if m.Err != nil {
		return RequestResult{}, m.Err
	}
	if m.ID == "" {
		return RequestResult{}, errors.New("the message has no id by which its reply could be paired: write id: '{{id}}'")
	}
	if err := c.enter(); err != nil {
		return RequestResult{}, err
	}
	defer c.leave()
	if _, _, err := c.Connect(ctx); err != nil {
		return RequestResult{}, err
	}
	orDuration(&o.Timeout, c.target.ReplyTimeout)
	r := c.newRequest(slot, o)
	err := r.exchange(ctx, m)
	r.d.flush()
	r.d.finish()
	return r.result, err
}

// request is a drive of one message.
type request struct {
	d       *drive
	k       *conn
	page    *ledger.Page
	slot    Slot
	timeout time.Duration
	settled chan struct{}
	result  RequestResult
}

func (c *Client) newRequest(slot Slot, o RequestOptions) *request {
	p := Plan{Name: o.Name, Model: "request", Tags: o.Tags, Emit: o.Emit}
	if p.Name == "" {
		p.Name = "request"
	}
	if p.Emit == nil {
		p.Emit = c.env.Emit
	}
	none := 0
	p.Cap = &none
	d := c.newDrive(p)
	k := c.conns[(slot.Conn-1)%len(c.conns)]
	r := &request{d: d, k: k, slot: slot, timeout: o.Timeout, settled: make(chan struct{})}
	r.page = k.table.NewSidePage(d.book)
	d.only, d.pages = k, []*ledger.Page{r.page}
	d.startedAt = c.env.elapsed()
	d.emitStart()
	return r
}

// exchange sends the message and waits until it is settled.
func (r *request) exchange(ctx context.Context, m Message) error {
	e := r.page.Plan(r.slot.ID, r.d.startedAt)
	e.Settled = r.note
	ws, dead := r.k.await(ctx.Done())
	if ws == nil {
		reason := record.ReasonCutoff
		if dead {
			reason = record.ReasonClosed
		}
		r.page.Unsent(e, reason)
		return nil
	}
	at := r.d.c.env.elapsed()
	e.ID, e.IDKind, e.SocketWait = m.ID, m.IDKind, at-e.Due
	if err := r.k.table.Sent(e, at, r.timeout); err != nil {
		if errors.Is(err, ledger.ErrDown) {
			r.page.Unsent(e, record.ReasonClosed)
			return nil
		}
		r.page.Unsent(e, record.ReasonScript)
		return fmt.Errorf("the request cannot be sent: %w", err)
	}
	if err := ws.Write(m.Payload, m.Binary, r.d.c.env.Start.Add(e.Deadline)); err != nil {
		r.d.c.env.Logger.Debug("request not written", "conn", r.k.number(), "error", err)
		r.k.broken(ws)
	}
	select {
	case <-r.settled:
	case <-ctx.Done():
		r.page.Cutoff(r.d.c.env.elapsed())
	}
	return nil
}

// note keeps how the message ended.
func (r *request) note(e *ledger.Entry, p *reply.Part) {
	r.result = RequestResult{Outcome: e.Outcome, Code: e.Code, Reason: e.Reason}
	if e.Answered() {
		r.result.ResponseTime = e.Response()
	}
	if p != nil {
		r.result.Body = slices.Clone(p.Body)
	}
	close(r.settled)
}

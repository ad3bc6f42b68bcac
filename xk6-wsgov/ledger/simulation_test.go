package ledger

import (
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

// model is the naive account: a list of messages that is searched from the start each time.
type model struct {
	messages []*modelMessage
	frames   record.FrameCounts
}

type modelMessage struct {
	id           string
	deadline     time.Duration
	sent         bool
	outcome      record.Outcome
	replied      bool // a late reply was booked
	code, reason string
}

func (m *model) find(id string) *modelMessage {
	var last *modelMessage
	for _, msg := range m.messages {
		if msg.id == id && msg.sent {
			last = msg
		}
	}
	return last
}

func (m *model) receive(at time.Duration, parts []reply.Part) {
	m.frames.Received++
	for _, p := range parts {
		m.frames.Parts++
		msg := m.find(p.ID)
		switch {
		case p.Kind == reply.Push:
			m.frames.Push++
		case p.Kind == reply.Malformed:
			m.frames.Malformed++
		case msg == nil:
			m.frames.Unmatched++
		case msg.outcome == "" && at <= msg.deadline:
			msg.outcome, msg.code = record.Error, p.Code
			if p.OK {
				msg.outcome, msg.code = record.OK, ""
			}
		case msg.outcome == "":
			msg.outcome, msg.reason, msg.replied = record.Lost, record.ReasonTimeout, true
			m.frames.Late++
		case msg.outcome == record.Lost && !msg.replied:
			msg.replied = true
			m.frames.Late++
		default:
			m.frames.Duplicate++
		}
	}
}

func (m *model) lose(which func(*modelMessage) bool, reason string) {
	for _, msg := range m.messages {
		if msg.sent && msg.outcome == "" && which(msg) {
			msg.outcome, msg.reason = record.Lost, reason
		}
	}
}

// The table against the model over random conversations: sends with ids of both kinds, replies in and out of time,
// duplicates, strangers, ends of the connection.
func TestTableAgainstNaiveModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stride := rapid.IntRange(1, 3).Draw(t, "connections")
		table, book, m := NewTable(0, stride), NewBook("main"), &model{}
		page := table.NewPage(book)
		now := time.Duration(0)
		ids := rapid.Custom(func(t *rapid.T) string {
			n := rapid.IntRange(1, 12).Draw(t, "n")
			if rapid.Bool().Draw(t, "text") {
				return "m" + strconv.Itoa(n)
			}
			return strconv.Itoa(n)
		})
		part := rapid.Custom(func(t *rapid.T) reply.Part {
			return reply.Part{
				Kind: rapid.SampledFrom([]reply.Kind{reply.Reply, reply.Reply, reply.Reply, reply.Reply, reply.Push, reply.Malformed}).Draw(t, "kind"),
				ID:   ids.Draw(t, "id"), OK: rapid.Bool().Draw(t, "ok"), Code: rapid.SampledFrom([]string{"", "A", "B"}).Draw(t, "code"),
			}
		})
		t.Repeat(map[string]func(*rapid.T){
			"send": func(t *rapid.T) {
				now += ms
				e, msg := page.Plan(int64(len(m.messages)+1), now), &modelMessage{id: ids.Draw(t, "id")}
				e.ID = msg.id
				timeout := time.Duration(rapid.IntRange(1, 20).Draw(t, "timeout")) * ms
				before := m.find(msg.id)
				m.messages = append(m.messages, msg)
				if err := table.Sent(e, now, timeout); err != nil {
					if before == nil || before.outcome != "" {
						t.Fatalf("%q was refused although nothing waits for it", msg.id)
					}
					page.Unsent(e, record.ReasonScript)
					msg.outcome, msg.reason = record.Unsent, record.ReasonScript
					return
				}
				msg.sent, msg.deadline = true, now+timeout
			},
			"receive": func(t *rapid.T) {
				now += time.Duration(rapid.IntRange(0, 3).Draw(t, "later")) * ms
				parts := rapid.SliceOfN(part, 0, 3).Draw(t, "parts")
				m.receive(now, parts)
				table.Receive(now, parts, nil)
			},
			"expire": func(t *rapid.T) {
				table.Expire(now, now)
				m.lose(func(msg *modelMessage) bool { return msg.deadline < now }, record.ReasonTimeout)
			},
			"close": func(t *rapid.T) {
				table.Closed(now, 1006)
				table.Reopened()
				m.lose(func(*modelMessage) bool { return true }, "closed:1006")
			},
			"": func(t *rapid.T) { compare(t, book, m) },
		})
		now += time.Hour // past every deadline
		page.Cutoff(now)
		m.lose(func(*modelMessage) bool { return true }, record.ReasonTimeout)
		compare(t, book, m)
		c := book.Counts()
		if err := Check(&c); err != nil {
			t.Fatal(err)
		}
		for _, e := range book.Settled(nil) {
			if err := e.check(); err != nil {
				t.Fatal(err)
			}
			if want := m.messages[e.Msg-1]; e.Outcome != want.outcome || e.Code != want.code || e.Reason != want.reason {
				t.Fatalf("message %d is %s %s %s, the model says %s %s %s", e.Msg, e.Outcome, e.Code, e.Reason, want.outcome, want.code, want.reason)
			}
		}
	})
}

func compare(t *rapid.T, book *Book, m *model) {
	c := book.Counts()
	if c.Frames != m.frames {
		t.Fatalf("frames %+v, the model says %+v", c.Frames, m.frames)
	}
	n := map[record.Outcome]int64{}
	for _, msg := range m.messages {
		n[msg.outcome]++
	}
	if c.OK != n[record.OK] || c.Error != n[record.Error] || c.Lost != n[record.Lost] || c.Unsent != n[record.Unsent] {
		t.Fatalf("outcomes %d %d %d %d, the model says %v", c.OK, c.Error, c.Lost, c.Unsent, n)
	}
}

// Package reconcile compares what was counted twice: a ledger with itself, with the gateway's counters, with its journal.
package reconcile

import (
	"fmt"
	"math"

	"github.com/wsgov/wsgov/record"
)

// Identity is one equation that every sound run satisfies. An identity that could not be checked does not hold and is not
// broken either; Note says why, or how it was checked.
type Identity struct {
	Number  int     `json:"number"`
	Name    string  `json:"name"`
	Left    float64 `json:"left"`
	Right   float64 `json:"right"`
	Checked bool    `json:"checked"`
	Holds   bool    `json:"holds"`
	Note    string  `json:"note"`
}

// Broken tells whether the identity was checked and does not hold.
func (i Identity) Broken() bool { return i.Checked && !i.Holds }

func counted(number int, name string, left, right int64) Identity {
	return Identity{Number: number, Name: name, Left: float64(left), Right: float64(right), Checked: true, Holds: left == right}
}

// Planned is identity 1: every planned message was sent or not.
func Planned(l *record.Ledger) Identity {
	return counted(1, "planned = sent + unsent", l.Planned, l.Sent+l.Unsent)
}

// Sent is identity 2: every sent message was answered or lost.
func Sent(l *record.Ledger) Identity {
	return counted(2, "sent = ok + error + lost", l.Sent, l.OK+l.Error+l.Lost)
}

// Parts is identity 3: everything received has a name. Without recorded frames it is not checked.
func Parts(l *record.Ledger, recorded bool) Identity {
	const name = "parts = ok + error + late + duplicate + unmatched + malformed + push"
	f := &l.Frames
	i := counted(3, name, f.Parts, l.OK+l.Error+f.Late+f.Duplicate+f.Unmatched+f.Malformed+f.Push)
	if !recorded {
		return Identity{Number: 3, Name: name, Note: "frames are not recorded in this input"}
	}
	return i
}

// Times is what identity 4 is checked with: sums in milliseconds over the answered messages whose response time, lag and
// service time were all measured, and those among them that could be checked one by one.
type Times struct {
	Messages int64   // with all three times
	Response float64 // sum
	Lag      float64 // sum
	Service  float64 // sum
	Single   int64   // checked one by one
	Broken   int64   // among these, those whose times do not add up
}

// tolerance is what a millisecond value may be off by rounding to nanoseconds, thrice.
const tolerance = 3e-6

// AddUp tells whether the times of one message satisfy identity 4.
func AddUp(response, lag, service float64) bool {
	return math.Abs(response-lag-service) <= tolerance+1e-12*math.Abs(response)
}

// Response is identity 4: the time from the intended send is the lag of the send with the time from the send.
func Response(t Times) Identity {
	i := Identity{Number: 4, Name: "response = lag + service", Left: t.Response, Right: t.Lag + t.Service}
	if t.Messages == 0 {
		i.Note = "no answered message has all three times in this input"
		return i
	}
	i.Checked = true
	i.Holds = t.Broken == 0 && math.Abs(i.Left-i.Right) <= tolerance*float64(t.Messages)+1e-12*math.Abs(i.Left)
	i.Note = fmt.Sprintf("sums in ms over %d messages, %d of them checked one by one", t.Messages, t.Single)
	if t.Broken > 0 {
		i.Note += fmt.Sprintf(", of which %d do not add up", t.Broken)
	}
	return i
}

// Gateway is identity 5: the gateway counted what the ledger predicts.
func Gateway(r *Result) Identity {
	i := Identity{Number: 5, Name: "gateway counters = what the ledger predicts"}
	if r == nil || !r.Checked {
		i.Note = "no gateway counters in this input"
		if r != nil {
			i.Note = r.Why
		}
		return i
	}
	for _, c := range r.Counters {
		i.Left += c.Delta
		i.Right += c.Expected
	}
	i.Checked, i.Holds = true, r.Difference == 0
	i.Note = fmt.Sprintf("sums over %d counters", len(r.Counters))
	return i
}

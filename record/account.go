package record

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Account holds the counts by which a gateway's own counters can be predicted. The zero value is an empty account.
type Account struct {
	Handshakes int64            // upgrades that opened
	Control    int64            // connections opened to read counters
	Sent       int64            // messages handed to a socket
	OK         int64            // messages answered ok in time
	Error      int64            // messages answered not ok in time
	Errors     map[string]int64 // the same by code
	Lost       int64            // messages sent and not answered in time
	LateOK     int64            // replies marked ok that came after the deadline
	LateError  int64            // replies marked not ok that came after the deadline
	LateErrors map[string]int64 // the same by code
	Received   int64            // WebSocket data frames read
	Duplicate  int64            // replies to messages that had one
	Unmatched  int64            // replies with an id nobody sent
	Unplanned  int64            // messages of no plan: greetings, automatic answers, heartbeats, send()
}

// Add adds other to a, Sub takes it away.
func (a *Account) Add(other Account) { a.combine(other, 1) }

// Sub takes other from a: what happened since other was taken.
func (a *Account) Sub(other Account) { a.combine(other, -1) }

func (a *Account) combine(other Account, sign int64) {
	for _, f := range []struct {
		to   *int64
		from int64
	}{
		{&a.Handshakes, other.Handshakes}, {&a.Control, other.Control}, {&a.Sent, other.Sent}, {&a.OK, other.OK},
		{&a.Error, other.Error}, {&a.Lost, other.Lost}, {&a.LateOK, other.LateOK}, {&a.LateError, other.LateError},
		{&a.Received, other.Received}, {&a.Duplicate, other.Duplicate}, {&a.Unmatched, other.Unmatched},
		{&a.Unplanned, other.Unplanned},
	} {
		*f.to += sign * f.from
	}
	a.Errors = addCounts(a.Errors, other.Errors, sign)
	a.LateErrors = addCounts(a.LateErrors, other.LateErrors, sign)
}

func addCounts(to, from map[string]int64, sign int64) map[string]int64 {
	if to == nil {
		to = make(map[string]int64, len(from))
	}
	for k, v := range from {
		to[k] += sign * v
	}
	return to
}

// Clone returns an independent copy.
func (a Account) Clone() Account {
	a.Errors, a.LateErrors = maps.Clone(a.Errors), maps.Clone(a.LateErrors)
	return a
}

// predictions are the names a gateway counter can be mapped to, besides "error:" + code.
var predictions = map[string]func(*Account) int64{
	"handshakes": func(a *Account) int64 { return a.Handshakes + a.Control },
	"sent":       func(a *Account) int64 { return a.Sent },
	"ok":         func(a *Account) int64 { return a.OK + a.LateOK },
	"error":      func(a *Account) int64 { return a.Error + a.LateError },
	"frames":     func(a *Account) int64 { return a.Received },
}

// Expect is what the account predicts for a gateway counter mapped to name: "handshakes" (with our own control
// connections), "sent", "ok" and "error" (late replies included, since the gateway sent them), "frames" or
// "error:" + code. Any other name is an error that lists these.
func (a *Account) Expect(name string) (int64, error) {
	if f, ok := predictions[name]; ok {
		return f(a), nil
	}
	if code, ok := strings.CutPrefix(name, "error:"); ok && code != "" {
		return a.Errors[code] + a.LateErrors[code], nil
	}
	known := slices.Sorted(maps.Keys(predictions))
	return 0, fmt.Errorf("a gateway counter cannot be mapped to %q: use %s or error:CODE", name, strings.Join(known, ", "))
}

// Explain lists what could explain that a gateway counter mapped to name is difference above (or, negative, below) what
// the account predicts. It is empty for no difference and never empty otherwise.
func (a *Account) Explain(name string, difference float64) []string {
	if difference == 0 {
		return nil
	}
	if difference < 0 {
		return a.explainMissing(name, -difference)
	}
	var out []string
	if name != "handshakes" && name != "sent" && a.Lost > 0 {
		out = append(out, fmt.Sprintf("%d of our messages were lost: the gateway may have answered them after we stopped listening", a.Lost))
	}
	if name == "handshakes" {
		out = append(out, "a handshake that we gave up on may have been accepted by the gateway")
	}
	if name != "handshakes" && a.Unplanned > 0 {
		out = append(out, fmt.Sprintf("%d messages of no plan were sent (greetings, automatic answers, heartbeats, send()), which the gateway may count", a.Unplanned))
	}
	if a.Unmatched > 0 {
		out = append(out, fmt.Sprintf("%d replies carried an id that we never sent", a.Unmatched))
	}
	if a.Duplicate > 0 {
		out = append(out, fmt.Sprintf("%d replies were duplicates", a.Duplicate))
	}
	return append(out, fmt.Sprintf("another client may have caused %s on this gateway", number(difference)))
}

func (a *Account) explainMissing(name string, missing float64) []string {
	out := []string{"the gateway may have restarted, or its counter was reset or does not count all of it"}
	if name == "sent" && a.Lost > 0 {
		out = append(out, fmt.Sprintf("%d of our messages were lost, perhaps before the gateway read them", a.Lost))
	}
	return append(out, fmt.Sprintf("%s may have been answered by another process behind the same address", number(missing)))
}

func number(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return fmt.Sprintf("%d", int64(f))
	}
	return fmt.Sprintf("%g", f)
}

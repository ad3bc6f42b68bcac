package reconcile

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/wsgov/wsgov/record"
)

// read makes a reading at second at.
func read(at int, after bool, counter string, value float64, more func(*Reading)) Reading {
	r := Reading{Counter: counter, After: after, Source: "ws://gw", Time: time.Unix(int64(at), 0), Value: value}
	if more != nil {
		more(&r)
	}
	return r
}

func process(p string) func(*Reading) { return func(r *Reading) { r.Process = p } }

func TestGatewayReconciliation(t *testing.T) {
	account := record.Account{Handshakes: 2, Sent: 100, OK: 90, Error: 8, Errors: map[string]int64{"RATE_LIMITED": 8}, Lost: 2}
	cases := []struct {
		name     string
		readings []Reading
		want     string
	}{
		{"nothing read", nil, "no gateway counters in this input"},
		{"agrees", []Reading{read(1, false, "echoed", 0, nil), read(1, false, "limited", 0, nil), read(9, true, "echoed", 90, nil), read(9, true, "limited", 8, nil)},
			"echoed 0 90 90 0; limited 0 8 8 0; total 0"},
		{"not from zero", []Reading{read(1, false, "echoed", 1000, nil), read(9, true, "echoed", 1090, nil)}, "echoed 1000 1090 90 0; total 0 counters-not-zero"},
		{"foreign traffic", []Reading{read(1, false, "echoed", 0, nil), read(9, true, "echoed", 97, nil)},
			"echoed 0 97 90 7 (late replies are not recorded in this input, 2 of our messages were lost: the gateway may have answered them after we stopped listening, another client may have caused 7 on this gateway); total 7"},
		{"first before to last after", []Reading{read(2, false, "echoed", 3, nil), read(1, false, "echoed", 0, nil), read(9, true, "echoed", 90, nil), read(8, true, "echoed", 80, nil)}, "echoed 0 90 90 0; total 0"},
		{"two replicas add up", []Reading{read(1, false, "echoed", 10, process("a")), read(1, false, "echoed", 20, process("b")), read(9, true, "echoed", 60, process("a")), read(9, true, "echoed", 60, process("b"))},
			"echoed 30 120 90 0; total 0 counters-not-zero"},
		{"restarted", []Reading{read(1, false, "echoed", 50, process("a")), read(9, true, "echoed", 40, process("b"))},
			"echoed 50 40 90 -100 (the process behind ws://gw changed from a to b: the gateway restarted, or another replica answered, and what the first one counted is not known, late replies are not recorded in this input, the gateway may have restarted, or its counter was reset or does not count all of it, 100 may have been answered by another process behind the same address); total 100 gateway-restarted counters-not-zero"},
		{"fell without an identity", []Reading{read(1, false, "limited", 10, nil), read(9, true, "limited", 8, nil)},
			"limited 10 8 8 -10 (counter limited of ws://gw fell from 10 to less: the gateway restarted or its counter was reset, late replies are not recorded in this input, the gateway may have restarted, or its counter was reset or does not count all of it, 10 may have been answered by another process behind the same address); total 10 gateway-restarted counters-not-zero"},
		{"no snapshot after", []Reading{read(1, false, "echoed", 0, nil)}, "the gateway's counters were not read after the load snapshot-missing"},
		{"no snapshot before", []Reading{read(1, true, "echoed", 0, nil)}, "the gateway's counters were not read before the load snapshot-missing"},
		{"unknown counter", []Reading{read(1, false, "rss", 1, nil), read(9, true, "rss", 2, nil)}, "none of the gateway's counters could be compared"},
		{"mapped by the run", []Reading{read(1, false, "n", 0, func(r *Reading) { r.Maps = "sent" }), read(9, true, "n", 100, nil)}, "n 0 100 100 0; total 0"},
		{"own control connections", []Reading{
			read(1, false, "conns", 1, func(r *Reading) { r.ID, r.Control = "x", 1 }), read(1, false, "echoed", 0, func(r *Reading) { r.ID, r.Control = "x", 1 }),
			read(9, true, "conns", 4, func(r *Reading) { r.ID, r.Control = "y", 1 }), read(9, true, "echoed", 90, func(r *Reading) { r.ID, r.Control = "y", 1 }),
		}, "conns 1 4 3 0; echoed 0 90 90 0; total 0"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var s Snapshots
			for _, r := range c.readings {
				s.Add(r)
			}
			if got := describe(s.Reconcile(account, "late replies are not recorded in this input")); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func describe(r *Result) string {
	var parts []string
	for _, c := range r.Counters {
		line := fmt.Sprint(c.Name, " ", c.Before, " ", c.After, " ", c.Expected, " ", c.Difference)
		if len(c.Explanations) > 0 {
			line += " (" + strings.Join(c.Explanations, ", ") + ")"
		}
		parts = append(parts, line)
	}
	if r.Checked {
		parts = append(parts, fmt.Sprint("total ", r.Difference))
	}
	out := strings.Join(parts, "; ") + r.Why
	for _, w := range r.Warnings {
		out += " " + w.Code
	}
	return out
}

func TestPartsWatchingOneProcessDoNotAddUp(t *testing.T) {
	var one, two Snapshots
	one.Add(read(1, false, "echoed", 0, nil))
	one.Add(read(8, true, "echoed", 94, nil))
	two.Add(read(2, false, "echoed", 3, nil))
	two.Add(read(9, true, "echoed", 98, nil))
	one.Merge(&two)
	if got := describe(one.Reconcile(record.Account{OK: 98})); got != "echoed 0 98 98 0; total 0" {
		t.Error(got)
	}
}

func TestIdentities(t *testing.T) {
	sound := record.Ledger{Planned: 10, Sent: 9, Unsent: 1, OK: 6, Error: 2, Lost: 1, Frames: record.FrameCounts{Received: 9, Parts: 10, Late: 1, Push: 1}}
	off := sound
	off.Planned, off.Lost, off.Frames.Parts = 11, 2, 9
	times := Times{Messages: 8, Response: 80, Lag: 8, Service: 72, Single: 7}
	wrong := times
	wrong.Broken = 1
	for _, c := range []struct {
		got            Identity
		checked, holds bool
	}{
		{Planned(&sound), true, true}, {Planned(&off), true, false},
		{Sent(&sound), true, true}, {Sent(&off), true, false},
		{Parts(&sound, true), true, true}, {Parts(&off, true), true, false}, {Parts(&sound, false), false, false},
		{Response(times), true, true}, {Response(wrong), true, false}, {Response(Times{}), false, false},
		{Response(Times{Messages: 1, Response: 3, Lag: 1, Service: 1}), true, false},
		{Gateway(nil), false, false}, {Gateway(&Result{Why: "unread"}), false, false},
		{Gateway(&Result{Checked: true}), true, true},
		{Gateway(&Result{Checked: true, Reconciliation: record.Reconciliation{Difference: 1}}), true, false},
	} {
		if c.got.Checked != c.checked || c.got.Holds != c.holds || c.got.Broken() != (c.checked && !c.holds) {
			t.Errorf("%+v: want checked %v, holds %v", c.got, c.checked, c.holds)
		}
		if !c.checked && c.got.Note == "" {
			t.Errorf("%+v: no word on why it is not checked", c.got)
		}
	}
	if AddUp(10, 1, 9) != true || AddUp(10.000001, 1, 9) != true || AddUp(10.001, 1, 9) != false {
		t.Error("AddUp is too strict or too lax")
	}
}

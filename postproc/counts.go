package postproc

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/wsgov/wsgov/record"
)

func addCounts(to, from map[string]int64) {
	for k, v := range from {
		to[k] += v
	}
}

// addLedger adds the counts of from; what is derived from them is left alone.
func addLedger(to, from *record.Ledger) {
	to.Planned += from.Planned
	to.Sent += from.Sent
	to.Unsent += from.Unsent
	to.OK += from.OK
	to.Error += from.Error
	to.Lost += from.Lost
	addCounts(to.Errors, from.Errors)
	addCounts(to.LostReasons, from.LostReasons)
	addCounts(to.UnsentReasons, from.UnsentReasons)
	addFrames(&to.Frames, &from.Frames)
	to.Handshakes.Attempted += from.Handshakes.Attempted
	to.Handshakes.Opened += from.Handshakes.Opened
	to.Handshakes.Failed += from.Handshakes.Failed
	addCounts(to.Handshakes.Causes, from.Handshakes.Causes)
	to.MaxInFlight = max(to.MaxInFlight, from.MaxInFlight)
	for _, w := range from.Warnings {
		if !slices.Contains(to.Warnings, w) {
			to.Warnings = append(to.Warnings, w)
		}
	}
}

func addFrames(to, from *record.FrameCounts) {
	to.Received += from.Received
	to.Parts += from.Parts
	to.Late += from.Late
	to.Duplicate += from.Duplicate
	to.Unmatched += from.Unmatched
	to.Malformed += from.Malformed
	to.Push += from.Push
}

// outcomeDifferences says where the points and the totals of a ledger count differently: "planned 11 of 12".
func outcomeDifferences(points, totals *record.Ledger) []string {
	out := differing([]pair{
		{"planned", points.Planned, totals.Planned}, {"sent", points.Sent, totals.Sent}, {"unsent", points.Unsent, totals.Unsent},
		{"ok", points.OK, totals.OK}, {"error", points.Error, totals.Error}, {"lost", points.Lost, totals.Lost},
	})
	if len(totals.Errors) > 0 {
		out = append(out, differing(pairs("error ", points.Errors, totals.Errors))...)
	}
	if len(totals.LostReasons) > 0 {
		out = append(out, differing(pairs("lost ", points.LostReasons, totals.LostReasons))...)
	}
	if len(totals.UnsentReasons) > 0 {
		out = append(out, differing(pairs("unsent ", points.UnsentReasons, totals.UnsentReasons))...)
	}
	return out
}

// missingFrames says what the points lack of the totals. More of it in the points is what came after the end point: late
// replies do.
func missingFrames(points, totals *record.FrameCounts) []string {
	all := []pair{
		{"frames received", points.Received, totals.Received}, {"parts", points.Parts, totals.Parts}, {"late", points.Late, totals.Late},
		{"duplicate", points.Duplicate, totals.Duplicate}, {"unmatched", points.Unmatched, totals.Unmatched},
		{"malformed", points.Malformed, totals.Malformed}, {"push", points.Push, totals.Push},
	}
	return differing(slices.DeleteFunc(all, func(p pair) bool { return p.points > p.totals }))
}

type pair struct {
	name           string
	points, totals int64
}

func pairs(prefix string, points, totals map[string]int64) []pair {
	names := slices.Sorted(maps.Keys(totals))
	for name := range points {
		if _, ok := totals[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var out []pair
	for _, name := range names {
		out = append(out, pair{prefix + name, points[name], totals[name]})
	}
	return out
}

func differing(all []pair) []string {
	var out []string
	for _, p := range all {
		if p.points != p.totals {
			out = append(out, fmt.Sprintf("%s %d of %d", p.name, p.points, p.totals))
		}
	}
	return out
}

func list(parts []string) string { return strings.Join(parts, ", ") }

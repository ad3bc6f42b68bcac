package engine

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The parts of a lag against the sum over every stretch of the overlap with it.
func TestStallsAgainstNaiveOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var s stalls
		var all []stall
		now, due := time.Duration(0), time.Duration(0)
		step := func(name string) time.Duration { return time.Duration(rapid.IntRange(0, 10).Draw(t, name)) }
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			from := now + step("idle")
			now = from + step("stall")
			atCap := rapid.Bool().Draw(t, "atCap")
			s.add(from, now, atCap)
			all = append(all, stall{from: from, to: now, atCap: atCap})
			due = min(due+step("due"), now)
			var wantCap, wantSocket time.Duration
			for _, a := range all {
				if overlap := a.to - max(a.from, due); overlap > 0 && a.atCap {
					wantCap += overlap
				} else if overlap > 0 {
					wantSocket += overlap
				}
			}
			if gotCap, gotSocket := s.since(due); gotCap != wantCap || gotSocket != wantSocket {
				t.Fatalf("since %d: cap %d socket %d, want %d and %d", due, gotCap, gotSocket, wantCap, wantSocket)
			}
		}
	})
}

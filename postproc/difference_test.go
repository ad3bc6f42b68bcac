package postproc

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func sorted(m []message) string {
	slices.SortFunc(m, func(a, b message) int { return cmp.Or(cmp.Compare(a.conn, b.conn), cmp.Compare(a.msg, b.msg)) })
	return fmt.Sprint(m)
}

// Whatever both streams have in common, and in whatever order, what they do not share is named.
func TestDifferenceNamesTheMessages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		common := rapid.IntRange(0, 2000).Draw(t, "common")
		onlyA := rapid.IntRange(0, 40).Draw(t, "only in the first")
		onlyB := rapid.IntRange(0, 40).Draw(t, "only in the second")
		conns := rapid.Uint64Range(1, 50).Draw(t, "connections")
		var d difference
		var a, b []message
		for i := range uint64(common + onlyA + onlyB) {
			m := message{i%conns + 1, i}
			switch {
			case i < uint64(common):
				d.remove(m)
				d.insert(m)
			case i < uint64(common+onlyA):
				d.insert(m)
				a = append(a, m)
			default:
				d.remove(m)
				b = append(b, m)
			}
		}
		gotA, gotB, complete := d.split()
		if !complete || sorted(gotA) != sorted(a) || sorted(gotB) != sorted(b) {
			t.Fatalf("complete %v, got %v and %v, want %v and %v", complete, gotA, gotB, a, b)
		}
	})
}

func TestDifferenceAdmitsTooMany(t *testing.T) {
	var d difference
	for i := range uint64(5000) {
		d.insert(message{1, i})
	}
	if _, _, complete := d.split(); complete {
		t.Error("5000 differing messages cannot be named in 384 cells")
	}
}

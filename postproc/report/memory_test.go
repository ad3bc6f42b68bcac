//go:build slow

package report

import (
	"bytes"
	"context"
	"runtime"
	"strings"
	"testing"
)

// The heap while 200 MB of lines go through stays under a bound that does not depend on their number.
func TestMemoryIsFlat(t *testing.T) {
	const bound = 100 << 20
	s := newStream(200 << 20)
	refills := 0
	s.onRefill = func() {
		if refills++; refills%20 != 0 {
			return
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		s.maxHeap = max(s.maxHeap, m.HeapAlloc)
	}
	var out, errs bytes.Buffer
	code := Main(context.Background(), []string{"-"}, s, &out, &errs)
	if code != ExitFine || !strings.Contains(out.String(), "books close") {
		t.Fatalf("exit %d, %s\n%s", code, errs.String(), out.String())
	}
	t.Logf("%d bytes, %d messages, highest heap %d MB", s.written, s.planned, s.maxHeap>>20)
	if s.maxHeap > bound {
		t.Errorf("highest heap %d bytes, bound %d", s.maxHeap, bound)
	}
}

package record

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func samples(n int, m *Metric) []Sample {
	s := make([]Sample, n)
	for i := range s {
		s[i] = Sample{Metric: m, Value: float64(i), Tags: NewTags("plan", "main")}
	}
	return s
}

func TestWriterDescribesEachMetricOnce(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	described := 0
	describe := func(m *Metric) MetricLine { described++; return MetricLine{Metric: *m} }
	in := append(append(samples(2, Run), samples(2, Delivered)...), samples(1, Run)...)
	in = append(in, Sample{Metric: SendLag, Value: math.Inf(1)})
	if err := w.Write(in, describe); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var order []string
	for line := range strings.Lines(out.String()) {
		order = append(order, line[2:6])
	}
	if got := strings.Join(order, " "); got != "type metr metr type metr metr metr" {
		t.Errorf("order of metric and point lines: %s", got)
	}
	if described != 2 || w.Lines() != 7 || w.Skipped() != 1 || w.Dropped() != 0 || w.Bytes() != int64(out.Len()) {
		t.Errorf("described %d, lines %d, skipped %d, dropped %d, bytes %d of %d", described, w.Lines(), w.Skipped(), w.Dropped(), w.Bytes(), out.Len())
	}
	if err := w.Write(in, nil); err == nil || !strings.Contains(err.Error(), "already closed") {
		t.Errorf("writing after Close: %v", err)
	}
}

func TestCreateCompressesBySuffix(t *testing.T) {
	for name, compressed := range map[string]bool{"a.ndjson": false, "a.ndjson.gz": true} {
		path := filepath.Join(t.TempDir(), name)
		w, err := Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Write(samples(3, Run), nil), w.Flush(), w.Close(), w.Close()); err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if int64(len(raw)) != w.Bytes() {
			t.Errorf("%s: %d bytes counted, %d in the file", name, w.Bytes(), len(raw))
		}
		if compressed {
			z, err := gzip.NewReader(bytes.NewReader(raw))
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if raw, err = io.ReadAll(z); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if n := bytes.Count(raw, []byte("\n")); n != 4 {
			t.Errorf("%s: %d lines", name, n)
		}
	}
	if _, err := Create(filepath.Join(t.TempDir(), "no", "such", "folder")); err == nil {
		t.Error("no error for a folder that does not exist")
	}
}

// fullDisk takes room bytes, then fails as a full disk does.
type fullDisk struct{ room, calls int }

func (d *fullDisk) Write(p []byte) (int, error) {
	d.calls++
	n := min(len(p), d.room)
	d.room -= n
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

func TestFullDiskIsOneErrorThatStays(t *testing.T) {
	disk := &fullDisk{room: 1000}
	w := NewWriter(disk)
	if err := w.Write(samples(20, Run), nil); err != nil {
		t.Fatal(err)
	}
	first := w.Flush()
	if !errors.Is(first, syscall.ENOSPC) || !strings.Contains(first.Error(), "21 lines were taken, 1000 bytes reached it") {
		t.Fatalf("error: %v", first)
	}
	calls := disk.calls
	if err := w.Write(samples(5, Run), nil); err != first {
		t.Errorf("a later write: %v", err)
	}
	if err := w.Close(); err != first {
		t.Errorf("close: %v", err)
	}
	if w.Dropped() != 5 || disk.calls != calls {
		t.Errorf("dropped %d, %d further calls of the disk", w.Dropped(), disk.calls-calls)
	}
}

func TestWriterDoesNotAllocate(t *testing.T) {
	w := NewWriter(io.Discard)
	s := []Sample{*benchSample()}
	_ = w.Write(s, nil)
	if n := testing.AllocsPerRun(100, func() { _ = w.Write(s, nil) }); n != 0 {
		t.Errorf("%v allocations per point", n)
	}
}

package record

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

const writeBuffer = 256 << 10

// Writer writes samples as lines and, immediately before a metric's first point, the metric's own line. It is not safe
// for concurrent use. The first error that writing meets stays: every later call returns the same error value and
// writes nothing, so that whoever logs it can do so once.
type Writer struct {
	name    string
	buf     *bufio.Writer
	gz      *gzip.Writer // nil for plain output
	file    io.Closer    // nil where the caller owns the destination
	dest    *countingWriter
	seen    map[string]bool
	line    []byte
	err     error
	lines   int64
	skipped int64
	dropped int64
	closed  bool
}

// NewWriter writes plain lines to w, which stays the caller's to close.
func NewWriter(w io.Writer) *Writer { return newWriter(w, "the output", false) }

// Create writes lines to a new file at path, replacing one that is there; a path that ends in ".gz" is compressed.
func Create(path string) (*Writer, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("creating the file for JSON lines: %w", err)
	}
	w := newWriter(f, path, strings.HasSuffix(path, ".gz"))
	w.file = f
	return w, nil
}

func newWriter(dest io.Writer, name string, compress bool) *Writer {
	w := &Writer{name: name, dest: &countingWriter{w: dest}, seen: map[string]bool{}}
	var below io.Writer = w.dest
	if compress {
		w.gz, _ = gzip.NewWriterLevel(w.dest, gzip.BestSpeed) // the level is a constant of the package
		below = w.gz
	}
	w.buf = bufio.NewWriterSize(below, writeBuffer)
	return w
}

// Write writes the samples in order. Describe gives the line of a metric when its first point comes; nil stands for a
// line with the metric's own kind and unit and no thresholds. A sample that JSON cannot hold is skipped and counted.
func (w *Writer) Write(samples []Sample, describe func(*Metric) MetricLine) error {
	if w.closed && w.err == nil {
		return errClosed
	}
	for i := range samples {
		if w.err == nil {
			w.write(&samples[i], describe)
		}
		if w.err != nil {
			w.dropped++
		}
	}
	return w.err
}

func (w *Writer) write(s *Sample, describe func(*Metric) MetricLine) {
	line, err := AppendPoint(w.line[:0], s)
	if err != nil {
		w.skipped++
		return
	}
	w.line = line
	if !w.seen[s.Metric.Name] {
		w.seen[s.Metric.Name] = true
		m := MetricLine{Metric: *s.Metric}
		if describe != nil {
			m = describe(s.Metric)
		}
		w.put(AppendMetric(nil, m))
	}
	w.put(line)
}

func (w *Writer) put(line []byte) {
	if w.err != nil {
		return
	}
	if _, err := w.buf.Write(line); err != nil {
		w.fail(err)
		return
	}
	w.lines++
}

// fail keeps the first error, with how far the output had come.
func (w *Writer) fail(err error) {
	if w.err == nil && err != nil {
		w.err = fmt.Errorf("writing JSON lines to %s: %w (%d lines were taken, %d bytes reached it; what follows is not recorded, so free space or choose another path, then run again)",
			w.name, err, w.lines, w.dest.n)
	}
}

// Flush hands everything taken so far to the destination, so that a reader finds whole lines up to here.
func (w *Writer) Flush() error {
	if w.err == nil && !w.closed {
		w.fail(w.buf.Flush())
		if w.gz != nil && w.err == nil {
			w.fail(w.gz.Flush())
		}
	}
	return w.err
}

// Close flushes and ends the output, closing the file that Create opened. A second call returns the first one's error.
func (w *Writer) Close() error {
	if w.closed {
		return w.err
	}
	if w.err == nil {
		w.fail(w.buf.Flush())
	}
	if w.gz != nil && w.err == nil {
		w.fail(w.gz.Close())
	}
	w.closed = true
	if w.file != nil {
		w.fail(w.file.Close())
	}
	return w.err
}

// errClosed is what a closed writer answers to further samples.
var errClosed = errors.New("writing JSON lines: the output is already closed")

// Lines is the number of lines taken, metric lines included.
func (w *Writer) Lines() int64 { return w.lines }

// Skipped is the number of samples that JSON cannot hold, such as an infinite value.
func (w *Writer) Skipped() int64 { return w.skipped }

// Dropped is the number of samples that came after the first error.
func (w *Writer) Dropped() int64 { return w.dropped }

// Bytes is the number of bytes that reached the destination, compressed ones where it compresses.
func (w *Writer) Bytes() int64 { return w.dest.n }

type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

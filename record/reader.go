package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// Line is one line of an input: *MetricLine, *PointLine or *Bad.
type Line interface{ isLine() }

func (*MetricLine) isLine() {}
func (*PointLine) isLine()  {}
func (*Bad) isLine()        {}

// MaxLine is the length in bytes up to which a line is read; a longer one is skipped and becomes a Bad record.
const MaxLine = 64 << 20

const (
	readBuffer = 256 << 10
	keepBuffer = 4 << 20 // a longer line's buffer is given back
)

// Reader reads lines as k6 and this module write them, in every variant that was ever in use: any order of keys, unknown
// keys, tags that are null, points without their metric's line, both styles of numbers, CR LF, byte order marks, blank
// lines. Use it like a scanner: Next, Line, and Err at the end. A line that cannot be used is a *Bad, never the end. It is not
// safe for concurrent use.
type Reader struct {
	name    string
	buf     *bufio.Reader
	source  io.Closer // what Open opened
	zipped  *gzipped  // nil for plain input
	decode  decoder
	long    []byte
	line    Line
	number  int
	start   int64 // offset of the current line
	offset  int64 // offset behind it
	longest int
	err     error
	done    bool
}

// NewReader reads plain text from r; name stands for it in messages.
func NewReader(r io.Reader, name string) *Reader {
	return &Reader{name: name, buf: bufio.NewReaderSize(r, readBuffer), longest: MaxLine, decode: decoder{strings: newInterner()}}
}

// Next advances to the next line that is not blank, false at the end of the input or when it cannot be read further.
func (r *Reader) Next() bool {
	for !r.done {
		text, length, err := r.readLine()
		used := r.use(text, length, err)
		if err != nil {
			r.done = true
			r.end(err)
		}
		if used {
			return true
		}
	}
	r.line = nil
	return false
}

// Line is the current line. A *MetricLine or *PointLine is valid until Next is called, its strings for good; a *Bad is the
// caller's to keep.
func (r *Reader) Line() Line { return r.line }

// Position is the current line's number, from 1, with the offset of its first byte in the uncompressed text.
func (r *Reader) Position() (line int, offset int64) { return r.number, r.start }

// Bytes is how much uncompressed text was read, Lines how many lines, blank ones included.
func (r *Reader) Bytes() int64 { return r.offset }

// Lines is how many lines were read, blank and bad ones included.
func (r *Reader) Lines() int { return r.number }

// Name is the name that stands for the input in messages.
func (r *Reader) Name() string { return r.name }

// Err is nil after a whole input, a *TornError after one that ends in the middle of something, else what reading met.
func (r *Reader) Err() error { return r.err }

// Close closes what Open opened.
func (r *Reader) Close() error {
	r.done = true
	if r.source == nil {
		return nil
	}
	return r.source.Close()
}

// readLine returns the next line without its end, with the length it had. Beyond the longest allowed the text is cut.
func (r *Reader) readLine() ([]byte, int64, error) {
	r.start = r.offset
	if cap(r.long) > keepBuffer {
		r.long = nil
	}
	part, err := r.buf.ReadSlice('\n')
	r.offset += int64(len(part))
	if !errors.Is(err, bufio.ErrBufferFull) {
		return trimEnd(part), int64(len(trimEnd(part))), err
	}
	r.long = append(r.long[:0], part...)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = r.buf.ReadSlice('\n')
		r.offset += int64(len(part))
		r.long = append(r.long, part[:min(len(part), max(0, r.longest+2-len(r.long)))]...)
	}
	length := r.offset - r.start - int64(len(part)-len(trimEnd(part)))
	return trimEnd(r.long), length, err
}

// use makes the current line of text, false if there is nothing in it.
func (r *Reader) use(text []byte, length int64, end error) bool {
	if len(text) > 0 || end == nil {
		r.number++
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, byteOrderMark))
	if len(text) == 0 {
		return false
	}
	if length > int64(r.longest) {
		return r.bad(&Bad{Reason: fmt.Sprintf("longer than %d bytes: skipped", r.longest)}, text, length)
	}
	line, err := r.decode.decode(text)
	if err == nil {
		r.line = line
		return true
	}
	if b := r.decode.nonFinite(text); b != nil {
		return r.bad(b, text, length)
	}
	if end != nil {
		err = fmt.Errorf("torn last line: %w", err)
	}
	if end == io.EOF {
		r.tear(io.ErrUnexpectedEOF)
	}
	return r.bad(&Bad{Reason: err.Error()}, text, length)
}

var byteOrderMark = []byte("\ufeff")

func (r *Reader) bad(b *Bad, text []byte, length int64) bool {
	b.File, b.Line, b.Offset, b.Length = r.name, r.number, r.start, length
	b.Text = clean(string(text[:min(len(text), textLimit)]))
	r.line = b
	return true
}

// end keeps why reading stopped, unless it is the plain end.
func (r *Reader) end(err error) {
	switch {
	case err == io.EOF:
	case r.zipped != nil && r.zipped.damaged(err):
		r.tear(err)
	default:
		r.err = fmt.Errorf("reading %s at byte %d: %w", r.name, r.offset, err)
	}
}

// tear keeps the first sign that the input is not whole.
func (r *Reader) tear(err error) {
	if r.err != nil {
		return
	}
	torn := &TornError{File: r.name, Line: r.number, Byte: r.offset, Compressed: -1, Err: err}
	if r.zipped != nil {
		torn.Compressed = r.zipped.offset()
	}
	r.err = torn
}

func trimEnd(line []byte) []byte {
	return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
}

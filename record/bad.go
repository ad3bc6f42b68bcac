package record

import (
	"fmt"
	"strings"
)

// Bad is a line that could not be used, kept as a record so that it never vanishes from the books. Offset is the line's
// first byte in the (uncompressed) input, Length its size in bytes without the line end, Line counts from 1. Text is the
// start of the line. Metric and Tags are set where the line is a point whose value alone is unusable: the point is known,
// its value is not counted.
type Bad struct {
	File   string
	Line   int
	Offset int64
	Length int64
	Reason string
	Text   string
	Metric string
	Tags   Tags
}

// textLimit is how much of a bad line is kept.
const textLimit = 200

// String says where the line is and what is wrong with it.
func (b *Bad) String() string {
	return fmt.Sprintf("%s: line %d (byte %d, %d bytes): %s", b.File, b.Line, b.Offset, b.Length, b.Reason)
}

// TornError says that an input ended in the middle of something: a compressed stream without its end, or a last line
// that was not finished. Line and Byte are the last position that was reached in the (uncompressed) text; Compressed is
// the byte reached in a compressed file, or -1.
type TornError struct {
	File       string
	Line       int
	Byte       int64
	Compressed int64
	Err        error
}

func (e *TornError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s is torn at line %d, byte %d", e.File, e.Line, e.Byte)
	if e.Compressed >= 0 {
		fmt.Fprintf(&b, " (byte %d of the compressed file)", e.Compressed)
	}
	fmt.Fprintf(&b, ": %v; what came after is not in the file", e.Err)
	return b.String()
}

// Unwrap gives the reason, such as io.ErrUnexpectedEOF.
func (e *TornError) Unwrap() error { return e.Err }

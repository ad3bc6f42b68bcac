package record

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// Open opens the file at path, or takes stdin for "-". Whether it is compressed is seen from its first bytes, not from
// its name; several gzip members after one another are read as one text. A file that cannot be opened is an error.
func Open(path string, stdin io.Reader) (*Reader, error) {
	if path == "-" {
		return Detect(stdin, "stdin")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening a result file: %w", err)
	}
	r, err := Detect(f, path)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r.source = f
	return r, nil
}

// Detect reads plain or gzip-compressed text from r, whichever its first bytes show; name stands for it in messages.
func Detect(r io.Reader, name string) (*Reader, error) {
	z := &gzipped{count: &countingReader{r: r}}
	z.buf = bufio.NewReaderSize(z.count, readBuffer)
	magic, err := z.buf.Peek(2)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("reading %s: %w", name, err)
	}
	if bytes.Equal(magic, []byte{0xff, 0xfe}) || bytes.Equal(magic, []byte{0xfe, 0xff}) {
		return nil, fmt.Errorf("reading %s: it is UTF-16 text, as PowerShell's > writes; convert it to UTF-8, or let k6 write the file with --out json=FILE", name)
	}
	if !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return NewReader(z.buf, name), nil
	}
	out := NewReader(z, name)
	out.zipped = z
	return out, nil
}

// gzipped decompresses on the first read, so that a damaged header is met as any other damage.
type gzipped struct {
	count *countingReader
	buf   *bufio.Reader
	text  *gzip.Reader
}

func (z *gzipped) Read(p []byte) (int, error) {
	if z.text == nil {
		var err error
		if z.text, err = gzip.NewReader(z.buf); err != nil {
			return 0, unexpected(err)
		}
	}
	return z.text.Read(p)
}

// unexpected turns the end of input into an error where something had to follow.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// damaged tells whether err comes from the compressed data, not from reading it.
func (z *gzipped) damaged(err error) bool {
	var corrupt flate.CorruptInputError
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, gzip.ErrChecksum) || errors.As(err, &corrupt)
}

// offset is how much of the compressed data was used.
func (z *gzipped) offset() int64 { return z.count.n - int64(z.buf.Buffered()) }

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

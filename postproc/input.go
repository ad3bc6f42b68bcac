package postproc

import (
	"context"
	"errors"
	"fmt"

	"github.com/wsgov/wsgov/record"
)

// Input says what was read of one file.
type Input struct {
	Name  string `json:"name"`
	Lines int    `json:"lines"`
	Bytes int64  `json:"bytes"`
	Bad   int64  `json:"bad"`
	Torn  string `json:"torn"` // empty if the input is whole
}

// badLimit is how many bad lines are kept; all of them are counted.
const badLimit = 20

// Collector takes result files one after the other and keeps what a summary needs, in memory that does not grow with the
// number of messages. It is not safe for concurrent use.
type Collector struct {
	// Observe, if set, is shown every point of this module's metrics with the number of its input.
	Observe func(input int, p *record.PointLine)

	inputs  []Input
	bad     []*record.Bad
	badSum  int64
	damaged bool // a line was unusable for another reason than a value that is not finite
	parts   []*part
	file    *file
	metrics map[string]*metric
	names   []string
}

// NewCollector returns a collector that has read nothing.
func NewCollector() *Collector { return &Collector{metrics: map[string]*metric{}} }

// file is the state of reading one input.
type file struct {
	number  int
	parts   []*part
	current *part
	pending *part // what came before the start point it belongs to
	plan    string
	book    *book
}

// Read takes a whole input. It fails only if reading does or ctx ends; bad lines and a torn end are part of the summary.
func (c *Collector) Read(ctx context.Context, r *record.Reader) error {
	c.file = &file{number: len(c.inputs)}
	in := Input{Name: r.Name()}
	for n := 0; r.Next(); n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return fmt.Errorf("reading %s was interrupted: %w", r.Name(), context.Cause(ctx))
		}
		switch line := r.Line().(type) {
		case *record.PointLine:
			c.point(line)
		case *record.MetricLine:
			c.metric(line.Name).declare(line)
		case *record.Bad:
			in.Bad++
			c.unusable(line)
		}
	}
	in.Lines, in.Bytes = r.Lines(), r.Bytes()
	err := r.Err()
	var torn *record.TornError
	if errors.As(err, &torn) {
		in.Torn, err = torn.Error(), nil
	}
	c.inputs = append(c.inputs, in)
	c.parts = append(c.parts, c.file.finish()...)
	return err
}

func (c *Collector) unusable(b *record.Bad) {
	c.badSum++
	if len(c.bad) < badLimit {
		c.bad = append(c.bad, b)
	}
	if b.Metric == "" {
		c.damaged = true
		return
	}
	c.metric(b.Metric).NotFinite++
}

// finish gives the parts of the file, what still waited for a start point included.
func (f *file) finish() []*part {
	if f.pending != nil && f.current != nil {
		f.current.precede(f.pending)
	} else if f.pending != nil {
		f.parts = append(f.parts, f.pending)
	}
	f.pending = nil
	return f.parts
}

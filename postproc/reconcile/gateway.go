package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wsgov/wsgov/record"
)

// Reading is one counter of one snapshot of a gateway.
type Reading struct {
	Counter string
	After   bool // of a snapshot taken after the load, not before
	Source  string
	Process string // the gateway process's own identity, empty if it tells none
	Maps    string // what the ledger predicts for it, empty if that is not recorded
	ID      string // snapshot
	Control int64  // connections that the snapshot opened before it was read
	Time    time.Time
	Value   float64
}

// ReadingOf takes a reading from a point of the gateway's counters.
func ReadingOf(p *record.PointLine) Reading {
	r := Reading{
		Counter: p.Tags.Value(record.TagCounter), After: p.Tags.Value(record.TagSnapshot) == record.SnapshotAfter,
		Source: p.Metadata.Value(record.MetaSource), Process: p.Metadata.Value(record.MetaProcess),
		Maps: p.Metadata.Value(record.MetaMaps), ID: p.Metadata.Value(record.MetaID), Time: p.Time, Value: p.Value,
	}
	_, _ = fmt.Sscan(p.Metadata.Value(record.MetaControl), &r.Control) // absent or unreadable counts as none
	return r
}

// Snapshots collects the readings of a run. Of each counter it keeps, per source and process, the first before and the last
// after, so that its size does not grow with the number of snapshots but for a few bytes each.
type Snapshots struct {
	counters map[counterKey]*counter
	order    []string // counter names as first seen
	opened   map[string]opening
}

type counterKey struct{ counter, source, process string }

type counter struct {
	maps     string
	before   *Reading
	after    *Reading
	last     Reading
	fellFrom float64
	fell     bool
}

type opening struct {
	source  string
	at      time.Time
	control int64
}

// Empty tells whether nothing was read.
func (s *Snapshots) Empty() bool { return len(s.counters) == 0 }

// Add takes one reading.
func (s *Snapshots) Add(r Reading) {
	if s.counters == nil {
		s.counters, s.opened = map[counterKey]*counter{}, map[string]opening{}
	}
	key := counterKey{r.Counter, r.Source, r.Process}
	c := s.counters[key]
	if c == nil {
		c = &counter{last: r}
		s.counters[key] = c
	}
	if !slices.Contains(s.order, r.Counter) {
		s.order = append(s.order, r.Counter)
	}
	if !r.Time.Before(c.last.Time) {
		if r.Value < c.last.Value {
			c.fell, c.fellFrom = true, c.last.Value
		}
		c.last = r
	}
	c.take(r)
	id := r.ID
	if id == "" {
		id = fmt.Sprintf("%v %s", r.After, r.Time)
	}
	s.opened[id+" "+r.Source] = opening{r.Source, r.Time, r.Control}
}

func (c *counter) take(r Reading) {
	if r.Maps != "" {
		c.maps = r.Maps
	}
	if !r.After && (c.before == nil || r.Time.Before(c.before.Time)) {
		c.before = &r
	}
	if r.After && (c.after == nil || !r.Time.Before(c.after.Time)) {
		c.after = &r
	}
}

// Merge adds what another part of the same run read.
func (s *Snapshots) Merge(other *Snapshots) {
	for _, name := range other.order {
		for key, o := range other.counters {
			if key.counter != name {
				continue
			}
			for _, r := range []*Reading{o.before, o.after} {
				if r != nil {
					s.Add(*r)
				}
			}
			c := s.counters[key]
			if c == nil {
				continue
			}
			c.fell, c.fellFrom = c.fell || o.fell, max(c.fellFrom, o.fellFrom)
		}
	}
	for id, o := range other.opened {
		s.opened[id] = o
	}
}

// Control is how many connections the snapshots opened between the first reading of each source and the last one.
func (s *Snapshots) Control() int64 {
	all, first := s.control()
	return all - first
}

// control is how many connections all snapshots opened, and how many of them the first snapshot of each source did, which
// that snapshot has therefore counted already.
func (s *Snapshots) control() (all, first int64) {
	earliest := map[string]opening{}
	for _, o := range s.opened {
		all += o.control
		if e, ok := earliest[o.source]; !ok || o.at.Before(e.at) {
			earliest[o.source] = o
		}
	}
	for _, o := range earliest {
		first += o.control
	}
	return all, first
}

// Sources lists where counters were read.
func (s *Snapshots) Sources() []string {
	var out []string
	for key := range s.counters {
		if !slices.Contains(out, key.source) {
			out = append(out, key.source)
		}
	}
	slices.Sort(out)
	return out
}

// byName gives the books of one counter over all sources and processes, in a fixed order.
func (s *Snapshots) byName(name string) []sourced {
	var out []sourced
	for key, c := range s.counters {
		if key.counter == name {
			out = append(out, sourced{key, c})
		}
	}
	slices.SortFunc(out, func(a, b sourced) int {
		return cmp.Or(strings.Compare(a.source, b.source), a.last.Time.Compare(b.last.Time), strings.Compare(a.process, b.process))
	})
	return out
}

type sourced struct {
	counterKey
	*counter
}

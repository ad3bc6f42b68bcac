package ledger

import "github.com/wsgov/wsgov/record"

// Counts is everything a page counts. Planned and Sent are counted when it happens, outcomes when messages settle, and
// parts before it is known what becomes of them, so that the identities between them can fail.
type Counts struct {
	Planned, Sent         int64
	OK, Error             int64
	Lost, Unsent          int64
	Errors                map[string]int64 // by code
	LostReasons           map[string]int64
	UnsentReasons         map[string]int64
	Frames                record.FrameCounts
	AnsweredOK            int64 // parts that answered a message in time and ok
	AnsweredError         int64 // parts that answered a message in time and not ok
	LateOK, LateError     int64
	LateErrors            map[string]int64 // by code
	DuplicateOK           int64
	ChangedIDs, PairedIDs int64 // replies whose id had another JSON type than ours, of those where both are known
	LacksOK               int64 // replies judged not ok because the judging path was absent
}

func newCounts() Counts {
	return Counts{
		Errors: map[string]int64{}, LostReasons: map[string]int64{}, UnsentReasons: map[string]int64{}, LateErrors: map[string]int64{},
	}
}

// numbers lists the plain counts, in the same order for every value.
func (c *Counts) numbers() []*int64 {
	f := &c.Frames
	return []*int64{
		&c.Planned, &c.Sent, &c.OK, &c.Error, &c.Lost, &c.Unsent, &c.AnsweredOK, &c.AnsweredError, &c.LateOK, &c.LateError,
		&c.DuplicateOK, &c.ChangedIDs, &c.PairedIDs, &c.LacksOK,
		&f.Received, &f.Parts, &f.Late, &f.Duplicate, &f.Unmatched, &f.Malformed, &f.Push,
	}
}

func (c *Counts) maps() []map[string]int64 {
	return []map[string]int64{c.Errors, c.LostReasons, c.UnsentReasons, c.LateErrors}
}

func (c *Counts) add(other *Counts) { c.combine(other, 1) }

// Since returns what was counted after earlier.
func (c Counts) Since(earlier *Counts) Counts {
	d := newCounts()
	d.combine(&c, 1)
	d.combine(earlier, -1)
	return d
}

func (c *Counts) combine(other *Counts, sign int64) {
	from := other.numbers()
	for i, to := range c.numbers() {
		*to += sign * *from[i]
	}
	maps := other.maps()
	for i, to := range c.maps() {
		for k, v := range maps[i] {
			if to[k] += sign * v; to[k] == 0 {
				delete(to, k)
			}
		}
	}
}

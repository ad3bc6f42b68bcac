package ledger

import (
	"errors"
	"fmt"
	"maps"

	"github.com/wsgov/wsgov/record"
)

// Check proves the identities over counts of a plan in which every message is settled:
//
//  1. planned = sent + unsent
//  2. sent = ok + error + lost, with each outcome's reasons adding up to it
//  3. parts = ok + error + late + duplicate + unmatched + malformed + push
//
// Its error names every identity that fails with both sides. Identity 4 is proved per message when it is tallied.
func Check(c *Counts) error {
	return errors.Join(
		CheckLedger(c.Ledger()),
		equal("messages answered ok = parts that did", c.OK, c.AnsweredOK),
		equal("messages answered not ok = parts that did", c.Error, c.AnsweredError),
		equal("late = late ok + late error", c.Frames.Late, c.LateOK+c.LateError),
	)
}

// Ledger publishes the counts; what is not a count stays zero.
func (c *Counts) Ledger() *record.Ledger {
	return &record.Ledger{
		Planned: c.Planned, Sent: c.Sent, Unsent: c.Unsent, OK: c.OK, Error: c.Error, Lost: c.Lost,
		Errors: maps.Clone(c.Errors), LostReasons: maps.Clone(c.LostReasons), UnsentReasons: maps.Clone(c.UnsentReasons), Frames: c.Frames,
	}
}

// CheckLedger proves the identities over a published ledger.
func CheckLedger(l *record.Ledger) error {
	f := &l.Frames
	return errors.Join(
		equal("planned = sent + unsent", l.Planned, l.Sent+l.Unsent),
		equal("sent = ok + error + lost", l.Sent, l.OK+l.Error+l.Lost),
		equal("error = sum over its codes", l.Error, sum(l.Errors)),
		equal("lost = sum over its reasons", l.Lost, sum(l.LostReasons)),
		equal("unsent = sum over its reasons", l.Unsent, sum(l.UnsentReasons)),
		equal("parts = ok + error + late + duplicate + unmatched + malformed + push",
			f.Parts, l.OK+l.Error+f.Late+f.Duplicate+f.Unmatched+f.Malformed+f.Push),
	)
}

func equal(identity string, left, right int64) error {
	if left == right {
		return nil
	}
	return fmt.Errorf("the books do not close: %s, but %d is not %d", identity, left, right)
}

func sum(m map[string]int64) (n int64) {
	for _, v := range m {
		n += v
	}
	return n
}

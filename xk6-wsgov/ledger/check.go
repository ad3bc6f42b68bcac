package ledger

import (
	"errors"
	"fmt"

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
	f := &c.Frames
	return errors.Join(
		equal("planned = sent + unsent", c.Planned, c.Sent+c.Unsent),
		equal("sent = ok + error + lost", c.Sent, c.OK+c.Error+c.Lost),
		equal("error = sum over its codes", c.Error, sum(c.Errors)),
		equal("lost = sum over its reasons", c.Lost, sum(c.LostReasons)),
		equal("unsent = sum over its reasons", c.Unsent, sum(c.UnsentReasons)),
		equal("parts = ok + error + late + duplicate + unmatched + malformed + push",
			f.Parts, c.OK+c.Error+f.Late+f.Duplicate+f.Unmatched+f.Malformed+f.Push),
		equal("messages answered ok = parts that did", c.OK, c.AnsweredOK),
		equal("messages answered not ok = parts that did", c.Error, c.AnsweredError),
		equal("late = late ok + late error", f.Late, c.LateOK+c.LateError),
	)
}

// CheckLedger proves the same identities over a published ledger.
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

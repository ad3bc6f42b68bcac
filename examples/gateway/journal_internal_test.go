package gateway

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// disk is a file that can be made slow or broken.
type disk struct {
	bytes.Buffer
	gate     chan struct{} // a write waits for it
	err      error
	closeErr error
}

func (d *disk) Write(p []byte) (int, error) {
	if d.gate != nil {
		<-d.gate
	}
	if d.err != nil {
		return 0, d.err
	}
	return d.Buffer.Write(p)
}

func (d *disk) Close() error { return d.closeErr }

func addText(j *journal, text string) {
	j.add(func(dst []byte) []byte { return append(dst, text...) })
}

func TestJournalIsFlushed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{}
		j := newJournal("j", d, func(error) {})
		go j.run()
		addText(j, "a\n")
		time.Sleep(200 * time.Millisecond)
		synctest.Wait()
		if got := d.String(); got != "a\n" {
			t.Errorf("after 200 ms the file has %q", got)
		}
		addText(j, strings.Repeat("b", journalKick))
		synctest.Wait()
		if got := d.Len(); got != 2+journalKick {
			t.Errorf("a full buffer is not written at once: the file has %d bytes", got)
		}
		addText(j, "c\n")
		if err := j.close(); err != nil || !strings.HasSuffix(d.String(), "bc\n") {
			t.Errorf("closed with %v, the file ends in %q", err, d.String()[d.Len()-3:])
		}
	})
}

// On a slow disk whoever adds waits; nothing is left out.
func TestJournalWaitsForTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{gate: make(chan struct{})}
		j := newJournal("j", d, func(error) {})
		go j.run()
		addText(j, "a\n")
		time.Sleep(journalEvery)
		synctest.Wait() // the write of a waits
		addText(j, strings.Repeat("b", journalMax))
		added := false
		go func() {
			addText(j, "c\n")
			added = true
		}()
		synctest.Wait()
		if added {
			t.Error("more was taken than may wait")
		}
		close(d.gate)
		synctest.Wait()
		if !added {
			t.Error("the disk has caught up and nobody noticed")
		}
		if err := j.close(); err != nil || d.Len() != 4+journalMax {
			t.Errorf("closed with %v after %d bytes", err, d.Len())
		}
	})
}

func TestJournalFails(t *testing.T) {
	full := errors.New("disk full")
	for name, d := range map[string]*disk{"write": {err: full}, "close": {closeErr: full}} {
		synctest.Test(t, func(t *testing.T) {
			var reports []error
			j := newJournal("j.ndjson", d, func(err error) { reports = append(reports, err) })
			go j.run()
			for range 5 {
				addText(j, "a\n")
				time.Sleep(journalEvery)
			}
			err := j.close()
			if len(reports) != 1 || !errors.Is(err, full) || !strings.Contains(err.Error(), "write the journal j.ndjson") {
				t.Errorf("%s: reported %v, closed with %v", name, reports, err)
			}
		})
	}
}

// Someone who waits for a disk that then fails is let go.
func TestJournalFailureFreesWaiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &disk{gate: make(chan struct{}), err: errors.New("disk full")}
		j := newJournal("j", d, func(error) {})
		go j.run()
		addText(j, "a\n")
		time.Sleep(journalEvery)
		synctest.Wait()
		addText(j, strings.Repeat("b", journalMax))
		waiter := make(chan struct{})
		go func() {
			addText(j, "c\n")
			close(waiter)
		}()
		synctest.Wait()
		close(d.gate)
		<-waiter
		if err := j.close(); err == nil {
			t.Error("closed without an error")
		}
	})
}

func TestNoJournal(t *testing.T) {
	var j *journal
	addText(j, "a\n")
	if err := j.close(); err != nil {
		t.Error(err)
	}
}

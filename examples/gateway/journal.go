package gateway

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const (
	journalEvery = 100 * time.Millisecond // between writes; half of what is promised
	journalKick  = 256 << 10              // bytes after which a write does not wait for the next turn
	journalMax   = 16 << 20               // bytes that may wait for the disk before whoever adds to them waits too
)

// journal writes lines to a file in the background. Lines are never left out: when the disk is slower than they come, the
// gateway waits. After a failed write it takes no more, and reports that once. A nil journal takes nothing.
type journal struct {
	name   string
	file   io.WriteCloser
	report func(error)
	kick   chan struct{}
	quit   chan struct{}
	done   chan struct{}

	mu      sync.Mutex
	drained sync.Cond // signalled when buf has been taken
	buf     []byte
	err     error
}

// openJournal replaces the file of that name and starts the writer, which close stops.
func openJournal(name string, report func(error)) (*journal, error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("open the journal: %w: give --journal a file that can be written", err)
	}
	j := newJournal(name, f, report)
	go j.run()
	return j, nil
}

func newJournal(name string, file io.WriteCloser, report func(error)) *journal {
	j := &journal{
		name: name, file: file, report: report,
		kick: make(chan struct{}, 1), quit: make(chan struct{}), done: make(chan struct{}),
	}
	j.drained.L = &j.mu
	return j
}

// add appends what the function appends, which should be whole lines. It is called at once or never.
func (j *journal) add(line func([]byte) []byte) {
	if j == nil {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	for len(j.buf) >= journalMax && j.err == nil {
		j.drained.Wait()
	}
	if j.err != nil {
		return
	}
	j.buf = line(j.buf)
	if len(j.buf) >= journalKick {
		select {
		case j.kick <- struct{}{}:
		default:
		}
	}
}

func (j *journal) run() {
	defer close(j.done)
	tick := time.NewTicker(journalEvery)
	defer tick.Stop()
	var spare []byte
	for {
		select {
		case <-tick.C:
		case <-j.kick:
		case <-j.quit:
			j.flush(spare)
			return
		}
		spare = j.flush(spare)
	}
}

// flush writes what has been added and returns its memory for the next turn.
func (j *journal) flush(spare []byte) []byte {
	j.mu.Lock()
	full := j.buf
	j.buf = spare[:0]
	failed := j.err != nil
	j.drained.Broadcast()
	j.mu.Unlock()
	if len(full) == 0 || failed {
		return full
	}
	if _, err := j.file.Write(full); err != nil {
		j.fail(err)
	}
	return full
}

func (j *journal) fail(cause error) {
	err := fmt.Errorf("write the journal %s: %w: it is incomplete; free some space or choose another file", j.name, cause)
	j.mu.Lock()
	j.err = err
	j.drained.Broadcast()
	j.mu.Unlock()
	j.report(err)
}

// close writes what is left, closes the file and returns the first error of all, which has been reported. It must be called
// once, after the last add.
func (j *journal) close() error {
	if j == nil {
		return nil
	}
	close(j.quit)
	<-j.done
	if err := j.file.Close(); err != nil && j.err == nil {
		j.fail(err)
	}
	return j.err
}

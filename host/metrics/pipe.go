package metrics

import (
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/wsgov/wsgov/record"
)

// Consumer takes in samples. It keeps nothing of the slice and does not change it.
type Consumer func([]record.Sample)

const batchEvery = 50 * time.Millisecond

// chunkSize is how many samples are handed out before other goroutines get their turn: the timers of a load that shares the
// processor must not wait for this one's bookkeeping.
const chunkSize = 256

// Pipe carries samples from everywhere to the consumers, in batches and in the order of their arrival. Its queue has no
// bound, so that no measurement waits for its own bookkeeping; consumers that may be slow have queues of their own.
type Pipe struct {
	consumers []Consumer
	stop      chan struct{}
	done      chan struct{}

	mu     sync.Mutex
	queue  []record.Sample
	ended  bool
	missed int64
}

// StartPipe starts the goroutine that feeds the consumers; Stop ends it.
func StartPipe(consumers ...Consumer) *Pipe {
	p := &Pipe{consumers: consumers, stop: make(chan struct{}), done: make(chan struct{})}
	go p.run()
	return p
}

// Push takes samples in; the slice stays the caller's. After Stop they are counted as missed.
func (p *Pipe) Push(samples ...record.Sample) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		p.missed += int64(len(samples))
		return
	}
	p.queue = append(p.queue, samples...)
}

func (p *Pipe) run() {
	defer close(p.done)
	tick := time.NewTicker(batchEvery)
	defer tick.Stop()
	var spare []record.Sample
	for ended := false; !ended; {
		select {
		case <-tick.C:
		case <-p.stop:
			ended = true
		}
		spare = p.feed(spare, ended)
	}
}

// feed hands the queue to the consumers and returns its slice for reuse.
func (p *Pipe) feed(spare []record.Sample, last bool) []record.Sample {
	p.mu.Lock()
	batch := p.queue
	p.queue, p.ended = spare[:0], last
	p.mu.Unlock()
	if len(batch) > 0 {
		for chunk := range slices.Chunk(batch, chunkSize) {
			for _, consume := range p.consumers {
				consume(chunk)
			}
			runtime.Gosched()
		}
	}
	clear(batch)
	return batch
}

// Stop hands out what was pushed before it and ends. Calling it again is harmless.
func (p *Pipe) Stop() {
	p.mu.Lock()
	select {
	case <-p.stop:
	default:
		close(p.stop)
	}
	p.mu.Unlock()
	<-p.done
}

// Missed is how many samples came too late to be taken in.
func (p *Pipe) Missed() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.missed
}

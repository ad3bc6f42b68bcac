// Package output writes a run's samples to files while it runs.
package output

import (
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/wsgov/wsgov/record"
)

// JSON writes samples as lines of JSON on a goroutine of its own. A destination that fails does not stop the run: the
// first error is logged and what is lost is counted.
type JSON struct {
	writer   *record.Writer
	name     string
	describe func(*record.Metric) record.MetricLine
	logger   *slog.Logger
	wake     chan struct{}
	stop     chan struct{}
	done     chan struct{}
	said     bool // the writer's error; of the goroutine only

	mu     sync.Mutex
	queue  []record.Sample
	warned bool
}

const (
	flushEvery = time.Second
	// chunkSize is how many samples are encoded before other goroutines get their turn: the timers of a load that shares
	// the processor must not wait for this one's bookkeeping.
	chunkSize = 128
	// behind is how many waiting samples are worth a warning; each takes about 100 bytes.
	behind = 2_000_000
)

// Open creates the output that the value of --out names: "json=FILE", compressed if FILE ends in .gz, or "json" and
// "json=-" for stdout.
func Open(spec string, stdout io.Writer, describe func(*record.Metric) record.MetricLine, logger *slog.Logger) (*JSON, error) {
	kind, path, _ := strings.Cut(spec, "=")
	if kind != "json" {
		return nil, fmt.Errorf("--out %s: the output %q is not offered; use json=FILE, json=FILE.gz or json for stdout", spec, kind)
	}
	if ToStdout(spec) {
		return start(record.NewWriter(stdout), "stdout", describe, logger), nil
	}
	w, err := record.Create(path)
	if err != nil {
		return nil, fmt.Errorf("--out %s: %w", spec, err)
	}
	return start(w, path, describe, logger), nil
}

// ToStdout reports whether an output goes to stdout, where nothing else should be written then.
func ToStdout(spec string) bool { return spec == "json" || spec == "json=" || spec == "json=-" }

func start(w *record.Writer, name string, describe func(*record.Metric) record.MetricLine, logger *slog.Logger) *JSON {
	j := &JSON{writer: w, name: name, describe: describe, logger: logger, wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go j.run()
	return j
}

// Take queues samples; the slice stays the caller's. The queue has no bound, since dropping would falsify the file, but
// one that grows beyond measure is announced.
func (j *JSON) Take(samples []record.Sample) {
	j.mu.Lock()
	j.queue = append(j.queue, samples...)
	waiting := len(j.queue)
	warn := waiting > behind && !j.warned
	j.warned = j.warned || warn
	j.mu.Unlock()
	if warn {
		j.logger.Warn(fmt.Sprintf("writing to %s is %d samples behind; they wait in memory: use a faster disk, or less detail", j.name, waiting))
	}
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

func (j *JSON) run() {
	defer close(j.done)
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	var spare []record.Sample
	for {
		select {
		case <-j.wake:
		case <-tick.C:
			_ = j.writer.Flush() // the writer keeps its first error, which the next write reports
		case <-j.stop:
			j.write(spare)
			return
		}
		spare = j.write(spare)
	}
}

// write writes the queue and returns its slice for reuse.
func (j *JSON) write(spare []record.Sample) []record.Sample {
	j.mu.Lock()
	batch := j.queue
	j.queue = spare[:0]
	j.mu.Unlock()
	for chunk := range slices.Chunk(batch, chunkSize) {
		if err := j.writer.Write(chunk, j.describe); err != nil && !j.said {
			j.logger.Error(err.Error())
			j.said = true
		}
		runtime.Gosched()
	}
	clear(batch)
	return batch
}

// Stop writes what is queued and closes the file. Its error says how much was lost.
func (j *JSON) Stop() error {
	close(j.stop)
	<-j.done
	err := j.writer.Close()
	if n := j.writer.Skipped(); n > 0 {
		j.logger.Warn(fmt.Sprintf("%d samples are not in %s: their values are infinite or no numbers, which JSON cannot hold", n, j.name))
	}
	if err != nil {
		return fmt.Errorf("%s is not complete, %d samples are missing: %w", j.name, j.writer.Dropped(), err)
	}
	return nil
}

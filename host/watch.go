package host

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/wsgov/wsgov/host/fault"
	"github.com/wsgov/wsgov/host/metrics"
	"github.com/wsgov/wsgov/record"
)

const (
	gaugesEvery     = time.Second
	thresholdsEvery = 2 * time.Second
)

// watch starts what looks at the run while it runs; the returned function stops it.
func (r *run) watch() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { every(ctx, gaugesEvery, r.tick) })
	wg.Go(func() { every(ctx, thresholdsEvery, r.judgeNow) })
	if r.gateway != nil {
		wg.Go(func() { r.watchGateway(ctx) })
	}
	return func() {
		cancel()
		wg.Wait()
		r.clearProgress()
	}
}

func every(ctx context.Context, d time.Duration, f func()) {
	ticker := time.NewTicker(d)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			f()
		}
	}
}

func (r *run) tick() {
	tags, now := record.TagsFromMap(r.options.Tags), time.Now()
	r.emit(
		record.Sample{Metric: metrics.VUs, Time: now, Value: float64(r.test.Active.Load()), Tags: tags},
		record.Sample{Metric: metrics.VUsMax, Time: now, Value: float64(r.test.Initialized.Load()), Tags: tags},
	)
	r.progress()
}

// judgeNow aborts the run when a threshold that wants it has failed.
func (r *run) judgeNow() {
	elapsed := r.test.Elapsed()
	for _, result := range r.engine.Judge(elapsed, false) {
		for _, v := range result.Verdicts {
			if v.Aborts(elapsed) {
				r.cancel(fault.New(fault.Thresholds, "the threshold %q on %q failed, which aborts the run", v.Threshold.Source, result.Name()))
				return
			}
		}
	}
}

// watchGateway says at once when the gateway of the run has died.
func (r *run) watchGateway(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-r.gateway.Exited():
		if err := r.gateway.Died(); err != nil {
			r.logger.Error(err.Error())
		}
	}
}

// crossed is the error of thresholds that failed at the end.
func crossed(results []metrics.Result) error {
	var names []string
	for _, result := range results {
		for _, v := range result.Verdicts {
			if !v.OK {
				names = append(names, result.Name())
				break
			}
		}
	}
	if names == nil {
		return nil
	}
	return fault.New(fault.Thresholds, "thresholds on %s have been crossed", strings.Join(names, ", "))
}

// progress refreshes the line on a terminal.
func (r *run) progress() {
	if r.tty && !r.flags.quiet {
		r.print("\r\x1b[K%s", r.status())
	}
}

func (r *run) clearProgress() {
	if r.tty && !r.flags.quiet {
		r.print("\r\x1b[K")
	}
}

// status is where the run is, in one line.
func (r *run) status() string {
	t := r.test
	return fmt.Sprintf("running (%04.1fs), %d/%d VUs, %d complete and %d interrupted iterations",
		t.Elapsed().Seconds(), t.Active.Load(), t.Initialized.Load(), t.Completed.Load(), t.Interrupted.Load())
}

package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/host/executor"
	"github.com/wsgov/wsgov/host/fault"
	"github.com/wsgov/wsgov/host/metrics"
	"github.com/wsgov/wsgov/host/summary"
	"github.com/wsgov/wsgov/host/vu"
)

// describe says what is going to be run.
func (r *run) describe() {
	if r.flags.quiet {
		return
	}
	out := "-"
	if len(r.flags.outs) > 0 {
		out = strings.Join(r.flags.outs, ", ")
	}
	scenarios := r.options.Scenarios
	r.print("     execution: local\n        script: %s\n        output: %s\n\n", r.shared.Program.Name(), out)
	r.print("     scenarios: %d, %d max VUs, %s max duration (incl. graceful stop):\n",
		len(scenarios), executor.MaxVUs(scenarios), executor.Short(executor.MaxDuration(scenarios)))
	for _, s := range scenarios {
		r.print("              * %s: %s\n", s.Name, executor.Describe(s))
	}
	r.print("\n")
}

// conclude closes the books of a run that ended with err: samples, thresholds, summary, outputs, gateway. It returns the
// error that decides the exit code and logs the others.
func (r *run) conclude(err error) error {
	length := r.test.Elapsed()
	r.first.End()
	r.pipe.Stop()
	if n := r.pipe.Missed(); n > 0 {
		r.logger.Warn(fmt.Sprintf("%d samples came after the run's end and are in no output", n))
	}
	errs := []error{err}
	if length > 0 { // it got as far as its first phase
		results := r.engine.Judge(length, true)
		r.warnUnjudged(results)
		r.summarise(length, results)
		errs = append(errs, failed(r.test), crossed(results))
	}
	for _, o := range r.outputs {
		errs = append(errs, o.Stop())
	}
	if r.gateway != nil {
		errs = append(errs, r.gateway.Died())
	}
	return r.decide(errs)
}

// warnUnjudged names thresholds on series without a single sample. As in k6 most of them pass, which a misspelt tag would make
// of any.
func (r *run) warnUnjudged(results []metrics.Result) {
	for _, result := range results {
		if result.Sink.Empty() {
			r.logger.Warn(fmt.Sprintf("the thresholds on %s had no sample to judge, so that they passed means nothing: check the name, the tags and that the load ran", result.Name()))
		}
	}
}

// decide returns the first error and logs the rest.
func (r *run) decide(errs []error) error {
	var first error
	for _, err := range errs {
		switch {
		case err == nil:
		case first == nil:
			first = err
		default:
			r.logger.Error(err.Error())
		}
	}
	return first
}

func (r *run) summarise(length time.Duration, results []metrics.Result) {
	if !r.flags.quiet {
		r.print("\n%s\n", r.status())
	}
	if r.flags.summaryMode == "disabled" {
		return
	}
	d := &summary.Data{
		Duration: length, TrendStats: r.options.SummaryTrendStats, TimeUnit: r.options.SummaryTimeUnit, Color: r.color,
		OutIsTTY: r.outTTY, ErrIsTTY: r.errTTY, SetupData: r.setupData,
	}
	d.Collect(r.engine, results)
	if !r.ownSummary(d) {
		r.print("%s\n", d.Text())
	}
	if path := r.flags.summaryExport; path != "" {
		text, err := d.Export()
		r.writeSummary(path, text, err)
	}
}

func (r *run) writeSummary(path string, text []byte, err error) {
	if err == nil {
		err = os.WriteFile(path, text, 0o644)
	}
	if err != nil {
		r.logger.Error(fmt.Sprintf("writing the summary to %s: %v", path, err))
	}
}

// ownSummary lets the script's handleSummary write the summary, and reports whether it did.
func (r *run) ownSummary(d *summary.Data) bool {
	if !r.first.HasFunction("handleSummary") {
		return false
	}
	files, err := r.handleSummary(d)
	if err != nil {
		r.logger.Error(fmt.Sprintf("handleSummary() failed, so the summary is the usual one: %s", vu.Describe(err)))
		return false
	}
	for name, content := range files {
		switch name {
		case "stdout":
			_, err = r.process.Stdout.Write(content)
		case "stderr":
			_, err = r.process.Stderr.Write(content)
		default:
			err = os.WriteFile(name, content, 0o644)
		}
		if err != nil {
			r.logger.Error(fmt.Sprintf("writing what handleSummary() returned for %s: %v", name, err))
		}
	}
	return true
}

func (r *run) handleSummary(d *summary.Data) (map[string][]byte, error) {
	text, err := d.Object()
	if err != nil {
		return nil, err
	}
	data, err := r.first.FromJSON(text)
	if err != nil {
		return nil, err
	}
	limit := r.options.HandleSummaryTimeout
	timeout := fmt.Errorf("it took longer than %v; give it more with the option handleSummaryTimeout", limit)
	value, err := r.call(context.WithoutCancel(r.ctx), "handleSummary", limit, timeout, data)
	if err != nil {
		return nil, err
	}
	return contents(value)
}

// contents are the files that handleSummary returned, each a string or an ArrayBuffer.
func contents(value sobek.Value) (map[string][]byte, error) {
	object, ok := value.(*sobek.Object)
	if !ok {
		return nil, errors.New("it returned no object from 'stdout', 'stderr' or file names to texts")
	}
	out := map[string][]byte{}
	for _, name := range object.Keys() {
		switch content := object.Get(name).Export().(type) {
		case string:
			out[name] = []byte(content)
		case sobek.ArrayBuffer:
			out[name] = content.Bytes()
		default:
			return nil, fmt.Errorf("what it returned for %q is neither a string nor an ArrayBuffer", name)
		}
	}
	return out, nil
}

func failed(t *vu.Test) error { return fault.With(fault.MarkedFailed, t.Failed()) }

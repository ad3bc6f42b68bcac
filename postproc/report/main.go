package report

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/wsgov/wsgov/postproc"
	"github.com/wsgov/wsgov/postproc/reconcile"
	"github.com/wsgov/wsgov/record"
)

// Usage is what the command prints for --help and after a usage error.
const Usage = `Usage: wsgov report [flags] FILE...

Reads the JSON lines of a run (plain or gzip, - for standard input) and prints what was really delivered, how late it was
from the intended send time, and whether the ledger agrees with the gateway's own counters. Several files are parts of one
run if they were under way at the same time, otherwise runs of their own.

Flags:
  --json               one JSON object instead of text (schema wsgov-report/1)
  --fail-on CONDITION  exit 2 if it is met; may be repeated: [plan:]metric op number, with op one of < <= > >= == !=,
                       as in 'delivery_ratio<0.999' or 'C:response_time_p99>500'
  --journal FILE       compare every message with the reference gateway's journal; memory then grows with the messages
  --help               this text

Metrics of --fail-on (times in ms, ratios 0 to 1):
  planned sent unsent ok error lost delivery_ratio goodput frames_per_second frames_received late duplicate unmatched
  malformed push max_in_flight handshakes_attempted handshakes_failed naive_success_ratio unreconciled, and of
  response_time service_time send_lag generator_lag connecting each _min _p50 _p90 _p95 _p99 _p999 _max _mean

Exit codes:
  0  fine
  1  usage, or an input that cannot be read
  2  a --fail-on condition was hit
  3  the input is torn, or there is nothing in it
  4  the books do not close
  If several apply, the first of 1, 3, 4, 2.
`

type options struct {
	json       bool
	journal    string
	conditions []Condition
	files      []string
}

// Main is the command "wsgov report": args are those behind its name. It returns the exit code.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	opts, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		if _, err := io.WriteString(stdout, Usage); err != nil {
			return ExitUsage
		}
		return ExitFine
	}
	if err != nil {
		fmt.Fprintf(stderr, "wsgov report: %v\nRun 'wsgov report --help' for what is possible.\n", err)
		return ExitUsage
	}
	r, err := opts.run(ctx, stdin)
	if err == nil {
		err = opts.write(stdout, r)
	}
	if err != nil {
		fmt.Fprintf(stderr, "wsgov report: %v\n", err)
		return ExitUsage
	}
	return r.ExitCode()
}

// parse reads flags before, between and after the files.
func parse(args []string) (*options, error) {
	o := &options{}
	set := flag.NewFlagSet("report", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.BoolVar(&o.json, "json", false, "")
	set.StringVar(&o.journal, "journal", "", "")
	set.Func("fail-on", "", func(text string) error {
		c, err := ParseCondition(text)
		o.conditions = append(o.conditions, c)
		return err
	})
	for {
		if err := set.Parse(args); err != nil {
			return nil, err
		}
		if args = set.Args(); len(args) == 0 {
			break
		}
		o.files, args = append(o.files, args[0]), args[1:]
	}
	if len(o.files) == 0 {
		return nil, errors.New("no result file given; use - to read standard input")
	}
	if i := slices.Index(o.files, "-"); i >= 0 && slices.Contains(o.files[i+1:], "-") {
		return nil, errors.New("standard input (-) can be read only once")
	}
	return o, nil
}

func (o *options) run(ctx context.Context, stdin io.Reader) (*Report, error) {
	c := postproc.NewCollector()
	journal, err := o.readJournal()
	if err != nil {
		return nil, err
	}
	if journal != nil {
		c.Observe = journal.Observe
	}
	for _, name := range o.files {
		if err := readFile(ctx, c, name, stdin); err != nil {
			return nil, err
		}
	}
	r := &Report{Summary: c.Summary()}
	if journal != nil {
		r.Journal = journal.Compare()
	}
	for _, condition := range o.conditions {
		r.Hits = append(r.Hits, condition.Hits(r.Summary)...)
	}
	return r, nil
}

func readFile(ctx context.Context, c *postproc.Collector, name string, stdin io.Reader) error {
	r, err := record.Open(name, stdin)
	if err != nil {
		return err
	}
	return errors.Join(c.Read(ctx, r), r.Close())
}

func (o *options) readJournal() (*reconcile.Journal, error) {
	if o.journal == "" {
		return nil, nil
	}
	f, err := os.Open(o.journal)
	if err != nil {
		return nil, fmt.Errorf("opening the gateway's journal: %w", err)
	}
	j := reconcile.NewJournal()
	if err := errors.Join(j.Read(f), f.Close()); err != nil {
		return nil, fmt.Errorf("%s: %w", o.journal, err)
	}
	return j, nil
}

func (o *options) write(w io.Writer, r *Report) error {
	if o.json {
		return JSON(w, r)
	}
	return Text(w, r)
}

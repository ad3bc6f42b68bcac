package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/wsgov/wsgov/record"
)

// reportBytes is the size of the result file: memory that grew with it would show.
const reportBytes = 1 << 30

// reportRate lets `wsgov report` read a gigabyte of lines, in a process of its own, beside a plain copy of the same bytes.
func reportRate(ctx context.Context, _ time.Duration) ([]figure, error) {
	dir, err := os.MkdirTemp("", "wsgov-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "run.ndjson")
	if err := writeRun(path); err != nil {
		return nil, err
	}
	copied, err := copyRate(path)
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, exe, "child-report", path)
	cmd.Stderr = os.Stderr
	began := time.Now()
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	took := time.Since(began).Seconds()
	return []figure{
		{"plain copy of the bytes", "MB/s", copied},
		{"read and judged", "MB/s", reportBytes / 1e6 / took},
		{"peak memory", "MB", peakIn(string(out)) / 1e6},
	}, nil
}

// peakIn finds what a child told of its peak memory.
func peakIn(out string) float64 {
	_, after, _ := strings.Cut(out, peakPrefix)
	peak, err := strconv.ParseFloat(strings.TrimSpace(after), 64)
	if err != nil {
		return math.NaN()
	}
	return peak
}

func copyRate(path string) (float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	began := time.Now()
	n, err := io.Copy(struct{ io.Writer }{io.Discard}, struct{ io.Reader }{f})
	return float64(n) / 1e6 / time.Since(began).Seconds(), err
}

// writeRun writes one run of a plan whose books close, as large as the benchmark wants it.
func writeRun(path string) error {
	w, err := record.Create(path)
	if err != nil {
		return err
	}
	r := synthetic{w: w, start: time.Now(), base: record.NewTags(record.TagPlan, "main", "scenario", "default", "group", "")}
	r.mark(record.PhaseStart)
	for w.Bytes() < reportBytes {
		r.message()
	}
	r.count()
	r.mark(record.PhaseEnd)
	if r.err != nil {
		return r.err
	}
	return w.Close()
}

// synthetic writes messages that are all answered, after 2 to 22 ms.
type synthetic struct {
	w     *record.Writer
	start time.Time
	base  record.Tags
	n     int64
	err   error
}

func (r *synthetic) write(s ...record.Sample) {
	if err := r.w.Write(s, func(m *record.Metric) record.MetricLine { return record.MetricLine{Metric: *m} }); err != nil {
		r.err = err
	}
}

func (r *synthetic) message() {
	r.n++
	due := time.Duration(r.n) * 125 * time.Microsecond
	at, ms := r.start.Add(due), 2+float64(r.n%2000)/100
	answered := r.base.With(record.TagOutcome, string(record.OK))
	conn, msg, offset := strconv.FormatInt(r.n%80+1, 10), strconv.FormatInt(r.n, 10), strconv.FormatFloat(record.Millis(due), 'f', -1, 64)
	name := record.NewTags(record.MetaConn, conn, record.MetaMsg, msg)
	identity := name.With(record.MetaDue, offset)
	lag := identity.With(record.MetaLag, "0.5").With(record.MetaCap, "0").With(record.MetaSocket, "0.25").With(record.MetaGen, "0.25")
	r.write(
		record.Sample{Metric: record.Delivered, Time: at, Value: 1, Tags: answered, Metadata: identity},
		record.Sample{Metric: record.ResponseTime, Time: at, Value: ms + 0.5, Tags: answered, Metadata: lag},
		record.Sample{Metric: record.ServiceTime, Time: at, Value: ms, Tags: answered, Metadata: name},
		record.Sample{Metric: record.SendLag, Time: at, Value: 0.5, Tags: r.base, Metadata: name},
	)
}

func (r *synthetic) count() {
	for _, kind := range []string{record.KindReceived, record.KindParts, record.KindOK} {
		r.write(record.Sample{Metric: record.Frames, Time: r.start, Value: float64(r.n), Tags: r.base.With(record.TagKind, kind)})
	}
}

func (r *synthetic) mark(phase string) {
	meta := record.NewTags(record.MetaSchema, record.SchemaVersion, record.MetaPlan, "main", record.MetaRun, "bench", record.MetaDrive, "1",
		record.MetaSeed, "1", record.MetaVersion, "bench", record.MetaModel, "open", record.MetaOffset, "0")
	if phase == record.PhaseEnd {
		meta = meta.With(record.MetaTotals, fmt.Sprintf(`{"main":{"planned":%d,"sent":%[1]d,"ok":%[1]d,"error":0,"lost":0,"unsent":0}}`, r.n)).
			With(record.MetaLength, strconv.FormatInt(r.n/8, 10))
	}
	r.write(record.Sample{Metric: record.Run, Time: r.start, Value: 1, Tags: r.base.With(record.TagPhase, phase), Metadata: meta})
}

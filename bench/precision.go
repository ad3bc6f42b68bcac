package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/engine"
)

// precision sends 8,000 messages a second over 80 connections to the reference gateway, with JSON lines written as a run
// does, and tells how late the generator itself was.
func precision(ctx context.Context, d time.Duration) ([]figure, error) {
	dir, err := os.MkdirTemp("", "wsgov-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	journal := filepath.Join(dir, "journal.ndjson")
	address, stop, err := start(ctx, "child-gateway", "--addr", "127.0.0.1:0", "--journal", journal)
	if err != nil {
		return nil, err
	}
	ended := sync.OnceFunc(stop)
	defer ended()
	lines, err := record.Create(filepath.Join(dir, "run.ndjson"))
	if err != nil {
		return nil, err
	}
	late := &lateness{lines: lines}
	cpu := cpuSeconds()
	l, err := drive(ctx, engine.Target{URL: address + "/gateway", Connections: connections},
		engine.Plan{Rate: 100, Duration: d, Source: padded{}}, late.take)
	if err != nil {
		return nil, err
	}
	if err := lines.Close(); err != nil {
		return nil, err
	}
	if l.DeliveryRatio != 1 {
		return nil, fmt.Errorf("delivered %v of %d: %v", l.DeliveryRatio, l.Planned, l.Warnings)
	}
	used := cpuSeconds() - cpu
	ended() // completes the journal
	p50, p99, err := serviceTimes(journal)
	if err != nil {
		return nil, err
	}
	return []figure{
		{"generator lag p50", "ms", late.quantile(0.5)},
		{"generator lag p99", "ms", late.quantile(0.99)},
		{"response p50, above the gateway's own service p50", "ms", float64(l.ResponseTime.P50) - p50},
		{"response p99, above the gateway's own service p99", "ms", float64(l.ResponseTime.P99) - p99},
		{"client CPU per 100,000", "s", used / float64(l.Planned) * 1e5},
	}, nil
}

// lateness keeps the generator's part of each message's lag, and writes the samples as a run would.
type lateness struct {
	lines *record.Writer
	ms    []float64
	err   error
}

func (l *lateness) take(samples []record.Sample) {
	for _, s := range samples {
		if s.Metric != record.ResponseTime {
			continue
		}
		if ms, err := strconv.ParseFloat(s.Metadata.Value(record.MetaGen), 64); err == nil {
			l.ms = append(l.ms, ms)
		}
	}
	if err := l.lines.Write(samples, func(m *record.Metric) record.MetricLine { return record.MetricLine{Metric: *m} }); err != nil {
		l.err = err
	}
}

func (l *lateness) quantile(q float64) float64 { return quantile(l.ms, q) }

// quantile is the value of nearest rank, which sorts the values.
func quantile(ms []float64, q float64) float64 {
	if len(ms) == 0 {
		return math.NaN()
	}
	slices.Sort(ms)
	return ms[max(int(math.Ceil(q*float64(len(ms))))-1, 0)]
}

// serviceTimes are quantiles of the gateway's own service times, from its journal, in milliseconds.
func serviceTimes(journal string) (p50, p99 float64, err error) {
	f, err := os.Open(journal)
	if err != nil {
		return 0, 0, err
	}
	defer f.Close()
	var ms []float64
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var line struct {
			Kind, Verdict     string
			Received, Replied int64
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return 0, 0, fmt.Errorf("reading the gateway's journal: %w", err)
		}
		if line.Kind == "message" && line.Verdict == "ok" {
			ms = append(ms, float64(line.Replied-line.Received)/1e6)
		}
	}
	return quantile(ms, 0.5), quantile(ms, 0.99), lines.Err()
}

package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/engine"
)

// precision sends 8,000 messages a second over 80 connections to the reference gateway, with JSON lines written as a run
// does, and tells how late the generator itself was.
func precision(ctx context.Context, d time.Duration) ([]figure, error) {
	address, stop, err := start(ctx, "child-gateway", "--addr", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	defer stop()
	dir, err := os.MkdirTemp("", "wsgov-bench")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
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
	return []figure{
		{"generator lag p50", "ms", late.quantile(0.5)},
		{"generator lag p99", "ms", late.quantile(0.99)},
		{"response p99", "ms", float64(l.ResponseTime.P99)},
		{"client CPU per 100,000", "s", (cpuSeconds() - cpu) / float64(l.Planned) * 1e5},
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

func (l *lateness) quantile(q float64) float64 {
	if len(l.ms) == 0 {
		return math.NaN()
	}
	slices.Sort(l.ms)
	return l.ms[min(int(q*float64(len(l.ms))), len(l.ms)-1)]
}

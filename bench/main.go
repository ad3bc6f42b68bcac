// Command bench measures this module beside a raw loopback ping-pong and a plain client, in one run on one machine.
//
//	go run ./bench [-rounds 3] [-seconds 3] [-only name]
//
// Absolute figures on shared machines drift, so every round measures everything once, in turn, and the table shows medians
// over the rounds and ratios to the ping-pong of the same rounds. RESULTS.md keeps recorded runs.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"
)

// figure is one measured number.
type figure struct {
	name, unit string
	value      float64
}

// measurement measures once, for about the given time.
type measurement struct {
	name string
	run  func(ctx context.Context, d time.Duration) ([]figure, error)
}

func main() {
	if len(os.Args) > 1 {
		if child, ok := children[os.Args[1]]; ok {
			os.Exit(child(os.Args[2:]))
		}
	}
	if err := bench(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func bench(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	rounds := flags.Int("rounds", 3, "how often everything is measured")
	seconds := flags.Float64("seconds", 3, "length of one measurement")
	only := flags.String("only", "", "measure only what has this in its name, and the ping-pong")
	if err := flags.Parse(args); err != nil {
		return err
	}
	all := []measurement{
		{"raw loopback ping-pong", pingPong},
		{"plain gorilla loop, closed, 80 connections", plainLoop},
		{"wsgov, closed, 80 connections", roundTrips(1)},
		{"wsgov, 16 in flight, 80 connections", roundTrips(16)},
		{"wsgov, schedule of 8,000/s on the reference gateway", precision},
		{"wsgov report", reportRate},
	}
	fmt.Printf("%s, %s/%s, %d cores, %s; medians of %d rounds of %.3g s\n\n",
		time.Now().Format(time.DateOnly), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), runtime.Version(), *rounds, *seconds)
	t := newTable()
	for range *rounds {
		for i, m := range all {
			if i > 0 && !strings.Contains(m.name, *only) {
				continue
			}
			figures, err := m.run(ctx, time.Duration(*seconds*float64(time.Second)))
			if err != nil {
				return fmt.Errorf("%s: %w", m.name, err)
			}
			t.add(m.name, figures)
		}
	}
	t.print()
	return nil
}

// table keeps the figures of all rounds in the order they first came.
type table struct {
	order  []string
	unit   map[string]string
	values map[string][]float64
}

func newTable() *table { return &table{unit: map[string]string{}, values: map[string][]float64{}} }

func (t *table) add(measurement string, figures []figure) {
	for _, f := range figures {
		key := measurement + ": " + f.name
		if _, known := t.values[key]; !known {
			t.order = append(t.order, key)
			t.unit[key] = f.unit
		}
		t.values[key] = append(t.values[key], f.value)
	}
}

// print shows the median, the range, and for rates the ratio to the ping-pong's rate.
func (t *table) print() {
	base := median(t.values[t.order[0]])
	for _, key := range t.order {
		v := t.values[key]
		ratio := ""
		if t.unit[key] == perSecond {
			ratio = fmt.Sprintf("  %.2f of ping-pong", median(v)/base)
		}
		fmt.Printf("%-72s %10.4g %-4s [%.4g – %.4g]%s\n", key, median(v), t.unit[key], slices.Min(v), slices.Max(v), ratio)
	}
}

const perSecond = "/s"

func median(v []float64) float64 {
	s := slices.Sorted(slices.Values(v))
	if n := len(s); n%2 == 1 {
		return s[n/2]
	}
	return (s[len(s)/2-1] + s[len(s)/2]) / 2
}

package latency

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/wsgov/wsgov/record"
)

func TestQuantilesOverAllMessages(t *testing.T) {
	inf := record.Milliseconds(math.Inf(1))
	cases := []struct {
		name     string
		answered []float64
		slower   int64
		want     record.Quantiles
	}{
		{"nothing", nil, 0, record.Quantiles{}},
		{"all lost", nil, 3, record.Quantiles{P50: inf, P90: inf, P95: inf, P99: inf, P999: inf}},
		{"one message", []float64{12.3456}, 0, record.Quantiles{Min: 12.3456, P50: 12.3456, P90: 12.3456, P95: 12.3456, P99: 12.3456, P999: 12.3456, Max: 12.3456, Mean: 12.3456, Count: 1}},
		{"half lost", []float64{1, 2, 3, 4, 5}, 5, record.Quantiles{Min: 1, P50: 5, P90: inf, P95: inf, P99: inf, P999: inf, Max: 5, Mean: 3, Count: 5}},
		{"tenth lost", []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}, 1, record.Quantiles{Min: 1, P50: 5, P90: 9, P95: inf, P99: inf, P999: inf, Max: 9, Mean: 5, Count: 9}},
		{"beyond the range", []float64{-1, 7_200_000}, 0, record.Quantiles{Min: -1, P50: 0, P90: 3_599_892.48, P95: 3_599_892.48, P99: 3_599_892.48, P999: 3_599_892.48, Max: 7_200_000, Mean: 3_599_999.5, Count: 2}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h := New()
			for _, v := range c.answered {
				if clamped := h.Record(v); clamped != (v < 0 || v > HighestMillis) {
					t.Errorf("%v: clamped %v", v, clamped)
				}
			}
			h.AddSlower(c.slower)
			if got := h.Quantiles(); got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
			if h.Slower() != c.slower || h.Count() != int64(len(c.answered)) {
				t.Errorf("slower %d, count %d", h.Slower(), h.Count())
			}
		})
	}
}

func TestClampingIsCounted(t *testing.T) {
	h := New()
	for _, v := range []float64{0, 1, HighestMillis, HighestMillis + 1, -0.001, math.NaN()} {
		h.Record(v)
	}
	other := New()
	other.Record(-5)
	if dropped := h.Merge(other); dropped != 0 || h.Clamped() != 4 || h.Count() != 7 {
		t.Errorf("dropped %d, clamped %d, count %d", dropped, h.Clamped(), h.Count())
	}
}

func TestRankOfWholeProducts(t *testing.T) {
	for _, c := range []struct {
		q    float64
		n    int64
		want int64
	}{{.07, 100, 7}, {.95, 100, 95}, {.999, 1000, 999}, {.99, 101, 100}, {0, 5, 1}, {1, 5, 5}, {.5, 1, 1}, {.999, 3_000_000_000, 2_997_000_000}} {
		if got := rank(c.q, c.n); got != c.want {
			t.Errorf("rank of %v among %d: %d, want %d", c.q, c.n, got, c.want)
		}
	}
}

// A quantile is within one bucket below the one that sorting finds, however the values were spread over histograms.
func TestQuantileAgainstSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0, HighestMillis), 1, 200).Draw(t, "answered")
		slower := rapid.Int64Range(0, 20).Draw(t, "slower")
		split := rapid.IntRange(0, len(values)).Draw(t, "split")
		a, b := New(), New()
		for i, v := range values {
			if i < split {
				a.Record(v)
			} else {
				b.Record(v)
			}
		}
		a.AddSlower(slower)
		a.Merge(b)
		slices.Sort(values)
		for _, q := range []float64{0, .5, .9, .95, .99, 1} {
			k := max(1, int(math.Ceil(q*float64(int64(len(values))+slower)-1e-9)))
			got := float64(a.Quantile(q))
			if k > len(values) {
				if !math.IsInf(got, 1) {
					t.Fatalf("q %v: %v, want +Inf", q, got)
				}
				continue
			}
			if want := values[k-1]; math.Abs(got-want) > want/16384+0.0006 {
				t.Fatalf("q %v: %v, want %v", q, got, want)
			}
		}
	})
}

// Many distinct times move to the dense form and back without losing a count.
func TestDenseAndSparseAgree(t *testing.T) {
	h, parts := New(), New()
	for i := range 50_000 {
		v := float64(i*7919%50_000) / 100
		h.Record(v)
		parts.Record(v)
		if i%20_000 == 0 {
			parts.Compact()
		}
	}
	if h.dense == nil {
		t.Fatal("50,000 distinct times are still in the sparse form")
	}
	got, want := parts.Quantiles(), h.Quantiles()
	if got != want || want.Count != 50_000 || want.P50 != 249.984 || want.P99 != 494.976 || want.Max != 499.99 {
		t.Errorf("got %+v and %+v", got, want)
	}
}

func TestInfinityIsNullInJSON(t *testing.T) {
	h := New()
	h.Record(2)
	h.AddSlower(1)
	got, err := json.Marshal(h.Quantiles())
	if want := `{"min":2,"p50":2,"p90":null,"p95":null,"p99":null,"p999":null,"max":2,"mean":2,"count":1}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
}

func BenchmarkRecord(b *testing.B) {
	h, v := New(), 0.0
	for b.Loop() {
		v = math.Mod(v+0.137, 300)
		h.Record(v)
	}
}

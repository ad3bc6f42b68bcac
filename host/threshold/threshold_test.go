package threshold_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/wsgov/wsgov/host/threshold"
	"github.com/wsgov/wsgov/record"
)

func TestParse(t *testing.T) {
	agg := func(name string) threshold.Aggregation { return threshold.Aggregation{Name: name} }
	p := func(n float64) threshold.Aggregation { return threshold.Aggregation{Name: "p", Percentile: n} }
	for source, want := range map[string]threshold.Expression{
		"count>100":          {agg("count"), ">", 100},
		"count<=100":         {agg("count"), "<=", 100},
		"rate<0.01":          {agg("rate"), "<", 0.01},
		"rate>=0.999":        {agg("rate"), ">=", 0.999},
		"rate==1":            {agg("rate"), "==", 1},
		"rate===1":           {agg("rate"), "===", 1},
		"rate!=1":            {agg("rate"), "!=", 1},
		"value==0":           {agg("value"), "==", 0},
		"avg<200":            {agg("avg"), "<", 200},
		"min>1":              {agg("min"), ">", 1},
		"max<1e3":            {agg("max"), "<", 1000},
		"med < 10":           {agg("med"), "<", 10},
		"  med\t<\n-10.5  ":  {agg("med"), "<", -10.5},
		"p(95)<500":          {p(95), "<", 500},
		"p(99.9)<500":        {p(99.9), "<", 500},
		"p( 50 ) < 5":        {p(50), "<", 5},
		"p(0)>0":             {p(0), ">", 0},
		"p(100)<+5":          {p(100), "<", 5},
		"p(1e1)<0x1p4":       {p(10), "<", 16},
		"avg<Inf":            {agg("avg"), "<", math.Inf(1)},
		"max<= 12345.678901": {agg("max"), "<=", 12345.678901},
	} {
		got, err := threshold.Parse(source)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %+v, %v; want %+v", source, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for source, reason := range map[string]string{
		"":              "no operator",
		"p(95)":         "no operator",
		"p(95)=500":     "no operator",
		"<500":          `unknown aggregation ""`,
		"p95<500":       `unknown aggregation "p95"`,
		"p(95<500":      `unknown aggregation "p(95"`,
		"AVG<500":       "unknown aggregation",
		"p()<500":       "percentile",
		"p(101)<500":    "percentile",
		"p(-1)<500":     "percentile",
		"p(NaN)<500":    "percentile",
		"p(x)<500":      "percentile",
		"avg<":          "not a number",
		"avg<fast":      "not a number",
		"avg<NaN":       "not a number",
		"avg<10 ms":     "not a number",
		"avg<10<20":     "not a number",
		"avg<10&&max<2": "not a number",
	} {
		if _, err := threshold.Parse(source); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("Parse(%q) error = %v; want one that says %q", source, err, reason)
		}
	}
}

func TestSupports(t *testing.T) {
	supported := map[record.Kind]string{
		record.Counter: "count rate", record.Gauge: "value", record.Rate: "rate", record.Trend: "avg min max med p",
	}
	for kind, names := range supported {
		for _, name := range []string{"count", "rate", "value", "avg", "min", "max", "med", "p"} {
			err := threshold.Aggregation{Name: name, Percentile: 95}.Supports(kind)
			if want := strings.Contains(" "+names+" ", " "+name+" "); (err == nil) != want {
				t.Errorf("%s on a %s: %v, want supported %v", name, kind, err, want)
			}
		}
	}
	err := threshold.Aggregation{Name: "count"}.Supports(record.Trend)
	if want := `"count" does not apply to a trend, which has avg, min, max, med, p(N)`; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestHolds(t *testing.T) {
	for source, want := range map[string][3]bool{ // for 1, 2 and 3
		"avg<2": {true, false, false}, "avg<=2": {true, true, false}, "avg>2": {false, false, true}, "avg>=2": {false, true, true},
		"avg==2": {false, true, false}, "avg===2": {false, true, false}, "avg!=2": {true, false, true},
	} {
		e, err := threshold.Parse(source)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range want {
			if got := e.Holds(float64(i + 1)); got != want {
				t.Errorf("%s holds for %d: %v, want %v", source, i+1, got, want)
			}
		}
	}
}

func TestParseAll(t *testing.T) {
	value := `[" p(95)<250 ", {"threshold":"max<900","abortOnFail":true,"delayAbortEval":"10s"},
		{"threshold":"avg<200","abortOnFail":false}, {"threshold":"min>1","abortOnFail":true}, {"threshold":"med<9","delayAbortEval":1500}]`
	got, err := threshold.ParseAll(json.RawMessage(value))
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	want := `["p(95)\u003c250",{"threshold":"max\u003c900","abortOnFail":true,"delayAbortEval":"10s"},"avg\u003c200",` +
		`{"threshold":"min\u003e1","abortOnFail":true,"delayAbortEval":null},"med\u003c9"]`
	if string(text) != want {
		t.Errorf("written as\n%s\nwant\n%s", text, want)
	}
	if got[1].DelayAbortEval != 10*time.Second || got[4].DelayAbortEval != 1500*time.Millisecond || !got[1].AbortOnFail {
		t.Errorf("read as %+v and %+v", got[1], got[4])
	}
	if one, err := threshold.ParseAll(json.RawMessage(`"rate>0"`)); err != nil || len(one) != 1 || one[0].Source != "rate>0" {
		t.Errorf("a lone expression is %v, %v", one, err)
	}
}

func TestParseAllRefuses(t *testing.T) {
	for value, reason := range map[string]string{
		`5`:                                     "a threshold is a string",
		`null`:                                  "lacks the key 'threshold'",
		`[["rate>0"]]`:                          "a threshold is a string",
		`[{"abortOnFail":true}]`:                "lacks the key 'threshold'",
		`[{"threshold":"rate>0","abort":true}]`: `unknown field "abort"`,
		`[{"threshold":"rate~0"}]`:              "no operator",
		`[{"threshold":"rate>0","delayAbortEval":"soon"}]`: "delayAbortEval",
		`[{"threshold":"rate>0","delayAbortEval":-5}]`:     "negative",
		`["rate>0", "rate"]`:                               "no operator",
		`[`:                                                "reading a list",
	} {
		if _, err := threshold.ParseAll(json.RawMessage(value)); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("ParseAll(%s) error = %v; want one that says %q", value, err, reason)
		}
	}
}

func TestJudge(t *testing.T) {
	plain, err := threshold.New("avg<10")
	if err != nil {
		t.Fatal(err)
	}
	aborting := &threshold.Threshold{Expression: plain.Expression, AbortOnFail: true, DelayAbortEval: 5 * time.Second}
	for _, c := range []struct {
		t        *threshold.Threshold
		observed float64
		present  bool
		elapsed  time.Duration
		ok       bool
		aborts   bool
	}{
		{plain, 5, true, time.Hour, true, false},
		{plain, 15, true, time.Hour, false, false},
		{plain, 0, false, time.Hour, true, false},
		{aborting, 5, true, time.Hour, true, false},
		{aborting, 15, true, 5 * time.Second, false, false},
		{aborting, 15, true, 6 * time.Second, false, true},
		{aborting, 15, false, 6 * time.Second, true, false},
		{&threshold.Threshold{Expression: plain.Expression, AbortOnFail: true}, 15, true, 0, false, true},
	} {
		v := c.t.Judge(c.observed, c.present)
		if v.OK != c.ok || v.Aborts(c.elapsed) != c.aborts || v.Missing == c.present {
			t.Errorf("%+v judged %+v, aborts %v", c, v, v.Aborts(c.elapsed))
		}
	}
}

func TestParseSelector(t *testing.T) {
	for text, want := range map[string]threshold.Selector{
		"checks":                  {Metric: "checks"},
		"m{a:1}":                  {Metric: "m", Suffix: "a:1", Tags: record.NewTags("a", "1")},
		"m{b:2,a:1}":              {Metric: "m", Suffix: "b:2,a:1", Tags: record.NewTags("a", "1", "b", "2")},
		" m { a : 1 }":            {Metric: "m", Suffix: " a : 1 ", Tags: record.NewTags("a", "1")},
		`m{a:"x y"}`:              {Metric: "m", Suffix: `a:"x y"`, Tags: record.NewTags("a", "x y")},
		"m{group:::lobby::join}":  {Metric: "m", Suffix: "group:::lobby::join", Tags: record.NewTags("group", "::lobby::join")},
		"m{url:ws://h:1/p?q={x}}": {Metric: "m", Suffix: "url:ws://h:1/p?q={x}", Tags: record.NewTags("url", "ws://h:1/p?q={x}")},
	} {
		got, err := threshold.ParseSelector(text)
		if err != nil || got.Metric != want.Metric || got.Suffix != want.Suffix || !equal(got.Tags, want.Tags) {
			t.Errorf("ParseSelector(%q) = %+v, %v; want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"m{", "m{}", "m{a}", "m{a:}", "m{:1}", "m{a:1", "m{a:1}x", "m{a:1,,b:2}"} {
		if got, err := threshold.ParseSelector(text); err == nil {
			t.Errorf("ParseSelector(%q) = %+v, want an error", text, got)
		}
	}
}

func equal(a, b record.Tags) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

func TestMatchesIsContainment(t *testing.T) {
	tags := rapid.MapOfN(rapid.StringMatching(`[a-d]`), rapid.StringMatching(`[x-z]`), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		have, want := tags.Draw(t, "sample"), tags.Draw(t, "selector")
		contained := true
		for k, v := range want {
			contained = contained && have[k] == v
		}
		s := threshold.Selector{Tags: record.TagsFromMap(want)}
		if got := s.Matches(record.TagsFromMap(have)); got != contained {
			t.Fatalf("%v matches %v: %v, want %v", want, have, got, contained)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"p(95)<500", "rate===1", "count>=1e3", "p(<", "avg!=NaN", "<=>", "p(1)<=0x1p-2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		e, err := threshold.Parse(source)
		if err != nil {
			return
		}
		if again, err := threshold.Parse(e.String()); err != nil || again != e {
			t.Fatalf("%q reads as %+v, written %q reads as %+v, %v", source, e, e, again, err)
		}
	})
}

func FuzzParseSelector(f *testing.F) {
	for _, seed := range []string{"m{a:1,b:2}", "m{group:::a::b}", "{", "}", "m{}", "m{a:'x'}"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := threshold.ParseSelector(text)
		if err == nil && !s.Matches(s.Tags) {
			t.Fatalf("%q does not match its own tags %v", text, s.Tags)
		}
	})
}

func FuzzParseAll(f *testing.F) {
	f.Add([]byte(`["rate>0",{"threshold":"rate<1","abortOnFail":true,"delayAbortEval":"1s"}]`))
	f.Fuzz(func(t *testing.T, value []byte) {
		all, err := threshold.ParseAll(value)
		if err != nil {
			return
		}
		for _, one := range all {
			if _, err := json.Marshal(one); err != nil {
				t.Fatalf("cannot write %+v back: %v", one, err)
			}
		}
	})
}

package report

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/wsgov/wsgov/record"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update to write it anew); got:\n%s", name, got)
	}
}

// sound is a burst of ten of which the limiter let one pass, and an open plan of three, one of them lost; the gateway agrees.
func sound(t testing.TB) *fixture {
	f := newFixture(t, "r1")
	f.snapshot(0, record.SnapshotBefore, "p1", 1, "conns", 1, "echoed", 0, "limited", 0)
	f.drive(drive{plan: "B", model: "burst", handshakes: 1, length: 500, frames: answers(10),
		messages: append(all(9, msg{lag: 0.5, service: 1.25, outcome: record.Error, detail: "RATE_LIMITED"}), msg{due: 0, lag: 1, service: 5, outcome: record.OK})})
	f.drive(drive{plan: "C", model: "open", handshakes: 1, length: 1000, frames: answers(2), warnings: `[{"code":"x","text":"one doubt of the run"}]`,
		messages: []msg{{0, 0.25, 4.75, record.OK, ""}, {10, 400, 5, record.OK, ""}, {20, 0.5, 0, record.Lost, "timeout"}}})
	f.snapshot(2000, record.SnapshotAfter, "p1", 1, "conns", 4, "echoed", 3, "limited", 9)
	f.point(record.Unreconciled, 2000, 0, nil, nil)
	return f
}

func TestGoldenReport(t *testing.T) {
	code, out, errs := report(t, sound(t).text())
	if code != ExitFine || errs != "" {
		t.Errorf("exit %d, %s", code, errs)
	}
	golden(t, "sound.txt", out)
	for line := range strings.Lines(out) {
		if len(line) > 101 {
			t.Errorf("a line of %d columns: %s", len(line), line)
		}
	}
	code, out, _ = report(t, sound(t).text(), "--json")
	if code != ExitFine {
		t.Errorf("exit %d", code)
	}
	golden(t, "sound.json", out)
}

func TestGoldenUsage(t *testing.T) {
	var out, errs bytes.Buffer
	if code := Main(context.Background(), []string{"--help"}, nil, &out, &errs); code != ExitFine || errs.Len() > 0 {
		t.Errorf("exit %d, %s", code, errs.String())
	}
	golden(t, "usage.txt", out.String())
	words := strings.Fields(strings.ReplaceAll(Usage, ",", ""))
	for _, name := range metricNames() {
		base, figure := name, name
		if i := strings.LastIndex(name, "_"); i > 0 && slices.Contains(words, name[i:]) {
			base, figure = name[:i], name[i:]
		}
		if !slices.Contains(words, base) || !slices.Contains(words, figure) {
			t.Errorf("metric %s is not in the usage text", name)
		}
	}
}

// runCase is a run worked out on paper with what the report must say about it.
type runCase struct {
	name  string
	write func(*fixture)
	code  int
	want  []string
}

func TestRuns(t *testing.T) {
	for _, c := range runCases() {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t, "r1")
			c.write(f)
			check(t, f.text(), c.code, c.want)
		})
	}
}

func check(t *testing.T, in string, want int, texts []string) {
	t.Helper()
	code, out, errs := report(t, in)
	if code != want || errs != "" {
		t.Errorf("exit %d, want %d; %s", code, want, errs)
	}
	flat := strings.Join(strings.Fields(out), " ")
	for _, text := range texts {
		if !strings.Contains(flat, text) {
			t.Errorf("%q is not in:\n%s", text, out)
		}
	}
	if code, out, _ := report(t, in, "--json"); code != want || !strings.HasPrefix(out, "{\n  \"schema\": \"wsgov-report/1\"") {
		t.Errorf("as JSON: exit %d\n%.300s", code, out)
	}
}

func TestDamagedInputs(t *testing.T) {
	whole := sound(t).text()
	lines := strings.SplitAfter(whole, "\n")
	one := lines[len(lines)-2]
	cases := []struct {
		name, in string
		code     int
		want     []string
	}{
		{"empty", "", ExitTorn, []string{"TORN: there is not one point in the input"}},
		{"CR LF", strings.ReplaceAll(whole, "\n", "\r\n"), ExitFine, []string{"books close; gateway agrees: unreconciled 0"}},
		{"torn tail", whole + one[:30], ExitTorn, []string{"TORN: stdin is torn at line", "torn last line"}},
		{"cut in the middle", whole[:len(whole)/2], ExitTorn, []string{"drives have no end point"}},
		{"without its beginning", strings.Join(lines[len(lines)/2:], ""), ExitTorn, []string{"TORN:"}},
		{"bad line that held nothing of ours", whole + "running (1m0s), 3 VUs\n", ExitFine,
			[]string{"books close; gateway agrees: unreconciled 0; 1 lines could not be used, none of them of a message by the totals", "bad line: stdin: line 80 "}},
		{"bad line that held a message", strings.Replace(whole, `"outcome":"ok"`, `"outcome:"ok"`, 1), ExitTorn,
			[]string{"points are missing", "ok 0 of 1", "without a delivered point: message 10 on connection 1"}},
		{"bare NaN", whole + strings.Replace(one, `"value":0`, `"value":NaN`, 1), ExitFine, []string{"the value of wsgov_unreconciled is NaN", "1 values of wsgov_unreconciled are NaN"}},
		{"10 MB line", whole + strings.Replace(one, `"tags":{`, `"tags":{"x":"`+strings.Repeat("y", 10<<20)+`"`, 1), ExitFine, []string{"books close; gateway agrees", "0 bad"}},
		{"only garbage", "one\ntwo\n", ExitTorn, []string{"TORN: 2 lines could not be read and nothing tells what they held"}},
		{"control characters", strings.ReplaceAll(whole, `"plan":"B"`, `"plan":"B\u001b[31m\n\u202e"`), ExitTorn, []string{`plan B\x1b[31m\n\u202e`}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { check(t, c.in, c.code, c.want) })
	}
}

func TestTruncatedGzip(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	if _, err := z.Write([]byte(sound(t).text())); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	check(t, zipped.String(), ExitFine, []string{"books close; gateway agrees"})
	check(t, zipped.String()[:zipped.Len()/2], ExitTorn, []string{"TORN:", "of the compressed file"})
	check(t, zipped.String()[:zipped.Len()-4], ExitTorn, []string{"TORN: stdin is torn", "of the compressed file"})
}

func TestUsageErrors(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "no result file given"},
		{[]string{"--nonsense", "x"}, "flag provided but not defined: -nonsense"},
		{[]string{"-", "-"}, "can be read only once"},
		{[]string{filepath.Join("testdata", "absent.ndjson")}, "opening a result file: open"},
		{[]string{"-", "--journal", filepath.Join("testdata", "absent.ndjson")}, "opening the gateway's journal: open"},
		{[]string{"-", "--fail-on", "speed>3"}, `there is no metric "speed"; there are connecting_max,`},
		{[]string{"-", "--fail-on", "ok"}, "write [plan:]metric op number"},
		{[]string{"-", "--fail-on", "ok<many"}, `"many" is not a number`},
		{[]string{"-", "--fail-on", "A:unreconciled>0"}, "leave out the plan"},
	} {
		var out, errs bytes.Buffer
		code := Main(context.Background(), c.args, strings.NewReader(""), &out, &errs)
		if code != ExitUsage || out.Len() > 0 || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%q: exit %d, out %q, errors %q", c.args, code, out.String(), errs.String())
		}
	}
}

func TestUnreadableInput(t *testing.T) {
	var out, errs bytes.Buffer
	broken := errors.New("cable pulled")
	if code := Main(context.Background(), []string{"-"}, failing{broken}, &out, &errs); code != ExitUsage || !strings.Contains(errs.String(), "reading stdin: cable pulled") {
		t.Errorf("exit %d, %q", code, errs.String())
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(errors.New("interrupt"))
	errs.Reset()
	if code := Main(ctx, []string{"-"}, strings.NewReader(sound(t).text()), &out, &errs); code != ExitUsage || !strings.Contains(errs.String(), "was interrupted: interrupt") {
		t.Errorf("exit %d, %q", code, errs.String())
	}
	for _, args := range [][]string{{"-"}, {"-", "--json"}, {"--help"}} {
		errs.Reset()
		if code := Main(context.Background(), args, strings.NewReader(sound(t).text()), failing{broken}, &errs); code != ExitUsage {
			t.Errorf("%q to a broken output: exit %d, %q", args, code, errs.String())
		}
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error)  { return 0, f.err }
func (f failing) Write([]byte) (int, error) { return 0, f.err }

func FuzzMain(f *testing.F) {
	f.Add(sound(f).text(), "delivery_ratio<1")
	f.Add(`{"metric":"wsgov_run","type":"Point","data":{"time":"2026-01-02T03:04:05Z","value":1,"tags":{"phase":"end","plan":"a"},"metadata":{"totals":"{\"a\":{\"planned\":-1,\"frames\":null}}","length":"1e300"}}}`, "a:ok==0")
	f.Add(`{"metric":"m","type":"Point","data":{"time":"2026-01-02T03:04:05Z","value":1.7e308}}`+"\n"+`{"metric":"m","type":"Point","data":{"time":"2026-01-02T03:04:05Z","value":1.7e308}}`, "lost>0")
	f.Fuzz(func(t *testing.T, in, condition string) {
		for _, args := range [][]string{{"-"}, {"-", "--json", "--fail-on", condition}} {
			var out, errs bytes.Buffer
			code := Main(context.Background(), args, strings.NewReader(in), &out, &errs)
			if (code == ExitUsage) != (errs.Len() > 0) || (code != ExitUsage && out.Len() == 0) {
				t.Fatalf("exit %d with %d bytes out, errors %s", code, out.Len(), errs.String())
			}
		}
	})
}

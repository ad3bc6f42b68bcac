package report

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wsgov/wsgov/record"
)

func TestFailOn(t *testing.T) {
	in := sound(t).text()
	for _, c := range []struct {
		condition string
		hits      []string
	}{
		{"delivery_ratio<0.1", nil},
		{"delivery_ratio<0.5", []string{"delivery_ratio of plan B is 0.1"}},
		{"delivery_ratio < 0.999", []string{"delivery_ratio of plan B is 0.1", "delivery_ratio of plan C is 0.66666667"}},
		{"C:delivery_ratio<0.5", nil},
		{"C:lost>0", []string{"lost of plan C is 1"}},
		{"B:error>=9", []string{"error of plan B is 9"}},
		{"B:error==9", []string{"error of plan B is 9"}},
		{"B:error!=9", nil},
		{"B:error<=8.5", nil},
		{"unsent>0", nil},
		{"B:goodput<3", []string{"goodput of plan B is 2"}},
		{"B:frames_per_second>19", []string{"frames_per_second of plan B is 20"}},
		{"B:naive_success_ratio<1", nil},
		{"B:response_time_p99>5.9", []string{"response_time_p99 of plan B is 6"}},
		{"C:response_time_p99>100000", []string{"response_time_p99 of plan C is > deadline"}},
		{"C:response_time_p99<100000", nil},
		{"B:service_time_max>4", []string{"service_time_max of plan B is 5"}},
		{"C:send_lag_max>=400", []string{"send_lag_max of plan C is 400"}},
		{"C:generator_lag_max>=200", []string{"generator_lag_max of plan C is 200"}},
		{"B:handshakes_failed>0", nil},
		{"B:frames_received<10", nil},
		{"late>0", nil},
		{"unreconciled>0", nil},
		{"unreconciled>=0", []string{"unreconciled is 0"}},
		{"D:ok<1", []string{"cannot be judged, the input has no such plan"}},
	} {
		code, out, errs := report(t, in, "--fail-on", c.condition)
		want := ExitFine
		if len(c.hits) > 0 {
			want = ExitFailOn
		}
		if code != want || errs != "" || strings.Count(out, "fail-on: ") != len(c.hits) {
			t.Errorf("%s: exit %d, want %d, %s\n%.400s", c.condition, code, want, errs, out)
		}
		for _, hit := range c.hits {
			if !strings.Contains(out, "fail-on: "+c.condition+": "+hit) {
				t.Errorf("%s: %q is not in\n%.400s", c.condition, hit, out)
			}
		}
	}
}

func TestFailOnIsRepeatable(t *testing.T) {
	code, out, _ := report(t, sound(t).text(), "--fail-on", "C:lost>0", "--fail-on", "B:error>0", "--json")
	var doc struct {
		FailOn  []Hit `json:"failOn"`
		Verdict struct{ ExitCode int }
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if code != ExitFailOn || doc.Verdict.ExitCode != ExitFailOn || len(doc.FailOn) != 2 || doc.FailOn[1].Plan != "B" || *doc.FailOn[1].Value != 9 {
		t.Errorf("exit %d, %+v", code, doc)
	}
}

func TestWhatIsNotRecordedIsHit(t *testing.T) {
	f := newFixture(t, "r1")
	f.drive(drive{plan: "main", messages: all(1, msg{service: 1, outcome: record.OK}), frames: answers(1), length: 10})
	for _, condition := range []string{"unreconciled>0", "connecting_p99>1"} {
		code, out, _ := report(t, f.text(), "--fail-on", condition)
		if code != ExitFailOn || !strings.Contains(strings.Join(strings.Fields(out), " "), "is not recorded in the input") {
			t.Errorf("%s: exit %d\n%.300s", condition, code, out)
		}
	}
}

// Torn before open before hit: see the documentation of the exit codes.
func TestPrecedenceOfExitCodes(t *testing.T) {
	write := func(parts int64, noEnd bool) string {
		f := newFixture(t, "r1")
		f.drive(drive{plan: "main", messages: all(1, msg{service: 1, outcome: record.OK}), frames: answers(parts), length: 10, noEnd: noEnd})
		return f.text()
	}
	for _, c := range []struct {
		in   string
		want int
	}{{write(1, false), ExitFailOn}, {write(2, false), ExitOpen}, {write(2, true), ExitTorn}} {
		if code, out, _ := report(t, c.in, "--fail-on", "ok>0"); code != c.want || !strings.Contains(out, "fail-on: ok>0: ok of plan main is 1") {
			t.Errorf("exit %d, want %d\n%.200s", code, c.want, out)
		}
	}
}

// file writes text to a file of its own.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func command(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out, errs bytes.Buffer
	code := Main(context.Background(), args, strings.NewReader(""), &out, &errs)
	return code, out.String() + errs.String()
}

func TestSeveralFiles(t *testing.T) {
	part := func(id string, delay float64) string {
		f := newFixture(t, id)
		f.start = f.at(delay)
		f.drive(drive{plan: "main", messages: all(2, msg{lag: 1, service: 9, outcome: record.OK}), frames: answers(2), length: 1000, handshakes: 1})
		return file(t, id+".ndjson", f.text())
	}
	one, beside, after := part("a", 0), part("b", 100), part("c", 90_000)
	if code, out := command(t, one, beside); code != ExitFine || !strings.Contains(out, "2 parts were under way at the same time") || !strings.Contains(out, "(4 ok of 4 planned)") || !strings.Contains(out, "plan main  open") && !strings.Contains(out, "1.100 s") {
		t.Errorf("parts: exit %d\n%s", code, out)
	}
	if code, out := command(t, one, after); code != ExitFine || !strings.Contains(out, "run 2") || strings.Contains(out, "parts were under way") {
		t.Errorf("runs: exit %d\n%s", code, out)
	}
	if code, out := command(t, one, one); code != ExitTorn || !strings.Contains(out, "drive 1 of run a starts in two inputs") {
		t.Errorf("the same twice: exit %d\n%s", code, out)
	}
}

func TestRunSplitOverFiles(t *testing.T) {
	lines := strings.SplitAfter(sound(t).text(), "\n")
	// the second half has an end point with the run's identity, so it is known whose messages these are
	first, second := file(t, "a", strings.Join(lines[:20], "")), file(t, "b", strings.Join(lines[20:], ""))
	code, out := command(t, first, second)
	if code != ExitFine || !strings.Contains(out, "books close; gateway agrees: unreconciled 0") {
		t.Errorf("exit %d\n%s", code, out)
	}
}

func TestJournalOption(t *testing.T) {
	lines := []string{`{"kind":"head","version":1,"process":"p1"}`}
	for i := 1; i <= 10; i++ {
		verdict, replied := "limited", "1000000"
		if i == 10 {
			verdict, replied = "ok", "4000000"
		}
		lines = append(lines, `{"kind":"message","conn":1,"remote":"127.0.0.1:5001","id":`+string(rune('0'+i%10))+`,"received":1000000,"replied":`+replied+`,"verdict":"`+verdict+`"}`)
	}
	text := strings.Replace(strings.Join(lines, "\n"), `"id":0`, `"id":10`, 1) + `
{"kind":"message","conn":2,"remote":"127.0.0.1:5002","id":1,"received":0,"replied":3000000,"verdict":"ok"}
{"kind":"message","conn":2,"remote":"127.0.0.1:5002","id":2,"received":0,"replied":3000000,"verdict":"ok"}
`
	in := sound(t).text()
	code, out, errs := report(t, in, "--journal", file(t, "journal", text))
	flat := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{"unreconciled 0; journal agrees on 12 messages", "journal of gateway process p1: 12 messages; the ledger planned 13", "matched, same verdict 12", "lost to us, not answered 1", "plan B 0.000 3.000 1.250 5.000", "plan C 3.000 3.000 5.000 > deadline"} {
		if !strings.Contains(flat, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
	if code != ExitFine || errs != "" {
		t.Errorf("exit %d, %s", code, errs)
	}
	differing := strings.Replace(text, `"verdict":"ok"`, `"verdict":"limited"`, 1)
	code, out, _ = report(t, in, "--journal", file(t, "journal", differing))
	if code != ExitOpen || !strings.HasPrefix(out, "BOOKS DO NOT CLOSE: 1 messages differ between the ledger and the gateway's journal") || !strings.Contains(out, "plan B message 10 of 127.0.0.1:5001 is ok in the ledger and limited in the journal") {
		t.Errorf("exit %d\n%s", code, out)
	}
	code, out, _ = report(t, in, "--json", "--journal", file(t, "journal", text+"torn"))
	if code != ExitTorn || !strings.Contains(out, `"badLines": 1`) {
		t.Errorf("exit %d\n%.500s", code, out)
	}
}

func TestRealOutputOfK6(t *testing.T) {
	for name, want := range map[string][]string{
		"k6-v2.2.0.ndjson.gz":   {"delivery is not in this input: it is ordinary k6 output", "naive: received / sent = 330 / 340 = 0.9706, whatever the frames held", "ws_connecting", "read "},
		"generator-full.ndjson": {"offered: 50 iterations, of which 40 started (80.00 %) and 10 were dropped", "naive: received / sent = 40 / 40 = 1.0000"},
		"name-taken.ndjson":     {"foreign: 3 points of wsgov_delivered name no message", "sum 20 (k6's own 10, the script's 10)", "sum 16 (k6's own 8, the script's 8)", "naive: received / sent = 8 / 10 = 0.8000"},
		"thresholds.ndjson":     {"ws_rtt", "checks", "95.00 % (38 of 40)"},
	} {
		code, out := command(t, filepath.Join("..", "testdata", name))
		flat := strings.Join(strings.Fields(out), " ")
		for _, text := range want {
			if !strings.Contains(flat, text) {
				t.Errorf("%s: %q is not in\n%s", name, text, out)
			}
		}
		if code != ExitFine {
			t.Errorf("%s: exit %d", name, code)
		}
	}
}

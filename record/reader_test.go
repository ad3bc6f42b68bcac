package record

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// show reads everything and prints one line per record.
func show(r *Reader) string {
	var out strings.Builder
	for r.Next() {
		n, offset := r.Position()
		fmt.Fprintf(&out, "%d@%d ", n, offset)
		switch l := r.Line().(type) {
		case *PointLine:
			fmt.Fprintf(&out, "point %s %s %v %v %v\n", l.Metric, l.Time.Format(time.RFC3339Nano), l.Value, l.Tags, l.Metadata)
		case *MetricLine:
			fmt.Fprintf(&out, "metric %s %s %s %s %v\n", l.Name, l.Kind, l.Contains, l.Thresholds, l.Submetrics)
		case *Bad:
			fmt.Fprintf(&out, "bad %d %s|%s|%s %v\n", l.Length, l.Reason, l.Text, l.Metric, l.Tags)
		}
	}
	if err := r.Err(); err != nil {
		fmt.Fprintf(&out, "err %v\n", err)
	}
	return out.String()
}

const aPoint = `{"metric":"m","type":"Point","data":{"time":"2026-01-02T03:04:05.5Z","value":1,"tags":{"b":"2","a":"1"}}}`

func TestReaderAcceptsEveryVariant(t *testing.T) {
	cases := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"blank lines", "\n \r\n\n", ""},
		{"no final newline", aPoint, "1@0 point m 2026-01-02T03:04:05.5Z 1 [{a 1} {b 2}] []\n"},
		{"CR LF and BOM", "\ufeff" + aPoint + "\r\n\r\n" + aPoint + "\r\n", "1@0 point m 2026-01-02T03:04:05.5Z 1 [{a 1} {b 2}] []\n3@112 point m 2026-01-02T03:04:05.5Z 1 [{a 1} {b 2}] []\n"},
		{"v1 order and number", `{"type":"Point","data":{"value":1.5e+06,"metadata":{"vu":"1"},"tags":null,"time":"2026-01-02T03:04:05+02:00","x":[{}]},"more":{"metric":"no"},"metric":"m"}`,
			"1@0 point m 2026-01-02T03:04:05+02:00 1.5e+06 [] [{vu 1}]\n"},
		{"repeated key, odd tag values", `{"metric":"m","type":"Point","data":{"time":"2026-01-02T03:04:05Z","value":1e-7,"tags":{"a":"1","b":7,"a":"2","c":{"d":1}}}}`,
			"1@0 point m 2026-01-02T03:04:05Z 1e-07 [{a 2} {b 7} {c {\"d\":1}}] []\n"},
		{"metric", `{"type":"Metric","data":{"name":"m","type":"trend","contains":"time","tainted":null,"thresholds":["p(95)<1",{"threshold":"max<2","abortOnFail":true}],"submetrics":[{"name":"m{a:1}","suffix":"a:1","tags":{"a":"1"}}]},"metric":"m"}`,
			`1@0 metric m trend time ["p(95)<1" {"threshold":"max<2","abortOnFail":true}] [{m{a:1} a:1 [{a 1}]}]` + "\n"},
		{"old metric", `{"type":"Metric","data":{"type":"gauge","contains":"default","thresholds":null,"submetrics":null,"sub":{}},"metric":"old"}`, "1@0 metric old gauge default [] []\n"},
		{"metric named only inside", `{"type":"Metric","data":{"name":"inner","type":"gauge"}}`, "1@0 metric inner gauge  [] []\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := show(NewReader(strings.NewReader(c.in), "f")); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

func TestReaderKeepsBadLines(t *testing.T) {
	cases := []struct{ in, want string }{
		{"running (1.0s), 4 VUs", "not a JSON object"},
		{"\x00\x00\x00", "not a JSON object"},
		{`{"metric":"m","type":"Point"`, "not valid JSON at byte"},
		{`{}`, `no "type"`},
		{`{"type":"Event","metric":"m"}`, `type "Event" is neither`},
		{`{"type":"Point","data":{}}`, "without the name of its metric"},
		{`{"type":"Point","metric":"m"}`, `without "data"`},
		{`{"type":"Point","metric":"m","data":[]}`, `without "data"`},
		{`{"type":"Metric","data":{}}`, "without the name of its metric"},
		{strings.Replace(aPoint, `"value":1`, `"value":"1"`, 1), `must be a number, not "1"`},
		{strings.Replace(aPoint, `"value":1,`, ``, 1), "must be a number, not absent"},
		{strings.Replace(aPoint, `"value":1`, `"value":1e999`, 1), "beyond what a float64 holds"},
		{strings.Replace(aPoint, `2026-01-02T`, `02.01.2026 `, 1), "must be in RFC 3339 form"},
		{strings.Repeat("[", 5000), "not a JSON object"},
		{`{"type":` + strings.Repeat("[", 5000), "nested deeper than 1000"},
	}
	for _, c := range cases {
		r := NewReader(strings.NewReader(aPoint+"\n"+c.in+"\n"+aPoint+"\n"), "file.ndjson")
		got := show(r)
		if strings.Count(got, "point") < 2 || strings.Count(got, "bad") != 1 || !strings.Contains(got, c.want) || r.Err() != nil {
			t.Errorf("%.60s:\n%s", c.in, got)
		}
	}
}

func TestBadLineSaysWhere(t *testing.T) {
	r := NewReader(strings.NewReader(aPoint+"\nnonsense "+strings.Repeat("x", 1000)+"\r\n"), "file.ndjson")
	r.Next()
	r.Next()
	b, ok := r.Line().(*Bad)
	if !ok || len(b.Text) != textLimit {
		t.Fatalf("got %v", r.Line())
	}
	want := fmt.Sprintf("file.ndjson: line 2 (byte %d, 1009 bytes): not a JSON object: text of another program, or part of another line", len(aPoint)+1)
	if b.String() != want {
		t.Errorf("got  %s\nwant %s", b, want)
	}
}

func TestBareNumbersAreNamedNotCounted(t *testing.T) {
	for _, v := range []string{"NaN", "+Inf", "-Inf", "Infinity"} {
		got := show(NewReader(strings.NewReader(strings.Replace(aPoint, `"value":1`, `"value":`+v, 1)), "f"))
		want := "the value of m is " + v + ", which is no JSON number: k6 v1 writes it for a sample that is not finite; the value is not counted|"
		if !strings.Contains(got, want) || !strings.HasSuffix(got, "|m [{a 1} {b 2}]\n") {
			t.Errorf("%s: %s", v, got)
		}
	}
}

func TestTornLastLine(t *testing.T) {
	r := NewReader(strings.NewReader(aPoint+"\n"+aPoint[:40]), "f")
	got := show(r)
	var torn *TornError
	if !errors.As(r.Err(), &torn) || torn.Line != 2 || torn.Byte != int64(len(aPoint)+41) || torn.Compressed != -1 || !errors.Is(torn, io.ErrUnexpectedEOF) {
		t.Errorf("err %#v", r.Err())
	}
	if !strings.Contains(got, "bad 40 torn last line: not valid JSON") || r.Lines() != 2 || r.Bytes() != int64(len(aPoint)+41) {
		t.Error(got)
	}
}

func zip(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestOpen(t *testing.T) {
	whole := aPoint + "\n"
	member := zip(t, whole)
	cases := []struct {
		name    string
		content []byte
		points  int
		err     string
	}{
		{"plain", []byte(whole), 1, ""},
		{"empty", nil, 0, ""},
		{"gz", member, 1, ""},
		{"two members", append(bytes.Clone(member), member...), 2, ""},
		{"cut trailer", member[:len(member)-4], 1, fmt.Sprintf("is torn at line 1, byte %d (byte %d of the compressed file): unexpected EOF", len(whole), len(member)-4)},
		{"cut header", append(bytes.Clone(member), member[:5]...), 1, "is torn at line 1"},
		{"two bytes", member[:2], 0, "is torn at line 0, byte 0 (byte 2 of the compressed file)"},
		{"damaged", append(bytes.Clone(member[:20]), bytes.Repeat([]byte{0xff}, 50)...), 0, "is torn at line"},
		{"trailing junk", append(bytes.Clone(member), "junk after the end"...), 1, "is torn at line 1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "any name")
			if err := os.WriteFile(path, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, from := range []string{path, "-"} {
				r, err := Open(from, bytes.NewReader(c.content))
				if err != nil {
					t.Fatal(err)
				}
				got := show(r)
				if strings.Count(got, "point m") != c.points || !strings.Contains(got, c.err) || (c.err == "") != (r.Err() == nil) {
					t.Errorf("%s: %s", from, got)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	if _, err := Open(filepath.Join(t.TempDir(), "absent"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("absent file: %v", err)
	}
	if _, err := Detect(strings.NewReader("\xff\xfe{\x00"), "f"); err == nil || !strings.Contains(err.Error(), "UTF-16") {
		t.Errorf("UTF-16: %v", err)
	}
}

func TestReadErrorIsTold(t *testing.T) {
	broken := errors.New("cable pulled")
	r := NewReader(io.MultiReader(strings.NewReader(aPoint+"\n"+aPoint[:20]), failing{broken}), "f")
	got := show(r)
	if !errors.Is(r.Err(), broken) || !strings.Contains(got, "torn last line") || !strings.Contains(got, "reading f at byte") {
		t.Error(got)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestLongLines(t *testing.T) {
	long := strings.Replace(aPoint, `"a":"1"`, `"a":"`+strings.Repeat("x", 10<<20)+`"`, 1)
	r := NewReader(strings.NewReader(aPoint+"\n"+long+"\n"+aPoint+"\n"), "f")
	sizes := []int{}
	for r.Next() {
		sizes = append(sizes, len(r.Line().(*PointLine).Tags.Value("a")))
	}
	if r.Err() != nil || fmt.Sprint(sizes) != fmt.Sprint([]int{1, 10 << 20, 1}) {
		t.Errorf("sizes %v, err %v", sizes, r.Err())
	}
	r = NewReader(strings.NewReader(aPoint+"\n"+long+"\r\n"+aPoint), "f")
	r.longest = 1 << 20
	got := show(r)
	if !strings.Contains(got, fmt.Sprintf("2@%d bad %d longer than 1048576 bytes: skipped|", len(aPoint)+1, len(long))) || strings.Count(got, "point m") != 2 {
		t.Errorf("%.500s", got)
	}
}

func TestInternedStringsSurvive(t *testing.T) {
	var in strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&in, `{"metric":"m","type":"Point","data":{"time":"2026-01-02T03:04:05Z","value":1,"tags":{"n":"%d"}}}`+"\n", i)
	}
	r := NewReader(strings.NewReader(in.String()), "f")
	var kept []string
	for r.Next() {
		kept = append(kept, r.Line().(*PointLine).Tags.Value("n"))
	}
	for i, s := range kept {
		if s != fmt.Sprint(i) {
			t.Fatalf("value %d became %q", i, s)
		}
	}
}

func FuzzReader(f *testing.F) {
	f.Add([]byte(aPoint+"\n"+aPoint[:30]), uint16(64))
	f.Add([]byte(strings.Replace(aPoint, `"value":1`, `"value":NaN`, 1)+"\r\n\ufeff\n{}"), uint16(1000))
	f.Add([]byte(`{"type":"Metric","data":{"thresholds":[1,{"a":2}],"submetrics":[{"tags":null},3]},"metric":"\ud800\u0000"}`), uint16(500))
	f.Add([]byte("\x1f\x8b\x08\x00junk"), uint16(9))
	f.Fuzz(func(t *testing.T, in []byte, longest uint16) {
		r, err := Detect(bytes.NewReader(in), "f")
		if err != nil {
			return
		}
		r.longest = int(longest)
		records := 0
		for r.Next() {
			records++
			if _, offset := r.Position(); r.zipped == nil && (offset < 0 || offset > int64(len(in))) {
				t.Fatalf("offset %d of %d", offset, len(in))
			}
		}
		if records > r.Lines() {
			t.Fatalf("%d records from %d lines", records, r.Lines())
		}
		if r.zipped == nil && r.Bytes() != int64(len(in)) {
			t.Fatalf("%d bytes of %d read", r.Bytes(), len(in))
		}
	})
}

func FuzzRoundTrip(f *testing.F) {
	f.Add("m", int64(1767323045500000000), 1.5, "key", "value\n", "meta", "\u2028\xff")
	f.Fuzz(func(t *testing.T, metric string, nanos int64, value float64, key, tag, meta, data string) {
		s := Sample{Metric: &Metric{Name: metric}, Time: time.Unix(0, nanos).UTC(), Value: value, Tags: NewTags(key, tag), Metadata: NewTags(meta, data)}
		line, err := AppendPoint(nil, &s)
		if err != nil || metric == "" {
			return
		}
		r := NewReader(bytes.NewReader(line), "f")
		if !r.Next() {
			t.Fatal("nothing read")
		}
		got, ok := r.Line().(*PointLine)
		valid := func(s string) string { return string([]rune(s)) }
		want := PointLine{valid(metric), s.Time, value, NewTags(valid(key), valid(tag)), NewTags(valid(meta), valid(data))}
		if !ok || got.Metric != want.Metric || !got.Time.Equal(want.Time) || got.Value != want.Value || fmt.Sprint(got.Tags, got.Metadata) != fmt.Sprint(want.Tags, want.Metadata) {
			t.Fatalf("wrote %s\nread %+v", line, r.Line())
		}
	})
}

func BenchmarkReader(b *testing.B) {
	line, _ := AppendPoint(nil, benchSample())
	text := bytes.Repeat(line, 2000)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for r := NewReader(bytes.NewReader(text), "f"); r.Next(); {
		}
	}
}

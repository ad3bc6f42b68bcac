package output_test

import (
	"bytes"
	"errors"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/wsgov/wsgov/host/output"
	"github.com/wsgov/wsgov/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func samples(values ...float64) []record.Sample {
	var out []record.Sample
	for _, v := range values {
		out = append(out, record.Sample{Metric: record.Delivered, Time: time.UnixMilli(1000).UTC(), Value: v})
	}
	return out
}

func open(t *testing.T, spec string, stdout *bytes.Buffer) (*output.JSON, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	j, err := output.Open(spec, stdout, nil, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	return j, &log
}

func TestWritesEverythingInOrder(t *testing.T) {
	for _, name := range []string{"out.json", "out.json.gz"} {
		path := filepath.Join(t.TempDir(), name)
		j, _ := open(t, "json="+path, nil)
		for range 100 {
			j.Take(samples(1, 0))
		}
		if err := j.Stop(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if gz := bytes.HasPrefix(text, []byte{0x1f, 0x8b}); gz != strings.HasSuffix(name, ".gz") {
			t.Errorf("%s is compressed: %v", name, gz)
		} else if lines := bytes.Count(text, []byte("\n")); !gz && lines != 201 {
			t.Errorf("%d lines, want 201", lines)
		}
	}
}

func TestStdout(t *testing.T) {
	for _, spec := range []string{"json", "json=-"} {
		var out bytes.Buffer
		j, _ := open(t, spec, &out)
		j.Take(samples(1))
		if err := j.Stop(); err != nil || strings.Count(out.String(), "\n") != 2 || !output.ToStdout(spec) {
			t.Errorf("%s: %v, wrote %q", spec, err, out.String())
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for spec, want := range map[string]string{
		"influxdb=http://x": `the output "influxdb" is not offered`, "csv=a.csv": "json=FILE", "json=" + t.TempDir() + "/none/a.json": "--out json=",
	} {
		if _, err := output.Open(spec, nil, nil, slog.Default()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Open(%q) error = %v; want one that says %q", spec, err, want)
		}
	}
}

// brokenWriter takes nothing.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestFailingDestinationIsSaidOnceAndLossIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		j, err := output.Open("json", brokenWriter{}, nil, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		j.Take(samples(1))
		time.Sleep(3 * time.Second) // of the bubble's clock: the flush meets the error
		for range 5 {
			j.Take(samples(1, 1))
			synctest.Wait()
		}
		err = j.Stop()
		if err == nil || !strings.Contains(err.Error(), "10 samples are missing") || !strings.Contains(err.Error(), "no space left") {
			t.Errorf("Stop = %v", err)
		}
		if n := strings.Count(log.String(), "no space left"); n != 1 {
			t.Errorf("the error was logged %d times: %s", n, log.String())
		}
	})
}

func TestSkippedSamplesAreSaid(t *testing.T) {
	var out bytes.Buffer
	j, log := open(t, "json", &out)
	j.Take(samples(math.Inf(1), 1))
	if err := j.Stop(); err != nil || !strings.Contains(log.String(), "1 samples are not in stdout") {
		t.Errorf("%v, log %q", err, log.String())
	}
}

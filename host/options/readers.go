package options

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/wsgov/wsgov/host/threshold"
	"github.com/wsgov/wsgov/xk6-wsgov/duration"
)

// reader reads the value of one option.
type reader func(*Options, json.RawMessage) error

// readers are all options that this host offers.
var readers = map[string]reader{
	"vus":                   ignore, // read together by shortcut
	"duration":              ignore,
	"iterations":            ignore,
	"scenarios":             readScenarios,
	"thresholds":            readThresholds,
	"tags":                  func(o *Options, v json.RawMessage) error { return readStrings(v, &o.Tags) },
	"systemTags":            readSystemTags,
	"setupTimeout":          durationOf(func(o *Options) *time.Duration { return &o.SetupTimeout }),
	"teardownTimeout":       durationOf(func(o *Options) *time.Duration { return &o.TeardownTimeout }),
	"handleSummaryTimeout":  durationOf(func(o *Options) *time.Duration { return &o.HandleSummaryTimeout }),
	"minIterationDuration":  durationOf(func(o *Options) *time.Duration { return &o.MinIterationDuration }),
	"noSetup":               boolOf(func(o *Options) *bool { return &o.NoSetup }),
	"noTeardown":            boolOf(func(o *Options) *bool { return &o.NoTeardown }),
	"throw":                 boolOf(func(o *Options) *bool { return &o.Throw }),
	"insecureSkipTLSVerify": boolOf(func(o *Options) *bool { return &o.InsecureTLS }),
	"summaryTrendStats":     readTrendStats,
	"summaryTimeUnit":       readTimeUnit,
}

func ignore(*Options, json.RawMessage) error { return nil }

func durationOf(field func(*Options) *time.Duration) reader {
	return func(o *Options, v json.RawMessage) (err error) {
		*field(o), err = readDuration(v)
		return err
	}
}

func boolOf(field func(*Options) *bool) reader {
	return func(o *Options, v json.RawMessage) error {
		if err := json.Unmarshal(v, field(o)); err != nil {
			return fmt.Errorf("%s is not true or false", v)
		}
		return nil
	}
}

// readDuration reads k6's duration, which is never negative in an option.
func readDuration(v json.RawMessage) (time.Duration, error) {
	var text string
	if json.Unmarshal(v, &text) != nil {
		text = string(v)
	}
	d, err := duration.Parse(text)
	if err == nil && d < 0 {
		return 0, fmt.Errorf("%s is negative", v)
	}
	return d, err
}

func readCount(v json.RawMessage) (int64, error) {
	var n int64
	if err := json.Unmarshal(v, &n); err != nil || n < 1 {
		return 0, fmt.Errorf("%s is not a whole number from 1", v)
	}
	return n, nil
}

func readString(v json.RawMessage) (string, error) {
	var s string
	if err := json.Unmarshal(v, &s); err != nil {
		return "", fmt.Errorf("%s is not a string", v)
	}
	return s, nil
}

// readStrings reads an object; numbers and booleans become their text, as k6 does for tags.
func readStrings(v json.RawMessage, to *map[string]string) error {
	var object map[string]json.RawMessage
	if err := json.Unmarshal(v, &object); err != nil {
		return fmt.Errorf("%s is not an object of strings", v)
	}
	out := make(map[string]string, len(object))
	for key, value := range object {
		if s, err := readString(value); err == nil {
			out[key] = s
		} else if c := value[0]; c == '{' || c == '[' {
			return fmt.Errorf("the value of %q is not a string", key)
		} else {
			out[key] = string(value)
		}
	}
	*to = out
	return nil
}

func readList(v json.RawMessage) ([]string, error) {
	var list []string
	if err := json.Unmarshal(v, &list); err != nil {
		return nil, fmt.Errorf("%s is not a list of strings", v)
	}
	return list, nil
}

func readThresholds(o *Options, v json.RawMessage) error {
	var byName map[string]json.RawMessage
	if err := json.Unmarshal(v, &byName); err != nil {
		return fmt.Errorf("%s is not an object from metric to thresholds", v)
	}
	o.Thresholds = nil
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		selector, err := threshold.ParseSelector(name)
		if err != nil {
			return err
		}
		list, err := threshold.ParseAll(byName[name])
		if err != nil {
			return fmt.Errorf("%q: %w", name, err)
		}
		o.Thresholds = append(o.Thresholds, Watch{Selector: selector, Thresholds: list})
	}
	return nil
}

// knownSystemTags are k6's; the host itself sets only some of them.
var knownSystemTags = []string{
	"proto", "subproto", "status", "method", "url", "name", "group", "check", "error", "error_code", "tls_version", "scenario",
	"service", "expected_response", "ip", "ocsp_status", "vu", "iter",
}

func readSystemTags(o *Options, v json.RawMessage) error {
	list, err := readList(v)
	if err != nil {
		return err
	}
	for _, name := range list {
		if !slices.Contains(knownSystemTags, name) {
			return fmt.Errorf("there is no system tag %q%s", name, Nearest(name, knownSystemTags))
		}
	}
	o.SystemTags = list
	return nil
}

func readTrendStats(o *Options, v json.RawMessage) error {
	list, err := readList(v)
	if err != nil {
		return err
	}
	o.SummaryTrendStats = nil
	for _, name := range list {
		a, err := trendStat(name)
		if err != nil {
			return err
		}
		o.SummaryTrendStats = append(o.SummaryTrendStats, a)
	}
	return nil
}

func trendStat(name string) (threshold.Aggregation, error) {
	e, err := threshold.Parse(strings.TrimSpace(name) + "<0")
	if err != nil || e.Aggregation.Name == "rate" || e.Aggregation.Name == "value" {
		return threshold.Aggregation{}, fmt.Errorf("%q is not a statistic: use avg, min, med, max, count or p(N) with N from 0 to 100", name)
	}
	return e.Aggregation, nil
}

func readTimeUnit(o *Options, v json.RawMessage) error {
	unit, err := readString(v)
	if err != nil {
		return err
	}
	if !slices.Contains([]string{"", "s", "ms", "us"}, unit) {
		return fmt.Errorf("%q is not a unit: use s, ms or us", unit)
	}
	o.SummaryTimeUnit = unit
	return nil
}

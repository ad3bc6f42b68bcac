package threshold

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/wsgov/wsgov/xk6-wsgov/duration"
)

// Threshold is an expression with what happens when it fails during the run.
type Threshold struct {
	Source      string // as the script wrote it, trimmed
	Expression  Expression
	AbortOnFail bool
	// DelayAbortEval is how long the run must have lasted before a failure aborts it.
	DelayAbortEval time.Duration
	raw            json.RawMessage
}

// Verdict is a threshold judged at one moment. Observed is meaningless if nothing was observed, which passes.
type Verdict struct {
	Threshold *Threshold
	Observed  float64
	Missing   bool
	OK        bool
}

// ParseAll reads the value of one key of options.thresholds: an expression, an object with "threshold", or a list of
// these.
func ParseAll(value json.RawMessage) ([]*Threshold, error) {
	items := []json.RawMessage{value}
	if v := bytes.TrimSpace(value); len(v) > 0 && v[0] == '[' {
		if err := json.Unmarshal(value, &items); err != nil {
			return nil, fmt.Errorf("reading a list of thresholds: %w", err)
		}
	}
	out := make([]*Threshold, 0, len(items))
	for _, item := range items {
		t, err := parseOne(item)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

func parseOne(item json.RawMessage) (*Threshold, error) {
	var source string
	if json.Unmarshal(item, &source) == nil && string(item) != "null" {
		return New(source)
	}
	return parseObject(item)
}

// New reads a threshold that does not abort the run.
func New(source string) (*Threshold, error) {
	source = strings.TrimSpace(source)
	e, err := Parse(source)
	if err != nil {
		return nil, err
	}
	return &Threshold{Source: source, Expression: e}, nil
}

func parseObject(item json.RawMessage) (*Threshold, error) {
	var object struct {
		Threshold      *string         `json:"threshold"`
		AbortOnFail    bool            `json:"abortOnFail"`
		DelayAbortEval json.RawMessage `json:"delayAbortEval"`
	}
	d := json.NewDecoder(bytes.NewReader(item))
	d.DisallowUnknownFields()
	if err := d.Decode(&object); err != nil {
		return nil, fmt.Errorf("threshold %s: %w (a threshold is a string such as 'p(95)<500' or an object with threshold, abortOnFail and delayAbortEval)", item, err)
	}
	if object.Threshold == nil {
		return nil, fmt.Errorf("threshold %s lacks the key 'threshold'", item)
	}
	t, err := New(*object.Threshold)
	if err != nil {
		return nil, err
	}
	t.AbortOnFail = object.AbortOnFail
	t.DelayAbortEval, err = parseDelay(object.DelayAbortEval)
	if err != nil {
		return nil, fmt.Errorf("threshold %q: delayAbortEval: %w", t.Source, err)
	}
	t.raw = object.DelayAbortEval
	return t, nil
}

func parseDelay(raw json.RawMessage) (time.Duration, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return 0, nil
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		text = string(raw)
	}
	d, err := duration.Parse(text)
	if err == nil && d < 0 {
		return 0, errors.New("it is negative")
	}
	return d, err
}

// MarshalJSON writes the threshold as k6 does in its output: a string, or an object if it aborts the run. Signs such as
// "<" stay as they are.
func (t *Threshold) MarshalJSON() ([]byte, error) {
	if !t.AbortOnFail {
		return plainJSON(t.Source)
	}
	delay := t.raw
	if len(delay) == 0 {
		delay = json.RawMessage("null")
	}
	return plainJSON(struct {
		Threshold      string          `json:"threshold"`
		AbortOnFail    bool            `json:"abortOnFail"`
		DelayAbortEval json.RawMessage `json:"delayAbortEval"`
	}{t.Source, true, delay})
}

func plainJSON(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// Judge compares the threshold with what was observed. A value that is missing, such as the rate of no samples, passes.
func (t *Threshold) Judge(observed float64, ok bool) Verdict {
	return Verdict{Threshold: t, Observed: observed, Missing: !ok, OK: !ok || t.Expression.Holds(observed)}
}

// Aborts reports whether a failed verdict ends a run that has lasted for elapsed.
func (v Verdict) Aborts(elapsed time.Duration) bool {
	t := v.Threshold
	return !v.OK && t.AbortOnFail && (t.DelayAbortEval == 0 || elapsed > t.DelayAbortEval)
}

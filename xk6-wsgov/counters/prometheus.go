package counters

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// selector is a metric's name and the labels that a series must have.
type selector struct {
	metric string
	labels map[string]string
}

// parseSelector reads m or m{a="x",b="y"}.
func parseSelector(text string) (selector, error) {
	name, rest, labelled := strings.Cut(text, "{")
	s := selector{metric: strings.TrimSpace(name), labels: map[string]string{}}
	malformed := fmt.Errorf("%q names no metric: write name or name{label=\"value\"}", text)
	if s.metric == "" || strings.ContainsAny(s.metric, " \"}") {
		return s, malformed
	}
	if !labelled {
		return s, nil
	}
	rest = strings.TrimSpace(rest)
	for !strings.HasPrefix(rest, "}") {
		label, after, found := strings.Cut(rest, "=")
		quoted, err := strconv.QuotedPrefix(strings.TrimSpace(after))
		if !found || err != nil {
			return s, malformed
		}
		value, _ := strconv.Unquote(quoted)
		s.labels[strings.TrimSpace(label)] = value
		rest = strings.TrimSpace(strings.TrimSpace(after)[len(quoted):])
		rest = strings.TrimSpace(strings.TrimPrefix(rest, ","))
	}
	if rest != "}" {
		return s, malformed
	}
	return s, nil
}

// fromPrometheus sums the wanted metrics up over their series.
func (s *Source) fromPrometheus(text []byte) (Reading, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		return Reading{}, fmt.Errorf("the answer is neither JSON nor Prometheus text: %w", err)
	}
	r := Reading{Counters: map[string]float64{}}
	for _, name := range s.Names {
		v, found, err := sum(families, name)
		if err != nil {
			return r, err
		}
		if found {
			r.Counters[name] = v
		}
	}
	if s.Identity == "" {
		return r, nil
	}
	v, found, err := sum(families, s.Identity)
	if found {
		r.Identity = strconv.FormatFloat(v, 'f', -1, 64)
	}
	return r, err
}

func sum(families map[string]*dto.MetricFamily, name string) (total float64, found bool, err error) {
	want, err := parseSelector(name)
	if err != nil {
		return 0, false, err
	}
	for _, m := range families[want.metric].GetMetric() {
		if !want.matches(m) {
			continue
		}
		found = true
		// Only one of the three is set; a missing one counts as 0.
		total += m.GetCounter().GetValue() + m.GetGauge().GetValue() + m.GetUntyped().GetValue()
	}
	return total, found, nil
}

func (s selector) matches(m *dto.Metric) bool {
	found := 0
	for _, l := range m.GetLabel() {
		if v, wanted := s.labels[l.GetName()]; wanted && v == l.GetValue() {
			found++
		}
	}
	return found == len(s.labels)
}

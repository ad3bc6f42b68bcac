package postproc

import (
	"github.com/wsgov/wsgov/postproc/latency"
	"github.com/wsgov/wsgov/record"
)

// Metric is what an input has of a metric that is not about our planned messages: k6's own, or a script's. Count is the
// number of points, Sum that of their values. Trend is set for a trend whose values are within the range of the
// distributions, with quantiles of three digits by nearest rank. Foreign counts points that a script wrote under one of
// this module's names, NotFinite lines whose value was NaN or infinite. URLCount and URLSum are of the points tagged with a
// URL, which k6's own network metrics are and a script's points of the same name are not.
type Metric struct {
	Name      string            `json:"name"`
	Kind      record.Kind       `json:"type"`
	Contains  record.Contains   `json:"contains"`
	Count     int64             `json:"count"`
	Sum       float64           `json:"sum"`
	NonZero   int64             `json:"nonZero"`
	Min       float64           `json:"min"`
	Max       float64           `json:"max"`
	Last      float64           `json:"last"`
	URLCount  int64             `json:"urlCount"`
	URLSum    float64           `json:"urlSum"`
	Foreign   int64             `json:"foreign"`
	NotFinite int64             `json:"notFinite"`
	Trend     *record.Quantiles `json:"trend,omitempty"`
}

type metric struct {
	Metric
	trend *latency.Histogram
}

func (c *Collector) metric(name string) *metric {
	m := c.metrics[name]
	if m == nil {
		m = &metric{Metric: Metric{Name: name}}
		c.metrics[name] = m
		c.names = append(c.names, name)
	}
	return m
}

func (m *metric) declare(l *record.MetricLine) {
	m.Kind, m.Contains = l.Kind, l.Contains
}

func (m *metric) add(p *record.PointLine) {
	if m.Count == 0 {
		m.Min, m.Max = p.Value, p.Value
	}
	m.Count++
	m.Sum += p.Value
	m.Min, m.Max, m.Last = min(m.Min, p.Value), max(m.Max, p.Value), p.Value
	if p.Value != 0 {
		m.NonZero++
	}
	if _, ok := p.Tags.Get("url"); ok {
		m.URLCount++
		m.URLSum += p.Value
	}
	if m.Kind != record.Trend {
		return
	}
	if m.trend == nil {
		m.trend = latency.NewCoarse()
	}
	m.trend.Record(p.Value)
}

// summary is the metric as the summary shows it.
func (m *metric) summary() Metric {
	out := m.Metric
	if m.trend != nil && m.trend.Clamped() == 0 {
		q := m.trend.Quantiles()
		out.Trend = &q
	}
	return out
}

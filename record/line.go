package record

import (
	"encoding/json"
	"time"
)

// MetricLine is the line that describes a metric. Thresholds are JSON texts, a string or an object each, of those
// thresholds that are keyed by exactly this metric; an empty Submetrics is null in the line.
type MetricLine struct {
	Metric
	Thresholds []json.RawMessage
	Submetrics []Submetric
}

// Submetric names a metric narrowed by tags. Name is the metric's name with the suffix in braces; Suffix is the selector
// as the script wrote it, "a:1,b:2".
type Submetric struct {
	Name   string
	Suffix string
	Tags   Tags
}

// PointLine is the line of one value of one metric. Metric is a name only: a reader learns the kind from the metric's
// own line, if there is one. Tags and Metadata are empty, not absent, when the line has none.
type PointLine struct {
	Metric   string
	Time     time.Time
	Value    float64
	Tags     Tags
	Metadata Tags
}

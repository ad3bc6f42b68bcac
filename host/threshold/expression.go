// Package threshold reads and judges k6's pass/fail criteria.
package threshold

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/wsgov/wsgov/record"
)

// Aggregation is what a threshold looks at: "count", "rate", "value", "avg", "min", "max", "med", or "p" with its
// percentile from 0 to 100.
type Aggregation struct {
	Name       string
	Percentile float64 // of "p" only
}

// String is the aggregation as it is written in a threshold.
func (a Aggregation) String() string {
	if a.Name != "p" {
		return a.Name
	}
	return "p(" + strconv.FormatFloat(a.Percentile, 'f', -1, 64) + ")"
}

// Expression is one assertion such as "p(95)<500".
type Expression struct {
	Aggregation Aggregation
	Operator    string // <=, <, >=, >, ===, == or !=
	Value       float64
}

// operators in the order in which an expression is searched for them.
var operators = []string{"<=", "<", ">=", ">", "===", "==", "!="}

// aggregations by metric kind; trends know p(N) besides.
var aggregations = map[record.Kind][]string{
	record.Counter: {"count", "rate"},
	record.Gauge:   {"value"},
	record.Rate:    {"rate"},
	record.Trend:   {"avg", "min", "max", "med", "p"},
}

// Parse reads an expression: aggregation, operator and a number as strconv.ParseFloat takes it, with white space
// around each.
func Parse(source string) (Expression, error) {
	left, operator, right, err := split(source)
	if err != nil {
		return Expression{}, err
	}
	aggregation, err := parseAggregation(left)
	if err != nil {
		return Expression{}, fmt.Errorf("threshold %q: %w", source, err)
	}
	value, err := strconv.ParseFloat(right, 64)
	if err != nil || math.IsNaN(value) {
		return Expression{}, fmt.Errorf("threshold %q: %q is not a number to compare with", source, right)
	}
	return Expression{Aggregation: aggregation, Operator: operator, Value: value}, nil
}

func split(source string) (left, operator, right string, err error) {
	for _, op := range operators {
		if l, r, found := strings.Cut(source, op); found {
			return strings.TrimSpace(l), op, strings.TrimSpace(r), nil
		}
	}
	return "", "", "", fmt.Errorf("threshold %q has no operator: use one of %s, as in 'p(95)<500'", source, strings.Join(operators, " "))
}

func parseAggregation(text string) (Aggregation, error) {
	switch text {
	case "count", "rate", "value", "avg", "min", "max", "med":
		return Aggregation{Name: text}, nil
	}
	inner, found := strings.CutPrefix(text, "p(")
	inner, closed := strings.CutSuffix(inner, ")")
	if !found || !closed {
		return Aggregation{}, fmt.Errorf("unknown aggregation %q: use count, rate, value, avg, min, max, med or p(N)", text)
	}
	p, err := strconv.ParseFloat(strings.TrimSpace(inner), 64)
	if err != nil || math.IsNaN(p) || p < 0 || p > 100 {
		return Aggregation{}, fmt.Errorf("the percentile in %q is not a number from 0 to 100", text)
	}
	return Aggregation{Name: "p", Percentile: p}, nil
}

// Supports reports, as an error, an aggregation that metrics of this kind do not have.
func (a Aggregation) Supports(kind record.Kind) error {
	offered := aggregations[kind]
	for _, name := range offered {
		if name == a.Name {
			return nil
		}
	}
	text := strings.Join(offered, ", ")
	if kind == record.Trend {
		text = strings.TrimSuffix(text, "p") + "p(N)"
	}
	return fmt.Errorf("%q does not apply to a %s, which has %s", a, kind, text)
}

// Holds judges an observed value.
func (e Expression) Holds(observed float64) bool {
	switch e.Operator {
	case "<=":
		return observed <= e.Value
	case "<":
		return observed < e.Value
	case ">=":
		return observed >= e.Value
	case ">":
		return observed > e.Value
	case "!=":
		return observed != e.Value
	}
	return observed == e.Value
}

// String is the expression in its shortest form.
func (e Expression) String() string {
	return e.Aggregation.String() + e.Operator + strconv.FormatFloat(e.Value, 'g', -1, 64)
}

package summary

import (
	"fmt"
	"math"
	"strconv"

	"github.com/wsgov/wsgov/record"
)

// units are the choices of summaryTimeUnit: what a millisecond is in them, and their sign.
var units = map[string]struct {
	perMs float64
	sign  string
}{"s": {0.001, "s"}, "ms": {1, "ms"}, "us": {1000, "µs"}}

// milliseconds prints a time with two decimals in the given unit, or in the one that fits if there is none; what fits is
// cut off, not rounded.
func milliseconds(ms float64, unit string) string {
	if u, ok := units[unit]; ok {
		return strconv.FormatFloat(ms*u.perMs, 'f', 2, 64) + u.sign
	}
	switch size := math.Abs(ms); {
	case math.IsInf(ms, 0) || math.IsNaN(ms):
		return strconv.FormatFloat(ms, 'f', -1, 64)
	case ms == 0:
		return "0s"
	case size < 0.001:
		return number(math.Trunc(ms*1e6), 0) + "ns"
	case size < 1:
		return cut(ms*1000, 2) + "µs"
	case size < 1000:
		return cut(ms, 2) + "ms"
	case size < 60_000:
		return cut(ms/1000, 2) + "s"
	}
	return minutes(ms)
}

func minutes(ms float64) string {
	whole := int64(math.Abs(ms) / 1000)
	text := fmt.Sprintf("%dm%ds", whole/60%60, whole%60)
	if hours := whole / 3600; hours > 0 {
		text = fmt.Sprintf("%dh", hours) + text
	}
	if ms < 0 {
		return "-" + text
	}
	return text
}

// cut prints at most n decimals and cuts off the rest.
func cut(f float64, n int) string {
	scale := math.Pow10(n)
	return number(math.Trunc(f*scale)/scale, n)
}

// number prints at most n decimals, rounded, without zeros at the end.
func number(f float64, n int) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'f', n, 64), 64)
	if err != nil {
		rounded = f
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// bytesText prints bytes in steps of 1000: two digits or more, as "403 B", "4.0 kB" and "31 kB".
func bytesText(n float64) string {
	if math.Abs(n) < 10 {
		return number(n, 0) + " B"
	}
	step := 0
	for math.Abs(n) >= 1000 && step < 5 {
		n /= 1000
		step++
	}
	decimals := 0
	if math.Abs(n) < 10 {
		decimals = 1
	}
	scale := math.Pow10(decimals)
	return strconv.FormatFloat(math.Floor(n*scale+0.5)/scale, 'f', decimals, 64) + " " + []string{"B", "kB", "MB", "GB", "TB", "PB"}[step]
}

// percent prints a ratio with two decimals, cut off, so that nothing short of all is 100.
func percent(ratio float64) string {
	hundredths := math.Trunc(ratio*10_000*(1+1e-15)) / 100
	return strconv.FormatFloat(hundredths, 'f', 2, 64) + "%"
}

// value prints a value of a metric in its unit.
func value(v float64, contains record.Contains, unit string) string {
	switch contains {
	case record.Time:
		return milliseconds(v, unit)
	case record.Data:
		return bytesText(v)
	}
	return number(v, 6)
}

// Package duration reads k6's extended durations.
//
// The grammar is that of k6's options: a bare number is milliseconds, `2d` or `1d2h30m` counts days of 24 hours, and
// everything else is a Go duration such as `1m30s` or `500ms`.
package duration

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

var errRange = errors.New("it is longer than 292 years")

// Parse reads a duration. A bare number, also a fractional one, is milliseconds; `<int>d` may be followed by a Go
// duration without a sign. The error names the text, what is wrong with it and the accepted forms.
func Parse(text string) (time.Duration, error) {
	s := strings.TrimSpace(text)
	d, err := parse(s)
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration: %w (use '10s', '500ms', '1m30s', '1d' or a number of milliseconds)", text, err)
	}
	return d, nil
}

// FromNumber converts a number of milliseconds. NaN, infinities and what does not fit into a time.Duration are errors.
func FromNumber(ms float64) (time.Duration, error) {
	d, err := fromNumber(ms)
	if err != nil {
		return 0, fmt.Errorf("%g milliseconds is not a duration: %w", ms, err)
	}
	return d, nil
}

func parse(s string) (time.Duration, error) {
	if s == "" {
		return 0, errors.New("it is empty")
	}
	if ms, err := strconv.ParseFloat(s, 64); err == nil {
		return fromNumber(ms)
	}
	if days, rest, found := strings.Cut(s, "d"); found {
		return parseDays(days, rest)
	}
	return goDuration(s)
}

func fromNumber(ms float64) (time.Duration, error) {
	ns := ms * float64(time.Millisecond)
	if math.IsNaN(ns) {
		return 0, errors.New("it is not a number")
	}
	if ns >= math.MaxInt64 || ns <= math.MinInt64 {
		return 0, errRange
	}
	return time.Duration(math.Round(ns)), nil
}

func parseDays(days, rest string) (time.Duration, error) {
	n, err := strconv.ParseInt(days, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a whole number of days", days)
	}
	if limit := int64(math.MaxInt64 / day); n > limit || n < -limit {
		return 0, errRange
	}
	if rest == "" {
		return time.Duration(n) * day, nil
	}
	return addRest(time.Duration(n)*day, strings.HasPrefix(days, "-"), rest)
}

func addRest(days time.Duration, negative bool, rest string) (time.Duration, error) {
	if rest[0] == '-' || rest[0] == '+' {
		return 0, fmt.Errorf("a sign may only stand in front of the days, not in %q", rest)
	}
	more, err := goDuration(rest)
	if err != nil {
		return 0, err
	}
	if negative {
		more = -more
	}
	if sum := days + more; (sum < 0) == (days < 0) || days == 0 || sum == 0 {
		return sum, nil
	}
	return 0, errRange
}

func goDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, errors.New(strings.TrimPrefix(err.Error(), "time: "))
	}
	return d, nil
}

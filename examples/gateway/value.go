package gateway

import (
	"errors"
	"strconv"
	"time"
)

const (
	maxCount = 1 << 53   // every whole number up to here is exact as a float
	maxRate  = 1e9       // a token each nanosecond
	maxSpan  = time.Hour // longer delays are typing errors
)

// count is a whole number as a flag or query parameter.
type count uint64

func (c *count) String() string { return strconv.FormatUint(uint64(*c), 10) }

func (c *count) Set(s string) error {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n > maxCount {
		return errors.New("use a whole number from 0 to 9007199254740992")
	}
	*c = count(n)
	return nil
}

// rate is a number per second as a flag or query parameter.
type rate float64

func (r *rate) String() string { return strconv.FormatFloat(float64(*r), 'g', -1, 64) }

func (r *rate) Set(s string) error {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= 0 && f <= maxRate) {
		return errors.New("use a number per second from 0 to 1000000000")
	}
	*r = rate(f)
	return nil
}

// span is a duration as a flag or query parameter: Go's notation, or a bare number of milliseconds.
type span time.Duration

func (d *span) String() string { return time.Duration(*d).String() }

func (d *span) Set(s string) error {
	v, err := parseSpan(s)
	if err != nil || v < 0 || v > maxSpan {
		return errors.New(`use a duration from 0 to 1h such as "16ms" or "1.5s", or a number of milliseconds`)
	}
	*d = span(v)
	return nil
}

func parseSpan(s string) (time.Duration, error) {
	ms, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return time.ParseDuration(s)
	}
	if !(ms >= 0 && ms <= float64(maxSpan/time.Millisecond)) {
		return 0, strconv.ErrRange
	}
	return time.Duration(ms * float64(time.Millisecond)), nil
}

package schedule

import (
	"fmt"
	"math"
	"time"
)

// Stage ramps a rate linearly to Target (messages per second) over Duration; a zero duration jumps.
type Stage struct {
	Duration time.Duration
	Target   float64
}

// Rate is an arrival rate over time: piecewise linear, in messages per second.
type Rate struct {
	segments []segment
	total    float64       // arrivals expected over the whole length
	length   time.Duration // the sum of the stages
}

// segment is a stretch on which the rate λ(x) = from + slope·x, with x in seconds since its start.
type segment struct {
	startsAt    time.Duration
	length      float64 // seconds
	from, slope float64
	before      float64 // arrivals expected before this segment
	expected    float64 // arrivals expected in it
}

// Constant is a rate that does not change for length.
func Constant(perSecond float64, length time.Duration) (*Rate, error) {
	return Ramp(perSecond, []Stage{{Duration: length, Target: perSecond}})
}

// Ramp starts at from messages per second and follows the stages. A negative or infinite rate and a negative duration are
// errors that name the stage.
func Ramp(from float64, stages []Stage) (*Rate, error) {
	if !validRate(from) {
		return nil, fmt.Errorf("schedule: the rate %v is not a number of messages per second of 0 or more", from)
	}
	r := &Rate{}
	for i, s := range stages {
		if !validRate(s.Target) {
			return nil, fmt.Errorf("schedule: stage %d has the target %v; it must be 0 or more messages per second", i+1, s.Target)
		}
		if s.Duration < 0 {
			return nil, fmt.Errorf("schedule: stage %d lasts %v; it must be 0 or more", i+1, s.Duration)
		}
		r.add(from, s)
		from = s.Target
	}
	return r, nil
}

func validRate(f float64) bool { return f >= 0 && !math.IsInf(f, 1) }

func (r *Rate) add(from float64, s Stage) {
	if s.Duration == 0 {
		return
	}
	seconds := s.Duration.Seconds()
	seg := segment{
		startsAt: r.length, length: seconds,
		from: from, slope: (s.Target - from) / seconds,
		before: r.total, expected: seconds * (from + s.Target) / 2,
	}
	r.segments = append(r.segments, seg)
	r.total += seg.expected
	r.length += s.Duration
}

// Length is how long the rate is defined.
func (r *Rate) Length() time.Duration { return r.length }

// Total is the number of arrivals expected over the whole length: the integral of the rate.
func (r *Rate) Total() float64 { return r.total }

// tolerance absorbs the rounding of a sum of products, so that a rate of 100/s for 10 s ends before the 1,001st arrival.
const tolerance = 1e-9

// inverse finds when the u-th arrival is due: the t with ∫₀ᵗ λ = u, searching from segment *at, which it advances since
// callers ask with growing u. It reports false once u reaches the total.
func (r *Rate) inverse(u float64, at *int) (time.Duration, bool) {
	for ; *at < len(r.segments); *at++ {
		s := &r.segments[*at]
		if rest := u - s.before; rest < s.expected*(1-tolerance) {
			return s.startsAt + time.Duration(s.solve(math.Max(rest, 0))*float64(time.Second)), true
		}
	}
	return 0, false
}

// solve finds x with from·x + slope·x²/2 = c, in the form of the quadratic's root that stays exact for slopes near zero.
func (s *segment) solve(c float64) float64 {
	if c == 0 {
		return 0
	}
	root := math.Sqrt(math.Max(s.from*s.from+2*s.slope*c, 0))
	return math.Min(2*c/(s.from+root), s.length)
}

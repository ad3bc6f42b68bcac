package schedule

import (
	"math/rand/v2"
	"time"
)

// Sequence yields the intended send times of one connection as offsets from the plan's start, strictly increasing, until
// it reports false. It is for one goroutine.
type Sequence interface {
	Next() (at time.Duration, ok bool)
}

// Uniform spaces the arrivals of connection index (from 0) of connections evenly: the k-th arrival, from 0, is due where
//
//	∫₀ᵗ λ = k + index ÷ connections
//
// so that the connections are staggered over one spacing. A constant rate r for a time T gives each connection exactly
// r·T arrivals where that is a whole number; otherwise the connections' counts differ by at most one and add up to the
// whole.
func Uniform(rate *Rate, index, connections int) Sequence {
	return &uniform{arrivals: arrivals{rate: rate}, phase: float64(index) / float64(max(connections, 1))}
}

// Poisson draws a Poisson process with the rate's intensity: exponential gaps of mean 1 on the scale of expected arrivals,
// mapped to time by the inverse of ∫₀ᵗ λ (time change, Çınlar 1975, "Introduction to Stochastic Processes", 4.7). The
// draw depends on seed and index only.
func Poisson(rate *Rate, index int, seed int64) Sequence {
	return &poisson{arrivals: arrivals{rate: rate}, rng: rand.New(rand.NewPCG(uint64(seed), uint64(index)))}
}

// Limit ends a sequence after count arrivals.
func Limit(s Sequence, count int) Sequence { return &limited{Sequence: s, left: count} }

// arrivals maps a growing arrival position to strictly growing times.
type arrivals struct {
	rate    *Rate
	segment int
	last    time.Duration
	started bool
}

func (a *arrivals) at(position float64) (time.Duration, bool) {
	t, ok := a.rate.inverse(position, &a.segment)
	if !ok {
		return 0, false
	}
	if a.started && t <= a.last { // rates beyond one per nanosecond
		t = a.last + 1
	}
	if t >= a.rate.length {
		return 0, false
	}
	a.last, a.started = t, true
	return t, true
}

type uniform struct {
	arrivals
	phase float64
	k     int64
}

func (u *uniform) Next() (time.Duration, bool) {
	t, ok := u.at(float64(u.k) + u.phase)
	u.k++
	return t, ok
}

type poisson struct {
	arrivals
	rng      *rand.Rand
	position float64
}

func (p *poisson) Next() (time.Duration, bool) {
	p.position += p.rng.ExpFloat64()
	return p.at(p.position)
}

type limited struct {
	Sequence
	left int
}

func (l *limited) Next() (time.Duration, bool) {
	if l.left <= 0 {
		return 0, false
	}
	l.left--
	return l.Sequence.Next()
}

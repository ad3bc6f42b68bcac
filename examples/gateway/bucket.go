package gateway

import "time"

// bucket is a token bucket. It looks at no clock: instants are offsets from any fixed origin and must not decrease.
//
// It starts full, and its clock starts with the first take. With C the capacity, r the refill and n tokens at instant
// s, at t it holds min(C, n + r·(t−s)) tokens.
type bucket struct {
	capacity float64
	refill   float64 // tokens a second
	tokens   float64
	at       time.Duration // instant for which tokens is right
	started  bool
}

func newBucket(capacity uint64, refill float64) bucket {
	return bucket{capacity: float64(capacity), refill: refill, tokens: float64(capacity)}
}

// take removes one token at the instant now and reports whether there was one.
func (b *bucket) take(now time.Duration) bool {
	if b.started {
		b.tokens = min(b.capacity, b.tokens+b.refill*(now-b.at).Seconds())
	}
	b.started, b.at = true, now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

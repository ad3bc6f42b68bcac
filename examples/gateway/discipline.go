package gateway

import (
	"math/rand/v2"
	"time"
)

// discipline decides what becomes of the messages of one connection. It looks at no clock.
type discipline interface {
	// judge gives the verdict on a message with an id that was received at the given instant, and the instant at which
	// its reply is due. Instants must not decrease from call to call.
	judge(received time.Duration) (verdict, time.Duration)
}

// limiter is the discipline of /gateway.
type limiter struct {
	bucket bucket
	delays delays
}

func newLimiter(r Rules, conn int64) *limiter {
	return &limiter{bucket: newBucket(r.Capacity, r.Refill), delays: newDelays(r, conn)}
}

func (l *limiter) judge(received time.Duration) (verdict, time.Duration) {
	if !l.bucket.take(received) {
		return verdictLimited, received
	}
	return verdictOK, received + l.delays.next()
}

// delays draws how long granted messages take: a fixed part and an exponentially distributed one.
type delays struct {
	fixed, mean time.Duration
	random      *rand.Rand
}

func newDelays(r Rules, conn int64) delays {
	return delays{fixed: r.Delay, mean: r.Jitter, random: rand.New(rand.NewPCG(r.Seed, uint64(conn)))}
}

func (d delays) next() time.Duration {
	return d.fixed + time.Duration(d.random.ExpFloat64()*float64(d.mean))
}

// series is the discipline of /serial: one message after the other. It counts from nominal instants and never from
// when a reply really went out, so that lateness does not add up.
type series struct {
	delay time.Duration
	done  time.Duration // nominal end of the message before
}

func (s *series) judge(received time.Duration) (verdict, time.Duration) {
	s.done = max(s.done, received) + s.delay
	return verdictOK, s.done
}

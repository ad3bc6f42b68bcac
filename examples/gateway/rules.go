package gateway

import "time"

// Rules are what the gateway does to messages. Every connection has its own copy, in which its query parameters have
// replaced the process's values.
type Rules struct {
	Capacity    uint64        // tokens in a full bucket of /gateway
	Refill      float64       // tokens added each second; 0 never refills
	Delay       time.Duration // fixed part of the delay of a granted message
	Jitter      time.Duration // mean of the exponentially distributed part
	SerialDelay time.Duration // time that /serial takes for one message
	Seed        uint64        // seed of the delays
}

// DefaultRules are the rules of the governed benchmark that the gateway was made for: 100 tokens, 400 a second,
// 2 ms and a mean of 3 ms more; 5 ms on /serial; seed 1.
func DefaultRules() Rules {
	return Rules{
		Capacity:    100,
		Refill:      400,
		Delay:       2 * time.Millisecond,
		Jitter:      3 * time.Millisecond,
		SerialDelay: 5 * time.Millisecond,
		Seed:        1,
	}
}

package record

import (
	"encoding/json"
	"math"
)

// Milliseconds is a time in milliseconds. +Inf means slower than every answered message ("> deadline") and is null in
// JSON, which has no infinity.
type Milliseconds float64

// MarshalJSON writes a number, or null where the value is not finite.
func (m Milliseconds) MarshalJSON() ([]byte, error) {
	if f := float64(m); math.IsInf(f, 0) || math.IsNaN(f) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(m))
}

// UnmarshalJSON reads a number, or null as +Inf.
func (m *Milliseconds) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*m = Milliseconds(math.Inf(1))
		return nil
	}
	return json.Unmarshal(b, (*float64)(m))
}

// Quantiles summarises one time over a population of messages, in milliseconds. A quantile that falls among messages
// without an answer is +Inf; min, max and mean are of the answered ones. Count is the number of answered messages; with
// none of them every field is zero except the quantiles, which are +Inf if the population is not empty.
type Quantiles struct {
	Min   Milliseconds `json:"min"`
	P50   Milliseconds `json:"p50"`
	P90   Milliseconds `json:"p90"`
	P95   Milliseconds `json:"p95"`
	P99   Milliseconds `json:"p99"`
	P999  Milliseconds `json:"p999"`
	Max   Milliseconds `json:"max"`
	Mean  Milliseconds `json:"mean"`
	Count int64        `json:"count"`
}

// FrameCounts books everything that was received. Received counts WebSocket data frames, Parts the replies and events
// found in them; identity 3 says parts = ok + error + late + duplicate + unmatched + malformed + push.
type FrameCounts struct {
	Received  int64 `json:"received"`
	Parts     int64 `json:"parts"`
	Late      int64 `json:"late"`
	Duplicate int64 `json:"duplicate"`
	Unmatched int64 `json:"unmatched"`
	Malformed int64 `json:"malformed"`
	Push      int64 `json:"push"`
}

// HandshakeCounts books connection attempts; Causes says why attempts failed.
type HandshakeCounts struct {
	Attempted int64            `json:"attempted"`
	Opened    int64            `json:"opened"`
	Failed    int64            `json:"failed"`
	Causes    map[string]int64 `json:"causes"`
}

// Naive is what a script that only counts frames would have reported: success is frames per message sent, printed as
// it is even above 1; P99 is of the service time, in milliseconds.
type Naive struct {
	SuccessRatio    float64      `json:"successRatio"`
	FramesPerSecond float64      `json:"framesPerSecond"`
	P99             Milliseconds `json:"p99"`
}

// Warning is a doubt about a measurement. Code is stable, Text says what was seen and what to do.
type Warning struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Ledger is the account of one plan: every planned message in exactly one outcome. Ratios are 0 to 1, rates per second,
// times milliseconds. The JSON names are those of the JavaScript API.
type Ledger struct {
	Plan          string           `json:"plan"`
	Planned       int64            `json:"planned"`
	Sent          int64            `json:"sent"`
	Unsent        int64            `json:"unsent"`
	OK            int64            `json:"ok"`
	Error         int64            `json:"error"`
	Lost          int64            `json:"lost"`
	Errors        map[string]int64 `json:"errors"`
	LostReasons   map[string]int64 `json:"lostReasons"`
	UnsentReasons map[string]int64 `json:"unsentReasons"`
	Frames        FrameCounts      `json:"frames"`
	Handshakes    HandshakeCounts  `json:"handshakes"`
	DeliveryRatio float64          `json:"deliveryRatio"`
	Goodput       float64          `json:"goodput"`
	ResponseTime  Quantiles        `json:"responseTime"`
	ServiceTime   Quantiles        `json:"serviceTime"`
	SendLag       Quantiles        `json:"sendLag"`
	MaxInFlight   int64            `json:"maxInFlight"`
	Naive         Naive            `json:"naive"`
	Warnings      []Warning        `json:"warnings"`
}

package record

// Kind is the way values of a metric are aggregated; its text is k6's.
type Kind string

// The four kinds of k6 metrics.
const (
	Counter Kind = "counter" // values are increments
	Gauge   Kind = "gauge"   // the last value counts
	Rate    Kind = "rate"    // any non-zero value counts as true
	Trend   Kind = "trend"   // every value is an observation
)

// Contains is the unit class of a metric's values; its text is k6's.
type Contains string

// The three unit classes of k6 metrics.
const (
	Default Contains = "default" // a plain number
	Time    Contains = "time"    // milliseconds
	Data    Contains = "data"    // bytes
)

// Metric names one quantity and says how its values aggregate. Its unit follows from Contains.
type Metric struct {
	Name     string
	Kind     Kind
	Contains Contains
}

// The metrics of this module. Times are milliseconds; gauges of the generator carry their unit in the resource tag's
// documentation. One point is written per what stands in the comment.
var (
	Delivered    = &Metric{"wsgov_delivered", Rate, Default}     // planned message, at its intended time; 1 for ok
	ResponseTime = &Metric{"wsgov_response_time", Trend, Time}   // answered message, at its intended time
	ServiceTime  = &Metric{"wsgov_service_time", Trend, Time}    // answered message, at its send time
	SendLag      = &Metric{"wsgov_send_lag", Trend, Time}        // sent message, at its intended time
	Messages     = &Metric{"wsgov_messages", Counter, Default}   // outcome and flush
	Frames       = &Metric{"wsgov_frames", Counter, Default}     // kind of frame or part and flush
	Closes       = &Metric{"wsgov_closes", Counter, Default}     // connection end
	Handshakes   = &Metric{"wsgov_handshakes", Rate, Default}    // connection attempt; 1 for opened
	Connecting   = &Metric{"wsgov_connecting", Trend, Time}      // connection attempt
	Connections  = &Metric{"wsgov_connections", Gauge, Default}  // second
	InFlight     = &Metric{"wsgov_in_flight", Gauge, Default}    // second
	GatewayCount = &Metric{"wsgov_gateway", Gauge, Default}      // gateway counter and snapshot
	Unreconciled = &Metric{"wsgov_unreconciled", Gauge, Default} // reconciliation: sum of absolute differences
	Generator    = &Metric{"wsgov_generator", Gauge, Default}    // second and resource
	Run          = &Metric{"wsgov_run", Gauge, Default}          // start and end of a plan's run
)

// Metrics lists every metric of this module, in the order of the documentation. A host registers all of them in its
// init phase.
func Metrics() []*Metric {
	return []*Metric{
		Delivered, ResponseTime, ServiceTime, SendLag, Messages, Frames, Closes, Handshakes, Connecting, Connections,
		InFlight, GatewayCount, Unreconciled, Generator, Run,
	}
}

// Prefix starts the name of every metric of this module; scripts may not create metrics under it.
const Prefix = "wsgov_"

package metrics

import "github.com/wsgov/wsgov/record"

// The host's own metrics, named as in k6. Times are milliseconds, data is bytes.
var (
	VUs               = &record.Metric{Name: "vus", Kind: record.Gauge, Contains: record.Default}
	VUsMax            = &record.Metric{Name: "vus_max", Kind: record.Gauge, Contains: record.Default}
	Iterations        = &record.Metric{Name: "iterations", Kind: record.Counter, Contains: record.Default}
	IterationDuration = &record.Metric{Name: "iteration_duration", Kind: record.Trend, Contains: record.Time}
	DroppedIterations = &record.Metric{Name: "dropped_iterations", Kind: record.Counter, Contains: record.Default}
	Checks            = &record.Metric{Name: "checks", Kind: record.Rate, Contains: record.Default}
	GroupDuration     = &record.Metric{Name: "group_duration", Kind: record.Trend, Contains: record.Time}
	DataSent          = &record.Metric{Name: "data_sent", Kind: record.Counter, Contains: record.Data}
	DataReceived      = &record.Metric{Name: "data_received", Kind: record.Counter, Contains: record.Data}
)

// Builtin lists every metric that exists before a script runs: the host's, those of k6's WebSocket and HTTP modules,
// whose names scripts and thresholds use, and this project's.
func Builtin() []*record.Metric {
	all := []*record.Metric{
		VUs, VUsMax, Iterations, IterationDuration, DroppedIterations, Checks, GroupDuration, DataSent, DataReceived,
	}
	add := func(kind record.Kind, contains record.Contains, names ...string) {
		for _, name := range names {
			all = append(all, &record.Metric{Name: name, Kind: kind, Contains: contains})
		}
	}
	add(record.Counter, record.Default, "ws_sessions", "ws_msgs_sent", "ws_msgs_received", "http_reqs")
	add(record.Trend, record.Time, "ws_connecting", "ws_ping", "ws_session_duration", "http_req_duration", "http_req_blocked",
		"http_req_connecting", "http_req_tls_handshaking", "http_req_sending", "http_req_waiting", "http_req_receiving")
	add(record.Rate, record.Default, "http_req_failed")
	return append(all, record.Metrics()...)
}

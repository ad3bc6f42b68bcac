package gateway

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

const metricPrefix = "wsgov_gateway_"

// pathMetric is one number of an endpoint as a Prometheus metric.
type pathMetric struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(PathStats) int64
}

func counter(name, help string, read func(PathStats) int64) pathMetric {
	return pathMetric{prometheus.NewDesc(metricPrefix+name, help, []string{"path"}, nil), prometheus.CounterValue, read}
}

func gauge(name, help string, read func(PathStats) int64) pathMetric {
	m := counter(name, help, read)
	m.kind = prometheus.GaugeValue
	return m
}

var pathMetrics = []pathMetric{
	counter("connections_total", "Accepted upgrades.", func(p PathStats) int64 { return p.Conns }),
	counter("received_total", "Messages received, control messages apart.", func(p PathStats) int64 { return p.Received }),
	counter("echoed_total", "Ok replies handed to the socket.", func(p PathStats) int64 { return p.Echoed }),
	counter("limited_total", "RATE_LIMITED replies handed to the socket.", func(p PathStats) int64 { return p.Limited }),
	counter("bad_total", "BAD_MESSAGE replies handed to the socket.", func(p PathStats) int64 { return p.Bad }),
	counter("control_total", "Control messages answered.", func(p PathStats) int64 { return p.Control }),
	counter("undelivered_total", "Replies handed to the socket that it did not take.", func(p PathStats) int64 { return p.Undelivered }),
	counter("abandoned_total", "Messages whose connection ended before their reply.", func(p PathStats) int64 { return p.Abandoned }),
	gauge("open_connections", "Connections open now.", func(p PathStats) int64 { return p.Open }),
	gauge("waiting_messages", "Messages whose reply is still to be written.", func(p PathStats) int64 { return p.Waiting }),
}

// collector shows the server's counters to Prometheus: there is one set of books.
type collector struct{ server *Server }

func (c collector) Describe(ch chan<- *prometheus.Desc) {
	for _, m := range pathMetrics {
		ch <- m.desc
	}
}

func (c collector) Collect(ch chan<- prometheus.Metric) {
	for path, stats := range c.server.Stats().Paths {
		for _, m := range pathMetrics {
			ch <- prometheus.MustNewConstMetric(m.desc, m.kind, float64(m.read(stats)), path)
		}
	}
}

// metricsHandler serves the server's metrics from a registry of its own, which it also ties to the server's tallies.
func (s *Server) metricsHandler() http.Handler {
	service := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    metricPrefix + "service_seconds",
		Help:    "From the read of a message to the end of the write of its reply.",
		Buckets: prometheus.ExponentialBuckets(0.000125, 2, 20),
	}, []string{"path", "verdict"})
	for path, t := range s.tallies {
		for v := verdictOK; v < verdictControl; v++ {
			t.service[v] = service.WithLabelValues(path, v.String())
		}
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(service, collector{s}, s.startGauge(),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
}

func (s *Server) startGauge() prometheus.Collector {
	g := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        metricPrefix + "start_time_seconds",
		Help:        "When the gateway began to serve, since the Unix epoch. The label tells processes apart.",
		ConstLabels: prometheus.Labels{"process": s.process},
	})
	g.Set(float64(s.start.UnixNano()) / 1e9)
	return g
}

package summary

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/wsgov/wsgov/record"
)

// row is a line of a table: the columns of a trend, or a value with what belongs to it.
type row struct {
	group  string
	name   string
	value  string
	extras []string
	trend  [][2]string // statistic and text
}

// table aligns its rows in columns, over all its groups.
type table struct{ rows []row }

func (t *table) write(b *strings.Builder) {
	names, values := t.widest(func(r row) string { return r.name }), t.widest(func(r row) string { return r.value })
	extras, trends := t.extraWidths(), t.trendWidths()
	group := ""
	for _, r := range t.rows {
		if r.group != group {
			if group != "" {
				b.WriteByte('\n')
			}
			group = r.group
			b.WriteString("    " + group + "\n")
		}
		b.WriteString("    " + r.name + strings.Repeat(".", names+3-width(r.name)) + ": ")
		if r.trend != nil {
			b.WriteString(r.trendText(trends))
		} else {
			b.WriteString(r.valueText(values, extras))
		}
		b.WriteByte('\n')
	}
}

func width(s string) int { return utf8.RuneCountInString(s) }

func pad(s string, to int) string { return s + strings.Repeat(" ", max(to-width(s), 0)) }

func (t *table) widest(field func(row) string) int {
	most := 0
	for _, r := range t.rows {
		most = max(most, width(field(r)))
	}
	return most
}

func (t *table) extraWidths() []int {
	var widths []int
	for _, r := range t.rows {
		widths = widen(widths, r.extras)
	}
	return widths
}

func (t *table) trendWidths() []int {
	var widths []int
	for _, r := range t.rows {
		texts := make([]string, len(r.trend))
		for i, column := range r.trend {
			texts[i] = column[1]
		}
		widths = widen(widths, texts)
	}
	return widths
}

func widen(widths []int, texts []string) []int {
	for i, text := range texts {
		if i == len(widths) {
			widths = append(widths, 0)
		}
		widths[i] = max(widths[i], width(text))
	}
	return widths
}

func (r row) trendText(widths []int) string {
	columns := make([]string, len(r.trend))
	for i, column := range r.trend {
		columns[i] = column[0] + "=" + pad(column[1], widths[i])
	}
	return strings.Join(columns, " ")
}

// valueText pads several extras to columns, but not a lone one.
func (r row) valueText(value int, widths []int) string {
	columns := []string{pad(r.value, value)}
	for i, extra := range r.extras {
		if len(r.extras) > 1 {
			extra = pad(extra, widths[i])
		}
		columns = append(columns, extra)
	}
	return strings.Join(columns, " ")
}

// groupOf sorts metrics into the groups of the text, in the order in which they are printed.
func groupOf(name string) string {
	switch {
	case slices.Contains([]string{"iteration_duration", "iterations", "dropped_iterations", "vus", "vus_max"}, name):
		return "EXECUTION"
	case name == "data_sent" || name == "data_received":
		return "NETWORK"
	case strings.HasPrefix(name, record.Prefix):
		return "WSGOV"
	case strings.HasPrefix(name, "http_req"):
		return "HTTP"
	case slices.Contains([]string{"ws_connecting", "ws_msgs_received", "ws_msgs_sent", "ws_ping", "ws_session_duration", "ws_sessions"}, name):
		return "WEBSOCKET"
	}
	return "CUSTOM"
}

// compact hides what the short form leaves out.
func compact(name string) bool {
	switch name {
	case "checks", "group_duration", "http_req_blocked", "http_req_connecting", "http_req_receiving", "http_req_sending",
		"http_req_tls_handshaking", "http_req_waiting":
		return true
	case record.Frames.Name, // counts each frame, its parts and what became of them: a sum over kinds means nothing
		record.Generator.Name, record.GatewayCount.Name, record.Run.Name: // one gauge over many things has no sum that means anything
		return true
	}
	return false
}

// metrics prints all metrics in groups.
func (d *Data) metrics(b *strings.Builder) {
	var t table
	for _, group := range []string{"CUSTOM", "WSGOV", "HTTP", "EXECUTION", "NETWORK", "WEBSOCKET"} {
		for i := range d.Series {
			if s := &d.Series[i]; groupOf(s.Parent) == group && !compact(s.Parent) {
				t.rows = append(t.rows, d.row(group, s))
			}
		}
	}
	t.write(b)
	b.WriteByte('\n')
}

func (d *Data) row(group string, s *Series) row {
	r := row{group: group, name: s.Name}
	if s.Suffix != "" {
		r.name = oneLine("  { " + s.Suffix + " }")
	}
	in := func(name string) string { return value(s.Values[name], s.Contains, d.TimeUnit) }
	switch s.Kind {
	case record.Counter:
		r.value = in("count")
		if _, ok := s.Values["rate"]; ok {
			r.extras = []string{in("rate") + "/s"}
		}
	case record.Gauge:
		r.value, r.extras = in("value"), []string{"min=" + in("min"), "max=" + in("max")}
	case record.Rate:
		passes, fails := int64(s.Values["passes"]), int64(s.Values["fails"])
		r.value, r.extras = percent(s.Values["rate"]), []string{outOf(passes, passes+fails)}
	default:
		for _, name := range s.Order {
			text := in(name)
			if name == "count" {
				text = number(s.Values[name], 0)
			}
			r.trend = append(r.trend, [2]string{name, text})
		}
	}
	return r
}

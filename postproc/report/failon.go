package report

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/wsgov/wsgov/postproc"
	"github.com/wsgov/wsgov/record"
)

// Condition is one --fail-on: it is hit where the metric of the plan stands in the relation to the number. An empty plan
// means every plan.
type Condition struct {
	Text   string
	Plan   string
	Metric string
	Op     string
	Number float64
}

// Hit is one place where a condition was met, or where it could not be judged because the input lacks the figure.
type Hit struct {
	Condition string   `json:"condition"`
	Run       int      `json:"run"` // index, -1 if it is about no run
	Plan      string   `json:"plan"`
	Value     *float64 `json:"value"` // nil if not recorded or "> deadline"
	Text      string   `json:"text"`
}

var conditionForm = regexp.MustCompile(`^\s*(?:(.+):)?([A-Za-z0-9_]+)\s*(<=|>=|==|!=|<|>)\s*(\S+)\s*$`)

// ParseCondition reads "[plan:]metric op number", op being one of < <= > >= == !=. The error says what is possible.
func ParseCondition(text string) (Condition, error) {
	m := conditionForm.FindStringSubmatch(text)
	if m == nil {
		return Condition{}, fmt.Errorf("--fail-on %q: write [plan:]metric op number, as in 'delivery_ratio<0.999' or 'C:response_time_p99>500'", text)
	}
	c := Condition{Text: text, Plan: m[1], Metric: m[2], Op: m[3]}
	if planMetrics[c.Metric] == nil && runMetrics[c.Metric] == nil {
		return c, fmt.Errorf("--fail-on %q: there is no metric %q; there are %s", text, c.Metric, strings.Join(metricNames(), ", "))
	}
	if c.Plan != "" && planMetrics[c.Metric] == nil {
		return c, fmt.Errorf("--fail-on %q: %s is of a whole run: leave out the plan", text, c.Metric)
	}
	n, err := strconv.ParseFloat(m[4], 64)
	if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
		return c, fmt.Errorf("--fail-on %q: %q is not a number", text, m[4])
	}
	c.Number = n
	return c, nil
}

// planMetrics give a plan's figure and whether it is recorded; times are milliseconds.
var planMetrics = withTimes(map[string]func(*postproc.Plan) (float64, bool){
	"planned":              whole(func(p *postproc.Plan) int64 { return p.Planned }),
	"sent":                 whole(func(p *postproc.Plan) int64 { return p.Sent }),
	"unsent":               whole(func(p *postproc.Plan) int64 { return p.Unsent }),
	"ok":                   whole(func(p *postproc.Plan) int64 { return p.OK }),
	"error":                whole(func(p *postproc.Plan) int64 { return p.Error }),
	"lost":                 whole(func(p *postproc.Plan) int64 { return p.Lost }),
	"max_in_flight":        whole(func(p *postproc.Plan) int64 { return p.MaxInFlight }),
	"frames_received":      frames(func(f *record.FrameCounts) int64 { return f.Received }),
	"late":                 frames(func(f *record.FrameCounts) int64 { return f.Late }),
	"duplicate":            frames(func(f *record.FrameCounts) int64 { return f.Duplicate }),
	"unmatched":            frames(func(f *record.FrameCounts) int64 { return f.Unmatched }),
	"malformed":            frames(func(f *record.FrameCounts) int64 { return f.Malformed }),
	"push":                 frames(func(f *record.FrameCounts) int64 { return f.Push }),
	"handshakes_attempted": func(p *postproc.Plan) (float64, bool) { return float64(p.Handshakes.Attempted), p.LinksRecorded },
	"handshakes_failed":    func(p *postproc.Plan) (float64, bool) { return float64(p.Handshakes.Failed), p.LinksRecorded },
	"delivery_ratio":       func(p *postproc.Plan) (float64, bool) { return p.DeliveryRatio, p.Planned > 0 },
	"goodput":              func(p *postproc.Plan) (float64, bool) { return p.Goodput, p.LengthMillis > 0 },
	"frames_per_second": func(p *postproc.Plan) (float64, bool) {
		return p.FramesPerSecond, p.FramesRecorded && p.LengthMillis > 0
	},
	"naive_success_ratio": func(p *postproc.Plan) (float64, bool) { return p.Naive.SuccessRatio, p.Sent > 0 },
})

// runMetrics give a figure of a whole run.
var runMetrics = map[string]func(*postproc.Run) (float64, bool){
	"unreconciled": func(r *postproc.Run) (float64, bool) { return r.Gateway.Difference, r.Gateway.Checked },
}

func whole(f func(*postproc.Plan) int64) func(*postproc.Plan) (float64, bool) {
	return func(p *postproc.Plan) (float64, bool) { return float64(f(p)), true }
}

func frames(f func(*record.FrameCounts) int64) func(*postproc.Plan) (float64, bool) {
	return func(p *postproc.Plan) (float64, bool) { return float64(f(&p.Frames)), p.FramesRecorded }
}

// withTimes adds NAME_min, _p50 and so on for each time.
func withTimes(m map[string]func(*postproc.Plan) (float64, bool)) map[string]func(*postproc.Plan) (float64, bool) {
	times := map[string]func(*postproc.Plan) *record.Quantiles{
		"response_time": func(p *postproc.Plan) *record.Quantiles { return &p.ResponseTime },
		"service_time":  func(p *postproc.Plan) *record.Quantiles { return &p.ServiceTime },
		"send_lag":      func(p *postproc.Plan) *record.Quantiles { return &p.SendLag },
		"generator_lag": func(p *postproc.Plan) *record.Quantiles { return &p.Lag.Generator },
		"connecting":    func(p *postproc.Plan) *record.Quantiles { return &p.Connecting },
	}
	figures := map[string]func(*record.Quantiles) record.Milliseconds{
		"min": func(q *record.Quantiles) record.Milliseconds { return q.Min }, "p50": func(q *record.Quantiles) record.Milliseconds { return q.P50 },
		"p90": func(q *record.Quantiles) record.Milliseconds { return q.P90 }, "p95": func(q *record.Quantiles) record.Milliseconds { return q.P95 },
		"p99": func(q *record.Quantiles) record.Milliseconds { return q.P99 }, "p999": func(q *record.Quantiles) record.Milliseconds { return q.P999 },
		"max": func(q *record.Quantiles) record.Milliseconds { return q.Max }, "mean": func(q *record.Quantiles) record.Milliseconds { return q.Mean },
	}
	for name, of := range times {
		for figure, from := range figures {
			m[name+"_"+figure] = func(p *postproc.Plan) (float64, bool) {
				q := of(p)
				return float64(from(q)), q.Count > 0 || q.P50 != 0
			}
		}
	}
	return m
}

func metricNames() []string {
	return append(slices.Sorted(maps.Keys(planMetrics)), slices.Sorted(maps.Keys(runMetrics))...)
}

// Hits lists where the condition is met in the summary, or cannot be judged.
func (c Condition) Hits(s *postproc.Summary) []Hit {
	var out []Hit
	judged := false
	add := func(run int, plan string, v float64, recorded bool) {
		judged = true
		if h, hit := c.judge(s, run, plan, v, recorded); hit {
			out = append(out, h)
		}
	}
	for i := range s.Runs {
		if f := runMetrics[c.Metric]; f != nil {
			v, recorded := f(&s.Runs[i])
			add(i, "", v, recorded)
			continue
		}
		for j := range s.Runs[i].Plans {
			p := &s.Runs[i].Plans[j]
			if c.Plan == "" || c.Plan == p.Ledger.Plan {
				v, recorded := planMetrics[c.Metric](p)
				add(i, p.Ledger.Plan, v, recorded)
			}
		}
	}
	if !judged {
		out = append(out, Hit{Condition: c.Text, Run: -1, Plan: c.Plan, Text: c.Text + ": cannot be judged, the input has no such plan"})
	}
	return out
}

func (c Condition) judge(s *postproc.Summary, run int, plan string, v float64, recorded bool) (Hit, bool) {
	h := Hit{Condition: c.Text, Run: run, Plan: plan}
	where := ""
	if plan != "" {
		where = " of plan " + safe(plan)
	}
	if len(s.Runs) > 1 {
		where += fmt.Sprintf(" in run %d", run+1)
	}
	if !recorded {
		h.Text = fmt.Sprintf("%s: cannot be judged, %s%s is not recorded in the input", c.Text, c.Metric, where)
		return h, true
	}
	shown := pastDeadline
	if !math.IsInf(v, 0) {
		h.Value, shown = &v, strconv.FormatFloat(v, 'g', 8, 64)
	}
	h.Text = fmt.Sprintf("%s: %s%s is %s", c.Text, c.Metric, where, shown)
	return h, c.met(v)
}

func (c Condition) met(v float64) bool {
	switch c.Op {
	case "<":
		return v < c.Number
	case "<=":
		return v <= c.Number
	case ">":
		return v > c.Number
	case ">=":
		return v >= c.Number
	case "==":
		return v == c.Number
	}
	return v != c.Number
}

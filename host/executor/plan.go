package executor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/wsgov/wsgov/host/options"
)

// MaxVUs is how many VUs scenarios need at one time, each for its whole time with its graceful stop.
func MaxVUs(scenarios []*options.Scenario) int64 {
	type step struct {
		at  time.Duration
		vus int64
	}
	var steps []step
	for _, s := range scenarios {
		steps = append(steps, step{s.StartTime, s.VUs}, step{end(s), -s.VUs})
	}
	slices.SortFunc(steps, func(a, b step) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.vus, b.vus)) })
	var now, most int64
	for _, s := range steps {
		now += s.vus
		most = max(most, now)
	}
	return most
}

// MaxDuration is how long scenarios take at most, with graceful stops.
func MaxDuration(scenarios []*options.Scenario) time.Duration {
	var latest time.Duration
	for _, s := range scenarios {
		latest = max(latest, end(s))
	}
	return latest
}

func end(s *options.Scenario) time.Duration { return s.StartTime + s.Length + s.GracefulStop }

// Describe is a scenario in one line, as k6 words it.
func Describe(s *options.Scenario) string {
	var what string
	var facts []string
	switch s.Executor {
	case options.PerVUIterations:
		what = fmt.Sprintf("%d iterations for each of %d VUs", s.Iterations, s.VUs)
		facts = append(facts, "maxDuration: "+Short(s.Length))
	case options.SharedIterations:
		what = fmt.Sprintf("%d iterations shared among %d VUs", s.Iterations, s.VUs)
		facts = append(facts, "maxDuration: "+Short(s.Length))
	default:
		what = fmt.Sprintf("%d looping VUs for %s", s.VUs, Short(s.Length))
	}
	if s.Exec != "default" {
		facts = append(facts, "exec: "+s.Exec)
	}
	if s.StartTime > 0 {
		facts = append(facts, "startTime: "+Short(s.StartTime))
	}
	facts = append(facts, "gracefulStop: "+Short(s.GracefulStop))
	return fmt.Sprintf("%s (%s)", what, strings.Join(facts, ", "))
}

// Short is a duration without the parts that are zero at its end: "10m" for 10m0s.
func Short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

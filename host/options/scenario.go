package options

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"time"
)

// Scenario says what to run, how often and when. Length is the duration of constant-vus and the maxDuration of the
// others; Iterations is per VU or in all, as the executor has it.
type Scenario struct {
	Name         string
	Executor     string
	StartTime    time.Duration
	GracefulStop time.Duration
	Exec         string
	Env          map[string]string
	Tags         map[string]string
	VUs          int64
	Iterations   int64
	Length       time.Duration
}

// The executors that this host offers.
const (
	ConstantVUs      = "constant-vus"
	PerVUIterations  = "per-vu-iterations"
	SharedIterations = "shared-iterations"
)

// executors names the keys that each executor has besides the common ones.
var executors = map[string][]string{
	ConstantVUs:      {"vus", "duration"},
	PerVUIterations:  {"vus", "iterations", "maxDuration"},
	SharedIterations: {"vus", "iterations", "maxDuration"},
}

// otherExecutors are k6's, with what to use instead.
var otherExecutors = map[string]string{
	"ramping-vus":           "use constant-vus, or several of them with different startTime",
	"constant-arrival-rate": "use per-vu-iterations with one iteration that calls drive() with a rate: it keeps an open schedule in one VU",
	"ramping-arrival-rate":  "use per-vu-iterations with one iteration that calls drive() with stages: it keeps an open schedule in one VU",
	"externally-controlled": "use constant-vus",
}

type scenarioReader func(*Scenario, json.RawMessage) error

var scenarioReaders = map[string]scenarioReader{
	"executor":     func(*Scenario, json.RawMessage) error { return nil }, // read first
	"startTime":    scenarioDuration(func(s *Scenario) *time.Duration { return &s.StartTime }),
	"gracefulStop": scenarioDuration(func(s *Scenario) *time.Duration { return &s.GracefulStop }),
	"duration":     scenarioDuration(func(s *Scenario) *time.Duration { return &s.Length }),
	"maxDuration":  scenarioDuration(func(s *Scenario) *time.Duration { return &s.Length }),
	"exec":         func(s *Scenario, v json.RawMessage) (err error) { s.Exec, err = readString(v); return err },
	"env":          func(s *Scenario, v json.RawMessage) error { return readStrings(v, &s.Env) },
	"tags":         func(s *Scenario, v json.RawMessage) error { return readStrings(v, &s.Tags) },
	"vus":          func(s *Scenario, v json.RawMessage) (err error) { s.VUs, err = readCount(v); return err },
	"iterations":   func(s *Scenario, v json.RawMessage) (err error) { s.Iterations, err = readCount(v); return err },
}

var commonKeys = []string{"executor", "startTime", "gracefulStop", "exec", "env", "tags"}

func scenarioDuration(field func(*Scenario) *time.Duration) scenarioReader {
	return func(s *Scenario, v json.RawMessage) (err error) {
		*field(s), err = readDuration(v)
		return err
	}
}

var scenarioName = regexp.MustCompile(`^[0-9a-zA-Z_-]+$`)

func readScenarios(o *Options, v json.RawMessage) error {
	var byName map[string]map[string]json.RawMessage
	if err := json.Unmarshal(v, &byName); err != nil {
		return errors.New("it is not an object from name to scenario")
	}
	if len(byName) == 0 {
		return errors.New("it is empty; name at least one scenario or leave it out")
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		s, err := readScenario(name, byName[name])
		if err != nil {
			return fmt.Errorf("scenario %q: %w", name, err)
		}
		o.Scenarios = append(o.Scenarios, s)
	}
	return nil
}

func newScenario(name, executor string) *Scenario {
	return &Scenario{
		Name: name, Executor: executor, GracefulStop: 30 * time.Second, Exec: "default", VUs: 1, Iterations: 1,
		Length: 10 * time.Minute, Env: map[string]string{}, Tags: map[string]string{},
	}
}

func readScenario(name string, values map[string]json.RawMessage) (*Scenario, error) {
	if !scenarioName.MatchString(name) {
		return nil, errors.New("a name has letters, digits, underscores and dashes only")
	}
	executor, err := readExecutor(values["executor"])
	if err != nil {
		return nil, err
	}
	s := newScenario(name, executor)
	offered := append(slices.Clone(commonKeys), executors[executor]...)
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(offered, key) {
			return nil, fmt.Errorf("the executor %s has no key %q%s", executor, key, Nearest(key, offered))
		}
		if string(values[key]) == "null" {
			continue
		}
		if err := scenarioReaders[key](s, values[key]); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	return s, s.check(values["duration"] != nil)
}

func readExecutor(v json.RawMessage) (string, error) {
	known := slices.Sorted(maps.Keys(executors))
	if v == nil {
		return "", fmt.Errorf("it lacks the key 'executor': use one of %v", known)
	}
	name, err := readString(v)
	if err != nil {
		return "", fmt.Errorf("executor: %w", err)
	}
	if executors[name] != nil {
		return name, nil
	}
	if instead := otherExecutors[name]; instead != "" {
		return "", fmt.Errorf("this host does not offer the executor %s: %s", name, instead)
	}
	return "", fmt.Errorf("there is no executor %q%s", name, Nearest(name, known))
}

// check refuses combinations that make no sense.
func (s *Scenario) check(hasDuration bool) error {
	switch {
	case s.Executor == ConstantVUs && !hasDuration:
		return errors.New("constant-vus needs the key 'duration'")
	case s.Length <= 0:
		return errors.New("its duration is zero; it must be longer")
	case s.Executor == SharedIterations && s.Iterations < s.VUs:
		return fmt.Errorf("%d iterations cannot be shared among %d VUs; give each VU one at least", s.Iterations, s.VUs)
	case s.Exec == "":
		return errors.New("exec: the function's name is empty")
	}
	return nil
}

// shortcut makes the scenario "default" of vus, duration and iterations.
func shortcut(values map[string]json.RawMessage) (*Scenario, error) {
	executor := map[string]json.RawMessage{"executor": json.RawMessage(`"` + PerVUIterations + `"`)}
	take := func(from, to string) {
		if v := values[from]; v != nil {
			executor[to] = v
		}
	}
	take("vus", "vus")
	switch {
	case values["iterations"] != nil:
		executor["executor"] = json.RawMessage(`"` + SharedIterations + `"`)
		take("iterations", "iterations")
		take("duration", "maxDuration")
	case values["duration"] != nil:
		executor["executor"] = json.RawMessage(`"` + ConstantVUs + `"`)
		take("duration", "duration")
	}
	s, err := readScenario("default", executor)
	if err != nil {
		return nil, fmt.Errorf("options vus, duration and iterations: %w", err)
	}
	return s, nil
}

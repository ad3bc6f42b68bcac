package options

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Layer is one source of options by key: the script's export, the environment or the command line.
type Layer struct {
	From   string // as errors name it, such as "options" or "the command line"
	Values map[string]json.RawMessage
}

// shortcuts describe one scenario without naming it.
var shortcuts = []string{"vus", "duration", "iterations"}

// Resolve merges layers, the later ones winning, and reads the result. Warnings say what a later layer made of no effect.
func Resolve(layers ...Layer) (o *Options, warnings []string, err error) {
	merged := map[string]json.RawMessage{}
	for _, l := range layers {
		values := maps.Clone(l.Values)
		maps.DeleteFunc(values, func(_ string, v json.RawMessage) bool { return string(v) == "null" })
		if err := checkKeys(l.From, values); err != nil {
			return nil, nil, err
		}
		if err := oneExecution(l.From, values); err != nil {
			return nil, nil, err
		}
		warnings = append(warnings, displace(merged, l.From, values)...)
		maps.Copy(merged, values)
	}
	o, err = read(merged)
	return o, warnings, err
}

func checkKeys(from string, values map[string]json.RawMessage) error {
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if _, ok := readers[key]; !ok {
			return refuse(from, key)
		}
	}
	return nil
}

// oneExecution refuses two descriptions of what to run in one layer.
func oneExecution(from string, values map[string]json.RawMessage) error {
	if values["scenarios"] == nil {
		return nil
	}
	for _, key := range shortcuts {
		if values[key] != nil {
			return fmt.Errorf("%s: %q and \"scenarios\" both say what to run; keep one of them", from, key)
		}
	}
	return nil
}

// displace removes from merged what a higher layer's idea of what to run replaces, as in k6.
func displace(merged map[string]json.RawMessage, from string, higher map[string]json.RawMessage) (warnings []string) {
	if !slices.ContainsFunc(append([]string{"scenarios"}, shortcuts...), func(k string) bool { return higher[k] != nil }) {
		return nil
	}
	if merged["scenarios"] != nil && higher["scenarios"] == nil {
		warnings = append(warnings, fmt.Sprintf("%s says what to run, so the script's scenarios are not used", from))
	}
	delete(merged, "scenarios")
	if higher["duration"] != nil || higher["iterations"] != nil || higher["scenarios"] != nil {
		delete(merged, "duration")
		delete(merged, "iterations")
	}
	return warnings
}

func read(merged map[string]json.RawMessage) (*Options, error) {
	o := defaults()
	o.Raw = merged
	for _, key := range slices.Sorted(maps.Keys(merged)) {
		if err := readers[key](o, merged[key]); err != nil {
			return nil, fmt.Errorf("option %q: %w", key, err)
		}
	}
	if len(o.Scenarios) > 0 {
		return o, nil
	}
	s, err := shortcut(merged)
	if err != nil {
		return nil, err
	}
	o.Scenarios = []*Scenario{s}
	return o, nil
}

// FromObject makes a layer of a JSON object.
func FromObject(from string, object []byte) (Layer, error) {
	l := Layer{From: from}
	if err := json.Unmarshal(object, &l.Values); err != nil {
		return l, fmt.Errorf("%s: it is not an object of options", from)
	}
	return l, nil
}

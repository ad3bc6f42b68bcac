package module

import (
	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/host/fault"
	"github.com/wsgov/wsgov/host/vu"
	"github.com/wsgov/wsgov/record"
)

// execution is the module "k6/execution".
func execution(v *vu.VU) (map[string]sobek.Value, error) {
	return map[string]sobek.Value{
		"scenario": object(v, scenarioFacts(v)),
		"instance": object(v, instanceFacts(v)),
		"test":     testObject(v),
		"vu":       vuObject(v),
	}, nil
}

// facts are values that are computed when a script reads them.
type facts map[string]func() any

func object(v *vu.VU, f facts) *sobek.Object {
	o := v.Runtime().NewObject()
	for name, get := range f {
		getter := v.Runtime().ToValue(func(sobek.FunctionCall) sobek.Value { return v.Runtime().ToValue(get()) })
		_ = o.DefineAccessorProperty(name, getter, nil, sobek.FLAG_FALSE, sobek.FLAG_TRUE) // on a new object
	}
	return o
}

func scenarioFacts(v *vu.VU) facts {
	current := func() (vu.Activation, int64) {
		a, number, _, _ := v.Progress()
		if a.Scenario == "" {
			throw(v.Runtime(), "exec.scenario exists only while a scenario runs, not in init code, setup() or teardown()")
		}
		return a, number
	}
	number := func() any { _, n := current(); return n }
	return facts{
		"name":                func() any { a, _ := current(); return a.Scenario },
		"executor":            func() any { a, _ := current(); return a.Executor },
		"startTime":           func() any { a, _ := current(); return a.StartedAt.UnixMilli() },
		"progress":            func() any { a, _ := current(); return a.Progress() },
		"iterationInInstance": number,
		"iterationInTest":     number,
	}
}

func instanceFacts(v *vu.VU) facts {
	t := v.Shared().Test
	return facts{
		"iterationsCompleted":    func() any { return t.Completed.Load() },
		"iterationsInterrupted":  func() any { return t.Interrupted.Load() },
		"vusActive":              func() any { return t.Active.Load() },
		"vusInitialized":         func() any { return t.Initialized.Load() },
		"currentTestRunDuration": func() any { return record.Millis(t.Elapsed()) },
	}
}

func vuObject(v *vu.VU) *sobek.Object {
	o := object(v, facts{
		"idInInstance":        func() any { return v.ID() },
		"idInTest":            func() any { return v.ID() },
		"iterationInInstance": func() any { _, _, _, n := v.Progress(); return n },
		"iterationInScenario": func() any { _, _, n, _ := v.Progress(); return n },
	})
	rt := v.Runtime()
	tags := rt.NewDynamicObject(&scopeObject{v, func(s *vu.Scope) *record.Tags { return &s.Tags }})
	metadata := rt.NewDynamicObject(&scopeObject{v, func(s *vu.Scope) *record.Tags { return &s.Metadata }})
	metrics := rt.NewObject()
	for _, property := range []struct {
		of    *sobek.Object
		name  string
		value sobek.Value
	}{{metrics, "tags", tags}, {metrics, "metadata", metadata}, {o, "tags", tags}, {o, "metrics", metrics}} {
		_ = property.of.DefineDataProperty(property.name, property.value, sobek.FLAG_FALSE, sobek.FLAG_FALSE, sobek.FLAG_TRUE)
	}
	return o
}

func testObject(v *vu.VU) *sobek.Object {
	rt := v.Runtime()
	o := object(v, facts{"options": func() any { return testOptions(v) }})
	_ = o.Set("abort", func(call sobek.FunctionCall) sobek.Value { // on a new object, like the next
		err := fault.New(fault.ScriptAborted, "the script aborted the run%s", reason(call))
		rt.Interrupt(err)
		v.Shared().Test.Abort(err)
		return sobek.Undefined()
	})
	_ = o.Set("fail", func(call sobek.FunctionCall) sobek.Value {
		v.Shared().Test.Fail(call.Argument(0).String())
		return sobek.Undefined()
	})
	return o
}

func reason(call sobek.FunctionCall) string {
	if len(call.Arguments) == 0 {
		return ""
	}
	return ": " + call.Argument(0).String()
}

func testOptions(v *vu.VU) sobek.Value {
	text, err := v.Options().JSON()
	if err != nil {
		throw(v.Runtime(), "reading the options: %v", err)
	}
	value, err := v.FromJSON(text)
	if err != nil {
		throw(v.Runtime(), "reading the options: %v", err)
	}
	return value
}

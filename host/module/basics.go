package module

import (
	"math/rand/v2"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/host/metrics"
	"github.com/wsgov/wsgov/host/vu"
	"github.com/wsgov/wsgov/record"
)

// basics is the module "k6".
func basics(v *vu.VU) (map[string]sobek.Value, error) {
	rt := v.Runtime()
	out := map[string]sobek.Value{}
	for name, f := range map[string]func(*vu.VU, sobek.FunctionCall) sobek.Value{
		"check": check, "fail": fail, "group": group, "randomSeed": randomSeed, "sleep": sleep,
	} {
		out[name] = rt.ToValue(func(call sobek.FunctionCall) sobek.Value { return f(v, call) })
	}
	return out, nil
}

// check judges a value by named functions; each verdict is a sample of checks. A function that throws has failed, and
// throws on.
func check(v *vu.VU, call sobek.FunctionCall) sobek.Value {
	running(v, "check")
	rt := v.Runtime()
	if len(call.Arguments) < 2 {
		throw(rt, "check() needs a value and an object of named checks")
	}
	checks := call.Argument(1).ToObject(rt)
	tags := tagsOf(v, call.Argument(2))
	all := true
	for _, name := range checks.Keys() {
		passed, err := judge(checks.Get(name), call.Argument(0))
		emitCheck(v, name, passed, tags)
		if err != nil {
			panic(err)
		}
		all = all && passed
	}
	return rt.ToValue(all)
}

func judge(verdict, value sobek.Value) (passed bool, err error) {
	if f, ok := sobek.AssertFunction(verdict); ok {
		if verdict, err = f(sobek.Undefined(), value); err != nil {
			return false, err
		}
	}
	return verdict.ToBoolean(), nil
}

func emitCheck(v *vu.VU, name string, passed bool, tags record.Tags) {
	s := record.Sample{Metric: metrics.Checks, Time: time.Now(), Tags: tags}
	if passed {
		s.Value = 1
	}
	if v.Options().SystemTag("check") {
		s.Tags = s.Tags.With("check", name)
	}
	v.Emit(s)
}

// fail throws.
func fail(v *vu.VU, call sobek.FunctionCall) sobek.Value {
	message := "fail() was called"
	if len(call.Arguments) > 0 {
		message = call.Argument(0).String()
	}
	throw(v.Runtime(), "%s", message)
	return nil
}

// group runs a function with the tag group set to its path.
func group(v *vu.VU, call sobek.FunctionCall) sobek.Value {
	running(v, "group")
	rt := v.Runtime()
	name := call.Argument(0).String()
	f, ok := sobek.AssertFunction(call.Argument(1))
	switch {
	case !ok:
		throw(rt, "group(%q) needs a function as its second argument", name)
	case isAsync(call.Argument(1)):
		throw(rt, "group(%q) does not take an async function: what it awaits would run outside of the group; await inside the default function instead", name)
	case strings.Contains(name, "::"):
		throw(rt, "group(%q): a name must not contain '::', which separates groups", name)
	}
	return inGroup(v, v.Scope().Tags.Value("group")+"::"+name, f)
}

func inGroup(v *vu.VU, path string, f sobek.Callable) sobek.Value {
	outer := v.Scope().Tags.Value("group")
	v.SetGroup(path)
	start := time.Now()
	result, err := f(sobek.Undefined())
	now := time.Now()
	v.Emit(record.Sample{Metric: metrics.GroupDuration, Time: now, Value: record.Millis(now.Sub(start))})
	v.SetGroup(outer)
	if err != nil {
		panic(err)
	}
	return result
}

func isAsync(f sobek.Value) bool {
	object, ok := f.(*sobek.Object)
	if !ok {
		return false
	}
	tag := object.GetSymbol(sobek.SymToStringTag)
	return tag != nil && tag.String() == "AsyncFunction"
}

// randomSeed makes the VU's Math.random repeatable.
func randomSeed(v *vu.VU, call sobek.FunctionCall) sobek.Value {
	seed := uint64(call.Argument(0).ToInteger())
	v.Runtime().SetRandSource(rand.New(rand.NewPCG(seed, seed)).Float64)
	return sobek.Undefined()
}

// sleep blocks the VU and its event loop for a number of seconds, or until its context ends.
func sleep(v *vu.VU, call sobek.FunctionCall) sobek.Value {
	running(v, "sleep")
	seconds := call.Argument(0).ToFloat()
	if !(seconds > 0) {
		return sobek.Undefined()
	}
	const longest = float64(1<<63-1) / 1e9
	timer := time.NewTimer(time.Duration(min(seconds, longest-1) * float64(time.Second)))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-v.Context().Done():
	}
	return sobek.Undefined()
}

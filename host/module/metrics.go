package module

import (
	"fmt"
	"math"
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/host/vu"
	"github.com/wsgov/wsgov/record"
)

// customMetrics is the module "k6/metrics".
func customMetrics(v *vu.VU) (map[string]sobek.Value, error) {
	out := map[string]sobek.Value{}
	for name, kind := range map[string]record.Kind{
		"Counter": record.Counter, "Gauge": record.Gauge, "Rate": record.Rate, "Trend": record.Trend,
	} {
		constructor := v.Runtime().ToValue(func(call sobek.ConstructorCall) *sobek.Object {
			construct(v, name, kind, call)
			return nil
		})
		out[name] = constructor
	}
	return out, nil
}

// construct makes a metric of a script.
func construct(v *vu.VU, class string, kind record.Kind, call sobek.ConstructorCall) {
	rt := v.Runtime()
	if !v.InitPhase() {
		throw(rt, "new %s() works in init code only: create the metric at the top of the script", class)
	}
	contains := record.Default
	if call.Argument(1).ToBoolean() {
		contains = record.Time
	}
	m, err := v.Shared().Registry.Create(call.Argument(0).String(), kind, contains)
	if err != nil {
		throw(rt, "%v", err)
	}
	add := func(call sobek.FunctionCall) sobek.Value { return rt.ToValue(addTo(v, m, call)) }
	_ = call.This.DefineDataProperty("name", rt.ToValue(m.Name), sobek.FLAG_FALSE, sobek.FLAG_FALSE, sobek.FLAG_TRUE)
	_ = call.This.Set("add", add) // both on a new object, which refuses nothing
}

// addTo adds one value and reports whether it was taken. What is no number is refused with a warning, or thrown if the
// option throw is set.
func addTo(v *vu.VU, m *record.Metric, call sobek.FunctionCall) bool {
	running(v, m.Name+".add")
	value, err := number(call.Argument(0))
	if err != nil {
		err = fmt.Errorf("%s.add(): %w", m.Name, err)
		if v.Options().Throw {
			throw(v.Runtime(), "%v", err)
		}
		v.Logger().Warn(err.Error())
		return false
	}
	v.Emit(record.Sample{Metric: m, Time: time.Now(), Value: value, Tags: tagsOf(v, call.Argument(1))})
	return true
}

func number(value sobek.Value) (float64, error) {
	if value == nil || sobek.IsUndefined(value) || sobek.IsNull(value) {
		return 0, fmt.Errorf("%v is not a number", value)
	}
	f := value.ToFloat()
	if math.IsNaN(f) {
		return 0, fmt.Errorf("%q is not a number", value.String())
	}
	return f, nil
}

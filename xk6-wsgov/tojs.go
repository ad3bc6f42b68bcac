package wsgov

import (
	"reflect"
	"slices"
	"strings"

	"github.com/grafana/sobek"
)

// toJS makes plain JavaScript values: structs become objects with the keys of their JSON names, maps objects, slices arrays,
// bytes an ArrayBuffer, and infinite numbers stay what they are. Values that are JavaScript's already pass.
func (m *Module) toJS(v any) sobek.Value {
	rt := m.host.Runtime()
	switch x := v.(type) {
	case nil:
		return sobek.Undefined()
	case sobek.Value:
		return x
	case lazy:
		return x(rt)
	case []byte:
		return rt.ToValue(rt.NewArrayBuffer(x))
	}
	r := reflect.ValueOf(v)
	switch r.Kind() {
	case reflect.Pointer:
		return m.toJS(r.Elem().Interface())
	case reflect.Struct:
		return m.structToJS(r)
	case reflect.Map:
		return m.mapToJS(r)
	case reflect.Slice:
		items := make([]any, r.Len())
		for i := range items {
			items[i] = m.toJS(r.Index(i).Interface())
		}
		return rt.NewArray(items...)
	case reflect.Float64:
		return rt.ToValue(r.Float())
	case reflect.String:
		return rt.ToValue(r.String())
	}
	return rt.ToValue(v)
}

// lazy makes a value on the loop.
type lazy func(rt *sobek.Runtime) sobek.Value

func (m *Module) mapToJS(r reflect.Value) sobek.Value {
	o := m.host.Runtime().NewObject()
	keys := r.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, k := range keys {
		put(o, k.String(), m.toJS(r.MapIndex(k).Interface()))
	}
	return o
}

func (m *Module) structToJS(r reflect.Value) sobek.Value {
	o := m.host.Runtime().NewObject()
	for i := range r.NumField() {
		put(o, r.Type().Field(i).Tag.Get("json"), m.toJS(r.Field(i).Interface()))
	}
	return o
}

// put sets a property of an object just made, which cannot fail.
func put(o *sobek.Object, name string, v sobek.Value) { _ = o.Set(name, v) }

package script

import (
	"errors"
	"fmt"
	"slices"

	"github.com/grafana/sobek"
)

// nativeRecord is a module of the host. What it exports is known at link time, the values are made per runtime.
type nativeRecord struct {
	specifier string
	exports   []string
	graph     *graph
}

func newNative(specifier string, offered []string, g *graph) (*nativeRecord, error) {
	if !slices.Contains(offered, specifier) {
		return nil, notOffered(specifier, offered)
	}
	exports, err := g.natives.Exports(specifier)
	if err != nil {
		return nil, fmt.Errorf("importing %q: %w", specifier, err)
	}
	exports = append(slices.Clone(exports), "default")
	slices.Sort(exports)
	return &nativeRecord{specifier: specifier, exports: slices.Compact(exports), graph: g}, nil
}

func (r *nativeRecord) Link() error { return nil }

func (r *nativeRecord) GetExportedNames(callback func([]string), _ ...sobek.ModuleRecord) bool {
	callback(r.exports)
	return true
}

func (r *nativeRecord) ResolveExport(name string, _ ...sobek.ResolveSetElement) (*sobek.ResolvedBinding, bool) {
	if !slices.Contains(r.exports, name) {
		return nil, false
	}
	return &sobek.ResolvedBinding{Module: r, BindingName: name}, false
}

// Evaluate makes the module's values on rt. The engine takes the rejection's result as a Go error.
func (r *nativeRecord) Evaluate(rt *sobek.Runtime) *sobek.Promise {
	promise, resolve, reject := rt.NewPromise()
	values, err := r.construct(rt)
	if err != nil {
		_ = reject(fmt.Errorf("importing %q: %w", r.specifier, err))
		return promise
	}
	_ = resolve(nativeInstance(values))
	return promise
}

func (r *nativeRecord) construct(rt *sobek.Runtime) (map[string]sobek.Value, error) {
	construct, ok := r.graph.constructors.Load(rt)
	if !ok {
		return nil, errors.New("the runtime has not been started with host modules")
	}
	values, err := construct.(Construct)(r.specifier)
	if err != nil || values["default"] != nil {
		return values, err
	}
	all := rt.NewObject()
	for _, name := range r.exports {
		if v := values[name]; v != nil {
			if err := all.Set(name, v); err != nil {
				return nil, err
			}
		}
	}
	values["default"] = all
	return values, nil
}

// nativeInstance is a host module on one runtime.
type nativeInstance map[string]sobek.Value

func (i nativeInstance) GetBindingValue(name string) sobek.Value { return i[name] }

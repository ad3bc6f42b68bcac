package module

import (
	"fmt"
	"sync"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/host/vu"
)

// sharedArray is an array kept once for all VUs, as the JSON text of its elements.
type sharedArray struct {
	once     sync.Once
	err      error
	elements [][]byte
}

// module is the module "k6/data".
func (s *arrayStore) module(v *vu.VU) (map[string]sobek.Value, error) {
	constructor := v.Runtime().ToValue(func(call sobek.ConstructorCall) *sobek.Object { return s.construct(v, call) })
	return map[string]sobek.Value{"SharedArray": constructor}, nil
}

// construct makes a VU's view of a shared array; the first VU's function fills it.
func (s *arrayStore) construct(v *vu.VU, call sobek.ConstructorCall) *sobek.Object {
	rt := v.Runtime()
	name := call.Argument(0).String()
	fill, ok := sobek.AssertFunction(call.Argument(1))
	switch {
	case !v.InitPhase():
		throw(rt, "new SharedArray(%q) works in init code only: create it at the top of the script", name)
	case name == "" || sobek.IsUndefined(call.Argument(0)):
		throw(rt, "new SharedArray() needs a name, which all VUs share")
	case !ok:
		throw(rt, "new SharedArray(%q) needs a function that returns the array", name)
	}
	a := s.get(name)
	a.once.Do(func() { a.err = a.fill(v, fill) })
	if a.err != nil {
		throw(rt, "new SharedArray(%q): %v", name, a.err)
	}
	return rt.NewDynamicArray(&arrayView{vu: v, array: a, name: name})
}

func (s *arrayStore) get(name string) *sharedArray {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byName[name] == nil {
		s.byName[name] = &sharedArray{}
	}
	return s.byName[name]
}

func (a *sharedArray) fill(v *vu.VU, f sobek.Callable) error {
	value, err := f(sobek.Undefined())
	if err != nil {
		return err
	}
	object, ok := value.(*sobek.Object)
	if !ok || object.ClassName() != "Array" {
		return fmt.Errorf("its function returned %s and not an array", value)
	}
	for i := range object.Get("length").ToInteger() {
		text, err := v.JSON(object.Get(fmt.Sprint(i)))
		if err != nil {
			return fmt.Errorf("element %d: %w", i, err)
		}
		if text == nil {
			text = []byte("null")
		}
		a.elements = append(a.elements, text)
	}
	return nil
}

// arrayView is a shared array on one runtime: read-only, each element a new copy.
type arrayView struct {
	vu    *vu.VU
	array *sharedArray
	name  string
}

// Len implements sobek.DynamicArray.
func (a *arrayView) Len() int { return len(a.array.elements) }

// Get implements sobek.DynamicArray.
func (a *arrayView) Get(i int) sobek.Value {
	if i < 0 || i >= len(a.array.elements) {
		return nil
	}
	value, err := a.vu.FromJSON(a.array.elements[i])
	if err != nil {
		throw(a.vu.Runtime(), "reading element %d of the SharedArray %q: %v", i, a.name, err)
	}
	return value
}

// Set implements sobek.DynamicArray.
func (a *arrayView) Set(int, sobek.Value) bool { return a.refuse() }

// SetLen implements sobek.DynamicArray.
func (a *arrayView) SetLen(int) bool { return a.refuse() }

func (a *arrayView) refuse() bool {
	throw(a.vu.Runtime(), "the SharedArray %q is read-only; copy it with Array.from() to change it", a.name)
	return false
}

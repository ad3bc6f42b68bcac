// Package module holds the JavaScript modules that the host offers.
package module

import (
	"fmt"
	"sync"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/host/vu"
	wsgov "github.com/wsgov/wsgov/xk6-wsgov"
)

// All is every module that scripts can import, by specifier. Shared arrays belong to the returned set.
func All() map[string]vu.Module {
	arrays := &arrayStore{byName: map[string]*sharedArray{}}
	return map[string]vu.Module{
		"k6":           basics,
		"k6/data":      arrays.module,
		"k6/execution": execution,
		"k6/metrics":   customMetrics,
		"k6/timers":    func(v *vu.VU) (map[string]sobek.Value, error) { return v.TimerFunctions(), nil },
		"k6/x/wsgov":   governed,
	}
}

// governed is the project's own module.
func governed(v *vu.VU) (map[string]sobek.Value, error) {
	m := wsgov.New(v)
	v.AtEnd(m.Close)
	return m.Exports(), nil
}

// throw raises an error as a JavaScript Error whose message is the error's text.
func throw(rt *sobek.Runtime, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	o, err := rt.New(rt.GlobalObject().Get("Error"), rt.ToValue(message))
	if err != nil { // the script replaced Error
		panic(rt.NewGoError(fmt.Errorf("%s", message)))
	}
	panic(o)
}

// running refuses a function in init code.
func running(v *vu.VU, name string) {
	if v.InitPhase() {
		throw(v.Runtime(), "%s() does not work in init code: call it in setup(), in the default function or in teardown()", name)
	}
}

// arrayStore holds the arrays that VUs share, by name.
type arrayStore struct {
	mu     sync.Mutex
	byName map[string]*sharedArray
}

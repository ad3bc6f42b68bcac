// Package metrics takes in samples and knows every metric's aggregate at any moment.
package metrics

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/wsgov/wsgov/record"
)

var validName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{1,128}$`)

// Registry holds one definition per metric name. Its methods may be called from any goroutine.
type Registry struct {
	mu     sync.Mutex
	byName map[string]*record.Metric
}

// NewRegistry makes a registry of the built-in metrics.
func NewRegistry() *Registry {
	r := &Registry{byName: map[string]*record.Metric{}}
	for _, m := range Builtin() {
		r.byName[m.Name] = m
	}
	return r
}

// Get returns the metric of that name, nil if there is none.
func (r *Registry) Get(name string) *record.Metric {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.byName[name]
}

// Create defines a metric for a script, or returns the existing one of the same name, kind and unit. A name that is
// malformed, reserved or taken by another kind is an error.
func (r *Registry) Create(name string, kind record.Kind, contains record.Contains) (*record.Metric, error) {
	if !validName.MatchString(name) {
		return nil, fmt.Errorf("creating the metric %q: a name has 2 to 129 letters, digits and underscores and does not start with a digit", name)
	}
	if strings.HasPrefix(name, record.Prefix) {
		return nil, fmt.Errorf("creating the metric %q: names that start with %q belong to the ledger, and a script that could add to them could forge its result; choose another name", name, record.Prefix)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.byName[name]; old != nil {
		return old, sameAs(old, kind, contains)
	}
	m := &record.Metric{Name: name, Kind: kind, Contains: contains}
	r.byName[name] = m
	return m, nil
}

func sameAs(old *record.Metric, kind record.Kind, contains record.Contains) error {
	if old.Kind != kind {
		return fmt.Errorf("creating the metric %q as a %s: it exists already as a %s; use that type or choose another name", old.Name, kind, old.Kind)
	}
	if old.Contains != contains {
		return fmt.Errorf("creating the metric %q with %s values: it exists already with %s values", old.Name, contains, old.Contains)
	}
	return nil
}

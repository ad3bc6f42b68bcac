package gateway

import (
	"flag"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// knob is one rule that can be set: for the process by flag, for one connection by query parameter.
type knob struct {
	flag  string // name of the flag
	path  string // endpoint that takes the query parameter
	param string // name of the query parameter
	usage string
	value func(*Rules) flag.Value
}

var knobs = []knob{
	{"capacity", pathGateway, "capacity", "`tokens` in a full bucket of /gateway", func(r *Rules) flag.Value { return (*count)(&r.Capacity) }},
	{"refill", pathGateway, "refill", "`tokens` added to the bucket each second", func(r *Rules) flag.Value { return (*rate)(&r.Refill) }},
	{"delay", pathGateway, "delay", "fixed part of the `time` until a granted message is answered", func(r *Rules) flag.Value { return (*span)(&r.Delay) }},
	{"jitter", pathGateway, "jitter", "mean of the exponentially distributed `time` on top of it", func(r *Rules) flag.Value { return (*span)(&r.Jitter) }},
	{"seed", pathGateway, "seed", "`number` from which the delays are drawn", func(r *Rules) flag.Value { return (*count)(&r.Seed) }},
	{"serial-delay", pathSerial, "delay", "`time` that /serial takes for each message", func(r *Rules) flag.Value { return (*span)(&r.SerialDelay) }},
}

// withQuery returns the rules with the parameters of a connection to path in place of the process's. The error is a
// sentence for the client.
func (r Rules) withQuery(path, rawQuery string) (Rules, error) {
	query, err := url.ParseQuery(rawQuery)
	if err != nil {
		return r, fmt.Errorf("the query of %s cannot be read: %w; %s", path, err, validParams(path))
	}
	for name, values := range query {
		k := slices.IndexFunc(knobs, func(k knob) bool { return k.path == path && k.param == name })
		if k < 0 {
			return r, fmt.Errorf("%s has no parameter %q; %s", path, name, validParams(path))
		}
		if len(values) != 1 {
			return r, fmt.Errorf("the parameter %q of %s is given %d times: give it once", name, path, len(values))
		}
		if err := knobs[k].value(&r).Set(values[0]); err != nil {
			return r, fmt.Errorf("the parameter %q of %s cannot be %q: %w; %s", name, path, values[0], err, validParams(path))
		}
	}
	return r, nil
}

func validParams(path string) string {
	var names []string
	for _, k := range knobs {
		if k.path == path {
			names = append(names, k.param)
		}
	}
	if names == nil {
		return "it takes none"
	}
	return "valid ones are " + strings.Join(names, ", ")
}

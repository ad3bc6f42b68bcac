package wsgov

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/internal/nearest"
	"github.com/wsgov/wsgov/xk6-wsgov/duration"
)

// value is a JavaScript value with the place it came from, for messages.
type value struct {
	js   sobek.Value
	kind string // such as "Client option"
	path string // such as "connect.timeout"
}

// field is one key that an object may have.
type field struct {
	name string
	read func(v value) error
}

// absent reports whether the value counts as not given.
func absent(v sobek.Value) bool { return v == nil || sobek.IsUndefined(v) || sobek.IsNull(v) }

// primitive is the value as a Go string, int64, float64 or bool, nil if it is none. It never exports an object, which would
// copy all of it.
func primitive(v sobek.Value) any {
	if _, ok := v.(*sobek.Object); ok || absent(v) {
		return nil
	}
	return v.Export()
}

// refuse is the error of a value that is not what is allowed.
func (v value) refuse(allowed string) error {
	return fmt.Errorf("%s is %s: give %s", v.name(), describe(v.js), allowed)
}

func (v value) name() string {
	if v.path == "" {
		return v.kind
	}
	return fmt.Sprintf("%s '%s'", v.kind, v.path)
}

// key is the value under a key of this object.
func (v value) key(name string, js sobek.Value) value {
	path := name
	if v.path != "" {
		path = v.path + "." + name
	}
	return value{js: js, kind: v.kind, path: path}
}

// describe names a value in messages.
func describe(v sobek.Value) string {
	if v == nil || sobek.IsUndefined(v) {
		return "undefined"
	}
	if o, ok := v.(*sobek.Object); ok {
		switch class := o.ClassName(); {
		case class == "Function" || class == "AsyncFunction":
			return "a function"
		case class == "Array":
			return "an array"
		case class == "Object":
			return "an object"
		default:
			return "an object (" + class + ")"
		}
	}
	if s, ok := primitive(v).(string); ok {
		return fmt.Sprintf("%.60q", s)
	}
	return v.String()
}

// plainObject is the value as an object that is no function, array or other exotic thing.
func plainObject(v sobek.Value) (*sobek.Object, bool) {
	o, ok := v.(*sobek.Object)
	return o, ok && o.ClassName() == "Object"
}

// decode reads an object strictly: an unknown key is an error that names the nearest known one. Keys whose value is
// undefined or null count as absent.
func decode(v value, fields []field) error {
	if absent(v.js) {
		return nil
	}
	o, ok := plainObject(v.js)
	if !ok {
		return v.refuse("an object with any of " + strings.Join(names(fields), ", "))
	}
	for _, key := range o.Keys() {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == key })
		if i < 0 {
			return unknown(v.key(key, nil), key, fields)
		}
		if member := o.Get(key); !absent(member) {
			if err := fields[i].read(v.key(key, member)); err != nil {
				return err
			}
		}
	}
	return nil
}

func unknown(v value, key string, fields []field) error {
	hint := ""
	if near := nearest.To(key, names(fields)); near != "" {
		hint = fmt.Sprintf("did you mean '%s'? ", near)
	}
	return fmt.Errorf("%s is unknown: %sit can be %s", v.name(), hint, strings.Join(names(fields), ", "))
}

func names(fields []field) []string {
	out := make([]string, len(fields))
	for i, f := range fields {
		out[i] = f.name
	}
	return out
}

// text reads a string that is not empty.
func text(to *string) func(value) error {
	return func(v value) error {
		s, ok := primitive(v.js).(string)
		if !ok || s == "" {
			return v.refuse("text")
		}
		*to = s
		return nil
	}
}

// oneOf reads one of a few words.
func oneOf[T ~string](to *T, words ...T) func(value) error {
	return func(v value) error {
		s, ok := primitive(v.js).(string)
		if !ok || !slices.Contains(words, T(s)) {
			var quoted []string
			for _, w := range words {
				quoted = append(quoted, "'"+string(w)+"'")
			}
			return v.refuse(strings.Join(quoted, " or "))
		}
		*to = T(s)
		return nil
	}
}

// truth reads a boolean.
func truth(to *bool) func(value) error {
	return func(v value) error {
		b, ok := primitive(v.js).(bool)
		if !ok {
			return v.refuse("true or false")
		}
		*to = b
		return nil
	}
}

// float is the value as a finite number.
func float(v sobek.Value) (float64, bool) {
	switch n := primitive(v).(type) {
	case int64:
		return float64(n), true
	case float64:
		return n, !math.IsNaN(n) && !math.IsInf(n, 0)
	}
	return 0, false
}

// number reads a number of at least low, or above it.
func number(to *float64, low float64, above bool) func(value) error {
	return func(v value) error {
		n, ok := float(v.js)
		if !ok || n < low || above && n == low {
			if above {
				return v.refuse(fmt.Sprintf("a number above %g", low))
			}
			return v.refuse(fmt.Sprintf("a number, %g or more", low))
		}
		*to = n
		return nil
	}
}

// whole reads a whole number between low and high.
func whole[T ~int | ~int64](to *T, low, high int64) func(value) error {
	return func(v value) error {
		n, ok := float(v.js)
		if !ok || n != math.Trunc(n) || n < float64(low) || n > float64(high) {
			return v.refuse(fmt.Sprintf("a whole number from %d to %d", low, high))
		}
		*to = T(n)
		return nil
	}
}

// length reads a duration of at least low.
func length(to *time.Duration, low time.Duration) func(value) error {
	return func(v value) error {
		d, err := parseLength(v.js)
		switch {
		case errors.Is(err, errNoLength):
			return v.refuse("a duration such as '10s' or '500ms', or a number of milliseconds")
		case err != nil:
			return fmt.Errorf("%s: %w", v.name(), err)
		case d < low && low > 0:
			return v.refuse("a duration above zero")
		case d < low:
			return v.refuse("a duration that is not negative")
		}
		*to = d
		return nil
	}
}

var errNoLength = errors.New("neither text nor a number")

func parseLength(v sobek.Value) (time.Duration, error) {
	switch x := primitive(v).(type) {
	case string:
		return duration.Parse(x)
	case int64:
		return duration.FromNumber(float64(x))
	case float64:
		return duration.FromNumber(x)
	}
	return 0, errNoLength
}

// list reads an array, each element by read.
func list(read func(v value) error) func(value) error {
	return func(v value) error {
		o, ok := v.js.(*sobek.Object)
		if !ok || o.ClassName() != "Array" {
			return v.refuse("an array")
		}
		for i := range int(o.Get("length").ToInteger()) {
			index := fmt.Sprint(i)
			element := value{js: o.Get(index), kind: v.kind, path: v.path + "[" + index + "]"}
			if element.js == nil {
				element.js = sobek.Undefined()
			}
			if err := read(element); err != nil {
				return err
			}
		}
		return nil
	}
}

// texts reads an array of strings.
func texts(to *[]string) func(value) error {
	return list(func(v value) error {
		var s string
		err := text(&s)(v)
		*to = append(*to, s)
		return err
	})
}

// dictionary reads an object of strings; numbers and booleans are taken as text.
func dictionary(to *map[string]string) func(value) error {
	return func(v value) error {
		o, ok := plainObject(v.js)
		if !ok {
			return v.refuse("an object of text")
		}
		*to = make(map[string]string)
		for _, key := range o.Keys() {
			member := v.key(key, o.Get(key))
			switch primitive(member.js).(type) {
			case string, int64, float64, bool:
				(*to)[key] = member.js.String()
			default:
				return member.refuse("text")
			}
		}
		return nil
	}
}

// object reads a nested object with the given keys.
func object(fields ...field) func(value) error {
	return func(v value) error { return decode(v, fields) }
}

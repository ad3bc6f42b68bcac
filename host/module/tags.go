package module

import (
	"fmt"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/host/vu"
	"github.com/wsgov/wsgov/record"
)

// tagsOf reads an optional object of tags; it throws on a value that is no text, number or boolean.
func tagsOf(v *vu.VU, value sobek.Value) record.Tags {
	if value == nil || sobek.IsUndefined(value) || sobek.IsNull(value) {
		return nil
	}
	object := value.ToObject(v.Runtime())
	var tags record.Tags
	for _, key := range object.Keys() {
		text, err := tagText(key, object.Get(key))
		if err != nil {
			throw(v.Runtime(), "%v", err)
		}
		tags = tags.With(key, text)
	}
	return tags
}

func tagText(key string, value sobek.Value) (string, error) {
	if _, isObject := value.(*sobek.Object); isObject || value == nil || sobek.IsUndefined(value) || sobek.IsNull(value) {
		return "", fmt.Errorf("the tag %q has a value that is no text, number or boolean", key)
	}
	return value.String(), nil
}

// scopeObject is the VU's current tags or metadata as a JavaScript object that writes through.
type scopeObject struct {
	vu    *vu.VU
	field func(*vu.Scope) *record.Tags
}

func (o *scopeObject) current() record.Tags {
	s := o.vu.Scope()
	return *o.field(&s)
}

func (o *scopeObject) replace(tags record.Tags) {
	s := o.vu.Scope()
	*o.field(&s) = tags
	o.vu.SetScope(s)
}

// Get implements sobek.DynamicObject.
func (o *scopeObject) Get(key string) sobek.Value {
	if value, ok := o.current().Get(key); ok {
		return o.vu.Runtime().ToValue(value)
	}
	return nil
}

// Set implements sobek.DynamicObject.
func (o *scopeObject) Set(key string, value sobek.Value) bool {
	text, err := tagText(key, value)
	if err != nil {
		throw(o.vu.Runtime(), "%v", err)
	}
	o.replace(o.current().With(key, text))
	return true
}

// Has implements sobek.DynamicObject.
func (o *scopeObject) Has(key string) bool {
	_, ok := o.current().Get(key)
	return ok
}

// Delete implements sobek.DynamicObject.
func (o *scopeObject) Delete(key string) bool {
	var rest record.Tags
	for _, tag := range o.current() {
		if tag.Key != key {
			rest = append(rest, tag)
		}
	}
	o.replace(rest)
	return true
}

// Keys implements sobek.DynamicObject.
func (o *scopeObject) Keys() []string {
	var keys []string
	for _, tag := range o.current() {
		keys = append(keys, tag.Key)
	}
	return keys
}

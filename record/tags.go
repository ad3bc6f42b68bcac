package record

import (
	"slices"
	"strings"
)

// Tag is one key with its value.
type Tag struct{ Key, Value string }

// Tags is a set of tags sorted by key without repeated keys. It is immutable once shared: With returns a new set.
type Tags []Tag

// NewTags makes a set from alternating keys and values; a later value replaces an earlier one. It panics on an odd
// number of arguments, which only a programmer can cause.
func NewTags(keysAndValues ...string) Tags {
	if len(keysAndValues)%2 != 0 {
		panic("record.NewTags: a key without a value")
	}
	var t Tags
	for i := 0; i < len(keysAndValues); i += 2 {
		t = t.With(keysAndValues[i], keysAndValues[i+1])
	}
	return t
}

// TagsFromMap makes a set from a map.
func TagsFromMap(m map[string]string) Tags {
	t := make(Tags, 0, len(m))
	for k, v := range m {
		t = append(t, Tag{k, v})
	}
	slices.SortFunc(t, func(a, b Tag) int { return strings.Compare(a.Key, b.Key) })
	return t
}

// Get returns the value of key and whether the set has it.
func (t Tags) Get(key string) (string, bool) {
	for i := range t {
		if t[i].Key == key {
			return t[i].Value, true
		}
	}
	return "", false
}

// Value returns the value of key, empty if the set lacks it.
func (t Tags) Value(key string) string {
	v, _ := t.Get(key)
	return v
}

// With returns a set in which key has value.
func (t Tags) With(key, value string) Tags {
	i, found := slices.BinarySearchFunc(t, key, func(a Tag, k string) int { return strings.Compare(a.Key, k) })
	out := make(Tags, 0, len(t)+1)
	out = append(append(out, t[:i]...), Tag{key, value})
	if found {
		i++
	}
	return append(out, t[i:]...)
}

// Merge returns a set with all tags of both; other wins where both have a key.
func (t Tags) Merge(other Tags) Tags {
	if len(other) == 0 {
		return t
	}
	if len(t) == 0 {
		return other
	}
	out := make(Tags, 0, len(t)+len(other))
	i, j := 0, 0
	for i < len(t) && j < len(other) {
		switch c := strings.Compare(t[i].Key, other[j].Key); {
		case c < 0:
			out = append(out, t[i])
			i++
		case c > 0:
			out = append(out, other[j])
			j++
		default:
			out = append(out, other[j])
			i++
			j++
		}
	}
	return append(append(out, t[i:]...), other[j:]...)
}

// Map returns the set as a map.
func (t Tags) Map() map[string]string {
	m := make(map[string]string, len(t))
	for _, tag := range t {
		m[tag.Key] = tag.Value
	}
	return m
}

package reply

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Condition is a test on one part. With Path, all of Equals, In and Exists that are given must hold; with none of them the
// path must be present. Without Path, Text is the whole text or Prefix its beginning, for protocols that are not JSON. Make
// one with NewCondition.
type Condition struct {
	// Path is a dotted path (see the package's documentation).
	Path string
	// Equals is a string, a float64, an int64 or a bool; nil if not given. Values of different JSON types differ; numbers
	// are compared exactly.
	Equals any
	// In are strings and numbers of which one must be equal.
	In []any
	// Exists says whether the path must be present (null counts as present) or absent.
	Exists *bool
	// Text must be equal to the part, Prefix its beginning.
	Text, Prefix string

	path   path
	wanted []scalar
	single *scalar
}

// scalar is a JSON string, number or boolean, with text in its canonical form.
type scalar struct {
	kind gjson.Type
	text string
}

// NewCondition checks and compiles a condition. The error says which field to change.
func NewCondition(c Condition) (*Condition, error) {
	if c.Path == "" {
		return c.literal()
	}
	if c.Text != "" || c.Prefix != "" {
		return nil, errors.New("a condition has either a path or a text, not both")
	}
	var err error
	if c.path, err = compilePath(c.Path); err != nil {
		return nil, fmt.Errorf("the path %q cannot be used: %w", c.Path, err)
	}
	if c.Equals != nil {
		s, err := toScalar(c.Equals)
		if err != nil {
			return nil, fmt.Errorf("equals: %w", err)
		}
		c.single = &s
	}
	for _, v := range c.In {
		s, err := toScalar(v)
		if err != nil {
			return nil, fmt.Errorf("in: %w", err)
		}
		c.wanted = append(c.wanted, s)
	}
	if c.In != nil && len(c.In) == 0 {
		return nil, errors.New("in is an empty list, which nothing matches")
	}
	return &c, nil
}

func (c Condition) literal() (*Condition, error) {
	switch {
	case c.Equals != nil || c.In != nil || c.Exists != nil:
		return nil, errors.New("a condition needs a path, such as path: 'type'")
	case (c.Text == "") == (c.Prefix == ""):
		return nil, errors.New("a condition needs a path, or one of text and startsWith")
	}
	return &c, nil
}

func toScalar(v any) (scalar, error) {
	switch v := v.(type) {
	case string:
		return scalar{gjson.String, v}, nil
	case bool:
		if v {
			return scalar{kind: gjson.True}, nil
		}
		return scalar{kind: gjson.False}, nil
	case int64, float64:
		text, ok := CanonicalNumber(fmt.Sprint(v))
		if !ok {
			return scalar{}, fmt.Errorf("%v is not a finite number", v)
		}
		return scalar{gjson.Number, text}, nil
	}
	return scalar{}, fmt.Errorf("%v is neither text, number nor boolean", v)
}

// Match reports whether the condition holds for a part. What is not valid JSON has no paths.
func (c *Condition) Match(part []byte) bool {
	switch {
	case c.Text != "":
		return string(part) == c.Text
	case c.Prefix != "":
		return bytes.HasPrefix(part, []byte(c.Prefix))
	}
	if !valid(part) {
		return c.holds(gjson.Result{})
	}
	return c.match(view(bytes.TrimSpace(part)))
}

// match is Match for valid JSON without space around it.
func (c *Condition) match(json string) bool {
	switch {
	case c.Text != "":
		return json == c.Text
	case c.Prefix != "":
		return strings.HasPrefix(json, c.Prefix)
	}
	return c.holds(c.path.get(json))
}

func (c *Condition) holds(v gjson.Result) bool {
	if c.Exists != nil && *c.Exists != v.Exists() {
		return false
	}
	if c.single != nil && !c.single.equals(v) {
		return false
	}
	if c.wanted != nil && !slices.ContainsFunc(c.wanted, func(s scalar) bool { return s.equals(v) }) {
		return false
	}
	return c.Exists != nil || v.Exists()
}

func (s *scalar) equals(v gjson.Result) bool {
	if v.Type != s.kind {
		return false
	}
	switch v.Type {
	case gjson.String:
		return v.Str == s.text
	case gjson.Number:
		text, _ := CanonicalNumber(v.Raw)
		return text == s.text
	}
	return true
}

package wsgov

import (
	"fmt"

	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

func conditionFields(c *reply.Condition) []field {
	return []field{
		{"path", text(&c.Path)},
		{"equals", func(v value) error {
			var err error
			c.Equals, err = scalar(v, true)
			return err
		}},
		{"in", func(v value) error {
			c.In = []any{}
			return list(func(v value) error {
				s, err := scalar(v, false)
				c.In = append(c.In, s)
				return err
			})(v)
		}},
		{"exists", func(v value) error {
			c.Exists = new(bool)
			return truth(c.Exists)(v)
		}},
		{"text", text(&c.Text)},
		{"startsWith", text(&c.Prefix)},
	}
}

// scalar reads text, a number or, where allowed, a boolean.
func scalar(v value, booleans bool) (any, error) {
	x := primitive(v.js)
	switch x.(type) {
	case string, int64, float64:
		return x, nil
	case bool:
		if booleans {
			return x, nil
		}
	}
	if booleans {
		return nil, v.refuse("text, a number or a boolean")
	}
	return nil, v.refuse("text or a number")
}

// condition reads and compiles a condition.
func condition(to **reply.Condition) func(value) error {
	return func(v value) error {
		var c reply.Condition
		if err := decode(v, conditionFields(&c)); err != nil {
			return err
		}
		compiled, err := reply.NewCondition(c)
		if err != nil {
			return fmt.Errorf("%s cannot be used: %w", v.name(), err)
		}
		*to = compiled
		return nil
	}
}

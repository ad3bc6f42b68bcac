package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/tidwall/gjson"
)

// decoder turns the text of one line into a MetricLine or a PointLine. Its results are reused by the next call.
type decoder struct {
	strings *interner
	point   PointLine
	metric  MetricLine
	typ     string
	name    string
	data    gjson.Result
	time    gjson.Result
	value   gjson.Result
}

// decode is the one place where text becomes values. It returns *MetricLine or *PointLine, valid until the next call, or
// says why the line is neither.
func (d *decoder) decode(line []byte) (Line, error) {
	if err := wellFormed(line); err != nil {
		return nil, err
	}
	d.typ, d.name, d.data = "", "", gjson.Result{}
	root := gjson.Parse(unsafe.String(unsafe.SliceData(line), len(line)))
	root.ForEach(d.top)
	switch d.typ {
	case "Point":
		return d.decodePoint()
	case "Metric":
		return d.decodeMetric()
	case "":
		return nil, errors.New(`no "type": neither a Metric nor a Point line of k6`)
	}
	return nil, fmt.Errorf("type %s is neither Metric nor Point", strconv.Quote(head(d.typ)))
}

func (d *decoder) top(key, value gjson.Result) bool {
	switch key.Str {
	case "type":
		d.typ = value.Str
	case "metric":
		d.name = value.Str
	case "data":
		d.data = value
	}
	return true
}

func (d *decoder) decodePoint() (Line, error) {
	if d.name == "" {
		return nil, errors.New(`a point without the name of its metric ("metric")`)
	}
	if !d.data.IsObject() {
		return nil, errors.New(`a point without "data"`)
	}
	p := &d.point
	p.Metric, p.Tags, p.Metadata = d.strings.own(d.name), p.Tags[:0], p.Metadata[:0]
	d.time, d.value = gjson.Result{}, gjson.Result{}
	d.data.ForEach(d.pointField)
	if d.value.Type != gjson.Number {
		return nil, fmt.Errorf("the value of a point must be a number, not %s", describe(d.value))
	}
	if p.Value = d.value.Num; math.IsInf(p.Value, 0) || math.IsNaN(p.Value) {
		return nil, fmt.Errorf("the value %s is beyond what a float64 holds", head(d.value.Raw))
	}
	var err error
	if p.Time, err = time.Parse(time.RFC3339Nano, d.time.Str); err != nil || d.time.Type != gjson.String {
		return nil, fmt.Errorf("the time of a point must be in RFC 3339 form, not %s", describe(d.time))
	}
	return p, nil
}

func (d *decoder) pointField(key, value gjson.Result) bool {
	switch key.Str {
	case "time":
		d.time = value
	case "value":
		d.value = value
	case "tags":
		d.point.Tags = d.tags(d.point.Tags[:0], value)
	case "metadata":
		d.point.Metadata = d.tags(d.point.Metadata[:0], value)
	}
	return true
}

// tags reads an object of strings into dst; null gives none, values of another type give their JSON text.
func (d *decoder) tags(dst Tags, object gjson.Result) Tags {
	if !object.IsObject() {
		return dst
	}
	object.ForEach(func(key, value gjson.Result) bool {
		text := value.Str
		if value.Type != gjson.String {
			text = value.Raw
		}
		dst = insertTag(dst, d.strings.own(key.Str), d.strings.own(text))
		return true
	})
	return dst
}

// insertTag keeps dst sorted; of a repeated key the later value stays.
func insertTag(dst Tags, key, value string) Tags {
	i := len(dst)
	for i > 0 && dst[i-1].Key > key {
		i--
	}
	if i > 0 && dst[i-1].Key == key {
		dst[i-1].Value = value
		return dst
	}
	dst = append(dst, Tag{})
	copy(dst[i+1:], dst[i:])
	dst[i] = Tag{key, value}
	return dst
}

func (d *decoder) decodeMetric() (Line, error) {
	d.metric = MetricLine{}
	m := &d.metric
	m.Name = d.strings.own(d.name)
	d.data.ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "name":
			if m.Name == "" {
				m.Name = d.strings.own(value.Str)
			}
		case "type":
			m.Kind = Kind(d.strings.own(value.Str))
		case "contains":
			m.Contains = Contains(d.strings.own(value.Str))
		case "thresholds":
			m.Thresholds = rawItems(value)
		case "submetrics":
			m.Submetrics = d.submetrics(value)
		}
		return true
	})
	if m.Name == "" {
		return nil, errors.New("a metric line without the name of its metric")
	}
	return m, nil
}

func rawItems(array gjson.Result) []json.RawMessage {
	if !array.IsArray() {
		return nil
	}
	var out []json.RawMessage
	array.ForEach(func(_, item gjson.Result) bool {
		out = append(out, json.RawMessage(clean(item.Raw)))
		return true
	})
	return out
}

func (d *decoder) submetrics(array gjson.Result) []Submetric {
	if !array.IsArray() {
		return nil
	}
	var out []Submetric
	array.ForEach(func(_, item gjson.Result) bool {
		var s Submetric
		item.ForEach(func(key, value gjson.Result) bool {
			switch key.Str {
			case "name":
				s.Name = d.strings.own(value.Str)
			case "suffix":
				s.Suffix = d.strings.own(value.Str)
			case "tags":
				s.Tags = d.tags(nil, value)
			}
			return true
		})
		out = append(out, s)
		return true
	})
	return out
}

// maxDepth bounds the nesting of a line; k6's own lines are five deep.
const maxDepth = 1000

// wellFormed says what keeps a line from being a JSON object.
func wellFormed(line []byte) error {
	if line[0] != '{' {
		return errors.New("not a JSON object: text of another program, or part of another line")
	}
	if bytes.Count(line, []byte("["))+bytes.Count(line, []byte("{")) > maxDepth && tooDeep(line) {
		return fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	if gjson.ValidBytes(line) {
		return nil
	}
	var syntax *json.SyntaxError
	var any json.RawMessage
	if err := json.Unmarshal(line, &any); errors.As(err, &syntax) {
		return fmt.Errorf("not valid JSON at byte %d of the line: %w", syntax.Offset, err)
	}
	return errors.New("not valid JSON")
}

// tooDeep looks at brackets outside of strings, before a recursive parser does.
func tooDeep(line []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case !quoted && (c == '{' || c == '['):
			depth++
		case !quoted && (c == '}' || c == ']'):
			depth--
		}
		if depth > maxDepth {
			return true
		}
	}
	return false
}

func describe(v gjson.Result) string {
	if !v.Exists() {
		return "absent"
	}
	return head(v.Raw)
}

// head is the start of a text, copied, for messages.
func head(s string) string {
	const limit = 40
	if len(s) > limit {
		s = s[:limit] + "…"
	}
	return clean(strings.Clone(s))
}

// Package payload fills message numbers into prepared payloads.
//
// The placeholders are {{id}}, {{conn}} and {{seq}}; any other text in braces stays as it is.
package payload

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// field is a number that a template leaves open.
type field uint8

const (
	none field = iota
	id
	conn
	seq
)

var placeholders = []struct {
	text  string
	field field
}{{"{{id}}", id}, {"{{conn}}", conn}, {"{{seq}}", seq}}

// Template is a payload with places for numbers. It is immutable and may be used from many goroutines.
type Template struct {
	pieces []piece
	size   int
}

// piece is literal text and the number that follows it.
type piece struct {
	text string
	then field
}

// Compile makes a template from text.
func Compile(text string) *Template {
	t := &Template{}
	t.add(text)
	return t
}

// CompileJSON makes a template from a JSON value. A string value that is nothing but a placeholder becomes a bare number;
// inside longer strings, and in keys, the digits are filled in. What the template renders is valid JSON. Invalid JSON is an
// error.
func CompileJSON(raw []byte) (*Template, error) {
	if !gjson.ValidBytes(raw) {
		return nil, fmt.Errorf("the message is not valid JSON: %.80q", raw)
	}
	t := &Template{}
	rest := string(raw)
	for {
		at := strings.IndexByte(rest, '"')
		if at < 0 {
			t.add(rest)
			return t, nil
		}
		length := stringLength(rest[at:])
		text, after := rest[at:at+length], rest[at+length:]
		if isKey(after) {
			t.add(rest[:at+length])
		} else {
			t.add(rest[:at])
			t.add(bare(text))
		}
		rest = after
	}
}

// stringLength is the length of the JSON string that s begins with, quotes included.
func stringLength(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// isKey reports whether a string before this text is a key.
func isKey(after string) bool {
	return strings.HasPrefix(strings.TrimLeft(after, " \t\r\n"), ":")
}

// bare takes the quotes off a string that is nothing but a placeholder.
func bare(quoted string) string {
	for _, p := range placeholders {
		if quoted[1:len(quoted)-1] == p.text {
			return p.text
		}
	}
	return quoted
}

// add appends text with its placeholders.
func (t *Template) add(text string) {
	for text != "" {
		at, p := next(text)
		if p == none {
			t.append(piece{text: text})
			return
		}
		t.append(piece{text: text[:at], then: p})
		text = text[at+strings.IndexByte(text[at:], '}')+2:]
	}
}

// append joins a piece to literal text before it.
func (t *Template) append(p piece) {
	t.size += len(p.text) + 8
	if n := len(t.pieces); n > 0 && t.pieces[n-1].then == none {
		p.text = t.pieces[n-1].text + p.text
		t.pieces = t.pieces[:n-1]
	}
	t.pieces = append(t.pieces, p)
}

// next finds the first placeholder.
func next(text string) (at int, f field) {
	for at = 0; ; at++ {
		skip := strings.Index(text[at:], "{{")
		if skip < 0 {
			return 0, none
		}
		at += skip
		for _, p := range placeholders {
			if strings.HasPrefix(text[at:], p.text) {
				return at, p.field
			}
		}
	}
}

// Size is about how many bytes a rendered payload has.
func (t *Template) Size() int { return t.size }

// Append appends the payload with the given numbers to dst.
func (t *Template) Append(dst []byte, message int64, connection, sequence int) []byte {
	for i := range t.pieces {
		dst = append(dst, t.pieces[i].text...)
		switch t.pieces[i].then {
		case id:
			dst = strconv.AppendInt(dst, message, 10)
		case conn:
			dst = strconv.AppendInt(dst, int64(connection), 10)
		case seq:
			dst = strconv.AppendInt(dst, int64(sequence), 10)
		}
	}
	return dst
}

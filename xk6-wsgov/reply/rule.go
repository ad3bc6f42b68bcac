package reply

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"
)

// Rule is a compiled Spec. It is immutable and may be used from many goroutines.
type Rule struct {
	separator string
	socketIO  bool
	parts     *path
	id        *path // nil for Socket.IO only
	when      *Condition
	always    bool
	ok        *path
	okIf      *Condition
	err       *path
	code      *path
}

// Parts appends the parts of a frame to dst, at least one. Bodies alias the frame; ids and codes do not.
func (r *Rule) Parts(dst []Part, frame []byte, binary bool) []Part {
	if r.socketIO {
		return append(dst, r.packet(frame, binary))
	}
	if r.separator == "" {
		return r.record(dst, frame)
	}
	before := len(dst)
	for rest, more := frame, true; more; {
		var record []byte
		record, rest, more = bytes.Cut(rest, []byte(r.separator))
		if len(bytes.TrimSpace(record)) > 0 {
			dst = r.record(dst, record)
		}
	}
	if len(dst) == before {
		dst = append(dst, Part{Kind: Push, Body: frame})
	}
	return dst
}

// record appends the parts of one JSON text.
func (r *Rule) record(dst []Part, text []byte) []Part {
	trimmed := bytes.TrimSpace(text)
	if len(trimmed) == 0 {
		return append(dst, Part{Kind: Push, Body: text})
	}
	if !valid(trimmed) {
		return append(dst, Part{Kind: Malformed, Body: text})
	}
	json := view(trimmed)
	if r.parts != nil {
		if list := r.parts.get(json); list.IsArray() {
			return r.elements(dst, trimmed, list.Raw, list.Index)
		}
	}
	if trimmed[0] == '[' {
		return r.elements(dst, trimmed, json, 0)
	}
	return append(dst, r.judge(json, trimmed))
}

// elements appends a part for each element of the array, which begins at the given position in text; an empty array is one
// Push.
func (r *Rule) elements(dst []Part, text []byte, array string, at int) []Part {
	before := len(dst)
	gjson.Parse(array).ForEach(func(_, v gjson.Result) bool {
		from := at + v.Index
		dst = append(dst, r.judge(v.Raw, text[from:from+len(v.Raw)]))
		return true
	})
	if len(dst) == before {
		dst = append(dst, Part{Kind: Push, Body: text})
	}
	return dst
}

// judge reads one part, given as valid JSON and as the bytes that it is.
func (r *Rule) judge(json string, body []byte) Part {
	p := Part{Kind: Push, Body: body}
	if r.when != nil && !r.when.match(json) {
		return p
	}
	id := r.id.get(json)
	if r.when == nil && id.Type == gjson.Null { // absent or null
		return p
	}
	p.Kind = Reply
	text, kind, ok := Canonical(id)
	if ok {
		p.ID, p.IDKind = strings.Clone(text), kind
	}
	r.verdict(&p, json)
	return p
}

// verdict fills in whether the reply is ok, and the code if not.
func (r *Rule) verdict(p *Part, json string) {
	p.OK, p.LacksOK = r.good(json)
	if r.err != nil && r.err.get(json).Type != gjson.Null {
		p.OK, p.LacksOK = false, false
	}
	if !p.OK && r.code != nil {
		p.Code = codeText(r.code.get(json))
	}
}

// good judges by the ok rule alone, and reports whether a failure is due to an absent path.
func (r *Rule) good(json string) (ok, lacks bool) {
	switch {
	case r.always:
		return true, false
	case r.okIf != nil:
		ok = r.okIf.match(json)
		return ok, !ok && r.okIf.Path != "" && !r.okIf.path.get(json).Exists()
	}
	v := r.ok.get(json)
	return truthy(v), !v.Exists()
}

// truthy is JavaScript's Boolean(v).
func truthy(v gjson.Result) bool {
	switch v.Type {
	case gjson.True, gjson.JSON:
		return true
	case gjson.String:
		return v.Str != ""
	case gjson.Number:
		return v.Num != 0
	}
	return false
}

// codeText is an error code as text: 503 and "503" are one code, 0 and negatives are codes.
func codeText(v gjson.Result) string {
	switch v.Type {
	case gjson.Null:
		return ""
	case gjson.True, gjson.False, gjson.JSON:
		return strings.Clone(v.Raw)
	}
	text, _, _ := Canonical(v)
	return strings.Clone(text)
}

// IDOf is the id of a payload that we send, read where the rule finds ids in replies. With a separator the payload's first
// record counts, in an array of one element that element. It reports false if there is no usable id.
func (r *Rule) IDOf(payload []byte) (id string, kind IDKind, ok bool) {
	if r.socketIO {
		return eventID(payload)
	}
	if r.separator != "" {
		payload, _, _ = bytes.Cut(payload, []byte(r.separator))
	}
	payload = bytes.TrimSpace(payload)
	if !valid(payload) {
		return "", Unknown, false
	}
	json := view(payload)
	if payload[0] == '[' {
		list := gjson.Parse(json).Array()
		if len(list) != 1 {
			return "", Unknown, false
		}
		json = list[0].Raw
	}
	id, kind, ok = Canonical(r.id.get(json))
	return strings.Clone(id), kind, ok
}

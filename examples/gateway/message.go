package gateway

import (
	"bytes"
	"encoding/json"
)

// message is what the gateway reads in a payload.
type message struct {
	id      []byte // JSON text of the id, a part of the payload; nil if there is none
	control bool   // it asks for the counters
}

// parseMessage finds id and cmd among the members of a JSON object. Names are compared exactly, and the last of several
// members of one name counts. A payload that is no JSON object is a message without an id.
func parseMessage(payload []byte) message {
	var m message
	if !json.Valid(payload) {
		return m
	}
	members(payload, func(name, value []byte) {
		switch {
		case spells(name, "id"):
			m.id = value
		case spells(name, "cmd"):
			m.control = value[0] == '"' && spells(value, "stats")
		}
	})
	if string(m.id) == "null" {
		m.id = nil
	}
	return m
}

// mayBeControl is a quick test that is never wrong when it says no.
func mayBeControl(payload []byte) bool {
	return bytes.Contains(payload, []byte("cmd")) || bytes.Contains(payload, []byte(`\u`))
}

// members calls visit for each member of the object that data holds. Data must be valid JSON. Names are given in quotes.
func members(data []byte, visit func(name, value []byte)) {
	i := skipSpace(data, 0)
	if data[i] != '{' {
		return
	}
	for i = skipSpace(data, i+1); data[i] == '"'; i = skipSpace(data, i+1) {
		name := data[i:skipString(data, i)]
		i = skipSpace(data, i+len(name)) // the colon
		i = skipSpace(data, i+1)
		value := data[i:skipValue(data, i)]
		visit(name, value)
		if i = skipSpace(data, i+len(value)); data[i] == '}' {
			return
		}
	}
}

func skipSpace(data []byte, i int) int {
	for data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r' {
		i++
	}
	return i
}

// skipString returns the index after the string that begins at i.
func skipString(data []byte, i int) int {
	for i++; data[i] != '"'; i++ {
		if data[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// skipValue returns the index after the value that begins at i, in an object that goes on after it.
func skipValue(data []byte, i int) int {
	for depth := 0; ; {
		switch data[i] {
		case '"':
			i = skipString(data, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\n', '\t', '\r':
			i++
		default:
			i = skipScalar(data, i)
		}
		if depth == 0 {
			return i
		}
	}
}

func skipScalar(data []byte, i int) int {
	for {
		switch data[i] {
		case ',', '}', ']', ' ', '\n', '\t', '\r':
			return i
		}
		i++
	}
}

// spells reports whether a JSON string, given in its quotes, stands for text.
func spells(quoted []byte, text string) bool {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1:len(quoted)-1]) == text
	}
	var s string
	return json.Unmarshal(quoted, &s) == nil && s == text
}

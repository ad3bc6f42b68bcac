package reply

import (
	"unsafe"

	"github.com/tidwall/gjson"
)

// maxDepth is how deeply JSON may be nested; encoding/json has the same limit. Validating is recursive, and frames come from
// outside.
const maxDepth = 10_000

// valid reports whether b is one JSON value of bearable depth.
func valid(b []byte) bool {
	return (len(b) <= maxDepth || !tooDeep(b)) && gjson.ValidBytes(b)
}

// tooDeep counts brackets outside of strings.
func tooDeep(b []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			if depth++; depth > maxDepth {
				return true
			}
		case c == ']' || c == '}':
			depth--
		}
	}
	return false
}

// view is b as text without a copy. It lives as long as b is unchanged: whatever outlives the frame must be cloned.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

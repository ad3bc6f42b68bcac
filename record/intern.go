package record

import (
	"hash/maphash"
	"strings"
	"unicode/utf8"
)

// interner turns strings that point into a line buffer into strings of their own, the same one for the same text as long
// as no other text has taken its slot. It holds a fixed number of short strings, so that memory is flat however many
// distinct values a file has.
type interner struct {
	seed  maphash.Seed
	slots [internSlots]string
}

const (
	internSlots = 1 << 13
	internLimit = 128 // longer strings are copied, not kept
)

func newInterner() *interner { return &interner{seed: maphash.MakeSeed()} }

// own returns a string with the text of s, with invalid UTF-8 replaced, that outlives the buffer under s.
func (in *interner) own(s string) string {
	if len(s) == 0 {
		return ""
	}
	if len(s) > internLimit {
		return clean(s)
	}
	slot := &in.slots[maphash.String(in.seed, s)%internSlots]
	if *slot != s {
		own := clean(s)
		if own != s {
			return own
		}
		*slot = own
	}
	return *slot
}

// clean copies s with every invalid byte as U+FFFD.
func clean(s string) string {
	if utf8.ValidString(s) {
		return strings.Clone(s)
	}
	return string([]rune(s))
}

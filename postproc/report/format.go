package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/wsgov/wsgov/record"
)

// count prints a whole number with thousands separators.
func count(n int64) string { return thousands(strconv.FormatInt(n, 10)) }

// decimal prints a number with thousands separators and a fixed number of digits behind the point.
func decimal(f float64, digits int) string {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return fmt.Sprint(f)
	}
	return thousands(strconv.FormatFloat(f, 'f', digits, 64))
}

func thousands(s string) string {
	sign, digits := "", s
	if strings.HasPrefix(s, "-") {
		sign, digits = "-", s[1:]
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if fraction != "" {
		whole += "." + fraction
	}
	return sign + whole
}

// value prints a counter's value: whole if it is, else as short as it can be.
func value(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return count(int64(f))
	}
	return strconv.FormatFloat(f, 'g', 6, 64)
}

// signed prints a difference with its sign.
func signed(f float64) string {
	if f > 0 {
		return "+" + value(f)
	}
	return value(f)
}

// pastDeadline is how a quantile among messages without an answer is printed.
const pastDeadline = "> deadline"

// millis prints a time in milliseconds with the four digits that the distributions hold, and never more than three behind the point.
func millis(m record.Milliseconds) string {
	switch f := float64(m); {
	case math.IsInf(f, 1):
		return pastDeadline
	case math.Abs(f) >= 100:
		return decimal(f, 1)
	case math.Abs(f) >= 10:
		return decimal(f, 2)
	default:
		return decimal(f, 3)
	}
}

// rate prints something per second.
func rate(f float64) string { return decimal(f, 1) + "/s" }

// percent prints a ratio; one that is not quite whole is never rounded to 100 %, nor one that is not quite nothing to 0 %.
func percent(ratio float64) string {
	text := decimal(100*ratio, 2)
	switch {
	case ratio < 1 && text == "100.00":
		text = "99.99+"
	case ratio > 0 && text == "0.00":
		text = "0.00+"
	}
	return text + " %"
}

// nameLimit is how much of a name from an input is shown.
const nameLimit = 60

// safe makes a name from an input fit for a terminal: what is not printable is escaped, what is long is cut.
func safe(s string) string {
	if s == "" {
		return "(none)"
	}
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n == nameLimit {
			return b.String() + "..."
		}
		if n++; unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		}
	}
	return b.String()
}

// sentence makes text of the post-processor, in which names of the input may stand, fit for a terminal.
func sentence(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, s)
}

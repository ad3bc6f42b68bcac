package reply

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"
)

// Canonical is the comparable form of an id: text as it is, a number as the shortest decimal text of its exact value. So 1,
// 1.0, 1e0 and "1" are one id, and "06" and 6 are two. It reports false for what is no id: null, booleans, objects,
// arrays, empty text and absent values. The value must come from valid JSON. The text may alias the JSON.
func Canonical(v gjson.Result) (id string, kind IDKind, ok bool) {
	switch v.Type {
	case gjson.String:
		return v.Str, String, v.Str != ""
	case gjson.Number:
		id, ok := CanonicalNumber(v.Raw)
		return id, Number, ok
	}
	return "", Unknown, false
}

// CanonicalNumber is the shortest decimal text of the exact value of a JSON number, without limits on its size; where that
// would be long, because the exponent is, it is significant digits and exponent. It reports false if the text is no JSON
// number.
func CanonicalNumber(text string) (string, bool) {
	if !isNumber(text) {
		return "", false
	}
	if strings.ContainsAny(text, ".eE") {
		return decimal(text), true
	}
	if text == "-0" {
		return "0", true
	}
	return text, true
}

// isNumber reports whether the text is a number by RFC 8259 section 6.
func isNumber(s string) bool {
	s = strings.TrimPrefix(s, "-")
	n := digits(s)
	if n == 0 || n > 1 && s[0] == '0' {
		return false
	}
	s = s[n:]
	if rest, found := strings.CutPrefix(s, "."); found {
		n := digits(rest)
		if n == 0 {
			return false
		}
		s = rest[n:]
	}
	if s == "" {
		return true
	}
	if s[0] != 'e' && s[0] != 'E' {
		return false
	}
	s = s[1:]
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	return s != "" && digits(s) == len(s)
}

// digits counts the digits that s begins with.
func digits(s string) int {
	n := 0
	for n < len(s) && s[n] >= '0' && s[n] <= '9' {
		n++
	}
	return n
}

// expanded limits how many zeros are written out in place of an exponent.
const expanded = 400

// decimal normalises a valid number that has a fraction or an exponent.
func decimal(text string) string {
	sign := ""
	if text[0] == '-' {
		sign, text = "-", text[1:]
	}
	mantissa, exponent := text, ""
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		mantissa, exponent = text[:i], text[i+1:]
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	all := strings.TrimLeft(whole+fraction, "0")
	significant := strings.TrimRight(all, "0")
	if significant == "" {
		return "0"
	}
	shift := int64(len(all) - len(significant) - len(fraction))
	power, ok := addExponent(exponent, shift)
	if !ok {
		return sign + significant + "e" + bigExponent(exponent, shift)
	}
	return sign + place(significant, power)
}

// addExponent adds shift to the exponent if that surely fits.
func addExponent(exponent string, shift int64) (int64, bool) {
	if exponent == "" {
		return shift, true
	}
	n, err := strconv.ParseInt(exponent, 10, 64)
	const far = 1 << 62
	return n + shift, err == nil && n < far && n > -far
}

func bigExponent(exponent string, shift int64) string {
	n, _ := new(big.Int).SetString(exponent, 10) // digits with a sign: proved by isNumber
	return n.Add(n, big.NewInt(shift)).String()
}

// place writes significant × 10^power.
func place(significant string, power int64) string {
	point := int64(len(significant)) + power // position of the decimal point
	switch {
	case power > expanded || power < -expanded-int64(len(significant)):
		return significant + "e" + strconv.FormatInt(power, 10)
	case power >= 0:
		return significant + strings.Repeat("0", int(power))
	case point > 0:
		return significant[:point] + "." + significant[point:]
	}
	return "0." + strings.Repeat("0", int(-point)) + significant
}

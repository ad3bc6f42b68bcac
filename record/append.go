package record

import (
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"
)

// AppendPoint appends the line of one sample, newline included, in the shape k6 v2.3 writes: metadata only where there
// is some, numbers as the standard library prints them, no HTML escaping. A value that is not finite or a time outside
// the years 0 to 9999 has no JSON form: it is an error and nothing is appended.
func AppendPoint(dst []byte, s *Sample) ([]byte, error) {
	if math.IsInf(s.Value, 0) || math.IsNaN(s.Value) {
		return dst, fmt.Errorf("writing a point of %s: JSON has no number for %v", s.Metric.Name, s.Value)
	}
	if y := s.Time.Year(); y < 0 || y > 9999 {
		return dst, fmt.Errorf("writing a point of %s: year %d does not fit RFC 3339", s.Metric.Name, y)
	}
	dst = append(dst, `{"metric":`...)
	dst = appendString(dst, s.Metric.Name)
	dst = append(dst, `,"type":"Point","data":{"time":"`...)
	dst = s.Time.AppendFormat(dst, time.RFC3339Nano)
	dst = append(dst, `","value":`...)
	dst = appendFloat(dst, s.Value)
	dst = append(dst, `,"tags":`...)
	dst = appendTags(dst, s.Tags)
	if len(s.Metadata) > 0 {
		dst = append(dst, `,"metadata":`...)
		dst = appendTags(dst, s.Metadata)
	}
	return append(dst, "}}\n"...), nil
}

// AppendMetric appends the line that describes a metric, newline included, in the shape k6 v2.3 writes.
func AppendMetric(dst []byte, m MetricLine) []byte {
	dst = append(dst, `{"type":"Metric","data":{"name":`...)
	dst = appendString(dst, m.Name)
	dst = append(dst, `,"type":`...)
	dst = appendString(dst, string(m.Kind))
	dst = append(dst, `,"contains":`...)
	dst = appendString(dst, string(m.Contains))
	dst = append(dst, `,"thresholds":[`...)
	for i, t := range m.Thresholds {
		dst = append(appendComma(dst, i), t...)
	}
	dst = append(dst, `],"submetrics":`...)
	dst = appendSubmetrics(dst, m.Submetrics)
	dst = append(dst, `},"metric":`...)
	dst = appendString(dst, m.Name)
	return append(dst, "}\n"...)
}

func appendSubmetrics(dst []byte, subs []Submetric) []byte {
	if len(subs) == 0 {
		return append(dst, "null"...)
	}
	dst = append(dst, '[')
	for i := range subs {
		dst = append(appendComma(dst, i), `{"name":`...)
		dst = appendString(dst, subs[i].Name)
		dst = append(dst, `,"suffix":`...)
		dst = appendString(dst, subs[i].Suffix)
		dst = append(dst, `,"tags":`...)
		dst = appendTags(dst, subs[i].Tags)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func appendTags(dst []byte, tags Tags) []byte {
	dst = append(dst, '{')
	for i := range tags {
		dst = appendString(appendComma(dst, i), tags[i].Key)
		dst = appendString(append(dst, ':'), tags[i].Value)
	}
	return append(dst, '}')
}

func appendComma(dst []byte, i int) []byte {
	if i == 0 {
		return dst
	}
	return append(dst, ',')
}

// appendFloat prints f as encoding/json does: the shortest form that reads back as f, with an exponent only below 1e-6
// and from 1e21.
func appendFloat(dst []byte, f float64) []byte {
	if i := int64(f); float64(i) == f && i > -1e15 && i < 1e15 && (i != 0 || !math.Signbit(f)) {
		return strconv.AppendInt(dst, i, 10)
	}
	abs := math.Abs(f)
	if abs == 0 || (abs >= 1e-6 && abs < 1e21) {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); n >= 4 && dst[n-4] == 'e' && dst[n-2] == '0' { // e-09 becomes e-9
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// appendString quotes s as encoding/json does without HTML escaping: control characters, U+2028 and U+2029 are escaped,
// invalid UTF-8 becomes U+FFFD.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < utf8.RuneSelf && c != '"' && c != '\\' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= utf8.RuneSelf && r != '\u2028' && r != '\u2029' && (r != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		dst = appendEscape(append(dst, s[start:i]...), r)
		i += size
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

func appendEscape(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\b':
		return append(dst, `\b`...)
	case '\f':
		return append(dst, `\f`...)
	case '\n':
		return append(dst, `\n`...)
	case '\r':
		return append(dst, `\r`...)
	case '\t':
		return append(dst, `\t`...)
	}
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

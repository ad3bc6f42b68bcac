package threshold

import (
	"fmt"
	"strings"

	"github.com/wsgov/wsgov/record"
)

// Selector is a metric's name, narrowed by tags if it ends in braces. Suffix is what stands between them.
type Selector struct {
	Metric string
	Suffix string
	Tags   record.Tags
}

// ParseSelector reads a key of options.thresholds such as "wsgov_delivered{scenario:chat}". The part in braces is a
// list of key:value, divided at commas and each at its first colon; white space and quotes around parts are dropped.
func ParseSelector(text string) (Selector, error) {
	text = strings.TrimSpace(text)
	name, rest, narrowed := strings.Cut(text, "{")
	if !narrowed {
		return Selector{Metric: text}, nil
	}
	suffix, closed := strings.CutSuffix(rest, "}")
	if !closed {
		return Selector{}, fmt.Errorf("threshold on %q: the braces are not closed at its end", text)
	}
	tags, err := parseTags(suffix)
	if err != nil {
		return Selector{}, fmt.Errorf("threshold on %q: %w", text, err)
	}
	return Selector{Metric: strings.TrimSpace(name), Suffix: suffix, Tags: tags}, nil
}

func parseTags(suffix string) (record.Tags, error) {
	var tags record.Tags
	for part := range strings.SplitSeq(suffix, ",") {
		key, value, found := strings.Cut(part, ":")
		key, value = unquote(key), unquote(value)
		if !found || key == "" || value == "" {
			return nil, fmt.Errorf("%q is not a tag and its value: write key:value", part)
		}
		tags = tags.With(key, value)
	}
	return tags, nil
}

func unquote(s string) string { return strings.Trim(strings.TrimSpace(s), `"'`) }

// String is the selector as a key of options.thresholds.
func (s Selector) String() string {
	if s.Suffix == "" {
		return s.Metric
	}
	return s.Metric + "{" + s.Suffix + "}"
}

// Matches reports whether a sample's tags have all tags of the selector.
func (s Selector) Matches(tags record.Tags) bool {
	i := 0
	for _, want := range s.Tags {
		for i < len(tags) && tags[i].Key < want.Key {
			i++
		}
		if i == len(tags) || tags[i] != want {
			return false
		}
		i++
	}
	return true
}

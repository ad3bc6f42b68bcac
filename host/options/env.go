package options

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// EnvName is the environment variable of an option: "summaryTrendStats" becomes "K6_SUMMARY_TREND_STATS".
func EnvName(key string) string {
	var b strings.Builder
	b.WriteString("K6_")
	runes := []rune(key)
	for i, r := range runes {
		if startsWord(runes, i) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(r))
	}
	return b.String()
}

// startsWord reports whether a word of a camel-case name starts at i: after a small letter, or as the last capital of an
// abbreviation, whose plural "s" belongs to it.
func startsWord(runes []rune, i int) bool {
	if i == 0 || !unicode.IsUpper(runes[i]) {
		return false
	}
	if unicode.IsLower(runes[i-1]) {
		return true
	}
	rest := string(runes[i+1:])
	return rest != "" && rest != "s" && unicode.IsLower(runes[i+1])
}

// FromEnv reads the options that k6 takes from the environment. A variable of an option that is not offered is refused
// like the option; variables that are none of k6's are left alone.
func FromEnv(lookup func(string) (string, bool)) (Layer, error) {
	layer := Layer{From: "the environment", Values: map[string]json.RawMessage{}}
	for key := range notOffered {
		if _, set := lookup(EnvName(key)); set {
			return layer, fmt.Errorf("%s: %w", EnvName(key), refuse(layer.From, key))
		}
	}
	for key := range readers {
		text, set := lookup(EnvName(key))
		if !set || text == "" || key == "scenarios" || key == "thresholds" {
			continue
		}
		value, err := FromText(key, text)
		if err != nil {
			return layer, fmt.Errorf("%s: %w", EnvName(key), err)
		}
		layer.Values[key] = value
	}
	return layer, nil
}

// FromText makes an option's value of its text on the command line or in the environment: lists are divided at commas,
// tags are key=value.
func FromText(key, text string) (json.RawMessage, error) {
	switch key {
	case "vus", "iterations":
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return nil, fmt.Errorf("%q is not a whole number", text)
		}
		return json.RawMessage(text), nil
	case "noSetup", "noTeardown", "throw", "insecureSkipTLSVerify":
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fmt.Errorf("%q is not true or false", text)
		}
		return json.Marshal(b)
	case "systemTags", "summaryTrendStats":
		return json.Marshal(strings.Split(text, ","))
	case "tags":
		return tagsFromText(strings.Split(text, ","))
	}
	return json.Marshal(text)
}

// tagsFromText makes the option "tags" of key=value pairs.
func tagsFromText(pairs []string) (json.RawMessage, error) {
	tags := make(map[string]string, len(pairs))
	for _, pair := range pairs {
		key, value, found := strings.Cut(pair, "=")
		if !found || key == "" {
			return nil, fmt.Errorf("%q is not a tag: write key=value", pair)
		}
		tags[key] = value
	}
	return json.Marshal(tags)
}

// FromTags makes the option "tags" of key=value pairs, one each.
func FromTags(pairs []string) (json.RawMessage, error) { return tagsFromText(pairs) }

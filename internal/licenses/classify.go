package main

import (
	"errors"
	"strings"
)

// allowed are the licences that a dependency may have.
var allowed = map[string]bool{"Apache-2.0": true, "MIT": true, "BSD-2-Clause": true, "BSD-3-Clause": true, "ISC": true, "MPL-2.0": true}

// marks are phrases that tell licences apart. The first whose phrases all occur decides, so that a strict licence is not
// taken for a permissive one that it quotes.
var marks = []struct {
	licence string
	phrases []string
}{
	{"AGPL-3.0", []string{"gnu affero general public license"}},
	{"LGPL", []string{"gnu lesser general public license"}},
	{"GPL", []string{"gnu general public license", "version"}},
	{"SSPL", []string{"server side public license"}},
	{"BUSL", []string{"business source license"}},
	{"Apache-2.0", []string{"apache license", "version 2.0"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "endorse or promote"}},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}},
	{"ISC", []string{"permission to use, copy, modify, and", "distribute this software for any", "provided that the above"}},
	{"MIT", []string{"permission is hereby granted, free of charge", "without restriction"}},
}

// classify names the licence of a text.
func classify(text string) (string, error) {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	if strings.HasPrefix(text, "mozilla public license version 2.0") {
		return "MPL-2.0", nil // by its title, because it names the GNU licences as secondary ones
	}
	for _, m := range marks {
		if containsAll(text, m.phrases) {
			return m.licence, nil
		}
	}
	return "", errors.New("its licence is not known")
}

func containsAll(text string, phrases []string) bool {
	for _, p := range phrases {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return true
}

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestClassify(t *testing.T) {
	for text, want := range map[string]string{
		"Apache License\n   Version 2.0, January 2004":                                                                                           "Apache-2.0",
		"Permission is hereby granted, free of charge, to any person\n... to deal in the Software without restriction":                           "MIT",
		"Redistribution and use in source and binary forms, with or without":                                                                     "BSD-2-Clause",
		"Redistribution and use in source and binary forms\n... may be used to endorse or promote products":                                      "BSD-3-Clause",
		"Permission to use, copy, modify, and/or\ndistribute this software for any purpose is granted, provided that the above copyright notice": "ISC",
		"Mozilla Public License Version 2.0 ... GNU Affero General Public License":                                                               "MPL-2.0",
		"GNU AFFERO GENERAL PUBLIC LICENSE\nVersion 3, 19 November 2007":                                                                         "AGPL-3.0",
		"GNU Affero General Public License ... or the Mozilla Public License Version 2.0, Apache License Version 2.0":                            "AGPL-3.0",
		"GNU LESSER GENERAL PUBLIC LICENSE\nVersion 3":                                                                                           "LGPL",
		"GNU GENERAL PUBLIC LICENSE\nVersion 2":                                                                                                  "GPL",
	} {
		if got, err := classify(text); got != want || err != nil {
			t.Errorf("%.40q is %q, %v; want %q", text, got, err, want)
		}
	}
	if got, err := classify("All rights reserved."); err == nil {
		t.Errorf("a text without a licence is %q", got)
	}
}

func TestReportFailsForWhatIsNotAllowed(t *testing.T) {
	good, bad, none, both, mixed := t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir(), t.TempDir()
	write(t, good, "LICENSE.md", "Apache License Version 2.0")
	write(t, bad, "COPYING", "GNU AFFERO GENERAL PUBLIC LICENSE")
	write(t, both, "LICENSE-APACHE", "Apache License Version 2.0")
	write(t, both, "LICENSE-MIT", "Permission is hereby granted, free of charge, ... without restriction")
	write(t, mixed, "COPYING", "Apache License Version 2.0")
	write(t, mixed, "LICENSE", "GNU AFFERO GENERAL PUBLIC LICENSE")
	for name, c := range map[string]struct {
		modules []module
		ok      bool
		text    string
	}{
		"good":  {[]module{{Path: "a", Dir: good}}, true, "Apache-2.0"},
		"both":  {[]module{{Path: "e", Dir: both}}, true, "Apache-2.0 and MIT"},
		"mixed": {[]module{{Path: "f", Dir: mixed}}, false, "LICENSE: AGPL-3.0 is not allowed"},
		"bad":   {[]module{{Path: "a", Dir: good}, {Path: "b", Dir: bad}}, false, "AGPL-3.0 is not allowed"},
		"none":  {[]module{{Path: "c", Dir: none}}, false, "no licence file"},
		"gone":  {[]module{{Path: "d", Dir: filepath.Join(none, "x")}}, false, "not there"},
	} {
		var out bytes.Buffer
		if ok := report(&out, c.modules); ok != c.ok || !strings.Contains(out.String(), c.text) {
			t.Errorf("%s: %v\n%s", name, ok, out.String())
		}
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

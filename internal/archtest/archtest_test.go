package archtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestTheProjectKeepsItsRules(t *testing.T) {
	breaches, err := Check(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range breaches {
		t.Error(b)
	}
}

// tree makes a tree of files by name.
func tree(files map[string]string) fstest.MapFS {
	fs := fstest.MapFS{}
	for name, text := range files {
		fs[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return fs
}

func imports(packageName string, paths ...string) string {
	text := "package " + packageName + "\n"
	for _, p := range paths {
		text += "import _ \"" + p + "\"\n"
	}
	return text
}

// Every rule fires on a tree that breaks it.
func TestEachRuleCanFail(t *testing.T) {
	own := modulePath + "/"
	for want, files := range map[string]map[string]string{
		"engine must not reach github.com/grafana/sobek": {
			"xk6-wsgov/engine/a.go": imports("engine", own+"xk6-wsgov/x"), "xk6-wsgov/x/a.go": imports("x", sobek),
		},
		"schedule must not reach":                  {"xk6-wsgov/schedule/a.go": imports("schedule", sobek)},
		"ledger must not reach":                    {"xk6-wsgov/ledger/a.go": imports("ledger", sobek+"/parser")},
		"wire must not reach":                      {"xk6-wsgov/wire/a.go": imports("wire", sobek)},
		"xk6-wsgov must not reach host":            {"xk6-wsgov/a.go": imports("wsgov", own+"host/vu")},
		"postproc/report must not reach":           {"postproc/report/a.go": imports("report", own+"xk6-wsgov/ledger")},
		"examples/gateway must not reach":          {"examples/gateway/a.go": imports("gateway", own+"record")},
		"the standard library and":                 {"record/a.go": imports("record", "github.com/spf13/cobra")},
		"uses time.Now":                            {"xk6-wsgov/schedule/a.go": "package schedule\nimport \"time\"\nvar t = time.Now()\n"},
		"ledger/a.go:3:9 uses time.Since":          {"xk6-wsgov/ledger/a.go": "package ledger\nimport clock \"time\"\nvar t = clock.Since(clock.Time{})\n"},
		"its clock could not be seen":              {"xk6-wsgov/ledger/a.go": "package ledger\nimport . \"time\"\nvar t = Now()\n"},
		"lines, more than 600":                     {"a/a.go": "package a\n" + strings.Repeat("\n", 601)},
		"long has 82 lines":                        {"a/a.go": "package a\nfunc long() {\n" + strings.Repeat("\n", 80) + "}\n"},
		"names k6":                                 {"xk6-wsgov/k6/go.mod": "module x\nrequire go.k6" + ".io/k6/v2 v2.0.0\n"},
		"go.sum names k6":                          {"go.sum": "go.k6" + ".io/k6 v1.8.1 h1:x\n"},
		"go.work names k6":                         {"xk6-wsgov/k6/go.work": "use .\nreplace go.k6" + ".io/k6 => ./stand-in\n"},
		"imports k6":                               {"a/a.go": imports("a", "go.k6"+".io/k6/js/modules")},
		"names a machine or a registry: \" /tm":    {"Makefile": "cat /tm" + "p/out\n"},
		"postproc must not reach host":             {"postproc/a.go": imports("postproc", own+"host/vu")},
		"examples/gateway must not reach postproc": {"examples/gateway/a.go": imports("gateway", own+"postproc")},
		"names a machine":                          {"README.md": "see /root" + "/notes\n"},
	} {
		breaches, err := Check(tree(files))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(strings.Join(breaches, "\n"), want) {
			t.Errorf("no breach says %q: %q", want, breaches)
		}
	}
}

func TestAllowedEdgesAreQuiet(t *testing.T) {
	own := modulePath + "/"
	breaches, err := Check(tree(map[string]string{
		"host/a.go":                  imports("host", own+"xk6-wsgov", sobek),
		"xk6-wsgov/a.go":             imports("wsgov", own+"xk6-wsgov/engine", own+"record", sobek),
		"xk6-wsgov/engine/a.go":      imports("engine", own+"record"),
		"xk6-wsgov/engine/a_test.go": "package engine\nimport \"time\"\nvar t = time.Now()\n",
		"record/a.go":                imports("record", "encoding/json", jsonLibrary),
		"postproc/a.go":              imports("postproc", own+"record"),
	}))
	if err != nil || len(breaches) > 0 {
		t.Errorf("%v %v", breaches, err)
	}
}

// A rule about a folder that is gone would hold for ever.
func TestEachRuleHasItsPlace(t *testing.T) {
	places := append([]string{"record"}, clockless...)
	for _, e := range edges {
		places = append(places, e.from)
	}
	for _, p := range places {
		if found, err := filepath.Glob(filepath.Join("../..", p, "*.go")); err != nil || len(found) == 0 {
			t.Errorf("a rule is about %s, which holds no Go files (%v)", p, err)
		}
	}
}

package script_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/host/script"
)

// fakeNatives offers one module with the exports twice and two.
type fakeNatives struct{}

func (fakeNatives) Names() []string { return []string{"k6", "k6/x/numbers"} }

func (fakeNatives) Exports(specifier string) ([]string, error) {
	if specifier != "k6/x/numbers" {
		return nil, errors.New("no exports known")
	}
	return []string{"two", "twice"}, nil
}

func construct(rt *sobek.Runtime) script.Construct {
	return func(string) (map[string]sobek.Value, error) {
		return map[string]sobek.Value{
			"two":   rt.ToValue(2),
			"twice": rt.ToValue(func(n int) int { return 2 * n }),
		}, nil
	}
}

// write puts files into a new working directory.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// run loads and evaluates main.js and returns the value of its export "got".
func run(t *testing.T, main string) (string, error) {
	t.Helper()
	p, err := script.Load(script.Source{Path: main}, fakeNatives{})
	if err != nil {
		return "", err
	}
	rt := sobek.New()
	promise := p.Start(rt, construct(rt))
	defer p.Stop(rt)
	if promise.State() != sobek.PromiseStateFulfilled {
		return "", fmt.Errorf("rejected: %v", promise.Result())
	}
	return p.Exports(rt).Get("got").String(), nil
}

func TestImports(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"named native":   {"main.js": `import { two, twice } from 'k6/x/numbers'; export const got = twice(two + 19)`},
		"default native": {"main.js": `import n from 'k6/x/numbers'; export const got = n.twice(21)`},
		"star native":    {"main.js": `import * as n from 'k6/x/numbers'; export const got = n.twice(21) + n.two - n.default.two`},
		"local":          {"main.js": `import { v } from './lib/a.js'; export const got = v`, "lib/a.js": `export { v } from '../b.js'`, "b.js": `export const v = 42`},
		"re-export all":  {"main.js": `import { v } from './a.js'; export const got = v`, "a.js": `export * from './b.js'`, "b.js": `export const v = 42`},
		"cycle":          {"main.js": `import { f } from './a.js'; export function g() { return 41 } export const got = f()`, "a.js": `import { g } from './main.js'; export function f() { return g() + 1 }`},
		"typescript":     {"main.js": `import { v } from './a.ts'; export const got = v`, "a.ts": "import type { T } from './none';\ninterface I { a: number }\nexport const v: number = ({ a: 42 } as I).a;"},
		"byte order":     {"main.js": "\ufeffexport const got = 42"},
		"missing map":    {"main.js": "export const got = 42\n//# sourceMappingURL=gone.js.map"},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, files)
			if got, err := run(t, "main.js"); err != nil || got != "42" {
				t.Errorf("got %q, %v; want 42", got, err)
			}
		})
	}
}

func TestProgramRunsOnManyRuntimes(t *testing.T) {
	write(t, map[string]string{"main.js": `let n = 0; export function got() { return ++n }`})
	p, err := script.Load(script.Source{Path: "main.js"}, fakeNatives{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		rt := sobek.New()
		p.Start(rt, construct(rt))
		f, ok := sobek.AssertFunction(p.Exports(rt).Get("got"))
		if !ok {
			t.Fatal("got is not a function")
		}
		if v, err := f(sobek.Undefined()); err != nil || v.ToInteger() != 1 {
			t.Errorf("got() = %v, %v; want 1 on every runtime", v, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct {
		main string
		want []string
	}{
		"missing file":    {"", []string{"no such file"}},
		"unknown k6":      {`import http from 'k6/http'`, []string{`"k6/http"`, "does not offer", "k6/x/numbers"}},
		"remote":          {`import x from 'https://jslib.k6.io/x.js'`, []string{"https://jslib.k6.io/x.js", "download the file"}},
		"package":         {`import x from 'lodash'`, []string{`"lodash"`, "bundle"}},
		"missing import":  {`import x from './a.js'`, []string{"a.js", "no such file"}},
		"no extension":    {`import x from './lib'`, []string{"there is lib.js", "whole file"}},
		"json":            {`import x from './data.json'`, []string{"JSON.parse(open('./data.json'))"}},
		"missing export":  {`import { three } from 'k6/x/numbers'`, []string{"main.js:1", "three", "k6/x/numbers"}},
		"no default":      {`import x from './lib.js'`, []string{"main.js:1", "default", "./lib.js"}},
		"broken native":   {`import x from 'k6'`, []string{`"k6"`, "no exports known"}},
		"duplicate names": {`export const a = 1; export { a }`, []string{"Duplicate export name a"}},
		"syntax": {"const a = 1;\n\tconst b = (a;\n", []string{
			"main.js:2:", "\n  2 | \tconst b = (a;\n    | \t            ^",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			files := map[string]string{"lib.js": "export const a = 1", "data.json": "{}"}
			if c.main != "" {
				files["main.js"] = c.main
			}
			write(t, files)
			_, err := run(t, "main.js")
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
}

func TestTypeScriptErrorNamesTheOriginalLine(t *testing.T) {
	write(t, map[string]string{"main.ts": "export const a: number = 1;\nexport const b: number = = 2;\n"})
	_, err := script.Load(script.Source{Path: "main.ts"}, fakeNatives{})
	var syntax *script.SyntaxError
	if !errors.As(err, &syntax) || syntax.Line != 2 || syntax.Column != 26 {
		t.Errorf("error %v, want one at main.ts:2:26", err)
	}
}

func TestTypeScriptStackNamesTheOriginalLine(t *testing.T) {
	write(t, map[string]string{"main.ts": "interface A {\n  a: number;\n}\n\nexport function got(a: A): number {\n  throw new Error('boom');\n}\n"})
	p, err := script.Load(script.Source{Path: "main.ts"}, fakeNatives{})
	if err != nil {
		t.Fatal(err)
	}
	rt := sobek.New()
	p.Start(rt, construct(rt))
	f, _ := sobek.AssertFunction(p.Exports(rt).Get("got"))
	_, err = f(sobek.Undefined())
	if err == nil || !strings.Contains(err.Error(), "main.ts:6:") {
		t.Errorf("error %v, want it at main.ts:6", err)
	}
}

func TestSourceFromElsewhere(t *testing.T) {
	write(t, map[string]string{"lib.js": "export const v = 42"})
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	p, err := script.Load(script.Source{Path: "-", Text: `import { v } from './lib.js'; export const got = v`, Dir: dir}, fakeNatives{})
	if err != nil {
		t.Fatal(err)
	}
	rt := sobek.New()
	p.Start(rt, construct(rt))
	if got := p.Exports(rt).Get("got").String(); got != "42" || p.Name() != "-" || p.Dir() != dir {
		t.Errorf("got %s from %s in %s", got, p.Name(), p.Dir())
	}
}

func TestFiles(t *testing.T) {
	write(t, map[string]string{"a/data.txt": "inner", "data.txt": "outer", "only.txt": "here"})
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var files script.Files
	for name, want := range map[string]string{
		"./data.txt": "inner", "only.txt": "here", "../data.txt": "outer",
		filepath.Join(dir, "only.txt"):                               "here",
		"file://" + filepath.ToSlash(filepath.Join(dir, "only.txt")): "here",
	} {
		got, err := files.Open(name, filepath.Join(dir, "a"), dir)
		if err != nil || string(got) != want {
			t.Errorf("Open(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"", "gone.txt"} {
		if _, err := files.Open(name, dir); err == nil || !strings.Contains(err.Error(), "open(") {
			t.Errorf("Open(%q) error = %v", name, err)
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, seed := range []string{"export default 1", "import 'k6'", "import x from './x'", "(", "export {a}", "export * from 'k6/x/numbers'", "await 1"} {
		f.Add(seed, false)
		f.Add(seed, true)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text string, typed bool) {
		path := map[bool]string{false: "main.js", true: "main.ts"}[typed]
		p, err := script.Load(script.Source{Path: path, Text: text, Dir: dir}, fakeNatives{})
		if (p == nil) == (err == nil) {
			t.Fatalf("Load = %v, %v", p, err)
		}
	})
}

package archtest

import (
	"fmt"
	"go/ast"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// edge forbids packages in one place to reach packages in another.
type edge struct {
	from, to string // folders of this project with all below them, or import paths; "…/*" stands for the folders below only
	why      string
}

const sobek = "github.com/grafana/sobek"

var edges = []edge{
	{"xk6-wsgov/engine", sobek, "JavaScript never sits between the schedule and the socket"},
	{"xk6-wsgov/schedule", sobek, "the schedule knows no JavaScript"},
	{"xk6-wsgov/ledger", sobek, "the ledger knows no JavaScript"},
	{"xk6-wsgov/wire", sobek, "the wire knows no JavaScript"},
	{"xk6-wsgov", "host", "the module does not know its host"},
	{"postproc", "xk6-wsgov", "who judges shares only the vocabulary with who measures"},
	{"postproc", "host", "who judges shares only the vocabulary with who measures"},
	{"examples/gateway", "xk6-wsgov", "one bug must not cancel itself"},
	{"examples/gateway", "record", "one bug must not cancel itself"},
	{"examples/gateway", "postproc", "one bug must not cancel itself"},
}

// jsonLibrary is the only module that the vocabulary may use besides the standard library.
const jsonLibrary = "github.com/tidwall/gjson"

// clockless are packages whose results depend on their arguments alone.
var clockless = []string{"xk6-wsgov/schedule", "xk6-wsgov/ledger"}

// Limits of size: hard ones, which STYLE has as exceptions already.
const (
	maxFile     = 600 // lines
	maxFunction = 80  // lines
)

// Check returns every breach of the rules in a tree, in words. An error says that the tree cannot be read.
func Check(root fs.FS) (breaches []string, err error) {
	files, err := read(root)
	if err != nil {
		return nil, err
	}
	breaches = append(breaches, checkEdges(files)...)
	breaches = append(breaches, checkVocabulary(files)...)
	breaches = append(breaches, checkClocks(files)...)
	breaches = append(breaches, checkSizes(files)...)
	texts, err := checkTexts(root)
	return append(breaches, texts...), err
}

func checkEdges(files []*file) (breaches []string) {
	for _, dir := range packages(files) {
		ways := reached(files, dir)
		for _, e := range edges {
			if !within(dir, e.from) {
				continue
			}
			for _, p := range slices.Sorted(maps.Keys(ways)) {
				if within(strings.TrimPrefix(p, modulePath+"/"), e.to) {
					breaches = append(breaches, fmt.Sprintf("%s must not reach %s (%s): %s", dir, e.to, e.why, ways[p]))
				}
			}
		}
	}
	return breaches
}

// packages lists the folders that hold Go files.
func packages(files []*file) []string {
	dirs := map[string]bool{}
	for _, f := range files {
		dirs[f.dir()] = true
	}
	return slices.Sorted(maps.Keys(dirs))
}

// within reports whether a folder or import path is, or is below, another.
func within(p, place string) bool { return p == place || strings.HasPrefix(p, place+"/") }

func checkVocabulary(files []*file) (breaches []string) {
	for _, f := range files {
		if f.test || !within(f.dir(), "record") {
			continue
		}
		for _, p := range f.imports {
			if first, _, _ := strings.Cut(p, "/"); strings.Contains(first, ".") && p != jsonLibrary {
				breaches = append(breaches, fmt.Sprintf("%s must not import %s: the vocabulary needs the standard library and %s only", f.name, p, jsonLibrary))
			}
		}
	}
	return breaches
}

// clock matches what reads the time or waits for it.
var clock = regexp.MustCompile(`^(Now|Since|Until|Sleep|After|AfterFunc|Tick|NewTimer|NewTicker)$`)

func checkClocks(files []*file) (breaches []string) {
	for _, f := range files {
		name, imported := f.localName("time")
		if f.test || !imported || !slices.ContainsFunc(clockless, func(place string) bool { return within(f.dir(), place) }) {
			continue
		}
		if name == "." {
			breaches = append(breaches, f.name+" imports time without a name: its clock could not be seen")
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && x.Name == name && clock.MatchString(s.Sel.Name) {
				breaches = append(breaches, fmt.Sprintf("%s uses time.%s: take the time as an argument", f.set.Position(s.Pos()), s.Sel.Name))
			}
			return true
		})
	}
	return breaches
}

func checkSizes(files []*file) (breaches []string) {
	for _, f := range files {
		if f.test {
			continue
		}
		if f.lines > maxFile {
			breaches = append(breaches, fmt.Sprintf("%s has %d lines, more than %d: divide it", f.name, f.lines, maxFile))
		}
		for _, d := range f.syntax.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			if n := f.set.Position(fn.End()).Line - f.set.Position(fn.Pos()).Line + 1; n > maxFunction {
				breaches = append(breaches, fmt.Sprintf("%s: %s has %d lines, more than %d: divide it", f.name, fn.Name.Name, n, maxFunction))
			}
		}
	}
	return breaches
}

// foreign matches k6's own modules where a module or a package could require them. The pattern is written so that it does
// not match itself.
var foreign = regexp.MustCompile(`go\.k6` + `\.io`)

// places matches what only makes sense on one machine, or names a registry.
var places = regexp.MustCompile(`(^|[^a-zA-Z0-9.])(/wor` + `k/|/roo` + `t/|/hom` + `e/[a-z]|/Use` + `rs/[a-z]|/tm` + `p/)|proxy\.golang` + `\.org|registry\.npm` + `js\.org|deb\.debian` + `\.org`)

// checkTexts looks at what is not Go as well: no module file names k6, no file names a machine.
func checkTexts(root fs.FS) (breaches []string, err error) {
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name != "." && strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci" || d.Name() == "node_modules" || name == "bin" {
				return fs.SkipDir
			}
			return nil
		}
		text, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		breaches = append(breaches, checkText(name, text)...)
		return nil
	})
	return breaches, err
}

func checkText(name string, text []byte) (breaches []string) {
	moduleFile := slices.Contains([]string{"go.mod", "go.sum", "go.work", "go.work.sum"}, path.Base(name))
	if moduleFile && foreign.Match(text) {
		breaches = append(breaches, name+" names k6: no module of this project requires it")
	}
	if path.Ext(name) == ".go" && regexp.MustCompile(`"`+foreign.String()).Match(text) {
		breaches = append(breaches, name+" imports k6")
	}
	if path.Ext(name) != ".sum" && places.Match(text) {
		breaches = append(breaches, fmt.Sprintf("%s names a machine or a registry: %q", name, places.Find(text)))
	}
	return breaches
}

package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// modulePath is the project's own module.
const modulePath = "github.com/wsgov/wsgov"

// file is one Go file of a tree.
type file struct {
	name    string // slash-separated, relative to the root
	test    bool
	lines   int
	imports []string
	syntax  *ast.File
	set     *token.FileSet
}

// dir is the folder of the file's package, relative to the root.
func (f *file) dir() string { return path.Dir(f.name) }

// localName is the name under which the file uses a package of the standard library.
func (f *file) localName(importPath string) (name string, imported bool) {
	for _, i := range f.syntax.Imports {
		if i.Path.Value != strconv.Quote(importPath) {
			continue
		}
		if i.Name != nil {
			return i.Name.Name, true
		}
		return path.Base(importPath), true
	}
	return "", false
}

// read parses every Go file of a tree, testdata and hidden folders apart.
func read(root fs.FS) (files []*file, err error) {
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(name) != ".go" {
			return nil
		}
		f, err := parse(root, name)
		files = append(files, f)
		return err
	})
	return files, err
}

func parse(root fs.FS, name string) (*file, error) {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return nil, err
	}
	f := &file{name: name, test: strings.HasSuffix(name, "_test.go"), lines: strings.Count(string(text), "\n"), set: token.NewFileSet()}
	if f.syntax, err = parser.ParseFile(f.set, name, text, parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	for _, i := range f.syntax.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		f.imports = append(f.imports, p)
	}
	return f, nil
}

// reached lists the packages of this project that a package imports, directly or through others, tests apart, and
// everything else that these import. Values name the way: "a → b → c".
func reached(files []*file, dir string) map[string]string {
	ways := map[string]string{}
	var visit func(dir, way string)
	visit = func(dir, way string) {
		for _, f := range files {
			if f.test || f.dir() != dir {
				continue
			}
			for _, p := range f.imports {
				if _, seen := ways[p]; seen {
					continue
				}
				ways[p] = way + " → " + p
				if own, ok := strings.CutPrefix(p, modulePath+"/"); ok {
					visit(own, ways[p])
				}
			}
		}
	}
	visit(dir, dir)
	return ways
}

// Package script loads a k6-style script and the modules it imports, once for all VUs.
package script

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/grafana/sobek"
	"github.com/grafana/sobek/parser"
)

// Natives are the host's own modules as a script sees them: what can be imported and what each one exports.
type Natives interface {
	// Names lists the specifiers of all offered modules.
	Names() []string
	// Exports lists the names that an offered module exports, "default" left out.
	Exports(specifier string) ([]string, error)
}

// Program is a script with everything it imports, parsed and compiled. It is immutable after Load and may be started on
// many runtimes at once.
type Program struct {
	main    *sobek.SourceTextModuleRecord
	name    string
	dir     string
	modules *graph
}

// Source says where a script comes from: a path, or text that was read elsewhere, whose imports are relative to Dir.
type Source struct {
	Path string
	Text string // used instead of the file at Path if Dir is set
	Dir  string
}

// Load reads, strips, parses and links a script. Errors are of three kinds: *SyntaxError names file, line and column;
// an import that cannot be satisfied or a file that cannot be read says what to do instead.
func Load(source Source, natives Natives) (p *Program, err error) {
	defer recoverEngine(source.Path, &err)
	g := newGraph(natives)
	main, path, err := g.loadMain(source)
	if err != nil {
		return nil, err
	}
	if err := main.Link(); err != nil {
		return nil, g.explain(err)
	}
	return &Program{main: main, name: display(path), dir: filepath.Dir(path), modules: g}, nil
}

// recoverEngine turns a panic of the JavaScript engine's parser or compiler into an error that names the script.
func recoverEngine(path string, err *error) {
	if x := recover(); x != nil {
		*err = fmt.Errorf("loading %s: the JavaScript engine cannot compile it: %v", path, x)
	}
}

// Name is the script's path as it is shown to users.
func (p *Program) Name() string { return p.name }

// Dir is the absolute directory of the script.
func (p *Program) Dir() string { return p.dir }

// Construct makes the exports of a host module for one runtime.
type Construct func(specifier string) (map[string]sobek.Value, error)

// Start evaluates the program on rt, making host modules with construct, which is called once per imported module. The
// promise settles when evaluation, including top-level await, is over; a thrown value is in its result.
func (p *Program) Start(rt *sobek.Runtime, construct Construct) *sobek.Promise {
	p.modules.constructors.Store(rt, construct)
	rt.SetGetImportMetaProperties(func(m sobek.ModuleRecord) []sobek.MetaProperty {
		return []sobek.MetaProperty{{Key: "url", Value: rt.ToValue("file://" + filepath.ToSlash(p.modules.path(m)))}}
	})
	return p.main.Evaluate(rt)
}

// Stop forgets rt; its host modules can no longer be made.
func (p *Program) Stop(rt *sobek.Runtime) { p.modules.constructors.Delete(rt) }

// Exports is the script's namespace object on rt, after Start.
func (p *Program) Exports(rt *sobek.Runtime) *sobek.Object { return rt.NamespaceObjectFor(p.main) }

// graph holds the modules that were loaded, by absolute path, and is the resolver that the engine calls back.
type graph struct {
	natives      Natives
	constructors sync.Map // *sobek.Runtime → Construct

	mu    sync.Mutex
	files map[string]*sobek.SourceTextModuleRecord
	host  map[string]*nativeRecord
	paths map[any]string
	texts map[string]string // shown name → source, for carets
}

func newGraph(natives Natives) *graph {
	return &graph{
		natives: natives,
		files:   map[string]*sobek.SourceTextModuleRecord{},
		host:    map[string]*nativeRecord{},
		paths:   map[any]string{},
		texts:   map[string]string{},
	}
}

func (g *graph) loadMain(source Source) (*sobek.SourceTextModuleRecord, string, error) {
	if source.Dir != "" {
		path := filepath.Join(source.Dir, source.Path)
		m, err := g.parse(path, source.Text)
		return m, path, err
	}
	path, err := filepath.Abs(source.Path)
	if err != nil {
		return nil, "", fmt.Errorf("finding %s: %w", source.Path, err)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, "", fmt.Errorf("reading %s: it is a directory; name the script in it", source.Path)
	}
	m, err := g.load(path)
	return m, path, err
}

// resolve is called while linking and again while scripts run, on any VU's goroutine.
func (g *graph) resolve(from any, specifier string) (sobek.ModuleRecord, error) {
	if isNative(specifier) {
		return g.native(specifier)
	}
	path, err := locate(specifier, filepath.Dir(g.path(from)))
	if err != nil {
		return nil, err
	}
	return g.load(path)
}

func (g *graph) path(module any) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.paths[module]
}

func (g *graph) load(path string) (*sobek.SourceTextModuleRecord, error) {
	g.mu.Lock()
	m := g.files[path]
	g.mu.Unlock()
	if m != nil {
		return m, nil
	}
	text, err := readModule(path, display(path))
	if err != nil {
		return nil, err
	}
	return g.parse(path, text)
}

func (g *graph) parse(path, text string) (*sobek.SourceTextModuleRecord, error) {
	shown := display(path)
	code, err := stripTypes(path, shown, text)
	if err != nil {
		return nil, err
	}
	tree, err := parser.ParseFile(nil, shown, code, 0, parser.IsModule, ignoreForeignSourceMaps)
	if err != nil {
		return nil, explainParse(err, text)
	}
	m, err := sobek.ModuleFromAST(tree, g.resolve)
	if err != nil {
		return nil, explainModule(err, shown)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.files[path], g.paths[m], g.texts[shown] = m, path, text
	return m, nil
}

func (g *graph) native(specifier string) (sobek.ModuleRecord, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if m := g.host[specifier]; m != nil {
		return m, nil
	}
	names := g.natives.Names()
	m, err := newNative(specifier, names, g)
	if err != nil {
		return nil, err
	}
	g.host[specifier] = m
	return m, nil
}

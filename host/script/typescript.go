package script

import (
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/grafana/sobek/parser"
)

// stripTypes removes the types from a TypeScript file, unchecked; other files pass unchanged. An inline source map keeps
// errors on the lines of the original.
func stripTypes(path, shown, text string) (string, error) {
	if !isTypeScript(path) {
		return text, nil
	}
	result := api.Transform(text, api.TransformOptions{
		Loader:         api.LoaderTS,
		Target:         api.ES2022,
		Sourcefile:     filepath.Base(path),
		Sourcemap:      api.SourceMapInline,
		SourcesContent: api.SourcesContentExclude,
	})
	if len(result.Errors) > 0 {
		return "", fromESBuild(result.Errors[0], shown)
	}
	return string(result.Code), nil
}

func isTypeScript(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".ts" || ext == ".mts" || ext == ".cts"
}

func fromESBuild(m api.Message, shown string) *SyntaxError {
	e := &SyntaxError{File: shown, Message: m.Text}
	if m.Location != nil {
		e.Line, e.Column, e.Text = m.Location.Line, m.Location.Column+1, m.Location.LineText
	}
	return e
}

// ignoreForeignSourceMaps keeps a bundle's missing .map file from being an error; inline maps are still used.
var ignoreForeignSourceMaps = parser.WithSourceMapLoader(func(string) ([]byte, error) { return nil, nil })

package script

import (
	"errors"
	"fmt"
	"strings"

	"github.com/grafana/sobek"
	"github.com/grafana/sobek/file"
	"github.com/grafana/sobek/parser"
)

// SyntaxError is a script that cannot be parsed or linked. Line and Column count from 1 and are 0 if unknown; Text is
// the offending line.
type SyntaxError struct {
	File    string
	Line    int
	Column  int
	Message string
	Text    string
}

// Error is one line with the place, followed by the source line and a caret where they are known.
func (e *SyntaxError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Message)
	}
	head := fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Message)
	if e.Text == "" {
		return head
	}
	gutter := fmt.Sprintf("  %d | ", e.Line)
	pad := strings.Repeat(" ", len(gutter)-2) + "| "
	return head + "\n" + gutter + strings.TrimRight(e.Text, "\r\n") + "\n" + pad + indent(e.Text, e.Column-1) + "^"
}

// indent is the white space below the first n bytes of line; tabs stay tabs, so that the caret lines up.
func indent(line string, n int) string {
	var b strings.Builder
	for _, r := range line[:min(max(n, 0), len(line))] {
		if r == '\t' {
			b.WriteRune(r)
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// explainParse makes a parser's first complaint a SyntaxError. Its errors are bare or in a list.
func explainParse(err error, text string) error {
	var list parser.ErrorList
	var first *parser.Error
	if errors.As(err, &list) && len(list) > 0 {
		first = list[0]
	} else if !errors.As(err, &first) {
		return err
	}
	return at(first.Position, first.Message, text)
}

// explainModule makes a complaint about a module's shape, which carries no place, a SyntaxError of the file.
func explainModule(err error, shown string) error {
	var syntax *sobek.CompilerSyntaxError
	if !errors.As(err, &syntax) {
		return fmt.Errorf("%s: %w", shown, err)
	}
	return &SyntaxError{File: shown, Message: syntax.Message}
}

// explain makes what the linker complains about a SyntaxError; errors of resolving imports pass unchanged.
func (g *graph) explain(err error) error {
	var syntax *sobek.CompilerSyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	return fromCompiler(syntax.CompilerError, g.texts)
}

func fromCompiler(e sobek.CompilerError, texts map[string]string) error {
	if e.File == nil {
		return &SyntaxError{File: "script", Message: e.Message}
	}
	return at(e.File.Position(e.Offset), e.Message, texts[e.File.Name()])
}

func at(p file.Position, message, text string) *SyntaxError {
	e := &SyntaxError{File: p.Filename, Line: p.Line, Column: p.Column, Message: message}
	if lines := strings.Split(text, "\n"); p.Line >= 1 && p.Line <= len(lines) {
		e.Text = strings.TrimRight(lines[p.Line-1], "\r")
	}
	return e
}

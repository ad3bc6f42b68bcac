package vu

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/grafana/sobek"
)

// errNeverSettled is what a function's promise comes to when the event loop has nothing left to do.
var errNeverSettled = errors.New("its promise never settles: nothing is left that could resolve it; resolve it, or do not wait for it")

// Thrown is a JavaScript value that nobody caught.
type Thrown struct {
	text  string
	cause error
}

// Error is the value's text with its stack.
func (t *Thrown) Error() string { return t.text }

// Unwrap is the Go error that was thrown, if it was one.
func (t *Thrown) Unwrap() error { return t.cause }

// thrown makes a Go error of a thrown value or a rejection's reason.
func thrown(reason sobek.Value) error {
	if reason == nil {
		return &Thrown{text: "undefined"}
	}
	if err, ok := reason.Export().(error); ok {
		return err
	}
	t := &Thrown{text: reason.String()}
	object, ok := reason.(*sobek.Object)
	if !ok {
		return t
	}
	if stack := object.Get("stack"); stack != nil && !sobek.IsUndefined(stack) {
		t.text = withStack(t.text, stack.String())
	}
	if value := object.Get("value"); value != nil {
		t.cause, _ = value.Export().(error)
	}
	return t
}

// withStack joins an error's text and its stack property, which may begin with the text.
func withStack(text, stack string) string {
	stack = strings.TrimRight(stack, "\n")
	switch {
	case stack == "":
		return text
	case strings.HasPrefix(stack, text):
		return stack
	}
	return text + "\n" + stack
}

// goFrame is a stack line of a host function, whose Go name tells a script's author nothing.
var goFrame = regexp.MustCompile(`(?m)^\tat \S+/\S+ \(native\)$`)

// Describe is the text of an error from a script with its whole stack.
func Describe(err error) string { return goFrame.ReplaceAllString(describe(err), "\tat native") }

func describe(err error) string {
	var exception *sobek.Exception
	var interrupted *sobek.InterruptedError
	var overflow *sobek.StackOverflowError
	switch {
	case errors.As(err, &overflow):
		return fmt.Sprintf("the script's calls are nested more than %d deep: a function calls itself without end%s", maxCallDepth, top(overflow.Stack()))
	case errors.As(err, &interrupted):
		return strings.TrimRight(interrupted.String(), "\n")
	case errors.As(err, &exception):
		return strings.TrimRight(exception.String(), "\n")
	}
	return err.Error()
}

// top is the innermost frame of a stack that is too long to print.
func top(stack []sobek.StackFrame) string {
	if len(stack) == 0 {
		return ""
	}
	var b bytes.Buffer
	stack[0].Write(&b)
	return "\n\tat " + b.String()
}

// track keeps the promises that were rejected and that nothing handles.
func (v *VU) track(p *sobek.Promise, operation sobek.PromiseRejectionOperation) {
	if operation == sobek.PromiseRejectionReject {
		v.rejections[p] = struct{}{}
	} else {
		delete(v.rejections, p)
	}
}

// unhandled makes an error of a rejection that nobody has handled by the end of a round.
func (v *VU) unhandled() error {
	for p := range v.rejections {
		clear(v.rejections)
		err := thrown(p.Result())
		return &Thrown{text: "Uncaught (in promise) " + Describe(err), cause: err}
	}
	return nil
}

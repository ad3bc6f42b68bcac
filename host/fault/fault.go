// Package fault gives errors the exit code with which a run ends.
package fault

import (
	"errors"
	"fmt"
)

// Code is a process exit code; the values are k6's.
type Code int

// The exit codes of a run. A run that was aborted ends with the abort's code, a failed setup or teardown with its own,
// whatever its thresholds say; then comes MarkedFailed, then Thresholds, then Other for output that could not be
// written.
const (
	OK              Code = 0
	Thresholds      Code = 99
	SetupTimeout    Code = 100
	TeardownTimeout Code = 101
	InvalidConfig   Code = 104
	ExternalAbort   Code = 105
	ScriptException Code = 107
	ScriptAborted   Code = 108
	GoPanic         Code = 109
	MarkedFailed    Code = 110
	Other           Code = 255
)

// coded is an error with its exit code.
type coded struct {
	error
	code Code
}

func (c coded) Unwrap() error { return c.error }

// With gives err a code unless it has one; nil stays nil.
func With(code Code, err error) error {
	var c coded
	if err == nil || errors.As(err, &c) {
		return err
	}
	return coded{err, code}
}

// New makes an error with a code, formatted as by fmt.Errorf.
func New(code Code, format string, args ...any) error {
	return coded{fmt.Errorf(format, args...), code}
}

// CodeOf is the code of an error: OK for nil, Other for an error without one.
func CodeOf(err error) Code {
	var c coded
	switch {
	case err == nil:
		return OK
	case errors.As(err, &c):
		return c.code
	}
	return Other
}

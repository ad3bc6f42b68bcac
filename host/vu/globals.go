package vu

import (
	"log/slog"
	"maps"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/xk6-wsgov/duration"
)

// setGlobals defines what scripts find without importing it.
func (v *VU) setGlobals() {
	v.setEnv(nil)
	v.setGlobal("__VU", v.id)
	v.setGlobal("global", v.rt.GlobalObject())
	v.setGlobal("open", v.open)
	v.setGlobal("console", v.console())
	v.setGlobal("require", func(sobek.FunctionCall) sobek.Value {
		panic(v.rt.NewTypeError("require() is not offered: use import, as in import { check } from 'k6'"))
	})
	for name, f := range v.TimerFunctions() {
		v.setGlobal(name, f)
	}
}

// setEnv makes the environment of the test, with extra on top, the script's __ENV.
func (v *VU) setEnv(extra map[string]string) {
	env := maps.Clone(v.shared.Env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, extra)
	object := v.rt.NewObject()
	for name, value := range env {
		_ = object.Set(name, value) // a plain new object refuses nothing
	}
	v.setGlobal("__ENV", object)
}

func (v *VU) setGlobal(name string, value any) {
	_ = v.rt.GlobalObject().Set(name, value) // the global object is never frozen before the script's first line
}

// JSON is JSON.stringify of a value, nil for what has no JSON form.
func (v *VU) JSON(value sobek.Value) ([]byte, error) {
	stringify, _ := sobek.AssertFunction(v.json.Get("stringify"))
	text, err := stringify(sobek.Undefined(), value)
	if err != nil || text == nil || sobek.IsUndefined(text) {
		return nil, err
	}
	return []byte(text.String()), nil
}

// StrictJSON is JSON, but a number that JSON cannot hold is an error instead of null.
func (v *VU) StrictJSON(value sobek.Value) ([]byte, error) {
	replacer := v.rt.ToValue(func(call sobek.FunctionCall) sobek.Value {
		if f, ok := call.Argument(1).Export().(float64); ok && (math.IsNaN(f) || math.IsInf(f, 0)) {
			panic(v.rt.NewTypeError("the value of %q is %v, which cannot be handed to the VUs as JSON", call.Argument(0).String(), f))
		}
		return call.Argument(1)
	})
	stringify, _ := sobek.AssertFunction(v.json.Get("stringify"))
	text, err := stringify(sobek.Undefined(), value, replacer)
	if err != nil || sobek.IsUndefined(text) {
		return nil, err
	}
	return []byte(text.String()), nil
}

// FromJSON makes a value of JSON text.
func (v *VU) FromJSON(text []byte) (sobek.Value, error) {
	parse, _ := sobek.AssertFunction(v.json.Get("parse"))
	return parse(sobek.Undefined(), v.rt.ToValue(string(text)))
}

// open reads a file next to the calling script or the main one, as text or, with "b", as an ArrayBuffer.
func (v *VU) open(call sobek.FunctionCall) sobek.Value {
	if !v.inInit {
		panic(v.rt.NewTypeError("open() works in init code only: open the file at the top of the script and keep what it returns"))
	}
	dirs := []string{v.shared.Program.Dir()}
	if frames := v.rt.CaptureCallStack(2, nil); len(frames) > 1 {
		if caller, err := filepath.Abs(frames[1].SrcName()); err == nil {
			dirs = []string{filepath.Dir(caller), v.shared.Program.Dir()}
		}
	}
	data, err := v.shared.Files.Open(call.Argument(0).String(), dirs...)
	if err != nil {
		panic(v.rt.NewGoError(err))
	}
	if call.Argument(1).String() == "b" {
		return v.rt.ToValue(v.rt.NewArrayBuffer(append([]byte(nil), data...)))
	}
	return v.rt.ToValue(string(data))
}

// console writes to the log.
func (v *VU) console() *sobek.Object {
	console := v.rt.NewObject()
	for name, level := range map[string]slog.Level{
		"log": slog.LevelInfo, "info": slog.LevelInfo, "debug": slog.LevelDebug, "trace": slog.LevelDebug,
		"warn": slog.LevelWarn, "error": slog.LevelError,
	} {
		_ = console.Set(name, func(call sobek.FunctionCall) sobek.Value { // a plain new object refuses nothing
			words := make([]string, len(call.Arguments))
			for i, a := range call.Arguments {
				words[i] = v.show(a)
			}
			v.shared.Console.Log(v.Context(), level, strings.Join(words, " "), "source", "console")
			return sobek.Undefined()
		})
	}
	return console
}

// show is a value as the console prints it: an error with its stack, other objects as JSON, the rest as text.
func (v *VU) show(value sobek.Value) string {
	object, ok := value.(*sobek.Object)
	if !ok || object.ClassName() == "Function" {
		return value.String()
	}
	if object.ClassName() == "Error" {
		return thrown(value).Error()
	}
	text, err := v.JSON(value)
	if err != nil || text == nil {
		return value.String()
	}
	return string(text)
}

// TimerFunctions are the functions of k6/timers, which are global too.
func (v *VU) TimerFunctions() map[string]sobek.Value {
	forget := v.rt.ToValue(func(call sobek.FunctionCall) sobek.Value {
		v.timers.Clear(call.Argument(0).ToInteger())
		return sobek.Undefined()
	})
	return map[string]sobek.Value{
		"setTimeout": v.timer("setTimeout", false), "setInterval": v.timer("setInterval", true),
		"clearTimeout": forget, "clearInterval": forget,
	}
}

func (v *VU) timer(name string, repeat bool) sobek.Value {
	return v.rt.ToValue(func(call sobek.FunctionCall) sobek.Value {
		f, ok := sobek.AssertFunction(call.Argument(0))
		if !ok {
			panic(v.rt.NewTypeError("%s() needs a function as its first argument, not %s", name, call.Argument(0).String()))
		}
		if v.settling {
			return v.rt.ToValue(0) // nothing waits for timers any more
		}
		args := append([]sobek.Value(nil), call.Arguments[min(2, len(call.Arguments)):]...)
		return v.rt.ToValue(v.timers.Set(delay(call.Argument(1)), repeat, func() error {
			_, err := f(sobek.Undefined(), args...)
			return err
		}))
	})
}

// delay reads milliseconds; what is not a number is none, as in browsers.
func delay(value sobek.Value) time.Duration {
	d, err := duration.FromNumber(value.ToFloat())
	if err != nil {
		return 0
	}
	return d
}

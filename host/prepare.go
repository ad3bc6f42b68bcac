package host

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/wsgov/wsgov/host/child"
	"github.com/wsgov/wsgov/host/executor"
	"github.com/wsgov/wsgov/host/fault"
	"github.com/wsgov/wsgov/host/logs"
	"github.com/wsgov/wsgov/host/metrics"
	"github.com/wsgov/wsgov/host/module"
	"github.com/wsgov/wsgov/host/options"
	"github.com/wsgov/wsgov/host/output"
	"github.com/wsgov/wsgov/host/script"
	"github.com/wsgov/wsgov/host/vu"
	"github.com/wsgov/wsgov/record"
	wsgov "github.com/wsgov/wsgov/xk6-wsgov"
)

// grace is how long modules may take to end after they were told to.
const grace = 5 * time.Second

// prepare makes what the script's first line already needs.
func (r *run) prepare() error {
	r.logger = logs.New(r.process.Stderr, r.logOptions())
	console := r.logger
	if path := r.flags.consoleOutput; path != "" {
		file, err := os.Create(path)
		if err != nil {
			return fmt.Errorf("--console-output: %w", err)
		}
		r.closers = append(r.closers, func() { r.closeFile(file) })
		o := r.logOptions()
		o.Color = false
		console = logs.New(file, o)
	}
	env, err := r.scriptEnv()
	if err != nil {
		return err
	}
	r.test = &vu.Test{Abort: r.cancel}
	r.shared = &vu.Shared{
		Modules: module.All(), Files: &script.Files{}, Registry: metrics.NewRegistry(), Logger: r.logger, Console: console,
		Process: wsgov.NewProcess(r.seed()), Env: env, Test: r.test, Grace: grace, Emit: r.emit,
	}
	r.shared.Process.Versions = r.process.Version
	return r.startGateway()
}

func (r *run) closeFile(f *os.File) {
	if err := f.Close(); err != nil {
		r.logger.Error(fmt.Sprintf("closing %s: %v", f.Name(), err))
	}
}

func (r *run) seed() int64 {
	if r.flags.seed != 0 {
		return r.flags.seed
	}
	return rand.Int64N(1 << 53) // exact in every reader of JSON
}

func (r *run) emit(samples ...record.Sample) {
	if r.pipe != nil {
		r.pipe.Push(samples...)
	}
}

var envName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]*$`)

func (r *run) scriptEnv() (map[string]string, error) {
	env := map[string]string{}
	if r.flags.includeSystemEnv {
		env = asMap(r.process.Environ)
	}
	for _, pair := range r.flags.env {
		name, value, found := strings.Cut(pair, "=")
		if !envName.MatchString(name) {
			return nil, fault.New(fault.InvalidConfig, "--env %q: write NAME=VALUE, with letters, digits and underscores in the name", pair)
		}
		if !found { // as in k6, the value is the process's own
			value = asMap(r.process.Environ)[name]
		}
		env[name] = value
	}
	return env, nil
}

// startGateway starts the reference gateway if the run wants it.
func (r *run) startGateway() error {
	if !r.flags.gateway {
		return nil
	}
	words, err := child.Words(r.flags.gatewayFlags)
	if err != nil {
		return fault.New(fault.InvalidConfig, "--gateway-flags: %w", err)
	}
	command := append(append([]string(nil), r.process.Gateway...), "--addr", "127.0.0.1:0")
	r.gateway, err = child.Start(r.ctx, append(command, words...), r.process.Stderr)
	if err != nil {
		r.gateway = nil
		return err
	}
	r.closers = append(r.closers, r.stopGateway)
	r.shared.Env["GATEWAY"] = r.gateway.URL
	return nil
}

func (r *run) stopGateway() {
	if r.gateway == nil {
		return
	}
	if err := r.gateway.Stop(); err != nil {
		r.logger.Error(err.Error())
	}
	r.gateway = nil
}

// load reads the script and runs its init code for the first time.
func (r *run) load() (err error) {
	source := script.Source{Path: r.path}
	if r.path == "-" {
		text, err := io.ReadAll(r.process.Stdin)
		if err != nil {
			return fmt.Errorf("reading the script from stdin: %w", err)
		}
		source.Text = string(text)
		if source.Dir, err = filepath.Abs("."); err != nil {
			return fmt.Errorf("finding the working directory: %w", err)
		}
	}
	r.shared.Program, err = script.Load(source, r.shared)
	if err != nil {
		var syntax *script.SyntaxError
		if errors.As(err, &syntax) {
			return fault.New(fault.ScriptException, "the script is not valid JavaScript\n%w", err)
		}
		return err
	}
	r.first, err = vu.New(r.ctx, r.shared, 0)
	if err != nil {
		return scriptError("running the script's init code", err)
	}
	r.closers = append(r.closers, r.endFirst)
	return r.scriptOptions()
}

func (r *run) endFirst() {
	if r.first != nil {
		r.first.End()
		r.first = nil
	}
}

func scriptError(doing string, err error) error {
	if code := fault.CodeOf(err); code != fault.Other {
		return err
	}
	return fault.New(fault.ScriptException, "%s: %s", doing, vu.Describe(err))
}

func (r *run) scriptOptions() error {
	r.script = options.Layer{From: "options"}
	exported := r.first.Export("options")
	if exported == nil {
		return nil
	}
	text, err := r.first.JSON(exported)
	if err != nil {
		return scriptError("reading the script's options", err)
	}
	r.script, err = options.FromObject("options", text)
	return invalid(err)
}

// configure decides the run's options and checks them against the script.
func (r *run) configure(layers []options.Layer) (err error) {
	var warnings []string
	r.options, warnings, err = options.Resolve(append([]options.Layer{r.script}, layers...)...)
	if err != nil {
		return invalid(err)
	}
	for _, w := range warnings {
		r.logger.Warn(w)
	}
	r.shared.Options = r.options
	for _, s := range r.options.Scenarios {
		if !r.first.HasFunction(s.Exec) {
			return fault.New(fault.InvalidConfig, "scenario %q: %s exports no function %q; export it, or name another one in exec", s.Name, r.shared.Program.Name(), s.Exec)
		}
		r.scenarios = append(r.scenarios, executor.New(s))
	}
	r.engine = metrics.NewEngine(r.shared.Registry)
	for _, w := range r.options.Thresholds {
		if r.flags.noThresholds {
			w.Thresholds = nil
		}
		if err := r.engine.Watch(w.Selector, w.Thresholds); err != nil {
			return invalid(err)
		}
	}
	return nil
}

// openOutputs creates the files and starts what carries samples to them.
func (r *run) openOutputs() error {
	consumers := []metrics.Consumer{r.engine.Ingest}
	for _, spec := range r.flags.outs {
		o, err := output.Open(spec, r.process.Stdout, r.engine.Describe, r.logger)
		if err != nil {
			for _, opened := range r.outputs {
				err = errors.Join(err, opened.Stop())
			}
			return err
		}
		r.outputs = append(r.outputs, o)
		consumers = append(consumers, o.Take)
	}
	r.pipe = metrics.StartPipe(consumers...)
	return nil
}

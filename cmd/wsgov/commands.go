package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/wsgov/wsgov/examples/gateway"
	"github.com/wsgov/wsgov/internal/nearest"
	"github.com/wsgov/wsgov/postproc/report"
)

const usage = `wsgov runs WebSocket load tests whose every number reconciles.

Usage:
  wsgov run [flags] script.js       run a k6-style script
  wsgov report [flags] run.ndjson…  judge what a run wrote
  wsgov gateway [flags]             serve the reference gateway
  wsgov version                     print the version

Each command tells its flags with -h.
`

// exitUsage is the code for a command line that cannot be understood.
const exitUsage = 1

var commands = map[string]command{
	"gateway": gateway.Main,
	"report":  report.Main,
	"run":     runScript,
	"version": version,
}

// run dispatches to a subcommand.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return exitUsage
	}
	switch args[0] {
	case "-h", "--help", "help":
		if len(args) > 1 && !strings.HasPrefix(args[1], "-") {
			return run(ctx, []string{args[1], "--help"}, stdin, stdout, stderr)
		}
		fmt.Fprint(stdout, usage)
		return 0
	case "-v", "--version":
		return version(ctx, args[1:], stdin, stdout, stderr)
	}
	if c, ok := commands[args[0]]; ok {
		return c(ctx, args[1:], stdin, stdout, stderr)
	}
	fmt.Fprintf(stderr, "wsgov: there is no command %q; %s\n", args[0], suggest(args[0]))
	return exitUsage
}

// suggest says what a mistaken command may have meant.
func suggest(name string) string {
	if strings.HasSuffix(name, ".js") || strings.HasSuffix(name, ".ts") {
		return fmt.Sprintf("to run a script write: wsgov run %s", name)
	}
	if strings.Contains(name, ".ndjson") || strings.Contains(name, ".json") {
		return fmt.Sprintf("to judge a run write: wsgov report %s", name)
	}
	names := slices.Sorted(maps.Keys(commands))
	if near := nearest.To(name, names); near != "" {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return "use one of " + strings.Join(names, ", ")
}

// version prints what this program was built from.
func version(_ context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	if len(args) == 1 && (args[0] == "-h" || args[0] == "--help") {
		fmt.Fprintln(stdout, "Usage: wsgov version\n\nPrints the version, or the revision it was built from, and the Go version.")
		return 0
	}
	if len(args) > 0 {
		fmt.Fprintf(stderr, "wsgov version: it takes no arguments, but %q was given\n", args[0])
		return exitUsage
	}
	fmt.Fprintf(stdout, "wsgov %s (%s, %s/%s)\n", buildVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return 0
}

// buildVersion is the module's version, or the revision it was built from.
func buildVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	version, dirty := info.Main.Version, ""
	if version != "" && version != "(devel)" {
		return version
	}
	version = "devel"
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) >= 12:
			version = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+changes"
		}
	}
	return version + dirty
}

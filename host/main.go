// Package host runs a k6-style script from its command line to its exit code.
package host

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/wsgov/wsgov/host/fault"
)

// Process is what a run takes from the process that it runs in.
type Process struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Environ        []string // as os.Environ gives it
	// Gateway is the command that starts the reference gateway, without its flags.
	Gateway []string
	// IsTerminal reports whether a writer is a terminal; nil asks the system.
	IsTerminal func(io.Writer) bool
	// Version is written into the run's start and end points, such as "wsgov/1.2.0".
	Version string
}

// Main is the command `wsgov run`: it runs the script that args name and returns the exit code. When ctx ends the run is
// brought to an orderly end: iterations are interrupted, teardown and summary still happen, and the code is that of
// ctx's cause, or 105.
func Main(ctx context.Context, args []string, p Process) int {
	command := newCommand(p)
	command.SetArgs(args)
	err := command.ExecuteContext(ctx)
	var known reported
	if err != nil && !errors.As(err, &known) {
		fmt.Fprintf(p.Stderr, "wsgov run: %v\n", err)
	}
	return int(fault.CodeOf(err))
}

// reported is an error that the run has logged itself; only its code is left to be told.
type reported struct{ error }

func (r reported) Unwrap() error { return r.error }

func newCommand(p Process) *cobra.Command {
	f := &flags{}
	c := &cobra.Command{
		Use:           "wsgov run [flags] script.js",
		Short:         "Run a k6-style script",
		Long:          about,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          oneScript,
	}
	c.SetIn(p.Stdin)
	c.SetOut(p.Stdout)
	c.SetErr(p.Stderr)
	c.SetUsageTemplate(usage)
	c.SetHelpTemplate("{{.Long}}\n\n" + usage)
	c.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return fault.With(fault.InvalidConfig, explainFlag(c, err)) })
	c.Flags().BoolP("help", "h", false, "show this text")
	f.register(c)
	c.RunE = func(c *cobra.Command, args []string) error { return execute(c, f, args[0], p) }
	return c
}

const usage = `Usage:
  {{.Use}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}

Exit codes: 0 fine, 99 thresholds crossed, 100 setup timed out, 101 teardown timed out, 104 invalid options,
105 interrupted, 107 error in the script, 108 exec.test.abort(), 110 exec.test.fail(), 255 anything else.
`

const about = `Runs a k6-style script: setup, the scenarios of its options, teardown, and a summary at the end.
The script is JavaScript or TypeScript with ES modules; "-" reads it from stdin.
Options are taken from the script, then from K6_* variables, then from flags; the later ones win.`

func oneScript(_ *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return fault.New(fault.InvalidConfig, "which script? Give its path after the flags, as in: wsgov run script.js")
	case len(args) > 1:
		return fault.New(fault.InvalidConfig, "one script at a time: %q comes after %q; flags with a value are written --flag=value", args[1], args[0])
	}
	return nil
}

package main

import (
	"context"
	"io"
	"os"

	"github.com/wsgov/wsgov/host"
)

// runScript is `wsgov run`. The reference gateway it may start is this same program, in a process of its own.
func runScript(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return host.Main(ctx, args, host.Process{
		Stdin: stdin, Stdout: stdout, Stderr: stderr, Environ: os.Environ(),
		Gateway: []string{self, "gateway"}, Version: "wsgov/" + buildVersion(),
	})
}

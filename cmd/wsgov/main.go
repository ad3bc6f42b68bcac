// Command wsgov runs, judges and serves WebSocket load tests whose every number reconciles.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// interruptedTwice is the exit code after a second signal: the run is given up as it stands.
const interruptedTwice = 105

func main() {
	ctx, stop := withSignals(context.Background())
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// withSignals ends ctx at the first SIGINT or SIGTERM, and the process at the second.
func withSignals(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		for n := 0; ; n++ {
			select {
			case <-signals:
				if n > 0 {
					os.Exit(interruptedTwice)
				}
				cancel()
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}

// command is one subcommand: a function of its arguments and streams that returns the exit code.
type command func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int

package gateway

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"sync"
)

// Main is the command `wsgov gateway`: it serves until ctx is done and returns the exit code, 0 or, after saying why on
// stderr, 1. Stdin is not read.
func Main(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	options, err := parseFlags(args)
	if errors.Is(err, flag.ErrHelp) {
		printUsage(stdout)
		return 0
	}
	if err != nil {
		complain(stderr, err)
		fmt.Fprintln(stderr)
		printUsage(stderr)
		return 1
	}
	if err := serve(ctx, options, stdout, stderr); err != nil {
		return 1
	}
	return 0
}

// serve runs a server until ctx is done. Every error has been written to stderr when it returns.
func serve(ctx context.Context, o Options, stdout, stderr io.Writer) error {
	var mu sync.Mutex
	o.OnError = func(err error) {
		mu.Lock()
		defer mu.Unlock()
		complain(stderr, err)
	}
	server, err := Start(o)
	if err != nil {
		complain(stderr, err)
		return err
	}
	if _, err := fmt.Fprintln(stdout, readyLine(server.Addr())); err != nil {
		err = fmt.Errorf("say that the gateway is ready: %w", err)
		o.OnError(err)
		return errors.Join(err, server.Close(ctx))
	}
	select {
	case <-ctx.Done():
	case <-server.Stopped():
	}
	return server.Close(context.WithoutCancel(ctx))
}

// readyLine is what a parent process waits for.
func readyLine(addr string) string {
	return fmt.Sprintf("wsgov gateway ready ws://%s pid=%d", addr, os.Getpid())
}

func complain(w io.Writer, err error) { fmt.Fprintln(w, "wsgov gateway:", err) }

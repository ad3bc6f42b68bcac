package gateway

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"
)

const usageHead = `Usage: wsgov gateway [flags]

Serves the reference gateway until it is told to stop: a WebSocket server with a known rate limit, known delays and its
own books. When it listens it prints one line with its real address:

  wsgov gateway ready ws://127.0.0.1:43127 pid=4242

Flags:
`

// stopTimeout bounds how long stopping may take.
const stopTimeout = 10 * time.Second

// Main is the command: it serves until ctx ends. It returns 0, or 1 if the flags are wrong, it cannot listen, or the journal
// is incomplete; stderr says which.
func Main(ctx context.Context, args []string, _ io.Reader, stdout, stderr io.Writer) int {
	options, err := parseFlags(args, stdout, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return 1
	}
	options.Report = func(err error) { fmt.Fprintln(stderr, "wsgov gateway:", err) }
	s, err := Start(options)
	if err != nil {
		fmt.Fprintln(stderr, "wsgov gateway:", err)
		return 1
	}
	fmt.Fprintf(stdout, "wsgov gateway ready ws://%s pid=%d\n", s.Addr(), os.Getpid())
	<-ctx.Done()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := s.Close(stopping); err != nil { // an incomplete journal has been reported
		return 1
	}
	return 0
}

// parseFlags reads the command line. Its error has been told on stderr, or is flag.ErrHelp and the usage is on stdout.
func parseFlags(args []string, stdout, stderr io.Writer) (Options, error) {
	rules := DefaultRules()
	o := Options{Rules: &rules}
	f := flag.NewFlagSet("wsgov gateway", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	f.StringVar(&o.Addr, "addr", "127.0.0.1:0", "`host:port` to listen on; port 0 takes a free one")
	f.StringVar(&o.Journal, "journal", "", "`file` that gets a line for every message")
	f.IntVar(&o.MaxQueue, "max-queue", defaultMaxQueue, "`replies` that may wait on a connection")
	f.DurationVar(&o.WriteTimeout, "write-timeout", defaultWriteTimeout, "`time` after which a client that takes nothing is cut off")
	f.BoolVar(&o.Compression, "compression", false, "accept permessage-deflate")
	for _, k := range knobs {
		f.Var(k.value(&rules), k.flag, k.usage)
	}
	err := f.Parse(args)
	if err == nil && f.NArg() > 0 {
		err = fmt.Errorf("it takes no arguments, but %q was given", f.Arg(0))
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		printUsage(f, stdout)
	case err != nil:
		fmt.Fprintf(stderr, "wsgov gateway: %v\n\n", err)
		printUsage(f, stderr)
	}
	return o, err
}

func printUsage(f *flag.FlagSet, w io.Writer) {
	fmt.Fprint(w, usageHead)
	f.SetOutput(w)
	f.PrintDefaults()
}

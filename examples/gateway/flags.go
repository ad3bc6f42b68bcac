package gateway

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strconv"
)

const usageHead = `Usage: wsgov gateway [flags]

Runs the reference gateway until it is told to stop. When it listens it prints
  wsgov gateway ready ws://HOST:PORT pid=PID
WebSocket endpoints: /gateway (token bucket), /serial (one at a time), /echo.
HTTP endpoints: /stats (JSON), /metrics (Prometheus), /healthz.

Flags:
`

const usageTail = `
Durations are like 16ms or 1.5s; a bare number is milliseconds.
One connection can have rules of its own, by query parameter:
`

// newFlags declares the flags, which set o and its rules.
func newFlags(o *Options) *flag.FlagSet {
	fs := flag.NewFlagSet("gateway", flag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.StringVar(&o.Addr, "addr", o.Addr, "`host:port` to listen on; port 0 takes a free one")
	for _, k := range knobs {
		fs.Var(k.value(o.Rules), k.flag, k.usage)
	}
	fs.StringVar(&o.Journal, "journal", "", "`file` to write one line for each message to; an old one is replaced")
	fs.BoolVar(&o.Compression, "compression", false, "accept permessage-deflate")
	fs.Var((*positive)(&o.MaxQueue), "max-queue", "`replies` that may wait on a connection; one more closes it")
	fs.Var((*span)(&o.WriteTimeout), "write-timeout", "`time` for which a client may take nothing before it is cut off")
	return fs
}

// parseFlags turns arguments into options. The error is flag.ErrHelp or a sentence for the user.
func parseFlags(args []string) (Options, error) {
	o := Options{}.withDefaults()
	fs := newFlags(&o)
	if err := fs.Parse(args); err != nil {
		return o, err
	}
	if fs.NArg() > 0 {
		return o, fmt.Errorf("unexpected argument %q: there are only flags", fs.Arg(0))
	}
	if o.WriteTimeout == 0 {
		return o, errors.New("--write-timeout must be longer than 0")
	}
	return o, nil
}

// printUsage writes the help text.
func printUsage(w io.Writer) {
	o := Options{}.withDefaults()
	fmt.Fprint(w, usageHead)
	newFlags(&o).VisitAll(func(f *flag.Flag) {
		name, usage := flag.UnquoteUsage(f)
		if f.DefValue != "" && f.DefValue != "false" {
			usage += " (default " + f.DefValue + ")"
		}
		fmt.Fprintf(w, "  %-22s %s\n", "--"+f.Name+" "+name, usage)
	})
	fmt.Fprint(w, usageTail)
	for _, k := range knobs {
		fmt.Fprintf(w, "  %s?%s=\n", k.path, k.param)
	}
}

// positive is a whole number above 0 as a flag.
type positive int

func (p *positive) String() string { return strconv.Itoa(int(*p)) }

func (p *positive) Set(s string) error {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n < 1 {
		return errors.New("use a whole number from 1 to 2147483647")
	}
	*p = positive(n)
	return nil
}

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"wsgov": main, "with-peer": withPeer, "cut": cut, "await": await})
}

// cut is the test command "cut FROM TO N": it copies the first N bytes of a file.
func cut() {
	data, err := os.ReadFile(os.Args[1])
	if err == nil {
		var n int
		if n, err = strconv.Atoi(os.Args[3]); err == nil {
			err = os.WriteFile(os.Args[2], data[:n], 0o600)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// awaitFor is how long the test command await waits.
const awaitFor = 30 * time.Second

// await is the test command "await FILE TEXT": it ends when the file holds the text.
func await() {
	for deadline := time.After(awaitFor); ; {
		if data, err := os.ReadFile(os.Args[1]); err == nil && bytes.Contains(data, []byte(os.Args[2])) {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-deadline:
			fmt.Fprintf(os.Stderr, "%s never held %q\n", os.Args[1], os.Args[2])
			os.Exit(1)
		}
	}
}

// TestScripts runs the command as users do, against real gateways and wrong peers.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true, Setup: freePort})
}

// freePort names a port in $PORT that was free a moment ago.
func freePort(env *testscript.Env) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	env.Setenv("PORT", port)
	return errors.Join(err, l.Close())
}

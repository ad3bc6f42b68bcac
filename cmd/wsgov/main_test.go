package main

import (
	"flag"
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"wsgov": main, "with-peer": withPeer, "cut": cut})
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

// TestScripts runs the command as users do, against real gateways and wrong peers.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script", UpdateScripts: *update, RequireExplicitExec: true})
}

package main

import (
	"errors"
	"flag"
	"net"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts expect")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"wsgov": main, "with-peer": withPeer, "exits": exits, "await": await, "cut": cut, "append-line": appendLine,
	})
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

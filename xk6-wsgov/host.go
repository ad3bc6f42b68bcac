package wsgov

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/record"
)

// Host is all that the module needs of whoever runs the script. One value stands for one VU. Methods are called on the
// VU's event loop unless they say otherwise.
type Host interface {
	// Runtime is the VU's JavaScript runtime.
	Runtime() *sobek.Runtime
	// Context ends when the VU is to stop: its iteration was interrupted, or the run is over. In the init phase it is
	// never nil. Any goroutine may call it.
	Context() context.Context
	// InitPhase reports whether the script's init code is running, in which no traffic is allowed.
	InitPhase() bool
	// VU is the VU's number in the whole test, from 1; 0 in setup, teardown and the init phase.
	VU() int
	// Loop is the VU's event loop.
	Loop() Loop
	// Emitter captures the VU's current tags and metadata and returns a function that emits samples with them added
	// (a sample's own tag wins). The function may be called from any goroutine, also shortly after the VU's context
	// ended; it does not keep or change the slice. Nil in the init phase.
	Emitter() func([]record.Sample)
	// DialContext opens a TCP connection under the host's own network rules. Any goroutine may call it.
	DialContext(ctx context.Context, network, address string) (net.Conn, error)
	// TLSConfig is the host's TLS configuration, nil for the default. The caller clones it before changing it.
	TLSConfig() *tls.Config
	// Logger is where the module writes what the user should know. Any goroutine may use it.
	Logger() *slog.Logger
	// Process is shared by all VUs of the process.
	Process() *Process
}

// Loop is a JavaScript event loop as seen from outside. Both methods may be called from any goroutine.
type Loop interface {
	// Post queues f to run on the loop and reports whether it was accepted; a loop that has ended accepts nothing. An
	// error returned by f ends the iteration as an uncaught exception would.
	Post(f func() error) bool
	// Hold keeps the loop from ending until release is called, once or more often. It reports false, and release does
	// nothing, if the loop has already ended.
	Hold() (release func(), accepted bool)
}

package engine

import (
	"context"
	"log/slog"
	"net"
	"time"

	"github.com/wsgov/wsgov/record"
)

// Env is what the engine needs of the process around it. Every function may be called from any goroutine.
type Env struct {
	// Dial opens TCP connections; nil means the net package's dialer.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	// Emit takes samples; it does not keep the slice.
	Emit func([]record.Sample)
	// Book adds to the account of the whole process.
	Book func(record.Account)
	// Register takes a function that books what a client counted but did not book yet, to be called before the account
	// is read, and returns how to take it back. Nil: nobody reads the account in between.
	Register func(flush func()) (unregister func())
	// Self returns samples of this process's own resources that are due, process-wide at most once a second. Nil: none.
	Self func(now time.Duration) []record.Sample
	// Start is the run's anchor, from which all offsets are measured.
	Start time.Time
	// RunID identifies the run, Versions the programs in it.
	RunID, Versions string
	// NextDrive numbers the run's drives.
	NextDrive func() int64
	// FirstConnection is the process-wide number of this client's first connection.
	FirstConnection int64
	Logger          *slog.Logger
}

// elapsed is the monotonic offset from the run's start.
func (e *Env) elapsed() time.Duration { return time.Since(e.Start) }

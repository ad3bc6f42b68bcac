package wsgov

import (
	"crypto/rand"
	"encoding/hex"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/generator"
)

// Process is what all VUs of one process share: the run's identity and its start, the account of everything that was
// sent and received, and the numbers handed out to connections and drives. Its methods may be called from any goroutine.
type Process struct {
	// ID is the run's identity, the same on every start and end point of this process.
	ID string
	// Start is the run's anchor: its wall clock reading names the instant, its monotonic reading is what all offsets of
	// the run are measured from.
	Start time.Time
	// Seed is the run's seed, from which plans without one derive theirs.
	Seed int64

	// Versions names the programs of the run, such as "wsgov/1.2.0"; it is written into start and end points. The host may
	// set it before the first VU runs.
	Versions string

	self        *generator.Sampler
	snapshots   snapshots
	drives      atomic.Int64
	connections atomic.Int64

	mu       sync.Mutex
	account  record.Account
	flushers map[*func()]struct{}
}

// NewProcess starts a run now.
func NewProcess(seed int64) *Process {
	var id [8]byte
	_, _ = rand.Read(id[:]) // never fails: crypto/rand.Read aborts the program instead
	start := time.Now()
	return &Process{ID: hex.EncodeToString(id[:]), Start: start, Seed: seed, self: generator.New(start)}
}

// Self returns samples of this process's own resources that are due at the given offset, at most once a second however
// many VUs ask.
func (p *Process) Self(now time.Duration) []record.Sample { return p.self.Take(now) }

// Elapsed is the monotonic offset from the run's start.
func (p *Process) Elapsed() time.Duration { return time.Since(p.Start) }

// NextDrive numbers a drive, from 1.
func (p *Process) NextDrive() int64 { return p.drives.Add(1) }

// ReserveConnections hands out n consecutive connection numbers and returns the first, from 1.
func (p *Process) ReserveConnections(n int) int64 { return p.connections.Add(int64(n)) - int64(n) + 1 }

// Book adds to the account of the whole process.
func (p *Process) Book(a record.Account) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.account.Add(a)
}

// Register takes a function that books what was counted but not booked yet; Account calls it first. The function it
// returns takes it back.
func (p *Process) Register(flush func()) (unregister func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.flushers == nil {
		p.flushers = make(map[*func()]struct{})
	}
	p.flushers[&flush] = struct{}{}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.flushers, &flush)
	}
}

// Account is a copy of the account of the whole process so far.
func (p *Process) Account() record.Account {
	p.mu.Lock()
	pending := slices.Collect(maps.Keys(p.flushers))
	p.mu.Unlock()
	for _, flush := range pending {
		(*flush)()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.account.Clone()
}

package gateway

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

const (
	defaultAddr         = "127.0.0.1:0"
	defaultMaxQueue     = 100_000
	defaultWriteTimeout = 10 * time.Second
)

// Options say how to serve. The zero value serves the default rules on a free loopback port.
type Options struct {
	Addr         string        // host:port to listen on; port 0 takes a free one. Default 127.0.0.1:0
	Rules        *Rules        // nil means DefaultRules
	Journal      string        // file to write the journal to; empty for none
	Compression  bool          // accept permessage-deflate
	MaxQueue     int           // replies that may wait on one connection. Default 100,000
	WriteTimeout time.Duration // how long a client may take nothing. Default 10 s
	OnError      func(error)   // is told of each failure while serving, once, from any goroutine. Nil to ignore
}

func (o Options) withDefaults() Options {
	if o.Addr == "" {
		o.Addr = defaultAddr
	}
	rules := DefaultRules()
	if o.Rules != nil {
		rules = *o.Rules
	}
	o.Rules = &rules
	if o.MaxQueue <= 0 {
		o.MaxQueue = defaultMaxQueue
	}
	if o.WriteTimeout <= 0 {
		o.WriteTimeout = defaultWriteTimeout
	}
	if o.OnError == nil {
		o.OnError = func(error) {}
	}
	return o
}

// Server is a gateway that serves. Its methods are safe for concurrent use.
type Server struct {
	options  Options
	start    time.Time // origin of all instants
	process  string
	listener net.Listener
	http     *http.Server
	upgrader websocket.Upgrader
	journal  *journal
	tallies  map[string]*tally // by path
	accepted atomic.Int64      // numbers the connections

	stopped   chan struct{} // closed when no more connections are accepted
	acceptErr error         // why, if not by Close; to be read after that

	mu       sync.Mutex
	closing  bool
	sessions map[session]*link
	serving  sync.WaitGroup // upgrades and the sessions after them

	closeOnce sync.Once
	closeErr  error
}

// Start listens, opens the journal and serves until Close. Errors are those of the address and of the journal's file.
func Start(o Options) (*Server, error) {
	o = o.withDefaults()
	listener, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, fmt.Errorf("listen: %w: choose another --addr (port 0 takes a free one); an older gateway may still be running", err)
	}
	s := &Server{
		options: o, start: time.Now(), listener: listener,
		stopped: make(chan struct{}), sessions: map[session]*link{}, tallies: map[string]*tally{},
	}
	s.process = processIdentity(s.start)
	if o.Journal != "" {
		if s.journal, err = openJournal(o.Journal, o.OnError); err != nil {
			return nil, errors.Join(err, listener.Close())
		}
		s.journal.add(newJournalHead(s.process, s.start, *o.Rules).append)
	}
	s.upgrader = s.newUpgrader()
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	go s.accept()
	return s, nil
}

func (s *Server) accept() {
	defer close(s.stopped)
	if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
		s.acceptErr = fmt.Errorf("accept connections on %s: %w: restart the gateway", s.Addr(), err)
		s.options.OnError(s.acceptErr)
	}
}

// Addr is the address that the server listens on, as host:port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Stopped is closed when the server no longer accepts connections: after Close, or because the listener failed.
func (s *Server) Stopped() <-chan struct{} { return s.stopped }

func (s *Server) now() time.Duration { return time.Since(s.start) }

// Close stops listening, closes every connection with 1001, waits for all goroutines and completes the journal. Clients get
// a second to answer the close, or less if ctx is done before. The error tells of a journal that is incomplete or of a
// listener that failed; OnError has been told too. Further calls return the same.
func (s *Server) Close(ctx context.Context) error {
	s.closeOnce.Do(func() { s.closeErr = s.close(ctx) })
	return s.closeErr
}

func (s *Server) close(ctx context.Context) error {
	s.mu.Lock()
	s.closing = true
	open := maps.Clone(s.sessions)
	s.mu.Unlock()

	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	var closers sync.WaitGroup
	for each, l := range open {
		closers.Go(func() { goAway(each, l) })
	}
	if s.http.Shutdown(ctx) != nil {
		_ = s.http.Close() // requests that do not end, and connections that never sent one
	}
	<-s.stopped
	s.awaitSessions(ctx)
	closers.Wait()
	return errors.Join(s.acceptErr, s.journal.close())
}

// goAway tells a client that the gateway stops. Replies that wait are abandoned.
func goAway(s session, l *link) {
	l.end(ending{websocket.CloseGoingAway, byGateway})
	s.halt()
	l.closeWith(websocket.CloseGoingAway, "the gateway is stopping")
}

// awaitSessions waits for the sessions to end and cuts them off when ctx is done.
func (s *Server) awaitSessions(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, l := range s.sessions {
			_ = l.ws.NetConn().Close() // nothing can be done for a socket that does not close
		}
	})
	s.serving.Wait()
	stop()
}

// admit makes Close wait for one more upgrade, until serving.Done, or reports that it is too late for one.
func (s *Server) admit() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closing {
		s.serving.Add(1)
	}
	return !s.closing
}

// enter books a session as open and reports whether the server is closing, in which case Close may not know of it.
func (s *Server) enter(each session, l *link) (closing bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions[each] = l
	return s.closing
}

func (s *Server) leave(each session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sessions, each)
}

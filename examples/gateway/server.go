package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gorilla/websocket"
)

// The WebSocket endpoints.
const (
	pathGateway = "/gateway"
	pathSerial  = "/serial"
	pathEcho    = "/echo"
)

const (
	defaultMaxQueue     = 100_000
	defaultWriteTimeout = 10 * time.Second
	maxMessage          = 1 << 20
)

// Options say how a gateway serves. The zero value of each field means its default.
type Options struct {
	Addr         string        // default 127.0.0.1:0, a free port of the loopback address
	Rules        *Rules        // default DefaultRules
	Journal      string        // file to write the journal to; empty: none
	MaxQueue     int           // replies that may wait on a connection; default 100,000
	WriteTimeout time.Duration // after which a client that takes nothing is cut off; default 10 s
	Compression  bool          // accept permessage-deflate
	Report       func(error)   // is told, once, that the journal is incomplete; default: nobody
}

func (o Options) withDefaults() Options {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	if o.Rules == nil {
		rules := DefaultRules()
		o.Rules = &rules
	}
	if o.MaxQueue <= 0 {
		o.MaxQueue = defaultMaxQueue
	}
	if o.WriteTimeout <= 0 {
		o.WriteTimeout = defaultWriteTimeout
	}
	if o.Report == nil {
		o.Report = func(error) {}
	}
	return o
}

// Server is a gateway that serves. Its methods may be called from any goroutine.
type Server struct {
	options  Options
	start    time.Time
	process  string
	listener net.Listener
	http     http.Server
	upgrader websocket.Upgrader
	tallies  map[string]*tally // by endpoint; never changed once it serves
	journal  *journal
	conns    atomic.Int64 // numbers connections

	running sync.WaitGroup // the sessions and the listener's goroutine

	mu       sync.Mutex
	sessions map[*session]struct{}
	stopping bool
}

// Start listens and serves until Close. It fails if the address cannot be listened on or the journal not be opened.
func Start(o Options) (*Server, error) {
	o = o.withDefaults()
	start := time.Now()
	s := &Server{
		options: o, start: start, process: processIdentity(start), sessions: map[*session]struct{}{},
		tallies:  map[string]*tally{pathGateway: {}, pathSerial: {}, pathEcho: {}},
		upgrader: websocket.Upgrader{EnableCompression: o.Compression, CheckOrigin: func(*http.Request) bool { return true }},
	}
	if o.Journal != "" {
		j, err := openJournal(o.Journal, o.Report)
		if err != nil {
			return nil, err
		}
		s.journal = j
		s.journal.add(newJournalHead(s.process, start, *o.Rules).append)
	}
	l, err := net.Listen("tcp", o.Addr)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen on %s: %w: choose a free address with --addr", o.Addr, err), s.journal.close())
	}
	s.listener = l
	s.http.Handler = s.handler()
	s.running.Go(func() { _ = s.http.Serve(l) }) // it always fails, with ErrServerClosed once Close was called
	return s, nil
}

// Addr is the address that it really listens on, host and port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// elapsed is the monotonic time since the start.
func (s *Server) elapsed() time.Duration { return time.Since(s.start) }

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	for path := range s.tallies {
		mux.HandleFunc(path, s.serveSocket)
	}
	mux.HandleFunc("GET /stats", s.serveStats)
	mux.Handle("GET /metrics", s.metricsHandler())
	mux.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	return mux
}

// serveSocket upgrades a request and serves its connection to the end.
func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if !websocket.IsWebSocketUpgrade(r) {
		w.Header().Set("Upgrade", "websocket")
		http.Error(w, path+" speaks WebSocket: open it with ws://", http.StatusUpgradeRequired)
		return
	}
	rules, err := s.options.Rules.withQuery(path, r.URL.RawQuery)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	t := s.tallies[path]
	t.conns.Add(1) // before the client can see that it was accepted
	ws, err := s.upgrader.Upgrade(w, r, nil)
	if err != nil {
		t.conns.Add(-1) // the upgrader has answered; nobody was accepted
		return
	}
	e := s.newSession(ws, path, rules)
	if !s.enter(e) {
		e.shut(websocket.CloseGoingAway)
		_ = ws.Close() // the server is going away with it
		return
	}
	defer s.leave(e)
	e.serve(r.URL.RawQuery)
}

// enter registers a session, unless the server is stopping.
func (s *Server) enter(e *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return false
	}
	s.sessions[e] = struct{}{}
	s.running.Add(1)
	return true
}

func (s *Server) leave(e *session) {
	s.mu.Lock()
	delete(s.sessions, e)
	s.mu.Unlock()
	s.running.Done()
}

// Close stops listening, closes every connection with 1001, and waits until all is booked and the journal is on disk. Its
// error says that the journal is incomplete, or that ctx ended first.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.stopping = true
	open := make([]*session, 0, len(s.sessions))
	for e := range s.sessions {
		open = append(open, e)
	}
	s.mu.Unlock()
	_ = s.http.Close() // the listener and idle connections; sessions are hijacked and closed below
	for _, e := range open {
		e.shut(websocket.CloseGoingAway)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.running.Wait()
	}()
	select {
	case <-done:
		return s.journal.close()
	case <-ctx.Done():
		return fmt.Errorf("stopping the gateway: %w", ctx.Err())
	}
}

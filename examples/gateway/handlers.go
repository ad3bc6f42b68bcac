package gateway

import (
	"bufio"
	"fmt"
	"net"
	"net/http"

	"github.com/gorilla/websocket"
)

// The WebSocket endpoints.
const (
	pathGateway = "/gateway"
	pathSerial  = "/serial"
	pathEcho    = "/echo"
)

// endpoints make the session of a connection to each path.
var endpoints = map[string]func(*link, Rules) session{
	pathGateway: func(l *link, r Rules) session { return newPaced(l, newLimiter(r, l.number)) },
	pathSerial:  func(l *link, r Rules) session { return newPaced(l, &series{delay: r.SerialDelay}) },
	pathEcho:    func(l *link, _ Rules) session { return &mirror{link: l} },
}

const allEndpoints = "WebSocket: /gateway, /serial, /echo; GET: /stats, /metrics, /healthz"

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	for path, newSession := range endpoints {
		s.tallies[path] = &tally{}
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) { s.serveSocket(w, r, newSession) })
	}
	mux.HandleFunc("GET /stats", s.serveStats)
	mux.Handle("GET /metrics", s.metricsHandler())
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		http.Error(w, fmt.Sprintf("there is nothing at %s %s; %s", r.Method, r.URL.Path, allEndpoints), http.StatusNotFound)
	})
	return mux
}

func (s *Server) newUpgrader() websocket.Upgrader {
	return websocket.Upgrader{
		EnableCompression: s.options.Compression,
		CheckOrigin:       func(*http.Request) bool { return true }, // it holds nothing that another site could steal
		Error: func(w http.ResponseWriter, r *http.Request, status int, reason error) {
			http.Error(w, fmt.Sprintf("cannot upgrade %s to a WebSocket: %v", r.URL.Path, reason), status)
		},
	}
}

func (s *Server) serveSocket(w http.ResponseWriter, r *http.Request, newSession func(*link, Rules) session) {
	if !websocket.IsWebSocketUpgrade(r) {
		w.Header().Set("Upgrade", "websocket")
		http.Error(w, fmt.Sprintf("%s is a WebSocket endpoint: connect to ws://%s%s", r.URL.Path, r.Host, r.URL.Path), http.StatusUpgradeRequired)
		return
	}
	rules, err := s.options.Rules.withQuery(r.URL.Path, r.URL.RawQuery)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if !s.admit() {
		http.Error(w, "the gateway is stopping", http.StatusServiceUnavailable)
		return
	}
	defer s.serving.Done()
	l := &link{server: s, tally: s.tallies[r.URL.Path]}
	if s.upgrade(l, w, r) {
		s.serveLink(l, newSession(l, rules), r.URL.RawQuery)
	}
	if l.number > 0 {
		l.tally.open.Add(-1)
	}
}

// upgrade makes the request's connection the link's. It reports whether it could; if not, the client has been told.
func (s *Server) upgrade(l *link, w http.ResponseWriter, r *http.Request) bool {
	accepted := func() {
		l.number = s.accepted.Add(1)
		l.tally.open.Add(1)
		l.tally.conns.Add(1)
	}
	ws, err := s.upgrader.Upgrade(hijackHook{w, accepted}, r, nil)
	if err != nil {
		return false
	}
	ws.SetReadLimit(maxMessage)
	l.ws = ws
	l.lines = newLineWriter(s.journal, l.number, ws.RemoteAddr().String(), r.URL.Path)
	return true
}

func (s *Server) serveLink(l *link, each session, query string) {
	l.onClientClose(each.halt)
	l.lines.opened(query, l.now())
	if s.enter(each, l) {
		goAway(each, l)
	}
	each.serve()
	s.leave(each)
	l.lines.closed(l.now(), *l.ended.Load())
}

// hijackHook calls accepted when the connection is taken over, which is after all that can be wrong with an upgrade
// request has been checked and before the client gets its answer.
type hijackHook struct {
	http.ResponseWriter
	accepted func()
}

func (h hijackHook) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, buffers, err := h.ResponseWriter.(http.Hijacker).Hijack()
	if err == nil {
		h.accepted()
	}
	return conn, buffers, err
}

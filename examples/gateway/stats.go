package gateway

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"time"
)

// Stats is a snapshot of the gateway's counters. Its JSON form is the answer of GET /stats.
type Stats struct {
	Total   Counts               `json:"server_stats"`
	Process string               `json:"process"` // changes when the gateway is restarted
	Paths   map[string]PathStats `json:"paths"`
}

// processIdentity names a process that began to serve at start.
func processIdentity(start time.Time) string {
	return strconv.FormatInt(start.UnixNano(), 36) + "-" + strconv.Itoa(os.Getpid())
}

// Stats returns the counters as they are now.
func (s *Server) Stats() Stats {
	out := Stats{Process: s.process, Paths: make(map[string]PathStats, len(s.tallies))}
	for path, t := range s.tallies {
		p := t.snapshot()
		out.Paths[path] = p
		out.Total.add(p.Counts)
	}
	return out
}

// appendStatsReply appends the answer to a control message, with the id if there is one.
func (s *Server) appendStatsReply(dst, id []byte) []byte {
	dst = append(dst, '{')
	if id != nil {
		dst = append(append(append(dst, `"id":`...), id...), ',')
	}
	stats := s.Stats()
	counts, _ := json.Marshal(stats.Total) // a struct of whole numbers always has a JSON form
	dst = append(append(dst, `"server_stats":`...), counts...)
	return fmt.Appendf(dst, `,"process":%q}`, stats.Process)
}

func (s *Server) serveStats(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	// The client has gone if this fails, and there is nobody to tell.
	_ = json.NewEncoder(w).Encode(s.Stats())
}

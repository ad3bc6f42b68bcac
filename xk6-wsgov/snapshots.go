package wsgov

import (
	"maps"
	"sync"

	"github.com/wsgov/wsgov/record"
)

// snapshots are the counters that were read from gateways in this process, each with the account as it was then. Scripts
// hand snapshots from setup to teardown as plain data, so they are found again by what they say.
type snapshots struct {
	mu   sync.Mutex
	list []snapshot
	made int
}

// snapshot is one reading of a source. Counters do not have missing names.
type snapshot struct {
	id       string
	source   string
	counters map[string]float64
	identity string
	account  record.Account
}

// number numbers snapshots, from 1.
func (s *snapshots) number() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return s.made
}

// remember keeps a snapshot. One that says the same as an earlier one takes its place: the latest is meant.
func (s *snapshots) remember(n snapshot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.list {
		if s.list[i].says(n.source, n.counters) {
			s.list[i] = n
			return
		}
	}
	s.list = append(s.list, n)
}

// find is the snapshot of the source with these counters.
func (s *snapshots) find(source string, counters map[string]float64) (snapshot, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.list {
		if s.list[i].says(source, counters) {
			return s.list[i], true
		}
	}
	return snapshot{}, false
}

func (s *snapshot) says(source string, counters map[string]float64) bool {
	return s.source == source && maps.Equal(s.counters, counters)
}

package engine

import "time"

// stalls remembers when a sender was held up by the in-flight cap or by the socket, so that the lag of a message which was
// due meanwhile can be split into its parts. Times only grow.
type stalls struct {
	list        []stall
	cap, socket time.Duration // sums over the list's whole history
}

// stall is one stretch, with the sums up to its start.
type stall struct {
	from, to                time.Duration
	atCap                   bool
	capBefore, socketBefore time.Duration
}

// add notes a stretch that has just ended.
func (s *stalls) add(from, to time.Duration, atCap bool) {
	if to <= from {
		return
	}
	s.list = append(s.list, stall{from: from, to: to, atCap: atCap, capBefore: s.cap, socketBefore: s.socket})
	if atCap {
		s.cap += to - from
	} else {
		s.socket += to - from
	}
}

// since is how much of the time since due was spent in each kind of stall. Calls must not go back in time.
func (s *stalls) since(due time.Duration) (atCap, onSocket time.Duration) {
	done := 0
	for done < len(s.list) && s.list[done].to <= due {
		done++
	}
	if done == len(s.list) {
		s.list = s.list[:0]
		return 0, 0
	}
	s.list = s.list[done:]
	first := s.list[0]
	atCap, onSocket = s.cap-first.capBefore, s.socket-first.socketBefore
	if before := due - first.from; before > 0 && first.atCap {
		atCap -= before
	} else if before > 0 {
		onSocket -= before
	}
	return atCap, onSocket
}

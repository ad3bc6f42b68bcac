package gateway

import "time"

// reply is a receipt with the instant at which its reply is due.
type reply struct {
	receipt
	due   time.Duration
	order uint64 // ties go out in the order in which they came
}

func (r *reply) before(other *reply) bool {
	return r.due < other.due || r.due == other.due && r.order < other.order
}

// replyHeap is a binary heap with the reply that is due first at index 0.
type replyHeap []reply

func (h *replyHeap) push(r reply) {
	*h = append(*h, r)
	q := *h
	for i := len(q) - 1; i > 0; {
		parent := (i - 1) / 2
		if !q[i].before(&q[parent]) {
			return
		}
		q[i], q[parent] = q[parent], q[i]
		i = parent
	}
}

// pop removes the first reply. The heap must not be empty.
func (h *replyHeap) pop() reply {
	q := *h
	first, last := q[0], len(q)-1
	q[0], q[last] = q[last], reply{}
	*h = q[:last]
	h.sink()
	return first
}

func (h replyHeap) sink() {
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h); child++ {
			if h[child].before(&h[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		h[i], h[least] = h[least], h[i]
		i = least
	}
}

package ledger

import "strconv"

// state is what the table remembers of an id whose message is no longer in flight.
type state uint8

const (
	unknown  state = iota // never sent, or forgotten
	answered              // a reply came, in time or late
	lost                  // settled as lost, no reply yet
)

// maxForeign bounds how many ids that are not ours one connection remembers after their messages were settled.
const maxForeign = 1 << 17

// done remembers settled ids so that late replies and duplicates are told from replies nobody waits for. Ids that form the
// connection's own progression offset + k·stride cost one byte each; of others the last maxForeign are kept.
type done struct {
	offset, stride int64
	own            []state
	foreign        map[string]state
	order          []string // foreign ids, oldest at next once full
	next           int
	forgotten      int64
}

// ownIndex is the position k of an id in the connection's own progression.
func (d *done) ownIndex(id string) (int, bool) {
	if len(id) == 0 || len(id) > 15 || id[0] < '1' || id[0] > '9' { // "06" is not 6
		return 0, false
	}
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil || n < d.offset || (n-d.offset)%d.stride != 0 {
		return 0, false
	}
	k := (n - d.offset) / d.stride
	return int(k), k <= int64(len(d.own))+maxForeign // an id far ahead of the progression is not part of it
}

func (d *done) get(id string) state {
	if k, ok := d.ownIndex(id); ok && k < len(d.own) && d.own[k] != unknown {
		return d.own[k]
	}
	return d.foreign[id]
}

func (d *done) set(id string, s state) {
	if k, ok := d.ownIndex(id); ok {
		for k >= len(d.own) {
			d.own = append(d.own, unknown)
		}
		d.own[k] = s
		return
	}
	d.setForeign(id, s)
}

func (d *done) setForeign(id string, s state) {
	if d.foreign == nil {
		d.foreign = make(map[string]state)
	}
	if _, known := d.foreign[id]; !known {
		d.remember(id)
	}
	d.foreign[id] = s
}

// remember makes room for one more foreign id.
func (d *done) remember(id string) {
	if len(d.order) < maxForeign {
		d.order = append(d.order, id)
		return
	}
	delete(d.foreign, d.order[d.next])
	d.order[d.next] = id
	d.next = (d.next + 1) % maxForeign
	d.forgotten++
}

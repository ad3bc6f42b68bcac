package postproc

import "strconv"

// difference finds which messages are in one of two streams and not in the other, in constant memory: an invertible Bloom
// lookup table (Eppstein, Goodrich, Uyeda, Varghese: What's the Difference?, SIGCOMM 2011). Counts alone would agree when
// one message is missing from each stream.
type difference struct {
	cells [differenceCells]cell
	odd   bool // a message had no numbers for its connection and itself
}

// differenceCells lets some 200 differing messages be named; more are only counted.
const (
	differenceCells = 384
	differenceParts = 3
)

type cell struct {
	count     int64
	conn, msg uint64
	check     uint64
}

// message is a planned message's identity within the points of one process.
type message struct{ conn, msg uint64 }

func messageOf(conn, msg string) (message, bool) {
	c, err1 := strconv.ParseUint(conn, 10, 64)
	m, err2 := strconv.ParseUint(msg, 10, 64)
	return message{c, m}, err1 == nil && err2 == nil
}

func (d *difference) insert(m message) { d.toggle(m, 1) }
func (d *difference) remove(m message) { d.toggle(m, -1) }

func (d *difference) toggle(m message, by int64) {
	h := m.hash()
	for i := range differenceParts {
		c := &d.cells[place(h, i)]
		c.count += by
		c.conn ^= m.conn
		c.msg ^= m.msg
		c.check ^= h
	}
}

// hash mixes both numbers (the finalizer of SplitMix64).
func (m message) hash() uint64 { return mix(mix(m.conn+0x9e3779b97f4a7c15) ^ m.msg) }

func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// place is the cell of h in part i: each part has a third of the cells.
func place(h uint64, i int) int {
	const part = differenceCells / differenceParts
	return i*part + int(mix(h+uint64(i))%part)
}

// split lists the messages that were only inserted and those only removed. Without complete, there were too many to name.
// It uses the table up.
func (d *difference) split() (inserted, removed []message, complete bool) {
	for found := true; found; {
		found = false
		for i := range d.cells {
			c := d.cells[i]
			m := message{c.conn, c.msg}
			if (c.count != 1 && c.count != -1) || m.hash() != c.check {
				continue
			}
			if c.count == 1 {
				inserted = append(inserted, m)
			} else {
				removed = append(removed, m)
			}
			d.toggle(m, -c.count)
			found = true
		}
	}
	return inserted, removed, d.cells == [differenceCells]cell{}
}

// merge adds what other has seen.
func (d *difference) merge(other *difference) {
	for i := range d.cells {
		d.cells[i].count += other.cells[i].count
		d.cells[i].conn ^= other.cells[i].conn
		d.cells[i].msg ^= other.cells[i].msg
		d.cells[i].check ^= other.cells[i].check
	}
	d.odd = d.odd || other.odd
}

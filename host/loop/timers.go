package loop

import (
	"container/heap"
	"time"
)

// Timers are the timers of one loop. Its methods are called on the loop's goroutine only; while a timer is set the loop
// is held open.
type Timers struct {
	loop    *Loop
	queue   timerQueue
	live    map[int64]*timer
	last    int64
	alarm   *time.Timer
	release func()
}

type timer struct {
	id     int64
	at     time.Time
	every  time.Duration
	repeat bool
	f      func() error
}

// NewTimers makes the timers of l.
func NewTimers(l *Loop) *Timers { return &Timers{loop: l, live: map[int64]*timer{}} }

// Set runs f on the loop after delay, and every delay after that if repeat is set, and returns the timer's number, from
// 1. A negative delay is none. On a closed loop the timer never fires.
func (t *Timers) Set(delay time.Duration, repeat bool, f func() error) int64 {
	t.last++
	if t.release == nil {
		release, accepted := t.loop.Hold()
		if !accepted {
			return t.last
		}
		t.release = release
	}
	delay = max(delay, 0)
	t.push(&timer{id: t.last, at: time.Now().Add(delay), every: delay, repeat: repeat, f: f})
	t.arm()
	return t.last
}

// Clear forgets a timer; an unknown number is ignored.
func (t *Timers) Clear(id int64) {
	delete(t.live, id)
	t.arm()
}

// Stop forgets all timers and releases the loop. Stopped timers may be set anew.
func (t *Timers) Stop() {
	clear(t.live)
	t.arm()
}

func (t *Timers) push(tm *timer) {
	t.live[tm.id] = tm
	heap.Push(&t.queue, tm)
}

// arm sets the alarm for the next live timer, or releases the loop when there is none.
func (t *Timers) arm() {
	if t.alarm != nil {
		t.alarm.Stop()
	}
	for len(t.queue) > 0 && t.live[t.queue[0].id] != t.queue[0] {
		heap.Pop(&t.queue)
	}
	if len(t.queue) > 0 {
		t.alarm = time.AfterFunc(time.Until(t.queue[0].at), func() { t.loop.Post(t.fire) })
		return
	}
	if t.release != nil {
		t.release()
		t.release = nil
	}
}

// fire runs the next timer if it is due; the alarm is set again afterwards, whatever happened.
func (t *Timers) fire() error {
	defer t.arm()
	if len(t.queue) == 0 || time.Now().Before(t.queue[0].at) {
		return nil
	}
	tm := heap.Pop(&t.queue).(*timer)
	if t.live[tm.id] != tm {
		return nil
	}
	if tm.repeat {
		tm.at = tm.at.Add(tm.every)
		if now := time.Now(); tm.at.Before(now) {
			tm.at = now
		}
		heap.Push(&t.queue, tm)
	} else {
		delete(t.live, tm.id)
	}
	return tm.f()
}

// timerQueue is a heap by time, then by number.
type timerQueue []*timer

func (q timerQueue) Len() int { return len(q) }

func (q timerQueue) Less(i, j int) bool {
	if q[i].at.Equal(q[j].at) {
		return q[i].id < q[j].id
	}
	return q[i].at.Before(q[j].at)
}

func (q timerQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

func (q *timerQueue) Push(x any) { *q = append(*q, x.(*timer)) }

func (q *timerQueue) Pop() any {
	old := *q
	last := old[len(old)-1]
	*q = old[:len(old)-1]
	return last
}

package gateway

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// delivery is what an outbox handed out, and when.
type delivery struct {
	id string
	at time.Duration
}

// bench runs an outbox whose deliveries take a time; end stops it and returns what it delivered.
func bench(limit int, cost time.Duration) (o *outbox, end func() []delivery) {
	begin := time.Now()
	var out []delivery
	done := make(chan struct{})
	o = newOutbox(func() time.Duration { return time.Since(begin) }, limit)
	go func() {
		defer close(done)
		o.run(func(r receipt) bool {
			time.Sleep(cost)
			out = append(out, delivery{string(r.id), time.Since(begin)})
			return string(r.id) != "broken"
		})
	}()
	return o, func() []delivery {
		o.stop()
		<-done
		return out
	}
}

func put(t *testing.T, o *outbox, id string, due time.Duration) {
	t.Helper()
	if err := o.put(receipt{id: []byte(id)}, due); err != nil {
		t.Fatalf("put %s: %v", id, err)
	}
}

func TestOutboxOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, end := bench(100, 0)
		put(t, o, "c", 30)
		put(t, o, "d", 30)
		put(t, o, "b", 20)
		put(t, o, "a", 0)
		<-time.After(25)
		put(t, o, "z", 90)
		put(t, o, "late", 10)
		<-time.After(1000)
		synctest.Wait()
		want := []delivery{{"a", 0}, {"b", 20}, {"late", 25}, {"c", 30}, {"d", 30}, {"z", 90}}
		if got := end(); !slices.Equal(got, want) {
			t.Errorf("delivered %v, want %v", got, want)
		}
	})
}

// A thousand messages queued at 16 ms take 16 s, although each write takes 0.4 ms: lateness does not add up.
func TestSerialPaceIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n, delay, cost = 1000, 16 * time.Millisecond, 400 * time.Microsecond
		o, end := bench(n, cost)
		pace := &series{delay: delay}
		for range n {
			_, due := pace.judge(o.now())
			put(t, o, "x", due)
		}
		time.Sleep(n*delay + cost)
		synctest.Wait()
		got := end()
		if len(got) != n {
			t.Fatalf("%d of %d delivered in %v", len(got), n, n*delay+cost)
		}
		for k, d := range got {
			if want := time.Duration(k+1)*delay + cost; d.at != want {
				t.Fatalf("message %d delivered at %v, want %v", k+1, d.at, want)
			}
		}
	})
}

func TestOutboxFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, end := bench(2, 0)
		put(t, o, "a", 10)
		put(t, o, "b", 10)
		if err := o.put(receipt{}, 10); !errors.Is(err, errFull) {
			t.Errorf("the third of two: %v", err)
		}
		<-time.After(10)
		synctest.Wait()
		put(t, o, "c", 20)
		<-time.After(10)
		synctest.Wait()
		if got := end(); len(got) != 3 {
			t.Errorf("delivered %v", got)
		}
	})
}

func TestOutboxStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, end := bench(10, 0)
		put(t, o, "a", 0)
		put(t, o, "c", 2000)
		put(t, o, "b", 1000)
		synctest.Wait()
		rest := o.stop()
		if len(rest) != 2 || string(rest[0].id) != "b" || string(rest[1].id) != "c" {
			t.Errorf("left over: %v", rest)
		}
		if again := o.stop(); len(again) > 0 {
			t.Errorf("left over again: %v", again)
		}
		if err := o.put(receipt{}, 0); !errors.Is(err, errStopped) {
			t.Errorf("put after stop: %v", err)
		}
		if got := end(); len(got) != 1 {
			t.Errorf("delivered %v", got)
		}
	})
}

func TestOutboxEndsWithItsConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, _ := bench(10, 0)
		put(t, o, "broken", 0)
		put(t, o, "a", 1)
		synctest.Wait() // the test fails if run has not returned by itself at its end
		if rest := o.stop(); len(rest) != 1 {
			t.Errorf("left over: %v", rest)
		}
	})
}

func TestHeapSorts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dues := rapid.SliceOf(rapid.Int64Range(0, 20)).Draw(t, "dues")
		var h replyHeap
		for i, due := range dues {
			h.push(reply{due: time.Duration(due), order: uint64(i)})
		}
		var last reply
		for i := range dues {
			r := h.pop()
			if i > 0 && !last.before(&r) {
				t.Fatalf("%v came before %v", last, r)
			}
			last = r
		}
		if len(h) > 0 {
			t.Fatalf("%d left", len(h))
		}
	})
}

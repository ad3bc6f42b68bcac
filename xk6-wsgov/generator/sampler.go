package generator

import (
	"os"
	"runtime"
	"runtime/metrics"
	"sync"
	"time"

	"github.com/shirou/gopsutil/v4/process"

	"github.com/wsgov/wsgov/record"
)

// every is how often samples are due.
const every = time.Second

// Resources, values of the resource tag, with their units. A resource that the operating system does not tell is left out.
const (
	CPU        = "cpu"        // cores in use, from 0; 1 is one core fully used
	RSS        = "rss"        // resident memory, bytes
	FDs        = "fds"        // open descriptors
	Goroutines = "goroutines" // goroutines
	GCPause    = "gc_pause"   // longest stop of the garbage collector since the last sample, ms
	TimerSlip  = "timer_slip" // how late a timer of one millisecond fired, ms
)

// Sampler measures this process. One sampler serves a whole process; its methods may be called from any goroutine.
type Sampler struct {
	start time.Time
	self  *process.Process // nil where the operating system does not tell

	mu      sync.Mutex
	next    time.Duration
	lastAt  time.Duration
	lastCPU float64 // seconds
	pauses  []uint64
	slip    slip
}

// New starts nothing: it is measured when Take is called.
func New(start time.Time) *Sampler {
	s := &Sampler{start: start}
	if p, err := process.NewProcess(int32(os.Getpid())); err == nil {
		s.self = p
	}
	return s
}

// Take returns samples if they are due at the given offset from the start, and nothing otherwise: at most once a second,
// however many callers there are.
func (s *Sampler) Take(now time.Duration) []record.Sample {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now < s.next {
		return nil
	}
	s.next = now + every
	var out []record.Sample
	add := func(resource string, value float64, known bool) {
		if known {
			out = append(out, record.Sample{
				Metric: record.Generator, Time: s.start.Add(now), Value: value, Tags: record.NewTags(record.TagResource, resource),
			})
		}
	}
	cpu, known := s.cpu(now)
	add(CPU, cpu, known)
	rss, known := s.rss()
	add(RSS, rss, known)
	fds, known := s.fds()
	add(FDs, fds, known)
	add(Goroutines, float64(runtime.NumGoroutine()), true)
	add(GCPause, s.longestPause(), true)
	late, known := s.slip.measure()
	add(TimerSlip, record.Millis(late), known)
	return out
}

// cpu is the number of cores this process kept busy since the call before; unknown at the first.
func (s *Sampler) cpu(now time.Duration) (cores float64, known bool) {
	if s.self == nil {
		return 0, false
	}
	t, err := s.self.Times()
	if err != nil {
		return 0, false
	}
	total, before, at := t.User+t.System, s.lastCPU, s.lastAt
	s.lastCPU, s.lastAt = total, now
	if at == 0 || now <= at {
		return 0, false
	}
	return (total - before) / (now - at).Seconds(), true
}

func (s *Sampler) rss() (bytes float64, known bool) {
	if s.self == nil {
		return 0, false
	}
	m, err := s.self.MemoryInfo()
	if err != nil {
		return 0, false
	}
	return float64(m.RSS), true
}

func (s *Sampler) fds() (n float64, known bool) {
	if s.self == nil {
		return 0, false
	}
	fds, err := s.self.NumFDs()
	return float64(fds), err == nil
}

const pausesMetric = "/sched/pauses/total/gc:seconds"

// longestPause is the lower bound of the highest bucket of garbage collection pauses that grew since the call before, in
// milliseconds.
func (s *Sampler) longestPause() float64 {
	sample := []metrics.Sample{{Name: pausesMetric}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindFloat64Histogram {
		return 0
	}
	h := sample[0].Value.Float64Histogram()
	longest := 0.0
	for i, n := range h.Counts {
		if len(s.pauses) == len(h.Counts) && n > s.pauses[i] {
			longest = h.Buckets[i] * 1000
		}
	}
	s.pauses = append(s.pauses[:0], h.Counts...)
	return max(longest, 0)
}

// slip measures how late a short timer fires: it is started by one call and read by the next.
type slip struct {
	fired chan time.Duration
}

// measure returns what the timer of the call before found, and starts the next.
func (s *slip) measure() (late time.Duration, known bool) {
	if s.fired == nil {
		s.fired = make(chan time.Duration, 1)
	}
	select {
	case late = <-s.fired:
		known = true
	default:
	}
	due := time.Now().Add(time.Millisecond)
	fired := s.fired
	time.AfterFunc(time.Millisecond, func() {
		select {
		case fired <- time.Since(due):
		default:
		}
	})
	return late, known
}

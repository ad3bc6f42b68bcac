// Package counters reads a gateway's own counters over WebSocket or HTTP.
package counters

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Source says where counters are read and how.
type Source struct {
	// URLs of the replicas: ws or wss for a control message, http or https for JSON or Prometheus text.
	URLs []string
	// Request is sent over WebSocket; default {"cmd":"stats"}.
	Request []byte
	// Path is the dotted path of the counters object in a JSON answer. Default 'server_stats'; over HTTP the whole answer if
	// that is absent.
	Path string
	// Identity is where the answer says which process it is: a dotted path in JSON, a metric in Prometheus text.
	Identity string
	// Names are the counters that are wanted. In Prometheus text they are metrics, summed up over their labels, or metrics
	// with labels such as m{code="x"}; nothing else is taken from it.
	Names []string

	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	TLS  *tls.Config // nil for the default
	// Opened is called when a control connection has opened, before anything is read. The gateway counts it too.
	Opened func()
}

// Reading is what all replicas together say. Counters of a JSON object are all its numbers, besides Names; a name that no
// replica told is in Missing and not in Counters.
type Reading struct {
	Counters map[string]float64
	Missing  []string
	Identity string // of all replicas, joined by commas; empty if they do not tell
	Control  int    // control connections opened
}

// Timeout bounds the reading of one replica.
const Timeout = 5 * time.Second

// Check reports what is wrong with a source before it is used.
func (s *Source) Check() error {
	if len(s.URLs) == 0 {
		return errors.New("there is no address: give url: 'ws://…' or 'http://…'")
	}
	for _, raw := range s.URLs {
		u, err := url.Parse(raw)
		if err != nil {
			return fmt.Errorf("the address %q cannot be read: %w", raw, err)
		}
		if !slices.Contains([]string{"ws", "wss", "http", "https"}, u.Scheme) || u.Host == "" {
			return fmt.Errorf("the address %q must begin with ws://, wss://, http:// or https:// and name a host", raw)
		}
		if len(s.Request) > 0 && strings.HasPrefix(u.Scheme, "http") {
			return fmt.Errorf("the address %q is read with GET, which sends no request: leave out request", raw)
		}
	}
	for _, name := range s.Names {
		if _, err := parseSelector(name); err != nil && s.overHTTP() {
			return err
		}
	}
	return nil
}

func (s *Source) overHTTP() bool {
	return slices.ContainsFunc(s.URLs, func(u string) bool { return strings.HasPrefix(u, "http") })
}

// Read reads every replica, one after the other, and adds their counters up. The error names the replica, what went wrong
// and what to do.
func (s *Source) Read(ctx context.Context) (Reading, error) {
	total := Reading{Counters: map[string]float64{}}
	var identities []string
	for _, at := range s.URLs {
		one, err := s.read(ctx, at, &total.Control)
		if err != nil {
			return total, fmt.Errorf("the gateway's counters cannot be read from %s: %w", at, err)
		}
		for name, v := range one.Counters {
			total.Counters[name] += v
		}
		if one.Identity != "" {
			identities = append(identities, one.Identity)
		}
	}
	for _, name := range s.Names {
		if _, told := total.Counters[name]; !told {
			total.Missing = append(total.Missing, name)
		}
	}
	total.Identity = strings.Join(identities, ",")
	return total, nil
}

func (s *Source) read(ctx context.Context, at string, control *int) (Reading, error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	if strings.HasPrefix(at, "http") {
		return s.readHTTP(ctx, at)
	}
	return s.readWebSocket(ctx, at, control)
}

// defaultPath is where the reference gateway has its counters.
const defaultPath = "server_stats"

// fromJSON takes the counters out of a JSON answer. It reports false if there is no object at the path.
func (s *Source) fromJSON(answer []byte, whole bool) (Reading, bool) {
	if !gjson.ValidBytes(answer) {
		return Reading{}, false
	}
	root := gjson.ParseBytes(answer)
	if !root.IsObject() {
		return Reading{}, false
	}
	object := root.Get(defaultPath)
	if s.Path != "" {
		object = root.Get(dotted(s.Path))
	} else if whole && !object.IsObject() {
		object = root
	}
	if !object.IsObject() {
		return Reading{}, false
	}
	r := Reading{Counters: map[string]float64{}}
	object.ForEach(func(key, v gjson.Result) bool {
		if v.Type == gjson.Number {
			r.Counters[key.Str] = v.Num
		}
		return true
	})
	for _, name := range s.Names {
		if _, direct := r.Counters[name]; direct {
			continue
		}
		if v := object.Get(dotted(name)); v.Type == gjson.Number {
			r.Counters[name] = v.Num
		}
	}
	if s.Identity != "" {
		r.Identity = root.Get(dotted(s.Identity)).String()
	}
	return r, true
}

// dotted makes a path of keys joined by dots, in which nothing else is special.
func dotted(path string) string {
	steps := strings.Split(path, ".")
	for i := range steps {
		steps[i] = gjson.Escape(steps[i])
	}
	return strings.Join(steps, ".")
}

// keys lists an answer's top-level keys, for messages.
func keys(answer []byte) string {
	object := gjson.ParseBytes(answer)
	if !gjson.ValidBytes(answer) || !object.IsObject() {
		return "it is no JSON object"
	}
	return "it has the keys " + strings.Join(slices.Sorted(maps.Keys(object.Map())), ", ")
}

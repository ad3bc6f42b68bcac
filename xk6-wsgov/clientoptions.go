package wsgov

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/xk6-wsgov/engine"
)

// Limits of the options, wide enough for any use and narrow enough to catch a slip of the pen.
const (
	maxConnections = 1_000_000
	maxFrame       = 1 << 30
	maxCount       = 1_000_000_000
)

// clientOptions are a client's options as they are read.
type clientOptions struct {
	m       *Module
	target  engine.Target
	headers map[string]string
	tls     *tlsOptions
	reply   ruleOptions
}

func (o *clientOptions) fields() []field {
	t := &o.target
	return []field{
		{"connections", whole(&t.Connections, 1, maxConnections)},
		{"connect", object(connectFields(&t.Ramp)...)},
		{"headers", dictionary(&o.headers)},
		{"subprotocols", texts(&t.Subprotocols)},
		{"compression", func(v value) error {
			var word string
			t.Compression = true
			return oneOf(&word, "deflate")(v)
		}},
		{"localAddresses", o.localAddresses},
		{"tls", func(v value) error {
			o.tls = &tlsOptions{}
			return decode(v, o.tls.fields())
		}},
		{"maxFrameBytes", whole(&t.MaxFrameBytes, 1, maxFrame)},
		{"reconnect", reconnect(&t.Reconnect)},
		{"reply", func(v value) error { return decode(v, o.reply.fields()) }},
		{"hello", list(func(v value) error {
			var h engine.Hello
			err := decode(v, o.helloFields(&h))
			if err == nil && h.Message == nil {
				err = v.refuse("a message to send, such as { message: '...' }")
			}
			t.Hello = append(t.Hello, h)
			return err
		})},
		{"autoReply", list(func(v value) error {
			var a engine.AutoReply
			err := decode(v, o.autoReplyFields(&a))
			if err == nil && (a.Message == nil || a.When == nil) {
				err = v.refuse("both 'when' and 'message'")
			}
			t.AutoReply = append(t.AutoReply, textual(a))
			return err
		})},
		{"heartbeat", func(v value) error {
			t.Heartbeat = &engine.Heartbeat{}
			if err := decode(v, heartbeatFields(t.Heartbeat)); err != nil {
				return err
			}
			if t.Heartbeat.Every == 0 {
				return v.refuse("at least 'every', such as { every: '25s' }")
			}
			return nil
		}},
	}
}

func connectFields(r *engine.Ramp) []field {
	return []field{
		{"batch", whole(&r.Batch, 1, maxConnections)},
		{"every", length(&r.Every, 0)},
		{"timeout", length(&r.Timeout, time.Millisecond)},
	}
}

func (o *clientOptions) helloFields(h *engine.Hello) []field {
	return []field{{"message", o.message(&h.Message)}, {"await", condition(&h.Await)}}
}

func (o *clientOptions) autoReplyFields(a *engine.AutoReply) []field {
	return []field{{"when", condition(&a.When)}, {"message", o.message(&a.Message)}}
}

// textual turns a condition on a whole text into the engine's own.
func textual(a engine.AutoReply) engine.AutoReply {
	if a.When != nil && a.When.Text != "" {
		a.Text, a.When = a.When.Text, nil
	}
	return a
}

func heartbeatFields(h *engine.Heartbeat) []field {
	return []field{
		{"every", length(&h.Every, time.Millisecond)},
		{"message", text(&h.Message)},
		{"deadAfter", length(&h.DeadAfter, time.Millisecond)},
	}
}

// message reads text, or an object that is sent as JSON.
func (o *clientOptions) message(to *[]byte) func(value) error {
	return func(v value) error {
		if s, ok := primitive(v.js).(string); ok {
			*to = []byte(s)
			return nil
		}
		if !isJSON(v.js) {
			return v.refuse("text or an object")
		}
		raw, err := o.m.stringify(v.js)
		if err != nil {
			return fmt.Errorf("%s cannot be written as JSON: %w", v.name(), err)
		}
		*to = raw
		return nil
	}
}

func (o *clientOptions) localAddresses(v value) error {
	return list(func(v value) error {
		var s string
		if err := text(&s)(v); err != nil {
			return err
		}
		if net.ParseIP(s) == nil {
			return v.refuse("an IP address of this machine, such as '127.0.0.2'")
		}
		o.target.LocalAddresses = append(o.target.LocalAddresses, s)
		return nil
	})(v)
}

// reconnect reads false or an object.
func reconnect(to **engine.Reconnect) func(value) error {
	return func(v value) error {
		if b, ok := primitive(v.js).(bool); ok && !b {
			return nil
		}
		if _, ok := plainObject(v.js); !ok {
			return v.refuse("false or an object such as { attempts: 5, delay: '1s' }")
		}
		*to = &engine.Reconnect{}
		return decode(v, reconnectFields(*to))
	}
}

func reconnectFields(r *engine.Reconnect) []field {
	return []field{{"attempts", whole(&r.Attempts, 1, maxCount)}, {"delay", length(&r.Delay, time.Millisecond)}}
}

// readClient reads a client's options.
func (m *Module) readClient(url string, options sobek.Value) (*clientOptions, error) {
	o := &clientOptions{m: m, target: engine.Target{URL: url}}
	if err := decode(value{js: options, kind: "Client option"}, o.fields()); err != nil {
		return nil, err
	}
	if o.tls != nil {
		if err := o.tls.check(); err != nil {
			return nil, err
		}
	}
	o.target.ReplyTimeout = o.reply.timeout
	return o, o.header()
}

// handshakeHeaders are written by the handshake itself.
var handshakeHeaders = []string{"Upgrade", "Connection", "Sec-Websocket-Key", "Sec-Websocket-Version", "Sec-Websocket-Extensions"}

// header takes over the headers, but for those that are the handshake's own.
func (o *clientOptions) header() error {
	for k, v := range o.headers {
		name := http.CanonicalHeaderKey(k)
		switch {
		case name == "Sec-Websocket-Protocol":
			return fmt.Errorf("Client option 'headers.%s' would not be checked against the answer: write subprotocols: ['%s']", k, v)
		case slices.Contains(handshakeHeaders, name):
			return fmt.Errorf("Client option 'headers.%s' cannot be given: the handshake writes that header itself", k)
		}
		if o.target.Header == nil {
			o.target.Header = http.Header{}
		}
		o.target.Header.Set(k, v)
	}
	return nil
}

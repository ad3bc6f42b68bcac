package wsgov

import (
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/xk6-wsgov/engine"
	"github.com/wsgov/wsgov/xk6-wsgov/reply"
)

// OptionKeys are the keys that each kind of options decodes, under the names of the declarations.
func OptionKeys() map[string][]string {
	same := func(f func(value) error) func(value) error { return f }
	client := &clientOptions{}
	tables := map[string][]field{
		"ClientOptions":    client.fields(),
		"ConnectOptions":   connectFields(&engine.Ramp{}),
		"TlsOptions":       (&tlsOptions{}).fields(),
		"ReconnectOptions": reconnectFields(&engine.Reconnect{}),
		"HelloMessage":     client.helloFields(&engine.Hello{}),
		"AutoReply":        client.autoReplyFields(&engine.AutoReply{}),
		"HeartbeatOptions": heartbeatFields(&engine.Heartbeat{}),
		"ReplyRule":        (&ruleOptions{}).fields(),
		"Part":             (&scriptPart{}).fields(),
		"Condition":        conditionFields(&reply.Condition{}),
		"Plan":             (&planOptions{}).fields(),
		"Stage":            stageFields(&engine.Stage{}, same),
		"RequestOptions":   (&requestOptions{}).fields(),
		"GatewaySource":    (&gatewayOptions{}).fields(),
	}
	out := map[string][]string{}
	for name, fields := range tables {
		for _, f := range fields {
			out[name] = append(out[name], f.name)
		}
	}
	return out
}

// Decoded is what became of a client's options.
type Decoded struct {
	Target   engine.Target
	Rule     *reply.Rule
	Classify bool
	Insecure bool
	TLS      [4]string
}

// DecodeClient reads a client's options.
func (m *Module) DecodeClient(options sobek.Value) (d Decoded, err error) {
	o, err := m.readClient("ws://127.0.0.1:1/", options)
	if err != nil {
		return d, err
	}
	d.Target, d.Classify = o.target, o.reply.classify != nil
	if o.tls != nil {
		d.Insecure, d.TLS = o.tls.insecure, [4]string{o.tls.ca, o.tls.cert, o.tls.key, o.tls.serverName}
	}
	d.Rule, err = o.reply.rule()
	return d, err
}

// DecodePlan reads a plan for a client with the given options.
func (m *Module) DecodePlan(options, plan sobek.Value) (engine.Plan, error) {
	o, err := m.readClient("ws://127.0.0.1:1/", options)
	if err != nil {
		return engine.Plan{}, err
	}
	c := &client{m: m, options: o}
	if c.rule, err = o.reply.rule(); err != nil {
		return engine.Plan{}, err
	}
	if o.reply.classify != nil {
		c.classify = newClassifier(m, o.reply.classify)
	}
	return c.readPlan(plan)
}

// DecodeRequest reads the options of a request.
func DecodeRequest(v sobek.Value) (timeout time.Duration, name string, tags map[string]string, err error) {
	var o requestOptions
	err = decode(value{js: v, kind: "request option"}, o.fields())
	return o.Timeout, o.Name, o.tags, err
}

// DeriveSeed is a plan's default seed.
var DeriveSeed = deriveSeed

// MaxEvents is how many events may wait.
const MaxEvents = maxEvents

package wsgov

import (
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/grafana/sobek"

	"github.com/wsgov/wsgov/record"
	"github.com/wsgov/wsgov/xk6-wsgov/engine"
)

// planOptions are a plan's options as they are read.
type planOptions struct {
	plan     engine.Plan
	seeded   bool
	whenFull string
	detail   string
	binary   bool
	message  sobek.Value
	tags     map[string]string
}

// maxSafeInteger is the largest whole number that JavaScript holds exactly.
const maxSafeInteger = 1<<53 - 1

func (o *planOptions) fields() []field {
	p := &o.plan
	return []field{
		{"name", text(&p.Name)},
		{"model", oneOf(&p.Model, engine.Open, engine.Closed, engine.Burst)},
		{"rate", number(&p.Rate, 0, true)},
		{"stages", func(v value) error {
			p.Stages = []engine.Stage{}
			return list(func(v value) error {
				s, err := stage(v)
				p.Stages = append(p.Stages, s)
				return err
			})(v)
		}},
		{"arrivals", oneOf(&p.Arrivals, engine.Uniform, engine.Poisson)},
		{"seed", func(v value) error {
			o.seeded = true
			return whole(&p.Seed, -maxSafeInteger, maxSafeInteger)(v)
		}},
		{"duration", length(&p.Duration, time.Millisecond)},
		{"count", whole(&p.Count, 1, maxCount)},
		{"maxInFlight", func(v value) error {
			p.Cap = new(int)
			return whole(p.Cap, 0, maxCount)(v)
		}},
		{"whenFull", oneOf(&o.whenFull, "wait", "drop")},
		{"drain", func(v value) error {
			p.Drain = new(time.Duration)
			return length(p.Drain, 0)(v)
		}},
		{"message", func(v value) error {
			o.message = v.js
			return nil
		}},
		{"binary", truth(&o.binary)},
		{"detail", oneOf(&o.detail, "full", "lean")},
		{"tags", dictionary(&o.tags)},
	}
}

// stage reads one stage, of which both parts are needed.
func stage(v value) (engine.Stage, error) {
	var s engine.Stage
	given := 0
	counting := func(read func(value) error) func(value) error {
		return func(v value) error {
			given++
			return read(v)
		}
	}
	err := decode(v, stageFields(&s, counting))
	if err == nil && given < 2 {
		err = v.refuse("both duration and target, such as { duration: '10s', target: 100 }")
	}
	return s, err
}

func stageFields(s *engine.Stage, each func(func(value) error) func(value) error) []field {
	return []field{{"duration", each(length(&s.Duration, 0))}, {"target", each(number(&s.Target, 0, false))}}
}

// readPlan reads a plan for this client, with its message.
func (c *client) readPlan(js sobek.Value) (engine.Plan, error) {
	var o planOptions
	if absent(js) {
		return o.plan, errors.New("drive() needs a plan, such as { rate: 10, duration: '10s', message: { id: '{{id}}' } }")
	}
	if err := decode(value{js: js, kind: "plan option"}, o.fields()); err != nil {
		return o.plan, err
	}
	if err := o.conflicts(); err != nil {
		return o.plan, err
	}
	if o.plan.Name == "" {
		o.plan.Name = "main"
	}
	if !o.seeded {
		o.plan.Seed = deriveSeed(c.m.host.Process().Seed, c.m.host.VU(), c.ordinal, o.plan.Name)
	}
	o.plan.Drop, o.plan.Lean = o.whenFull == "drop", o.detail == "lean"
	o.plan.Tags = record.TagsFromMap(o.tags)
	var err error
	o.plan.Source, err = c.newSource(o.message, o.binary, o.plan.Count == 1)
	return o.plan, err
}

// conflicts are options that exclude each other, besides those that the engine knows.
func (o *planOptions) conflicts() error {
	p := &o.plan
	switch {
	case absent(o.message):
		return errors.New("plan option 'message' is missing: say what to send, such as message: { id: '{{id}}' }")
	case o.whenFull == "drop" && p.Cap != nil && *p.Cap == 0:
		return errors.New("plan option 'whenFull' is \"drop\", but 'maxInFlight' 0 means that there is no cap: leave out one of them")
	case o.whenFull != "" && p.Model == engine.Closed:
		return errors.New("plan option 'whenFull' has no effect on model 'closed', which waits for its replies: leave it out")
	case p.Model == engine.Burst && p.Stages != nil:
		return errors.New("plan option 'stages' belongs to model 'open': a burst has no rate")
	case p.Stages != nil && len(p.Stages) == 0:
		return errors.New("plan option 'stages' is empty: give at least one, such as { duration: '10s', target: 100 }")
	case p.Arrivals != "" && p.Model != "" && p.Model != engine.Open:
		return fmt.Errorf("plan option 'arrivals' belongs to model 'open', not to '%s': leave it out", p.Model)
	}
	return nil
}

// deriveSeed makes a plan's seed from the run's, so that it does not depend on the order in which VUs come to it: FNV-1a over
// what tells the plan apart, mixed by the last steps of SplitMix64 (Steele, Lea and Flood, 2014). It fits into a JavaScript
// number.
func deriveSeed(run int64, vu, ordinal int, plan string) int64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d/%d/%d/%s", run, vu, ordinal, plan) // a hash takes everything
	z := h.Sum64()
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return int64((z ^ z>>31) & maxSafeInteger)
}

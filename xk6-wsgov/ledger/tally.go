package ledger

import "github.com/wsgov/wsgov/record"

// Tally is the distribution of the three times over the settled messages of a plan. It is for one goroutine.
type Tally struct {
	response, service, lag, generator times
}

// NewTally is an empty tally.
func NewTally() *Tally { return &Tally{} }

// Add books a settled entry, after proving identity 4 on it. A message without the time in question counts as slower than
// all others: an unanswered one in response time, an unanswered but sent one in service time, an unsent one in send
// lag.
func (t *Tally) Add(e *Entry) error {
	if e.Answered() {
		t.response.add(e.Response())
		t.service.add(e.Service())
	} else {
		t.response.missing++
		if e.sent {
			t.service.missing++
		}
	}
	if e.sent {
		t.lag.add(e.Lag())
		t.generator.add(e.GeneratorLag())
	} else {
		t.lag.missing++
	}
	return e.check()
}

// Quantiles summarises the response times over all planned messages, the service times over all sent ones, and the send
// lags over all planned ones.
func (t *Tally) Quantiles() (response, service, lag record.Quantiles) {
	return t.response.quantiles(), t.service.quantiles(), t.lag.quantiles()
}

// AnsweredServiceP99 is the 99th percentile of the service time over answered messages only, as a naive script has it;
// 0 without any.
func (t *Tally) AnsweredServiceP99() record.Milliseconds {
	answered := t.service
	answered.missing = 0
	return answered.at(0.99)
}

// GeneratorLagP99 is the 99th percentile of the generator's own part of the lag over sent messages; 0 without any.
func (t *Tally) GeneratorLagP99() record.Milliseconds { return t.generator.at(0.99) }

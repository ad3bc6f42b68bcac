package reconcile

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/wsgov/wsgov/postproc/latency"
	"github.com/wsgov/wsgov/record"
)

// Journal compares what became of each message with what the gateway wrote down about it. Unlike everything else here it
// holds every message, some 100 bytes each for the journal and for the ledger.
type Journal struct {
	entries  map[journalKey][]*entry // an id may be used again
	remotes  map[string]bool         // that are ours
	locals   map[connection][]string
	ours     []sent
	plans    map[string]string // one copy of each text
	process  string
	lines    int64
	messages int64
	badLines int64
	firstBad string
}

type journalKey struct{ remote, id string }

type connection struct {
	input int
	conn  string
}

type entry struct {
	took     int64 // replied less received, in nanoseconds
	verdict  string
	answered bool
	matched  bool
}

// sent is one message of ours.
type sent struct {
	at      connection
	local   string // the address its connection had when the point was read
	msg     string // its id on the wire
	plan    string
	outcome string // with the code of an error behind a colon
}

// NewJournal returns a comparison without messages.
func NewJournal() *Journal {
	return &Journal{entries: map[journalKey][]*entry{}, remotes: map[string]bool{}, locals: map[connection][]string{}, plans: map[string]string{}}
}

// journalLine is what is read of a line of the reference gateway's journal.
type journalLine struct {
	Kind     string          `json:"kind"`
	Process  string          `json:"process"`
	Remote   string          `json:"remote"`
	ID       json.RawMessage `json:"id"`
	Received int64           `json:"received"`
	Replied  int64           `json:"replied"`
	Verdict  string          `json:"verdict"`
	Fate     string          `json:"fate"`
}

// Read takes the gateway's journal. A line that is not JSON is counted and named in the result; the error is one of
// reading.
func (j *Journal) Read(r io.Reader) error {
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		text, err := in.ReadBytes('\n')
		if len(strings.TrimSpace(string(text))) > 0 {
			j.lines++
			j.line(text)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the journal after line %d: %w", j.lines, err)
		}
	}
}

func (j *Journal) line(text []byte) {
	var l journalLine
	if err := json.Unmarshal(text, &l); err != nil {
		if j.badLines++; j.badLines == 1 {
			j.firstBad = fmt.Sprintf("line %d: %v", j.lines, err)
		}
		return
	}
	if l.Kind == "head" {
		j.process = l.Process
	}
	if l.Kind != "message" || l.Verdict == "control" {
		return
	}
	j.messages++
	key := journalKey{j.one(l.Remote), idText(l.ID)}
	j.entries[key] = append(j.entries[key], &entry{took: l.Replied - l.Received, verdict: j.one(l.Verdict), answered: l.Fate == ""})
}

// one returns a single copy of a text that occurs often.
func (j *Journal) one(s string) string {
	if own, ok := j.plans[s]; ok {
		return own
	}
	s = strings.Clone(s)
	j.plans[s] = s
	return s
}

// idText makes 7 and "7" the same id, as the ledger does.
func idText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// Observe takes what the points of one input say about connections and messages.
func (j *Journal) Observe(input int, p *record.PointLine) {
	switch p.Metric {
	case "wsgov_connecting":
		if local := p.Metadata.Value(record.MetaLocal); local != "" {
			at := connection{input, j.one(p.Metadata.Value(record.MetaConn))}
			j.locals[at] = append(j.locals[at], j.one(local))
			j.remotes[j.one(local)] = true
		}
	case "wsgov_delivered":
		j.delivered(input, p)
	}
}

func (j *Journal) delivered(input int, p *record.PointLine) {
	conn, ok := p.Metadata.Get(record.MetaConn)
	msg := p.Metadata.Value(record.MetaMsg)
	if !ok || msg == "" {
		return
	}
	outcome := p.Tags.Value(record.TagOutcome)
	if outcome == string(record.Error) {
		outcome += ":" + p.Tags.Value(record.TagCode)
	}
	if wire := p.Metadata.Value(record.MetaWire); wire != "" {
		msg = wire
	}
	s := sent{at: connection{input, j.one(conn)}, msg: msg, plan: j.one(p.Tags.Value(record.TagPlan)), outcome: j.one(outcome)}
	if known := j.locals[s.at]; len(known) > 0 {
		s.local = known[len(known)-1]
	}
	j.ours = append(j.ours, s)
}

// verdictOutcome is the outcome that a message has whose reply arrived in time.
var verdictOutcome = map[string]string{"ok": "ok", "limited": "error:RATE_LIMITED", "bad": "error:BAD_MESSAGE"}

// JournalResult is the comparison of a ledger with a journal, message by message. Differing, MissingInJournal and
// MissingInLedger are disagreements; what they are is shown by Examples.
type JournalResult struct {
	Process          string        `json:"process"`
	Messages         int64         `json:"messages"`         // in the journal, control messages aside
	Planned          int64         `json:"planned"`          // in the ledger
	Matched          int64         `json:"matched"`          // in both, with the same verdict
	Differing        int64         `json:"differing"`        // in both, with another verdict, or sent though booked unsent
	MissingInJournal int64         `json:"missingInJournal"` // answered by the ledger, unknown to the journal
	MissingInLedger  int64         `json:"missingInLedger"`  // on a connection of ours, unknown to the ledger
	LostAnswered     int64         `json:"lostAnswered"`     // lost to us, answered by the gateway
	LostUnanswered   int64         `json:"lostUnanswered"`   // lost to us, not answered or not seen by the gateway
	Unlocated        int64         `json:"unlocated"`        // of connections whose local address is not recorded: not compared
	Foreign          int64         `json:"foreign"`          // on connections that are not ours
	Repeated         int64         `json:"repeated"`         // one more line with an address and id than the ledger has messages
	BadLines         int64         `json:"badLines"`
	FirstBad         string        `json:"firstBad"`
	Plans            []JournalPlan `json:"plans"`
	Examples         []string      `json:"examples"`
}

// JournalPlan has the gateway's own service times of the messages of one plan, in milliseconds.
type JournalPlan struct {
	Plan    string           `json:"plan"`
	Matched int64            `json:"matched"`
	Service record.Quantiles `json:"service"`
}

// Disagreements is how many messages the two sides tell differently.
func (r *JournalResult) Disagreements() int64 {
	return r.Differing + r.MissingInJournal + r.MissingInLedger + r.Repeated
}

// Compare joins both sides by the client's address and the message's number. It is to be called once.
func (j *Journal) Compare() *JournalResult {
	out := &JournalResult{
		Process: j.process, Messages: j.messages, Planned: int64(len(j.ours)),
		BadLines: j.badLines, FirstBad: j.firstBad, Plans: []JournalPlan{}, Examples: []string{},
	}
	services, matched, order := map[string]*latency.Histogram{}, map[string]int64{}, []string{}
	for i := range j.ours {
		s := &j.ours[i]
		if services[s.plan] == nil {
			services[s.plan] = latency.New()
			order = append(order, s.plan)
		}
		e := j.find(s)
		if out.judge(j, s, e) {
			matched[s.plan]++
			services[s.plan].Record(float64(e.took) / 1e6)
		}
	}
	for _, plan := range order {
		out.Plans = append(out.Plans, JournalPlan{plan, matched[plan], services[plan].Quantiles()})
	}
	out.rest(j)
	return out
}

// find looks for a message at the address that its connection had, then at the others that it had before or after.
func (j *Journal) find(s *sent) *entry {
	for _, local := range append([]string{s.local}, j.locals[s.at]...) {
		for _, e := range j.entries[journalKey{local, s.msg}] {
			if !e.matched {
				e.matched, s.local = true, local
				return e
			}
		}
	}
	return nil
}

// judge books one message of ours, true if it was answered and both sides agree.
func (r *JournalResult) judge(j *Journal, s *sent, e *entry) bool {
	switch {
	case e == nil && s.outcome == string(record.Unsent):
		return false
	case len(j.locals[s.at]) == 0:
		r.Unlocated++
	case s.outcome == string(record.Lost) && e != nil && e.answered:
		r.LostAnswered++
	case s.outcome == string(record.Lost):
		r.LostUnanswered++
	case e == nil:
		r.MissingInJournal++
		if s.local == "" { // its connection was recorded after it
			s.local = j.locals[s.at][0]
		}
		r.example("plan %s message %s of %s is %s in the ledger and not in the journal", s.plan, s.msg, s.local, s.outcome)
	case !e.answered || verdictOutcome[e.verdict] != s.outcome:
		r.Differing++
		r.example("plan %s message %s of %s is %s in the ledger and %s in the journal", s.plan, s.msg, s.local, s.outcome, e.verdict)
	default:
		r.Matched++
		return true
	}
	return false
}

// rest books the lines of the journal that no message of ours explains.
func (r *JournalResult) rest(j *Journal) {
	for key, same := range j.entries {
		for i, e := range same {
			switch {
			case e.matched:
			case !j.remotes[key.remote]:
				r.Foreign++
			case i > 0:
				r.Repeated++
			default:
				r.MissingInLedger++
				r.example("message %s of %s is %s in the journal and not in the ledger", strconv.Quote(key.id), key.remote, e.verdict)
			}
		}
	}
}

func (r *JournalResult) example(format string, args ...any) {
	if len(r.Examples) < 10 {
		r.Examples = append(r.Examples, fmt.Sprintf(format, args...))
	}
}

package reconcile

import (
	"fmt"
	"strings"
	"testing"

	"github.com/wsgov/wsgov/record"
)

const journalText = `{"kind":"head","version":1,"process":"p-1"}
{"kind":"open","conn":1,"remote":"127.0.0.1:5001","at":1}
{"kind":"message","conn":1,"remote":"127.0.0.1:5001","id":1,"received":1000000,"replied":6000000,"verdict":"ok"}
{"kind":"message","conn":1,"remote":"127.0.0.1:5001","id":"2","received":1000000,"replied":1000000,"verdict":"limited"}
{"kind":"message","conn":1,"remote":"127.0.0.1:5001","id":3,"received":1000000,"replied":9000000,"verdict":"ok"}
{"kind":"message","conn":1,"remote":"127.0.0.1:5001","id":4,"received":1000000,"replied":0,"verdict":"ok","fate":"abandoned"}
{"kind":"message","conn":1,"remote":"127.0.0.1:5001","id":null,"received":1000000,"replied":1000000,"verdict":"control"}
%s{"kind":"close","conn":1,"remote":"127.0.0.1:5001","at":9}
`

func TestJournal(t *testing.T) {
	sound := [][2]string{{"1", "ok"}, {"2", "error:RATE_LIMITED"}, {"3", "lost"}, {"4", "lost"}, {"5", "unsent"}}
	cases := []struct {
		name, extra string
		ours        [][2]string
		want        string
	}{
		{"agrees", "", sound, "matched 2 lost answered 1 lost unanswered 1 disagreements 0 foreign 0 bad 0"},
		{"another client", `{"kind":"message","remote":"127.0.0.1:6000","id":1,"verdict":"ok"}` + "\n", sound, "matched 2 lost answered 1 lost unanswered 1 disagreements 0 foreign 1 bad 0"},
		{"one more on our connection", `{"kind":"message","remote":"127.0.0.1:5001","id":9,"verdict":"ok"}` + "\n", sound, "matched 2 lost answered 1 lost unanswered 1 disagreements 1 foreign 0 bad 0"},
		{"twice", `{"kind":"message","remote":"127.0.0.1:5001","id":1,"verdict":"ok"}` + "\n", sound, "matched 2 lost answered 1 lost unanswered 1 disagreements 1 foreign 0 bad 0"},
		{"other verdict", "", append([][2]string{{"1", "error:RATE_LIMITED"}}, sound[1:]...), "matched 1 lost answered 1 lost unanswered 1 disagreements 1 foreign 0 bad 0"},
		{"unknown to the gateway", "", append([][2]string{{"8", "ok"}}, sound...), "matched 2 lost answered 1 lost unanswered 1 disagreements 1 foreign 0 bad 0"},
		{"booked unsent", `{"kind":"message","remote":"127.0.0.1:5001","id":5,"verdict":"ok"}` + "\n", sound, "matched 2 lost answered 1 lost unanswered 1 disagreements 1 foreign 0 bad 0"},
		{"torn", `{"kind":"mess` + "\n", sound, "matched 2 lost answered 1 lost unanswered 1 disagreements 0 foreign 0 bad 1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			j := NewJournal()
			if err := j.Read(strings.NewReader(fmt.Sprintf(journalText, c.extra))); err != nil {
				t.Fatal(err)
			}
			j.Observe(0, &record.PointLine{Metric: "wsgov_connecting", Metadata: record.NewTags(record.MetaConn, "1", record.MetaLocal, "127.0.0.1:5001")})
			for _, m := range c.ours {
				outcome, code, _ := strings.Cut(m[1], ":")
				j.Observe(0, &record.PointLine{Metric: "wsgov_delivered", Tags: record.NewTags("plan", "B", "outcome", outcome, "code", code), Metadata: record.NewTags(record.MetaConn, "1", record.MetaMsg, m[0])})
			}
			r := j.Compare()
			got := fmt.Sprint("matched ", r.Matched, " lost answered ", r.LostAnswered, " lost unanswered ", r.LostUnanswered, " disagreements ", r.Disagreements(), " foreign ", r.Foreign, " bad ", r.BadLines)
			if got != c.want {
				t.Errorf("got  %s\nwant %s\n%s", got, c.want, r.Examples)
			}
			if r.Process != "p-1" || len(r.Plans) != 1 || (c.name == "agrees" && (r.Plans[0].Service.Max != 5 || r.Plans[0].Service.Count != 2)) {
				t.Errorf("%+v", r)
			}
		})
	}
}

func TestJournalWithoutAddresses(t *testing.T) {
	j := NewJournal()
	if err := j.Read(strings.NewReader(fmt.Sprintf(journalText, ""))); err != nil {
		t.Fatal(err)
	}
	j.Observe(0, &record.PointLine{Metric: "wsgov_delivered", Tags: record.NewTags("outcome", "ok"), Metadata: record.NewTags(record.MetaConn, "1", record.MetaMsg, "1")})
	if r := j.Compare(); r.Unlocated != 1 || r.Matched != 0 || r.Foreign != 4 || r.Disagreements() != 0 {
		t.Errorf("%+v", r)
	}
}

func FuzzJournal(f *testing.F) {
	f.Add([]byte(fmt.Sprintf(journalText, `{"kind":"message","id":[1,{}]}`)))
	f.Fuzz(func(t *testing.T, in []byte) {
		j := NewJournal()
		if err := j.Read(strings.NewReader(string(in))); err != nil {
			t.Fatal(err)
		}
		if r := j.Compare(); r.Foreign+r.Repeated != r.Messages {
			t.Fatalf("%d messages, %d foreign, %d repeated", r.Messages, r.Foreign, r.Repeated)
		}
	})
}

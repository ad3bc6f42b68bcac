package report

import "github.com/wsgov/wsgov/record"

func runCases() []runCase {
	ok := msg{lag: 1, service: 9, outcome: record.OK}
	lost := msg{lag: 1, outcome: record.Lost, detail: "timeout"}
	unsent := msg{outcome: record.Unsent, detail: "cap"}
	main := func(m []msg, frames record.FrameCounts) drive {
		return drive{plan: "main", model: "open", messages: m, frames: frames, handshakes: 1, length: 1000}
	}
	return []runCase{
		{"all lost", func(f *fixture) { f.drive(main(all(3, lost), record.FrameCounts{})) }, ExitFine, []string{
			"books close; gateway NOT CHECKED: no gateway counters in this input", "success 0.00 % (frames / sent) delivered 0.00 % (0 ok of 3 planned)", "lost 3 100.00 % timeout 3",
			"response - > deadline > deadline > deadline > deadline > deadline - -", "send lag 1.000 1.000", "identity 3 holds parts = ok + error + late + duplicate + unmatched + malformed + push: 0 = 0",
			"identity 4 NOT CHECKED", "no time from the send, answered only > deadline from the intended time"}},
		{"all unsent", func(f *fixture) { f.drive(main(all(3, unsent), record.FrameCounts{})) }, ExitFine, []string{
			"unsent 3 100.00 % cap 3", "sent 0 0.00 %", "send lag - > deadline", "service - - - - - - - -", "identity 1 holds planned = sent + unsent: 3 = 3"}},
		{"one message", func(f *fixture) { f.drive(main(all(1, ok), answers(1))) }, ExitFine, []string{
			"delivered 100.00 % (1 ok of 1 planned)", "response 10.00 10.00 10.00 10.00 10.00 10.00 10.00 10.00", "service 9.000 9.000", "send lag 1.000", "cap 0.500", "1.0/s frames 1.0/s goodput",
			"identity 4 holds response = lag + service: 10.000 = 10.000"}},
		{"no messages", func(f *fixture) { f.drive(main(nil, record.FrameCounts{})) }, ExitFine, []string{
			"books close", "planned 0", "delivered 0.00 % (0 ok of 0 planned)", "response - - - - - - - -"}},
		{"duplicates", func(f *fixture) {
			f.drive(main(all(2, ok), record.FrameCounts{Received: 3, Parts: 3, Duplicate: 1}))
		}, ExitFine, []string{"success 150.00 % (frames / sent) delivered 100.00 %", "1 duplicate", "push: 3 = 3"}},
		{"a part without a name", func(f *fixture) { f.drive(main(all(2, ok), answers(3))) }, ExitOpen, []string{
			"BOOKS DO NOT CLOSE: plan main: parts = ok + error + late + duplicate + unmatched + malformed + push, but 3 is not 2", "identity 3 DOES NOT HOLD", "3 is not 2"}},
		{"counters not from zero", func(f *fixture) {
			f.snapshot(0, record.SnapshotBefore, "p1", 0, "echoed", 500)
			f.drive(main(all(2, ok), answers(2)))
			f.snapshot(2000, record.SnapshotAfter, "p1", 0, "echoed", 502)
		}, ExitFine, []string{"gateway agrees: unreconciled 0", "echoed 500 502 2 2 0", "warning: the gateway had counted before this run (echoed 500)"}},
		{"late replies count for the gateway", func(f *fixture) {
			d := main(append(all(2, ok), lost), record.FrameCounts{Received: 3, Parts: 3, Late: 1})
			d.late = "ok"
			f.snapshot(0, record.SnapshotBefore, "p1", 0, "echoed", 0)
			f.drive(d)
			f.snapshot(9000, record.SnapshotAfter, "p1", 0, "echoed", 3)
		}, ExitFine, []string{"gateway agrees: unreconciled 0", "echoed 0 3 3 3 0"}},
		{"late replies after the end point", func(f *fixture) {
			d := main(append(all(2, ok), lost), record.FrameCounts{Received: 3, Parts: 3, Late: 1})
			d.late = "ok"
			d.totals = func(l *record.Ledger) { l.Frames = answers(2) }
			f.drive(d)
		}, ExitFine, []string{"books close", "3 received with 3 parts: 2 ok, 0 error, 1 late", "push: 3 = 3"}},
		{"frames missing from the points", func(f *fixture) {
			d := main(all(2, ok), answers(2))
			d.totals = func(l *record.Ledger) { l.Frames = record.FrameCounts{Received: 3, Parts: 3, Push: 1} }
			f.drive(d)
		}, ExitTorn, []string{"the file has frames received 2 of 3, parts 2 of 3, push 0 of 1", "3 received with 3 parts", "1 push"}},
		{"restarted gateway", func(f *fixture) {
			f.snapshot(0, record.SnapshotBefore, "p1", 0, "echoed", 500)
			f.drive(main(all(2, ok), answers(2)))
			f.snapshot(2000, record.SnapshotAfter, "p2", 0, "echoed", 2)
		}, ExitOpen, []string{"BOOKS DO NOT CLOSE: the gateway's counters differ from the ledger by 500", "echoed 500 2 -498 2 -500", "changed from p1 to p2: the gateway restarted", "unreconciled 500"}},
		{"foreign traffic", func(f *fixture) {
			f.snapshot(0, record.SnapshotBefore, "p1", 0, "echoed", 0)
			f.drive(main(all(2, ok), answers(2)))
			f.snapshot(2000, record.SnapshotAfter, "p1", 0, "echoed", 5)
			f.point(record.Unreconciled, 2000, 2, nil, nil)
		}, ExitOpen, []string{"echoed +3: another client may have caused 3 on this gateway", "warning: the run itself reconciled with a difference of 2, its points give 3"}},
		{"no snapshot after", func(f *fixture) {
			f.snapshot(0, record.SnapshotBefore, "p1", 0, "echoed", 0)
			f.drive(main(all(2, ok), answers(2)))
		}, ExitFine, []string{"gateway NOT CHECKED: the gateway's counters were not read after the load", "identity 5 NOT CHECKED"}},
		{"no end", func(f *fixture) {
			d := main(all(2, ok), answers(2))
			d.noEnd = true
			f.drive(d)
		}, ExitTorn, []string{"TORN: plan main: 1 of 1 drives have no end point: the run was cut short after 2 planned messages (2 ok, 0 error, 0 lost, 0 unsent)"}},
		{"totals of more messages", func(f *fixture) {
			d := main(all(2, ok), answers(2))
			d.totals = func(l *record.Ledger) { l.Planned, l.Sent, l.OK, l.Frames.Parts = 3, 3, 3, 3 }
			f.drive(d)
		}, ExitTorn, []string{"planned 2 of 3, sent 2 of 3, ok 2 of 3, parts 2 of 3", "the points that are there say planned 2, sent 2, ok 2", "delivered 100.00 % (3 ok of 3 planned)"}},
		{"several drives of one plan", func(f *fixture) {
			f.drive(main(all(2, ok), answers(2)))
			f.drive(main(all(3, lost), record.FrameCounts{}))
		}, ExitFine, []string{"planned 5", "delivered 40.00 % (2 ok of 5 planned)", "2 attempted, 2 opened"}},
		{"a plan on another's connections", func(f *fixture) {
			f.snapshot(0, record.SnapshotBefore, "p1", 0, "echoed", 0, "conns", 0)
			f.drive(main(all(2, ok), answers(2)))
			f.drive(drive{plan: "second", model: "closed", messages: all(1, ok), frames: answers(1), length: 10})
			f.snapshot(2000, record.SnapshotAfter, "p1", 0, "echoed", 3, "conns", 1)
		}, ExitFine, []string{"gateway agrees: unreconciled 0", "conns 0 1 1 1 0", "closed load: the next message waits for the last reply"}},
		{"a plan before the first snapshot", func(f *fixture) {
			f.drive(main(all(2, ok), answers(2)))
			f.snapshot(1500, record.SnapshotBefore, "p1", 0, "echoed", 2, "conns", 1)
			f.drive(drive{plan: "second", model: "open", messages: all(1, ok), frames: answers(1), handshakes: 1, length: 10})
			f.snapshot(2000, record.SnapshotAfter, "p1", 0, "echoed", 3, "conns", 2)
		}, ExitFine, []string{"gateway agrees: unreconciled 0", "echoed 2 3 1 1 0", "conns 1 2 1 1 0"}},
		{"lean", func(f *fixture) {
			f.lean = true
			f.drive(main(append(all(2, ok), lost), answers(2)))
		}, ExitFine, []string{"service 9.000 9.000 > deadline", "send lag 1.000 1.000 1.000", "identity 4 NOT CHECKED response = lag + service: service times are not recorded"}},
		{"late generator", func(f *fixture) {
			f.drive(main(all(2, msg{lag: 50, service: 1, outcome: record.OK}), answers(2)))
		}, ExitFine, []string{"warning: this generator itself was late: p99 25.0 ms"}},
		{"two runs of different processes", func(f *fixture) {
			f.drive(main(all(2, ok), answers(2)))
			f.id, f.start = "r2", f.at(60_000)
			f.drive(main(all(2, lost), record.FrameCounts{}))
		}, ExitFine, []string{"run 1", "run 2", "all runs together: planned 4, ok 2, delivery 50.00 %"}},
		{"the same lines twice", func(f *fixture) {
			f.drive(main(all(2, ok), answers(2)))
			f.drives = 0
			f.drive(main(all(2, ok), answers(2)))
		}, ExitTorn, []string{"TORN: drive 1 of plan main starts twice: the same lines seem to be in the input twice"}},
		{"handshakes only", func(f *fixture) {
			f.point(record.Handshakes, 0, 1, record.NewTags(record.TagPlan, "main"), nil)
			f.point(record.Handshakes, 0, 0, record.NewTags(record.TagPlan, "main", record.TagCause, "refused"), nil)
		}, ExitFine, []string{"no plan was driven: the input has handshakes only", "connections without a plan: 2 attempted, 1 opened, 1 failed: refused 1"}},
		{"a script's own points under our name", func(f *fixture) {
			f.drive(main(all(2, ok), answers(2)))
			f.point(record.Delivered, 3, 1, record.NewTags(record.TagPlan, "main", record.TagOutcome, "ok"), nil)
		}, ExitFine, []string{"books close", "planned 2", "foreign: 1 points of wsgov_delivered name no message"}},
	}
}

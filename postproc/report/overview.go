package report

import (
	"fmt"
	"io"

	"github.com/wsgov/wsgov/postproc"
)

// writeOverview puts the two stories of all plans into one table, where there are several to compare.
func writeOverview(w io.Writer, plans []postproc.Plan) {
	if len(plans) < 2 {
		return
	}
	t := table{left: map[int]bool{4: true}}
	t.row("", "", "", "the naive story", "|", "", "", "the truth")
	t.row("plan", "success", "frames/s", "p99 ms from send", "|", "delivered", "goodput/s", "p99 ms from intended")
	for i := range plans {
		p := &plans[i]
		naive := "no time"
		if p.ServiceTime.Count > 0 {
			naive = millis(p.Naive.P99)
		}
		frames, goodput := decimal(p.Naive.FramesPerSecond, 1), decimal(p.Goodput, 1)
		if p.Model == "request" { // single steps of a script have no rate
			frames, goodput = "-", "-"
		}
		t.row(safe(p.Ledger.Plan), percent(p.Naive.SuccessRatio), frames, naive, "|",
			percent(p.DeliveryRatio), goodput, millis(p.ResponseTime.P99))
	}
	fmt.Fprintln(w)
	t.print(w, 2)
}

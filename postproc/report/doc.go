// Package report shows what result files say about a load test: it is the command behind "wsgov report".
//
// # Text
//
// The first line is the verdict. Then come the runs, in each the plans: the naive story beside the truth, outcomes, times,
// identities; then the gateway's counters, other metrics, and what could not be read.
//
// # JSON
//
// With --json one object is written. Times are milliseconds, ratios 0 to 1, rates per second; a quantile that falls among
// messages without an answer is null. Fields are only added while the schema stays the same.
//
//	schema          "wsgov-report/1"
//	verdict         state (closed, noplans, open, torn), text (one sentence), exitCode
//	input           files (name, lines, bytes, bad, torn), lines, bytes, bad (all bad lines), badLines (the first of them:
//	                file, line, offset, length, reason, text, metric)
//	runs            id, seed, versions, startedAt, inputs (indices of files), parts, plans (names), torn, warnings, handshakes
//	                (without a plan), generator (highest value by resource), claimed (difference that the run itself
//	                reconciled, or null), reconciliation
//	plans           the names of a Ledger of the JavaScript API, and: run (index), model, lengthMillis, framesPerSecond, lag
//	                (cap, socket, generator: what the send lag consists of), connecting, closes, points (a Ledger of what the
//	                points alone say where they disagree with the totals, else null), framesRecorded, handshakesRecorded
//	together        planned, ok, deliveryRatio over all runs
//	reconciliation  the names of a Reconciliation of the JavaScript API over all runs, and: checked, why (it is not), sources
//	identities      run (index), plan (empty for the fifth), number, name, left, right, checked, holds, note
//	metrics         other metrics: name, type, contains, count, sum, nonZero, min, max, last, urlCount and urlSum (of points
//	                tagged with a URL, as k6's own are), foreign (points under our names that name no message), notFinite,
//	                trend (quantiles, if it is one)
//	failOn          the conditions of --fail-on that were hit: condition, run (index or -1), plan, value (or null), text
//	journal         the comparison of --journal, else null
//
// # Exit codes
//
//	0  fine
//	1  usage, or an input that cannot be read
//	2  a condition of --fail-on was hit
//	3  the input is torn, or there is nothing in it
//	4  the books do not close: an identity, the gateway's counters or its journal disagree
//
// The first of 1, 3, 4, 2 that applies is the exit code: a torn input explains books that do not close, and neither lets a
// condition be judged.
package report

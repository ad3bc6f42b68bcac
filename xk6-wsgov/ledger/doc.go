// Package ledger keeps one entry and one outcome per planned message, and proves its own totals.
//
// A Book is the account of one plan. It has one Page per connection, and every connection has one Table, which pairs
// replies with the entries of all pages on it. The package never reads a clock: times are offsets that callers pass in.
package ledger

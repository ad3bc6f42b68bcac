// Package schedule turns an arrival rate into a pure, seeded, strictly increasing sequence of intended send times.
//
// It never looks at a clock: what it says depends on its arguments alone, so lateness of whoever obeys it cannot change
// it.
package schedule

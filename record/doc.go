// Package record is the shared vocabulary of a governed load test: metric names and units, tags, outcomes, the
// counts a gateway can be checked against, and one line of k6-shaped JSON with its reader and its writer.
//
// Whoever measures writes it, whoever judges reads it; neither imports the other.
package record

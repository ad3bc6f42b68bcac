// Package engine runs a plan of messages against a WebSocket target: it knows the schedule, the cap and the books, and no
// JavaScript.
package engine

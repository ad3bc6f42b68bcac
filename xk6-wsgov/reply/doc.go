// Package reply finds the replies in a frame: which parts it has, which message each part answers, and how.
package reply

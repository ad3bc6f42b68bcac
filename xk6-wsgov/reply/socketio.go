package reply

import (
	"bytes"
	"strings"
)

// packet reads one Engine.IO packet. Its kinds are digits (Engine.IO protocol 4, Socket.IO protocol 5): 4 is a message, and
// in it 3 an ack, 6 an ack with binary attachments, whose number and a dash follow. A namespace other than the main one
// stands before the ack number and ends in a comma. Binary frames are attachments.
func (r *Rule) packet(frame []byte, binary bool) Part {
	p := Part{Kind: Push, Body: frame}
	if binary || len(frame) == 0 {
		return p
	}
	if frame[0] < '0' || frame[0] > '6' {
		p.Kind = Malformed
		return p
	}
	kind, rest := messageKind(frame)
	if kind != '3' && kind != '6' {
		return p
	}
	id, array, ok := ackNumber(rest)
	if !ok || len(array) == 0 || array[0] != '[' || !valid(array) {
		p.Kind = Malformed
		return p
	}
	p.Kind, p.ID, p.IDKind = Reply, id, Number
	r.verdict(&p, view(array))
	return p
}

// messageKind is the kind of a Socket.IO message, and what follows it without the attachments' number; 0 for packets that
// are none.
func messageKind(frame []byte) (kind byte, rest []byte) {
	if len(frame) < 2 || frame[0] != '4' {
		return 0, nil
	}
	kind, rest = frame[1], frame[2:]
	if kind == '5' || kind == '6' {
		if attachments, after, found := bytes.Cut(rest, []byte("-")); found && digits(view(attachments)) == len(attachments) {
			rest = after
		}
	}
	return kind, rest
}

// ackNumber reads the optional namespace and the number before the array.
func ackNumber(b []byte) (id string, array []byte, ok bool) {
	if len(b) > 0 && b[0] == '/' {
		_, b, _ = bytes.Cut(b, []byte(","))
	}
	n := digits(view(b))
	if n == 0 {
		return "", b, false
	}
	id = strings.TrimLeft(string(b[:n]), "0")
	if id == "" {
		id = "0"
	}
	return id, b[n:], true
}

// eventID is the ack number that an event of ours asks for.
func eventID(payload []byte) (string, IDKind, bool) {
	kind, rest := messageKind(payload)
	if kind != '2' && kind != '5' {
		return "", Unknown, false
	}
	id, _, ok := ackNumber(rest)
	if !ok {
		return "", Unknown, false
	}
	return id, Number, true
}

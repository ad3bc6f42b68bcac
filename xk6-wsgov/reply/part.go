package reply

// Kind says what a part of a frame is.
type Kind uint8

// The kinds of parts.
const (
	Reply     Kind = iota // answers the message with ID; ID is empty if the part's id is no usable id
	Push                  // not a reply: an event, a greeting, a call of the server
	Malformed             // cannot be read as the rule expects
)

// IDKind is the JSON type of an id.
type IDKind uint8

// The JSON types an id can have.
const (
	Unknown IDKind = iota
	Number
	String
)

// Part is one reply or event found in a frame.
type Part struct {
	Kind   Kind
	ID     string // canonical (see Canonical)
	IDKind IDKind
	OK     bool
	Code   string // of a reply that is not ok, may be empty
	// LacksOK is set on a reply that is not ok only because the path that judges it is absent.
	LacksOK bool
	// Body is the part's own text; it aliases the frame.
	Body []byte
}

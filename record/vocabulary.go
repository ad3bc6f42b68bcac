package record

// SchemaVersion is written into every run's start and end point and changes when the meaning of a point changes.
const SchemaVersion = "1"

// Outcome is the one way a planned message ends.
type Outcome string

// The four outcomes. Every planned message gets exactly one.
const (
	OK     Outcome = "ok"     // a reply with its id, marked ok, arrived before its deadline
	Error  Outcome = "error"  // a reply with its id, marked not ok, arrived before its deadline; the code says which
	Lost   Outcome = "lost"   // sent, and no reply came before the deadline or the connection's end
	Unsent Outcome = "unsent" // never handed to the socket
)

// Reasons of lost messages, besides ReasonCutoff for one that nobody waited for until its deadline. A connection's end is
// ReasonClosed + ":" + close code.
const (
	ReasonTimeout = "timeout"
	ReasonClosed  = "closed"
)

// Reasons of unsent messages, besides ReasonClosed.
const (
	ReasonCap          = "cap"          // the in-flight cap was reached and the plan drops at the cap
	ReasonBackpressure = "backpressure" // the socket still held an earlier message and the plan drops
	ReasonScript       = "script"       // the script's payload could not be used
	ReasonCutoff       = "cutoff"       // the drain ended, or the run was interrupted
)

// Kinds of frames and parts, values of TagKind on Frames. KindReceived counts WebSocket data frames, KindParts the
// replies and events found in them; the others say what became of each part.
const (
	KindReceived  = "received"
	KindParts     = "parts"
	KindOK        = "ok"
	KindError     = "error"
	KindLate      = "late"
	KindDuplicate = "duplicate"
	KindUnmatched = "unmatched"
	KindMalformed = "malformed"
	KindPush      = "push"
)

// Tag keys. Values have few distinct forms.
const (
	TagPlan     = "plan"
	TagOutcome  = "outcome" // on Delivered and the times: Outcome; on late and duplicate Frames: ok or error
	TagCode     = "code"    // error code of a reply, or close code
	TagReason   = "reason"
	TagKind     = "kind"
	TagBy       = "by"     // who ended a connection: client, server or network
	TagStatus   = "status" // HTTP status of the upgrade; absent when there was no answer
	TagCause    = "cause"  // why a connection attempt failed
	TagBlame    = "blame"  // whose fault a failed attempt is: generator, network, gateway or undecided
	TagCounter  = "counter"
	TagSnapshot = "snapshot" // SnapshotBefore or SnapshotAfter
	TagResource = "resource"
	TagPhase    = "phase" // PhaseStart or PhaseEnd
)

// Values of TagPhase and TagSnapshot.
const (
	PhaseStart     = "start"
	PhaseEnd       = "end"
	SnapshotBefore = "before"
	SnapshotAfter  = "after"
)

// Metadata keys. Values may all be different; durations and offsets are decimal milliseconds.
const (
	MetaConn    = "conn"      // connection, numbered from 1 over the whole process
	MetaMsg     = "msg"       // message number, unique on its client
	MetaDue     = "due"       // intended time as a monotonic offset from the run's start
	MetaLag     = "lag"       // send lag of an answered message; its parts follow
	MetaCap     = "cap"       // part of the lag spent at the in-flight cap
	MetaSocket  = "socket"    // part of the lag spent on the socket or without a connection
	MetaGen     = "generator" // the rest of the lag: this generator's own lateness
	MetaSchema  = "schema"
	MetaSeed    = "seed"
	MetaPlan    = "plan"
	MetaRun     = "run"   // identity of the process's run, the same on all its start and end points
	MetaDrive   = "drive" // number of the drive within the run: pairs a start with its end
	MetaVersion = "versions"
	MetaModel   = "model"    // open, closed or burst
	MetaTotals  = "totals"   // on the end point: JSON object, plan name to Ledger
	MetaLength  = "length"   // on the end point: from the plan's start to the later of window end and last reply
	MetaOffset  = "offset"   // on the start point: the plan's start as a monotonic offset from the run's start
	MetaSource  = "source"   // where a gateway counter was read
	MetaProcess = "process"  // the gateway process's own identity, where it tells one
	MetaMaps    = "maps"     // on a gateway counter: what our ledger predicts for it (see Account.Expect)
	MetaControl = "control"  // on a gateway counter: control connections this snapshot opened before reading it
	MetaID      = "id"       // identity of the snapshot: points of one snapshot share it
	MetaWire    = "wire"     // on a message's point: its id on the wire, where that is not its number
	MetaLocal   = "local"    // local address of a connection
	MetaWarn    = "warnings" // on the end point: JSON array of Warning
)

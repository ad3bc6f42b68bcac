// Package reply finds the replies in a frame: which parts it has, which message each part answers, and how.
//
// A rule is made of dotted JSON paths (see Path syntax below) and conditions. A frame always has at least one part:
//
//   - the elements of a top-level array, or of the array at the parts path, are a part each; an empty array is one Push;
//   - with a separator every record is read by itself; empty records are skipped;
//   - text that is not JSON is one Malformed part; empty text is one Push, as servers send it to keep a connection alive;
//   - binary frames are read as text is.
//
// # Path syntax
//
// A path is a list of object keys or array positions joined by dots, such as `payload.errors.0.code`. A dot inside a key
// is written `\.`, a backslash `\\`; no other character is special.
package reply

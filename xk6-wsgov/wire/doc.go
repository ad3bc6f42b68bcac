// Package wire is a WebSocket connection that stamps frames at the socket.
//
// The handshake and the framing are gorilla/websocket's. What is added is when a frame was read, when a byte was last
// heard, and why a connection could not be opened or how it ended.
package wire

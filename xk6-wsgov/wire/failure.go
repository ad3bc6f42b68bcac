package wire

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/gorilla/websocket"
)

// Blame is whose fault a failed connection attempt is.
type Blame string

// The four possible owners of a failure.
const (
	Generator Blame = "generator"
	Network   Blame = "network"
	Gateway   Blame = "gateway"
	Undecided Blame = "undecided"
)

// DialError says why a connection could not be opened. Cause is short and has few distinct values; Hint says what the user
// can do.
type DialError struct {
	URL    string
	Status int // HTTP status of the answer, 0 without one
	Cause  string
	Blame  Blame
	Hint   string
	Err    error
}

// Error names the target, the cause and what can be done.
func (e *DialError) Error() string {
	return fmt.Sprintf("cannot open a WebSocket to %s: %s: %v; %s", e.URL, e.Cause, e.Err, e.Hint)
}

// Unwrap returns the error underneath.
func (e *DialError) Unwrap() error { return e.Err }

// failure is one row of the table of causes.
type failure struct {
	is    func(error) bool
	cause string
	blame Blame
	hint  string
}

func isErrno(n syscall.Errno) func(error) bool {
	return func(err error) bool { return errors.Is(err, n) }
}

func isTimeout(err error) bool {
	var n net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &n) && n.Timeout()
}

func isAs[T error](err error) bool {
	var target T
	return errors.As(err, &target)
}

func says(text string) func(error) bool {
	return func(err error) bool { return strings.Contains(err.Error(), text) }
}

// failures are tried in order; the first that fits explains a failed attempt.
var failures = []failure{
	{func(err error) bool { return errors.Is(err, context.Canceled) }, "interrupted", Undecided, "the run was interrupted before the connection opened"},
	{isErrno(syscall.EMFILE), "no-descriptors", Generator, "raise the limit of open files (ulimit -n) on this machine"},
	{isErrno(syscall.ENFILE), "no-descriptors", Generator, "raise the system's limit of open files on this machine"},
	{isErrno(syscall.EADDRNOTAVAIL), "no-ports", Generator, "this machine has no free port left: use more localAddresses or widen the ephemeral port range"},
	{isErrno(syscall.ECONNREFUSED), "refused", Gateway, "nothing listens there: check host and port, and that the gateway runs"},
	{isErrno(syscall.ECONNRESET), "reset", Gateway, "the peer cut the connection during the handshake: look at its log and its connection limit"},
	{isErrno(syscall.EPIPE), "reset", Gateway, "the peer cut the connection during the handshake: look at its log and its connection limit"},
	{isErrno(syscall.ENETUNREACH), "unreachable", Network, "there is no route to the host: check the address"},
	{isErrno(syscall.EHOSTUNREACH), "unreachable", Network, "there is no route to the host: check the address"},
	{isAs[*net.DNSError], "dns", Network, "the name does not resolve: check its spelling and the resolver"},
	{isTimeout, "timeout", Undecided, "no answer in time: check address and firewall, or raise connect.timeout"},
	{isAs[tls.RecordHeaderError], "tls-to-plain-port", Gateway, "the port does not speak TLS: use ws:// instead of wss://"},
	{isAs[*tls.CertificateVerificationError], "certificate", Gateway, "give tls.ca for a private authority, or tls.insecureSkipVerify for a test server"},
	{isAs[x509.UnknownAuthorityError], "certificate", Gateway, "give tls.ca for a private authority, or tls.insecureSkipVerify for a test server"},
	{isAs[tls.AlertError], "tls", Gateway, "the peer refused the TLS handshake: check tls.cert, tls.key and tls.serverName"},
	{says("malformed HTTP"), "not-http", Gateway, "the peer does not answer in HTTP: if it expects TLS use wss:// instead of ws://"},
	{says("invalid compression negotiation"), "compression", Gateway, "the server accepted compression with parameters we did not offer: leave out compression"},
	{func(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }, "closed", Gateway, "the peer closed the connection during the handshake: look at its log and its connection limit"},
}

// statusHints says what an HTTP answer other than 101 usually means.
var statusHints = map[int]string{
	http.StatusOK:                 "something in between, or a page, answered instead of a WebSocket endpoint: check the path and any proxy",
	http.StatusMovedPermanently:   "follow the redirect yourself: give the final address",
	http.StatusFound:              "follow the redirect yourself: give the final address",
	http.StatusBadRequest:         "the server did not like the upgrade: check headers, subprotocols and query",
	http.StatusUnauthorized:       "the server wants credentials: give them in headers",
	http.StatusForbidden:          "the server refuses these credentials or this origin: check headers",
	http.StatusNotFound:           "there is no such path: check the address",
	http.StatusUpgradeRequired:    "the server wants another protocol version or subprotocol: check subprotocols",
	http.StatusTooManyRequests:    "the server limits connection attempts: open fewer at a time (connect.batch, connect.every)",
	http.StatusBadGateway:         "a proxy answered for a gateway that is absent or overloaded: check the gateway behind it",
	http.StatusServiceUnavailable: "the gateway is overloaded or draining: open fewer connections at a time",
	http.StatusGatewayTimeout:     "a proxy waited in vain for the gateway: check the gateway behind it",
}

// explain turns a failed attempt into a DialError. A response is only an explanation if it is not an upgrade.
func explain(url string, resp *http.Response, err error) *DialError {
	if resp != nil && errors.Is(err, websocket.ErrBadHandshake) && resp.StatusCode != http.StatusSwitchingProtocols {
		return explainStatus(url, resp, err)
	}
	e := &DialError{URL: url, Cause: "other", Blame: Undecided, Hint: "see the error itself", Err: err}
	for _, f := range failures {
		if f.is(err) {
			e.Cause, e.Blame, e.Hint = f.cause, f.blame, f.hint
			break
		}
	}
	if resp != nil {
		e.Status = resp.StatusCode
	}
	return e
}

func explainStatus(url string, resp *http.Response, err error) *DialError {
	hint, known := statusHints[resp.StatusCode]
	if !known {
		hint = "the server answered the upgrade with another status than 101: check address and headers"
	}
	status := strconv.Itoa(resp.StatusCode)
	return &DialError{
		URL: url, Status: resp.StatusCode, Cause: "http-" + status, Blame: Gateway, Hint: hint,
		Err: fmt.Errorf("the server answered %s %s: %w", status, http.StatusText(resp.StatusCode), err),
	}
}

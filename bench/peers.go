package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/gorilla/websocket"

	"github.com/wsgov/wsgov/examples/gateway"
	"github.com/wsgov/wsgov/postproc/report"
)

// children are what this program runs in processes of their own, so that nothing measured shares its runtime with us.
var children = map[string]func(args []string) int{
	"child-tcp-echo": func([]string) int { return listen(echoBytes) },
	"child-ws-echo":  func([]string) int { return listen(echoFrames) },
	"child-gateway": func(args []string) int {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		return gateway.Main(ctx, args, nil, os.Stdout, os.Stderr)
	},
	"child-report": func(args []string) int {
		code := report.Main(context.Background(), args, nil, os.Stdout, os.Stderr)
		fmt.Fprintf(os.Stdout, "%s%.0f\n", peakPrefix, peakRSS())
		return code
	},
}

// peakPrefix begins the line on which a child tells its peak memory.
const peakPrefix = "peak memory in bytes: "

// start runs a child until the function it returns is called. The child's first line ends with its address.
func start(ctx context.Context, name string, args ...string) (address string, stop func(), err error) {
	exe, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.CommandContext(ctx, exe, append([]string{name}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
		_ = cmd.Wait()                          // how it ended does not matter
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("%s did not start: %w", name, err)
	}
	for _, word := range strings.Fields(line) {
		if strings.Contains(word, "127.0.0.1:") {
			return word, stop, nil
		}
	}
	stop()
	return "", nil, fmt.Errorf("%s gave no address: %q", name, line)
}

// listen serves every connection on its own goroutine until the process is ended.
func listen(serve func(net.Conn)) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println("ready", l.Addr())
	for {
		c, err := l.Accept()
		if err != nil {
			return 1
		}
		go serve(c)
	}
}

func echoBytes(c net.Conn) {
	defer c.Close()
	_, _ = io.Copy(c, c) // until the peer ends it
}

// echoFrames is a lean WebSocket echo: it answers all frames that one read brought with one write.
func echoFrames(c net.Conn) {
	defer c.Close()
	in := bufio.NewReaderSize(c, 64<<10)
	if err := upgrade(c, in); err != nil {
		return
	}
	var out []byte
	for {
		frame, err := readFrame(in)
		if err != nil {
			return
		}
		if frame.opcode == websocket.CloseMessage {
			_, _ = c.Write(appendFrame(nil, frame)) // the peer ends the connection either way
			return
		}
		out = appendFrame(out, frame)
		if in.Buffered() > 0 {
			continue
		}
		if _, err := c.Write(out); err != nil {
			return
		}
		out = out[:0]
	}
}

func upgrade(c net.Conn, in *bufio.Reader) error {
	r, err := http.ReadRequest(in)
	if err != nil {
		return err
	}
	w := &hijacked{c: c, in: in}
	_, err = (&websocket.Upgrader{}).Upgrade(w, r, nil)
	return err
}

// hijacked lets gorilla answer the upgrade on a connection that we go on reading ourselves.
type hijacked struct {
	c  net.Conn
	in *bufio.Reader
}

func (h *hijacked) Header() http.Header         { return http.Header{} }
func (h *hijacked) Write(p []byte) (int, error) { return h.c.Write(p) }
func (h *hijacked) WriteHeader(int)             {}
func (h *hijacked) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return h.c, bufio.NewReadWriter(h.in, bufio.NewWriter(h.c)), nil
}

type frame struct {
	opcode  int
	payload []byte
}

var errFraming = errors.New("not a frame this peer understands")

// readFrame reads a masked frame of up to 64 KiB, all that the benchmark sends.
func readFrame(in *bufio.Reader) (frame, error) {
	var head [2]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return frame{}, err
	}
	n := int(head[1] & 127)
	if n == 127 || head[1]&128 == 0 {
		return frame{}, errFraming
	}
	if n == 126 {
		var long [2]byte
		if _, err := io.ReadFull(in, long[:]); err != nil {
			return frame{}, err
		}
		n = int(binary.BigEndian.Uint16(long[:]))
	}
	body := make([]byte, 4+n)
	if _, err := io.ReadFull(in, body); err != nil {
		return frame{}, err
	}
	mask, payload := body[:4], body[4:]
	for i := range payload {
		payload[i] ^= mask[i&3]
	}
	return frame{opcode: int(head[0] & 15), payload: payload}, nil
}

func appendFrame(dst []byte, f frame) []byte {
	dst = append(dst, 0x80|byte(f.opcode))
	if n := len(f.payload); n < 126 {
		dst = append(dst, byte(n))
	} else {
		dst = append(dst, 126, byte(n>>8), byte(n))
	}
	return append(dst, f.payload...)
}

// pingPong bounces 256 bytes over one plain TCP connection: the floor that every other figure stands on.
func pingPong(ctx context.Context, d time.Duration) ([]figure, error) {
	address, stop, err := start(ctx, "child-tcp-echo")
	if err != nil {
		return nil, err
	}
	defer stop()
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	n, buf, began := 0, make([]byte, 256), time.Now()
	for time.Since(began) < d {
		if _, err := c.Write(buf); err != nil {
			return nil, err
		}
		if _, err := io.ReadFull(c, buf); err != nil {
			return nil, err
		}
		n++
	}
	return []figure{{"round trips, 1 connection", perSecond, float64(n) / time.Since(began).Seconds()}}, nil
}

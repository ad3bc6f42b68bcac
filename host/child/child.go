// Package child runs the reference gateway as a child process for the time of a run.
package child

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	readyPrefix = "wsgov gateway ready "
	readyWithin = 10 * time.Second
	endWithin   = 10 * time.Second
)

// Gateway is a gateway in its own process.
type Gateway struct {
	// URL is its base address, such as ws://127.0.0.1:40123.
	URL string

	cmd      *exec.Cmd
	exited   chan struct{}
	err      error // of the process, once exited is closed
	stopping atomic.Bool
}

// Start runs a command and waits for the line that says where it listens. What it writes to stderr goes to stderr.
func Start(ctx context.Context, command []string, stderr io.Writer) (*Gateway, error) {
	g := &Gateway{cmd: exec.Command(command[0], command[1:]...), exited: make(chan struct{})}
	g.cmd.Stderr, g.cmd.SysProcAttr, g.cmd.WaitDelay = stderr, attributes(), time.Second
	stdout, err := g.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the gateway: %w", err)
	}
	if err := g.cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the gateway %q: %w", command[0], err)
	}
	ready := make(chan string, 1)
	go g.follow(stdout, ready)
	return g, g.await(ctx, ready)
}

// follow reads the child's output to its end and then waits for the child.
func (g *Gateway) follow(stdout io.Reader, ready chan<- string) {
	defer close(g.exited)
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if rest, ok := strings.CutPrefix(lines.Text(), readyPrefix); ok {
			url, _, _ := strings.Cut(rest, " ")
			select {
			case ready <- url:
			default:
			}
		}
	}
	_, _ = io.Copy(io.Discard, stdout) // after a line that is too long
	g.err = g.cmd.Wait()
}

func (g *Gateway) await(ctx context.Context, ready <-chan string) error {
	timer := time.NewTimer(readyWithin)
	defer timer.Stop()
	select {
	case g.URL = <-ready:
		return nil
	case <-g.exited:
		return fmt.Errorf("the gateway ended before it was ready (%s); see what it wrote above", g.end())
	case <-timer.C:
		return errors.Join(fmt.Errorf("the gateway was not ready within %v", readyWithin), g.Stop())
	case <-ctx.Done():
		return errors.Join(context.Cause(ctx), g.Stop())
	}
}

func (g *Gateway) end() string {
	if g.err != nil {
		return g.err.Error()
	}
	return "exit status 0"
}

// Exited is closed when the process has ended.
func (g *Gateway) Exited() <-chan struct{} { return g.exited }

// Died is the error of a gateway that ended before Stop was called, else nil.
func (g *Gateway) Died() error {
	select {
	case <-g.exited:
		if !g.stopping.Load() {
			return fmt.Errorf("the gateway at %s ended during the run (%s); what the script measured after that is not its answer", g.URL, g.end())
		}
	default:
	}
	return nil
}

// Stop asks the gateway to end, waits, and kills it if it does not. A gateway that has died before gives Died's error.
func (g *Gateway) Stop() error {
	if err := g.Died(); err != nil {
		return err
	}
	g.stopping.Store(true)
	if err := g.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		_ = g.cmd.Process.Kill() // where there is no such signal
	}
	timer := time.NewTimer(endWithin)
	defer timer.Stop()
	select {
	case <-g.exited:
		return nil
	case <-timer.C:
		_ = g.cmd.Process.Kill() // it fails only if the process has just ended
		<-g.exited
		return fmt.Errorf("the gateway did not end within %v of SIGTERM and was killed", endWithin)
	}
}

// Words divides a line into words as a shell does: at white space, except inside single or double quotes.
func Words(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	var quote rune
	inWord := false
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			quote, inWord = r, true
		case r == ' ' || r == '\t' || r == '\n':
			if inWord {
				words = append(words, word.String())
				word.Reset()
				inWord = false
			}
		default:
			word.WriteRune(r)
			inWord = true
		}
	}
	if quote != 0 {
		return nil, fmt.Errorf("%q: the quote %c is not closed", line, quote)
	}
	if inWord {
		words = append(words, word.String())
	}
	return words, nil
}

package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"time"
)

// exits is the test command "exits CODE command args…": it runs the command, passes interrupts on to it, and fails unless
// it ends with that code.
func exits() {
	command := exec.Command(os.Args[2], os.Args[3:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	interrupts := make(chan os.Signal, 4)
	signal.Notify(interrupts, os.Interrupt)
	if err := command.Start(); err != nil {
		fail(err)
	}
	go func() {
		for s := range interrupts {
			_ = command.Process.Signal(s)
		}
	}()
	err := command.Wait()
	if got := strconv.Itoa(command.ProcessState.ExitCode()); got != os.Args[1] {
		fail(fmt.Errorf("%s ended with %s (%v), not with %s", os.Args[2], got, err, os.Args[1]))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// appendLine is the test command "append-line FILE TEXT N": it appends a line of the text with each ~ replaced by N bytes.
func appendLine() {
	n, err := strconv.Atoi(os.Args[3])
	if err != nil {
		fail(err)
	}
	f, err := os.OpenFile(os.Args[1], os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		fail(err)
	}
	_, err = fmt.Fprintln(f, strings.ReplaceAll(os.Args[2], "~", strings.Repeat("x", n)))
	if err := errors.Join(err, f.Close()); err != nil {
		fail(err)
	}
}

// cut is the test command "cut FROM TO N": it copies the first N bytes of a file.
func cut() {
	n, err := strconv.Atoi(os.Args[3])
	if err != nil {
		fail(err)
	}
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		fail(err)
	}
	if err := os.WriteFile(os.Args[2], data[:n], 0o600); err != nil {
		fail(err)
	}
}

// awaitFor is how long the test command await waits.
const awaitFor = 30 * time.Second

// await is the test command "await FILE TEXT": it ends when the file holds the text.
func await() {
	for deadline := time.After(awaitFor); ; {
		if data, err := os.ReadFile(os.Args[1]); err == nil && bytes.Contains(data, []byte(os.Args[2])) {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-deadline:
			fail(fmt.Errorf("%s never held %q", os.Args[1], os.Args[2]))
		}
	}
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/gorilla/websocket"
)

// withPeer is the test command "with-peer MODE command args…": it serves a peer of that kind, runs the command with {url}
// in its arguments replaced by the peer's address, and ends with the command's exit code.
func withPeer() {
	mode, args := os.Args[1], os.Args[2:]
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	server := &http.Server{Handler: peers(mode)}
	go func() { _ = server.Serve(l) }()
	for i, a := range args {
		args[i] = strings.ReplaceAll(a, "{url}", "ws://"+l.Addr().String())
		args[i] = strings.ReplaceAll(args[i], "{secure-url}", "wss://"+l.Addr().String())
	}
	if mode == "absent" {
		_ = server.Close()
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err = cmd.Run()
	_ = server.Close()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		os.Exit(exit.ExitCode())
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}

// peers serves a WebSocket peer that answers in some wrong way, or an HTTP status.
func peers(mode string) http.Handler {
	if status, err := strconv.Atoi(mode); err == nil {
		return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) })
	}
	up := websocket.Upgrader{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ws, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		defer ws.Close()
		for n := 1; ; n++ {
			_, data, err := ws.ReadMessage()
			if err != nil || !answer(ws, mode, n, data) {
				return
			}
		}
	})
}

// answer answers the n-th message of a connection and reports whether to go on.
func answer(ws *websocket.Conn, mode string, n int, data []byte) bool {
	var m struct{ ID json.RawMessage }
	if err := json.Unmarshal(data, &m); err != nil {
		return false
	}
	reply := fmt.Sprintf(`{"id":%s,"ok":true}`, m.ID)
	switch mode {
	case "text":
		reply = "pong"
	case "stranger":
		reply = `{"id":"nobody","ok":true}`
	case "large":
		reply = fmt.Sprintf(`{"id":%s,"ok":true,"pad":%q}`, m.ID, strings.Repeat("x", 2<<20))
	case "mute":
		return true
	case "echo":
		reply = string(data)
	case "twice":
		if err := ws.WriteMessage(websocket.TextMessage, []byte(reply)); err != nil {
			return false
		}
	}
	return ws.WriteMessage(websocket.TextMessage, []byte(reply)) == nil
}

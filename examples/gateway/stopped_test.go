package gateway

import (
	"strings"
	"testing"
)

func TestStopped(t *testing.T) {
	told := 0
	s, err := Start(Options{OnError: func(error) { told++ }})
	if err != nil {
		t.Fatal(err)
	}
	s.listener.Close()
	<-s.Stopped()
	for range 2 {
		if err := s.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "accept connections") {
			t.Errorf("a listener that failed ends in %v", err)
		}
	}
	if told != 1 {
		t.Errorf("told %d times", told)
	}
}

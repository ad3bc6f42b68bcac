package fault_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/wsgov/wsgov/host/fault"
)

func TestCodeOf(t *testing.T) {
	plain := errors.New("plain")
	for _, c := range []struct {
		err  error
		want fault.Code
	}{
		{nil, fault.OK},
		{fault.With(fault.Thresholds, nil), fault.OK},
		{plain, fault.Other},
		{fault.With(fault.InvalidConfig, plain), fault.InvalidConfig},
		{fault.With(fault.Other, fault.With(fault.InvalidConfig, plain)), fault.InvalidConfig},
		{fmt.Errorf("around: %w", fault.New(fault.ScriptAborted, "stopped")), fault.ScriptAborted},
	} {
		if got := fault.CodeOf(c.err); got != c.want {
			t.Errorf("CodeOf(%v) = %d, want %d", c.err, got, c.want)
		}
	}
	if err := fault.With(fault.SetupTimeout, plain); !errors.Is(err, plain) || err.Error() != "plain" {
		t.Errorf("the code hides the error: %v", err)
	}
}

package host

import (
	"errors"
	"io"
	"math"
	"runtime/debug"
	"testing"

	"github.com/sirupsen/logrus"
)

// TestLimitMemory takes half of what the container has, and nothing where it has no limit.
func TestLimitMemory(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	log := logrus.New()
	log.SetOutput(io.Discard)
	debug.SetMemoryLimit(math.MaxInt64)
	limitMemory(log, func() (uint64, error) { return 0, errors.New("no container") })
	if got := debug.SetMemoryLimit(-1); got != math.MaxInt64 {
		t.Errorf("without a container: %d", got)
	}
	limitMemory(log, func() (uint64, error) { return 1 << 30, nil })
	if got := debug.SetMemoryLimit(-1); got != 1<<29 {
		t.Errorf("in a container of 1 GiB: %d", got)
	}
	t.Setenv("GOMEMLIMIT", "700MiB")
	limitMemory(log, func() (uint64, error) { return 1 << 31, nil })
	if got := debug.SetMemoryLimit(-1); got != 1<<29 {
		t.Errorf("with a limit of its own: %d", got)
	}
}

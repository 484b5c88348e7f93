package harness

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// The ports on which tests listen. They are below those that kernels use for outgoing connections, so that a port stays free
// while nobody listens on it: before a server starts, and between two runs of a server.
const (
	firstPort = 10_000
	lastPort  = 16_000
)

// FreeAddr returns a loopback address that nobody listens on. No other test gets it until this one ends.
func FreeAddr(t testing.TB) string {
	t.Helper()
	return LoopbackAddr(FreePorts(t, 1))
}

// LoopbackAddr is a port on loopback, host:port.
func LoopbackAddr(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// FreePorts reserves some ports in a row for a test and returns the first.
func FreePorts(t testing.TB, count int) int {
	t.Helper()
	for range 1000 {
		first := firstPort + rand.IntN(lastPort-firstPort-count)
		if reserve(t, first, count) {
			return first
		}
	}
	t.Fatalf("there are no %d free ports in a row", count)
	return 0
}

// reserve reserves ports until the test ends, and reports whether that worked: all are free, and no test of any process has
// reserved them. A process reserves a port by listening on the port's name in the kernel's abstract namespace, which ends with
// the process in every case.
func reserve(t testing.TB, first, count int) bool {
	t.Helper()
	var marks []net.Listener
	drop := func() {
		for _, mark := range marks {
			_ = mark.Close()
		}
	}
	for port := first; port < first+count; port++ {
		mark, err := net.Listen("unix", fmt.Sprintf("@moviola-test-port-%d", port))
		if err != nil {
			drop()
			return false
		}
		marks = append(marks, mark)
		probe, err := net.Listen("tcp", LoopbackAddr(port))
		if err != nil {
			drop()
			return false
		}
		_ = probe.Close()
	}
	t.Cleanup(drop)
	return true
}

package blackbox_test

import (
	"net"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// TestFirstStart_portTaken: a first start that fails because its port is taken makes no key; the next one does, and shows it.
func TestFirstStart_portTaken(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t)
	var taking net.ListenConfig
	taken, err := taking.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	failed := service.StartProcess("fails", "--listen", taken.Addr().String())
	harness.Eventually(t, "the start fails", failed.Exited)
	if out := failed.Output(); !strings.Contains(out, "address already in use") || strings.Contains(out, "API key") {
		t.Errorf("the start with a port that is taken said:\n%s", out)
	}
	service.StartAPI()
	harness.Eventually(t, "the next start shows the key", func() bool {
		return strings.Contains(service.API.Output(), `API key of the account "default"`)
	})
}

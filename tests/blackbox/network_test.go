package blackbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"moviola/tests/harness"
	"moviola/tests/harness/servers"
)

// TestNetworkEventStore renders a movie with an event store apart that takes users by TLS only. Its certificate changes on the way.
func TestNetworkEventStore(t *testing.T) {
	t.Parallel()
	certificate, dir := servers.NewCertificate(t), t.TempDir()
	users, addr := filepath.Join(dir, "users"), harness.FreeAddr(t)
	add := exec.Command(harness.Binary(t), "eventstore", "user", "add", "--users", users, "service")
	add.Stdin = strings.NewReader("a long password\n")
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("add a user: %v\n%s", err, out)
	}
	store := harness.StartEventStore(t, filepath.Join(dir, "events"), addr,
		"--tls-cert", certificate.CertFile, "--tls-key", certificate.KeyFile, "--users", users)
	at := "esdb://service:a%20long%20password@" + addr + "?tlsCAFile="
	service := harness.NewService(t, "--eventstore", at+certificate.CertFile)
	service.StartAPI()
	client := service.NewAccount("network", 600)
	client.WaitFor(client.Submit(object{"id": "first", "scenes": list{object{"duration": 1}}}), "done")
	service.API.Terminate()

	next := servers.NewCertificate(t)
	for to, from := range map[string]string{certificate.CertFile: next.CertFile, certificate.KeyFile: next.KeyFile} {
		content, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store.Signal(syscall.SIGHUP)
	harness.Eventually(t, "the event store has read its certificate anew", func() bool {
		return strings.Contains(store.Output(), "event store: certificate reloaded")
	})
	service.StartAPI() // which trusts the new certificate alone
	client.WaitFor(client.Submit(object{"id": "second", "scenes": list{object{"duration": 1}}}), "done")
}

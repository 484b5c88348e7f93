package blackbox_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"os"
	"strings"
	"testing"

	"moviola/tests/harness"
	"moviola/tests/harness/servers"
)

// TestTLS serves the HTTP interface with a certificate, replaces that while it runs, and then breaks its files.
func TestTLS(t *testing.T) {
	t.Parallel()
	first, second := servers.NewCertificateFor(t, "127.0.0.1"), servers.NewCertificateFor(t, "127.0.0.1")
	s := harness.NewService(t, "--tls-cert", first.CertFile, "--tls-key", first.KeyFile)
	s.LaunchAPI()
	address := strings.TrimPrefix(s.Client("").Base, "http://")
	copyFile := func(from, to string) {
		t.Helper()
		content, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(to, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	firstRoots, secondRoots := roots(t, first.CertFile), roots(t, second.CertFile)
	answers := func(trusted *x509.CertPool) bool {
		client := http.Client{Timeout: harness.Patience, Transport: &http.Transport{
			DisableKeepAlives: true, TLSClientConfig: &tls.Config{RootCAs: trusted, NextProtos: []string{"h2", "http/1.1"}},
		}}
		answer, err := client.Get("https://" + address + "/v2/openapi.json")
		if err != nil {
			return false
		}
		_ = answer.Body.Close()
		if answer.ProtoMajor != 1 {
			t.Errorf("it speaks %s", answer.Proto)
		}
		return answer.StatusCode == http.StatusOK
	}
	harness.Eventually(t, "the service answers with the first certificate", func() bool {
		if s.API.Exited() {
			t.Fatalf("the service ended:\n%s", s.API.Output())
		}
		return answers(firstRoots)
	})
	harness.Eventually(t, "the addresses that it prints are https://", func() bool { return strings.Contains(s.API.Output(), "https://") })
	if plain, ok := s.Client("").Try(http.MethodGet, "/movies", nil); ok && plain.Status == http.StatusUnauthorized {
		t.Error("it answers without TLS, too")
	}
	if conn, err := tls.Dial("tcp", address, &tls.Config{RootCAs: firstRoots, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("it takes TLS 1.1", conn.Close())
	}
	copyFile(second.KeyFile, first.KeyFile)
	copyFile(second.CertFile, first.CertFile)
	harness.Eventually(t, "the second certificate is shown", func() bool { return answers(secondRoots) })
	if err := os.WriteFile(first.KeyFile, []byte("no key"), 0o600); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, "the log tells of the broken key", func() bool {
		return strings.Contains(s.API.Output(), "changed certificate of the HTTP interface cannot be read")
	})
	if !answers(secondRoots) {
		t.Error("the certificate that was read before is not shown any more")
	}
}

func roots(t *testing.T, path string) *x509.CertPool {
	t.Helper()
	pool := x509.NewCertPool()
	content, err := os.ReadFile(path)
	if err == nil && !pool.AppendCertsFromPEM(content) {
		err = errors.New("there is no certificate in it")
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return pool
}

package cli

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestProbe(t *testing.T) {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = w.Write([]byte(`{"status":"not ready","checks":{"eventstore":"is away"}}`))
			return
		}
		_, _ = w.Write([]byte(`{"status":"ok"}` + "\n"))
	}))
	address := strings.TrimPrefix(service.URL, "http://")
	_, port, _ := strings.Cut(address, ":")
	for _, tt := range []struct {
		name      string
		args      []string
		want, err string
	}{
		{"alive", []string{"--ops-listen", address}, `{"status":"ok"}`, ""},
		{"all addresses", []string{"--ops-listen", "0.0.0.0:" + port}, `{"status":"ok"}`, ""},
		{"not ready", []string{"--ops-listen", address, "--ready"}, "", "answered 503: {\"status\":\"not ready\",\"checks\":{\"eventstore\":\"is away\"}}"},
		{"no address", []string{"--ops-listen", "here"}, "", "give host:port"},
	} {
		if out, err := runProbe(t, tt.args); strings.TrimSpace(out) != tt.want || tt.err == "" != (err == nil) || err != nil && !strings.Contains(err.Error(), tt.err) {
			t.Errorf("%s: %q, %v", tt.name, out, err)
		}
	}
	t.Setenv("MOVIOLA_OPS_LISTEN", ":"+port)
	if out, err := runProbe(t, nil); err != nil || !strings.Contains(out, "ok") {
		t.Errorf("by the service's own variable: %q, %v", out, err)
	}
	service.Close()
	if _, err := runProbe(t, nil); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("without a service: %v", err)
	}
}

func runProbe(t *testing.T, args []string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	root := rootCommand()
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetArgs(append([]string{"probe"}, args...))
	err := root.ExecuteContext(t.Context())
	return out.String(), err
}

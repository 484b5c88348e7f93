package cli

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestUploads: the doctor asks the bucket as a browser would, and says what its rules lack, without the signed address.
func TestUploads(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hush")
	const console = "https://video.example"
	for what, tt := range map[string]struct {
		answer map[string]string
		want   string
	}{
		"allowed": {map[string]string{"Access-Control-Allow-Origin": console, "Access-Control-Allow-Methods": "GET, PUT",
			"Access-Control-Allow-Headers": "Content-Type"}, "allowed from " + console},
		"allowed to all": {map[string]string{"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "PUT",
			"Access-Control-Allow-Headers": "*"}, "allowed from " + console},
		"no rules": {nil, "refused: allow PUT"},
		"another page's": {map[string]string{"Access-Control-Allow-Origin": "https://other.example",
			"Access-Control-Allow-Methods": "PUT", "Access-Control-Allow-Headers": "*"}, "refused: allow PUT"},
		"reading only": {map[string]string{"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET",
			"Access-Control-Allow-Headers": "*"}, "refused: allow PUT"},
	} {
		storage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodOptions || r.Header.Get("Origin") != console || r.Header.Get("Access-Control-Request-Method") != "PUT" {
				t.Errorf("%s: %s %v", what, r.Method, r.Header)
			}
			for name, value := range tt.answer {
				w.Header().Set(name, value)
			}
		}))
		says := uploads(t.Context(), "s3://bucket?"+url.Values{"region": {"eu-central-1"}, "endpoint": {storage.URL},
			"use_path_style": {"true"}}.Encode(), "", console)
		storage.Close()
		if !strings.HasPrefix(says, tt.want) {
			t.Errorf("%s: %s, want %q", what, says, tt.want)
		}
		if strings.Contains(says, "X-Amz") {
			t.Errorf("%s: the address is shown: %s", what, says)
		}
	}
	if says := uploads(t.Context(), "s3://bucket?region=eu-central-1", "", ""); !strings.Contains(says, "--public-url") {
		t.Errorf("without an address: %s", says)
	}
}

// TestUploads_throughHere: uploads to other storages come to this service, whose storage must answer; no key is shown.
func TestUploads_throughHere(t *testing.T) {
	t.Parallel()
	answer := http.StatusOK
	storage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if answer == http.StatusOK {
			_, _ = w.Write([]byte(`<?xml version="1.0"?><EnumerationResults><Blobs></Blobs></EnumerationResults>`))
			return
		}
		w.Header().Set("x-ms-error-code", "AuthenticationFailed")
		w.WriteHeader(answer)
	}))
	defer storage.Close()
	azure := "azblob://box?" + url.Values{"storage_account": {"acme"}, "protocol": {"http"}, "domain": {storage.Listener.Addr().String()}}.Encode()
	for _, tt := range []struct {
		where, key string
		answer     int
		want       string
	}{
		{"", "", 0, "to this service"},
		{t.TempDir(), "", 0, "to this service"},
		{azure, "Y2FuYXJ5", http.StatusOK, "to this service"},
		{azure, "Y2FuYXJ5", http.StatusForbidden, "to this service, whose storage cannot be used: the storage answered AuthenticationFailed"},
		{azure, "", 0, "unknown: --blobs: azblob://…: a key is missing"},
		{azure, "no Base64: canary", 0, "unknown: --blobs cannot be opened"},
	} {
		answer = tt.answer
		if says := uploads(t.Context(), tt.where, tt.key, ""); !strings.HasPrefix(says, tt.want) || strings.Contains(says, "anary") {
			t.Errorf("%s %d: %s, want %q", tt.where, tt.answer, says, tt.want)
		}
	}
}

package cli

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestUploadsAllowed: the doctor asks the bucket as a browser would, and says what its rules lack, without the signed address.
func TestUploadsAllowed(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", "key")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "hush")
	const console = "https://video.example"
	for what, tt := range map[string]struct {
		answer map[string]string
		want   string
	}{
		"allowed": {map[string]string{"Access-Control-Allow-Origin": console, "Access-Control-Allow-Methods": "GET, PUT",
			"Access-Control-Allow-Headers": "Content-Type"}, ""},
		"allowed to all": {map[string]string{"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "PUT",
			"Access-Control-Allow-Headers": "*"}, ""},
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
		err := uploadsAllowed(t.Context(), "s3://bucket?"+url.Values{"region": {"eu-central-1"}, "endpoint": {storage.URL},
			"use_path_style": {"true"}}.Encode(), console)
		storage.Close()
		if err == nil && tt.want != "" || err != nil && (tt.want == "" || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", what, err, tt.want)
		}
		if err != nil && strings.Contains(err.Error(), "X-Amz") {
			t.Errorf("%s: the address is shown: %v", what, err)
		}
	}
	if err := uploadsAllowed(t.Context(), "s3://bucket", ""); err == nil || !strings.Contains(err.Error(), "--public-url") {
		t.Errorf("without an address: %v", err)
	}
}

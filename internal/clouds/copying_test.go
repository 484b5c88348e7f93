package clouds_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gocloud.dev/blob"

	"moviola/internal/clouds"
)

// TestAzure_Refused: a storage that refuses blocks before it has read them is no reason to crash. Without the copies of what is sent
// the first upload does.
func TestAzure_Refused(t *testing.T) {
	t.Parallel()
	storage := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("x-ms-error-code", "AuthenticationFailed")
		w.WriteHeader(http.StatusForbidden)
	}))
	defer storage.Close()
	bucket, err := clouds.Azure{
		Client: storage.Client(), Address: storage.URL + "/box", Account: "account", Key: "Y2FuYXJ5", Tries: 1,
	}.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = bucket.Close() }()
	content := strings.Repeat("x", 20<<20)
	for range 5 {
		err := bucket.Upload(t.Context(), "a", strings.NewReader(content), &blob.WriterOptions{
			ContentType: "video/mp4", BufferSize: 8 << 20, MaxConcurrency: 1,
		})
		if code := clouds.Answer(err); code != "AuthenticationFailed" {
			t.Fatalf("error %v", err)
		}
	}
}

package blackbox_test

import (
	"bytes"
	"io"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// TestUploadAtShutdown ends the service while a body comes: its sender is told to send it again, nothing is left of it, and the same address
// takes it after the next start.
func TestUploadAtShutdown(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t, "--upload-url-ttl", "1h")
	service.StartAPI()
	client := service.NewAccount("interrupted", 600)
	const size = 1 << 20
	address, _ := registerFile(t, client, "clip.bin", "application/octet-stream", size)
	put := func(body io.Reader) (*http.Response, error) {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address, body)
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength = size
		r.Header.Set("Content-Type", "application/octet-stream")
		return http.DefaultTransport.RoundTrip(r)
	}
	half, rest := io.Pipe()
	type answered struct {
		*http.Response
		error
	}
	answer := make(chan answered, 1)
	go func() {
		response, err := put(half)
		answer <- answered{response, err}
	}()
	if _, err := rest.Write(make([]byte, size/2)); err != nil {
		t.Fatal(err)
	}
	harness.Eventually(t, "some of the body is stored", func() bool { return len(unfinished(t, service.Data)) > 0 })
	service.API.Terminate()
	got := harness.Receive(t, "the answer", answer)
	if got.error != nil {
		t.Fatal(got.error)
	}
	if got.StatusCode != http.StatusServiceUnavailable || got.Header.Get("Retry-After") == "" {
		t.Errorf("answer %d, %v", got.StatusCode, got.Header)
	}
	if err := got.Body.Close(); err != nil {
		t.Error(err)
	}
	if err := rest.Close(); err != nil {
		t.Error(err)
	}
	if left := unfinished(t, service.Data); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	service.StartAPI()
	response, err := put(bytes.NewReader(make([]byte, size)))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		body, _ := io.ReadAll(response.Body)
		t.Errorf("the second time: %d %s", response.StatusCode, body)
	}
}

// unfinished are the files of uploads below a data folder that are not whole.
func unfinished(t *testing.T, data string) []string {
	t.Helper()
	var found []string
	err := filepath.WalkDir(filepath.Join(data, "files"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && !strings.Contains(path, "documents.db") {
			found = append(found, path)
		}
		return nil // what goes meanwhile is no failure
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

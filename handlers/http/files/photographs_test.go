package files_test

import (
	"errors"
	"image/jpeg"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gorilla/mux"

	"moviola/commands"
	"moviola/handlers/http/files"
	"moviola/third_party/photographs"
)

// The photographs of the template library are everybody's: over HTTP without a key, and in the movies of all accounts. Decision 42.
func TestPhotographs(t *testing.T) {
	t.Parallel()
	router := mux.NewRouter()
	files.New(files.Config{}).Routes(router)
	for path, status := range map[string]int{"peaks.jpg": 200, "README.md": 404, "nothing.jpg": 404, "PEAKS.jpg": 404, "photographs.go": 404} {
		recorder := httptest.NewRecorder()
		router.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, photographs.Path+path, nil))
		if recorder.Code != status {
			t.Errorf("%s: %d, want %d", path, recorder.Code, status)
		}
		if status != http.StatusOK {
			continue
		}
		if shown, err := jpeg.DecodeConfig(recorder.Body); err != nil || shown.Width != 1920 || recorder.Header().Get("Content-Type") != "image/jpeg" {
			t.Errorf("%s: %+v, %v", path, shown, err)
		}
	}
	file, err := files.Photographs{}.OpenOwn(t.Context(), "alice", photographs.Path+"stream.jpg")
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, file); n < 10_000 || err != nil || file.Close() != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	for _, path := range []string{photographs.Path + "nothing.jpg", "/files/x/y.mp4", "stream.jpg", ""} {
		if _, err := (files.Photographs{}).OpenOwn(t.Context(), "alice", path); !errors.Is(err, commands.ErrFileNotFound) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

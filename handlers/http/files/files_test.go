package files_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/movie"
	"moviola/domain/result"
	"moviola/handlers/http/files"
	"moviola/handlers/http/web"
	"moviola/projections"
)

const (
	project = "Abcdefgh12345678"
	token   = "0123456789abcdef0123456789abcdef"
	video   = "the bytes of a movie"
	picture = "the bytes of a picture"
	caption = "the text of captions"
)

var made = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// world holds the movies and files behind the server.
type world struct {
	movies map[domain.ProjectID]projections.Movie
	files  map[string]string
	broken bool
}

func (w *world) Get(_ context.Context, id domain.ProjectID) (projections.Movie, bool, error) {
	m, ok := w.movies[id]
	return m, ok, nil
}

func (w *world) Open(_ context.Context, key string) (commands.File, error) {
	if w.broken {
		return nil, errors.New("read /srv/data: input/output error")
	}
	content, ok := w.files[key]
	if !ok {
		return nil, commands.ErrFileNotFound
	}
	return stored{strings.NewReader(content)}, nil
}

type stored struct{ *strings.Reader }

func (stored) Close() error       { return nil }
func (stored) ModTime() time.Time { return made }
func (s stored) Size() int64      { return s.Reader.Size() }

func serve(t *testing.T, change func(*world, *projections.Movie)) http.Handler {
	t.Helper()
	m := projections.Movie{Project: project, Status: projections.StatusDone, Closed: true, File: &movie.File{
		Key: "renders/" + project + "/1.mp4", Thumbnail: "renders/" + project + "/1.jpg",
		Subtitles: "renders/" + project + "/1.ass", Token: token,
	}}
	w := &world{files: map[string]string{m.File.Key: video, m.File.Thumbnail: picture, m.File.Subtitles: caption}}
	if change != nil {
		change(w, &m)
	}
	w.movies = map[domain.ProjectID]projections.Movie{project: m}
	log := logrus.New()
	log.SetOutput(&bytes.Buffer{})
	router := web.NewRouter()
	files.New(files.Config{Movies: w, Files: w, Tokens: tokens, Log: log}).Routes(router)
	return web.Wrap(router, log)
}

func get(handler http.Handler, method, path string, header map[string]string) (*http.Response, string) {
	r := httptest.NewRequest(method, path, nil)
	for name, value := range header {
		r.Header.Set(name, value)
	}
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, r)
	body, _ := io.ReadAll(recorder.Body)
	return recorder.Result(), string(body)
}

// tokens derive the tokens of files whose movies carry none.
var tokens = result.NewTokens([]byte("0123456789abcdef0123456789abcdef"))

const address = "/v2/renders/" + token + "/" + project

func sha256Of(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// TestServe_damaged: a movie whose file does not have the recorded size is not served, but its thumbnail is. OpenOwn also
// refuses a file that does not have the recorded hash.
func TestServe_damaged(t *testing.T) {
	t.Parallel()
	handler := serve(t, func(_ *world, m *projections.Movie) { m.File.Size = int64(len(video)) + 1 })
	for _, header := range []map[string]string{nil, {"Range": "bytes=0-2"}} {
		response, body := get(handler, "GET", address+".mp4", header)
		if response.StatusCode != 500 || !strings.Contains(body, `"code":"file_damaged"`) {
			t.Errorf("%d %s", response.StatusCode, body)
		}
	}
	if response, body := get(handler, "GET", address+".jpg", nil); response.StatusCode != 200 || body != picture {
		t.Errorf("the picture: %d %s", response.StatusCode, body)
	}
	w := &world{files: map[string]string{"k": video}}
	for name, tt := range map[string]struct {
		file movie.File
		want error
	}{
		"as it was":                 {movie.File{Key: "k", Token: token, Size: int64(len(video)), Hash: sha256Of(video)}, nil},
		"stored before hashes":      {movie.File{Key: "k", Token: token, Size: int64(len(video))}, nil},
		"cut short":                 {movie.File{Key: "k", Token: token, Size: int64(len(video)) + 1}, commands.ErrFileDamaged},
		"changed, of the same size": {movie.File{Key: "k", Token: token, Size: int64(len(video)), Hash: sha256Of("other")}, commands.ErrFileDamaged},
	} {
		w.movies = map[domain.ProjectID]projections.Movie{project: {Project: project, Account: "alice", File: &tt.file}}
		file, err := files.New(files.Config{Movies: w, Files: w, Log: logrus.New()}).OpenOwn(t.Context(), "alice", address+".mp4")
		if !errors.Is(err, tt.want) {
			t.Errorf("%s: used in another movie: %v", name, err)
		}
		if err != nil {
			continue
		}
		if content, err := io.ReadAll(file); string(content) != video || err != nil {
			t.Errorf("%s: %q, %v", name, content, err)
		}
	}
	whole := serve(t, func(_ *world, m *projections.Movie) { m.File.Size = int64(len(video)) })
	if response, body := get(whole, "GET", address+".mp4", nil); response.StatusCode != 200 || body != video {
		t.Errorf("a movie as it was: %d %s", response.StatusCode, body)
	}
}

func TestServe(t *testing.T) {
	t.Parallel()
	handler := serve(t, nil)

	response, _ := get(handler, "GET", address+".mp4", nil)
	first := response.Header.Get("ETag")
	tests := []struct {
		name, method, path string
		header             map[string]string
		status             int
		body               string
		want               map[string]string
	}{
		{"the movie", "GET", address + ".mp4", nil, 200, video, map[string]string{
			"Content-Type": "video/mp4", "Content-Length": "20", "Accept-Ranges": "bytes", "X-Content-Type-Options": "nosniff",
			"Content-Disposition": `inline; filename="` + project + `.mp4"`, "Last-Modified": "Sat, 21 Nov 2026 12:00:00 GMT"}},
		{"the thumbnail", "GET", address + ".jpg", nil, 200, picture, map[string]string{"Content-Type": "image/jpeg", "X-Content-Type-Options": "nosniff"}},
		{"its header", "HEAD", address + ".mp4", nil, 200, "", map[string]string{"Content-Type": "video/mp4", "Content-Length": "20"}},
		{"a range", "GET", address + ".mp4", map[string]string{"Range": "bytes=4-8"}, 206, "bytes", map[string]string{"Content-Range": "bytes 4-8/20"}},
		{"the end", "GET", address + ".mp4", map[string]string{"Range": "bytes=-5"}, 206, "movie", map[string]string{"Content-Range": "bytes 15-19/20"}},
		{"past the end", "GET", address + ".mp4", map[string]string{"Range": "bytes=20-"}, 416, "invalid range: failed to overlap\n", map[string]string{"Content-Range": "bytes */20"}},
		{"unchanged", "GET", address + ".mp4", map[string]string{"If-None-Match": first}, 304, "", nil},
		{"a range of the same file", "GET", address + ".mp4", map[string]string{"If-Range": first, "Range": "bytes=0-2"}, 206, "the", nil},
		{"a range of another file", "GET", address + ".mp4", map[string]string{"If-Range": `"other"`, "Range": "bytes=0-2"}, 200, video, nil},
		{"wrong method", "DELETE", address + ".mp4", nil, 405, "", map[string]string{"Allow": "GET, HEAD"}},
	}
	for _, tt := range tests {
		response, body := get(handler, tt.method, tt.path, tt.header)
		if response.StatusCode != tt.status || tt.status != 405 && body != tt.body {
			t.Errorf("%s: %d %q", tt.name, response.StatusCode, body)
		}
		for name, want := range tt.want {
			if got := response.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", tt.name, name, got, want)
			}
		}
	}
	if thumbnail, _ := get(handler, "GET", address+".jpg", nil); first == "" || thumbnail.Header.Get("ETag") == first {
		t.Errorf("ETag %q of the movie, %q of the thumbnail", first, thumbnail.Header.Get("ETag"))
	}
}

// Every reason why a file is not there reads the same.
func TestServe_NotFound(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path string
		change     func(*world, *projections.Movie)
	}{
		{"wrong token", "/v2/renders/" + strings.Repeat("0", 32) + "/" + project + ".mp4", nil},
		{"half a token", "/v2/renders/" + token[:16] + "/" + project + ".mp4", nil},
		{"no token", "/v2/renders//" + project + ".mp4", nil},
		{"unknown movie", "/v2/renders/" + token + "/Unknown000000000.mp4", nil},
		{"no movie id", "/v2/renders/" + token + "/x.mp4", nil},
		{"other extension", address + ".json", nil},
		{"no extension", address, nil},
		{"a folder up", "/v2/renders/" + token + "/../" + project + ".mp4", nil},
		{"an encoded slash", "/v2/renders/" + token + "/..%2f" + project + ".mp4", nil},
		{"gone", address + ".mp4", func(_ *world, m *projections.Movie) { m.Gone = true }},
		{"thumbnail gone", address + ".jpg", func(_ *world, m *projections.Movie) { m.Gone = true }},
		{"not rendered yet", address + ".mp4", func(_ *world, m *projections.Movie) { m.File = nil }},
		{"no thumbnail was made", address + ".jpg", func(_ *world, m *projections.Movie) { m.File.Thumbnail = "" }},
		{"no token for a file of a derived one", "/v2/renders//" + project + ".mp4", func(_ *world, m *projections.Movie) { m.File.Token = "" }},
		{"another token than the derived one", address + ".mp4", func(_ *world, m *projections.Movie) { m.File.Token = "" }},
		{"the token of another attempt", derived, func(_ *world, m *projections.Movie) { m.File.Token, m.File.Key = "", "renders/"+project+"/2.mp4" }},
		{"the blob is missing", address + ".mp4", func(w *world, _ *projections.Movie) { w.files = nil }},
	}
	for _, tt := range tests {
		response, body := get(serve(t, tt.change), "GET", tt.path, nil)
		if response.StatusCode != 404 || body != `{"success":false,"message":"Not found","code":"not_found"}` {
			t.Errorf("%s: %d %s", tt.name, response.StatusCode, body)
		}
	}
}

func TestServe_StorageFails(t *testing.T) {
	t.Parallel()
	response, body := get(serve(t, func(w *world, _ *projections.Movie) { w.broken = true }), "GET", address+".mp4", nil)
	if response.StatusCode != 500 || strings.Contains(body, "/srv") {
		t.Errorf("%d %s", response.StatusCode, body)
	}
}

// The address that the status and the webhook hand out is the one that is served.
func TestServe_TheAddressHandedOut(t *testing.T) {
	t.Parallel()
	for name, drawn := range map[string]string{"as earlier versions drew it": token, "derived": ""} {
		handler := serve(t, func(_ *world, m *projections.Movie) { m.File.Token = drawn })
		at := tokens.AddressesOf("http://localhost:8080", project, &movie.File{
			Key: "renders/" + project + "/1.mp4", Token: drawn, Thumbnail: "t", Subtitles: "s",
		})
		for handedOut, want := range map[string]string{at.Movie: video, at.Thumbnail: picture, at.Subtitles: caption} {
			if response, body := get(handler, "GET", handedOut, nil); response.StatusCode != 200 || body != want {
				t.Errorf("%s, %s: %d %q", name, handedOut, response.StatusCode, body)
			}
		}
	}
}

// derived is the address of the first attempt's movie under a derived token.
var derived = tokens.AddressesOf("", project, &movie.File{Key: "renders/" + project + "/1.mp4"}).Movie

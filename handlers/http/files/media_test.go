package files_test

import (
	"context"
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
	"moviola/domain/media"
	"moviola/handlers/http/files"
	"moviola/handlers/http/web"
	"moviola/projections"
)

const base = "https://video.test"

// shelf holds the files of a library by account and path, and stored files by key.
type shelf struct {
	paths map[string]projections.MediaFile
	world
}

func (s *shelf) File(_ context.Context, account domain.AccountID, path media.Path) (projections.MediaFile, bool, error) {
	f, ok := s.paths[string(account)+" "+path.String()]
	return f, ok, nil
}

func serveShelf(t *testing.T) (*files.Server, *media.Addresses, http.Handler) {
	t.Helper()
	addresses, err := media.NewAddresses(base, make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	file := func(name, contentType, status string) projections.MediaFile {
		return projections.MediaFile{Name: name, ContentType: contentType, Status: status, Blob: "media/alice/1"}
	}
	s := &shelf{
		paths: map[string]projections.MediaFile{
			"alice a/p.png": file("p.png", "image/png", projections.MediaUploaded), "alice page.html": file("page.html", "text/html", projections.MediaUploaded),
			"alice waiting": file("waiting", "image/png", projections.MediaPending),
		},
		world: world{files: map[string]string{"media/alice/1": "content", "preloads/alice/p/1.webm": "film"}},
	}
	log := logrus.New()
	log.SetOutput(io.Discard)
	server := files.New(files.Config{
		Movies: s, Library: s, Addresses: addresses, Files: s, CacheTTL: time.Hour, Now: func() time.Time { return made.Add(time.Hour - 1) }, Log: log,
	})
	router := web.NewRouter()
	server.Routes(router)
	return server, addresses, web.Wrap(router, log)
}

func TestServer_media(t *testing.T) {
	t.Parallel()
	_, addresses, handler := serveShelf(t)
	file := func(account domain.AccountID, folder, name string) string {
		return addresses.File(account, media.Path{Folder: folder, Name: name})
	}
	tests := map[string]struct {
		status             int
		contentType, saved string
	}{
		file("alice", "a", "p.png"):           {200, "image/png", "inline"},
		file("alice", "", "page.html"):        {200, "text/html", "attachment"},
		file("alice", "", "waiting"):          {404, "", ""},
		file("alice", "", "nothing"):          {404, "", ""},
		file("bob", "a", "p.png"):             {404, "", ""},
		addresses.Cached("alice", "p/1.webm"): {200, "video/webm", "inline"},
		addresses.Cached("alice", "p/2.webm"): {404, "", ""},
		addresses.Cached("bob", "p/1.webm"):   {404, "", ""},
	}
	for address, want := range tests {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, strings.TrimPrefix(address, base), nil))
		h := answer.Header()
		if answer.Code != want.status || want.status == 200 && (h.Get("Content-Type") != want.contentType || !strings.HasPrefix(h.Get("Content-Disposition"), want.saved) ||
			!strings.Contains(h.Get("Content-Security-Policy"), "sandbox") || h.Get("X-Content-Type-Options") != "nosniff") {
			t.Errorf("%s: %d %v", address, answer.Code, h)
		}
	}
}

// Decision 8: a movie reads its own account's files from the store, and no other's.
func TestServer_OpenOwn_media(t *testing.T) {
	t.Parallel()
	server, addresses, _ := serveShelf(t)
	own := addresses.File("alice", media.Path{Folder: "a", Name: "p.png"})
	for account, want := range map[domain.AccountID]bool{"alice": true, "bob": false} {
		for _, address := range []string{own, addresses.Cached("alice", "p/1.webm")} {
			file, err := server.OpenOwn(t.Context(), account, strings.TrimPrefix(address, base))
			if (err == nil) != want || err != nil && !errors.Is(err, commands.ErrFileNotFound) {
				t.Errorf("%s opens %s: %v", account, address, err)
			}
			if err == nil {
				if err := file.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// A prepared asset whose time is over is not served, though its bytes may still be there.
func TestServer_expired(t *testing.T) {
	t.Parallel()
	addresses, err := media.NewAddresses(base, make([]byte, 16))
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{world: world{files: map[string]string{"preloads/alice/p/1.webm": "film"}}}
	server := files.New(files.Config{Movies: s, Library: s, Addresses: addresses, Files: s, CacheTTL: time.Hour,
		Now: func() time.Time { return made.Add(time.Hour) }, Log: logrus.New()})
	router := web.NewRouter()
	server.Routes(router)
	path := strings.TrimPrefix(addresses.Cached("alice", "p/1.webm"), base)
	answer := httptest.NewRecorder()
	router.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
	if answer.Code != http.StatusNotFound {
		t.Errorf("status %d", answer.Code)
	}
	if _, err := server.OpenOwn(t.Context(), "alice", path); !errors.Is(err, commands.ErrFileNotFound) {
		t.Errorf("opened: %v", err)
	}
}

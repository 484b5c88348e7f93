package assets_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"moviola/adapters/assets"
	"moviola/commands"
	"moviola/domain"
)

// vault holds the service's own files, each of one account.
type vault map[string][]byte // by account and path

func (v vault) OpenOwn(_ context.Context, account domain.AccountID, path string) (io.ReadCloser, error) {
	if content, ok := v[string(account)+" "+path]; ok {
		return io.NopCloser(bytes.NewReader(content)), nil
	}
	if strings.Contains(path, "torn") {
		return io.NopCloser(io.MultiReader(bytes.NewReader(pngOf(3, 2)), iotest.ErrReader(errors.New("the store is down")))), nil
	}
	if strings.Contains(path, "down") {
		return nil, errors.New("the store is down")
	}
	return nil, commands.ErrFileNotFound
}

// Decision 8: what lies under the service's own base is read from the store, never over the network.
func TestCache_Fetch_ownFiles(t *testing.T) {
	t.Parallel()
	files := vault{"account /v2/media/x/logo.png": pngOf(3, 2), "other /v2/media/y/logo.png": pngOf(5, 5)}
	s := newSite(t, commands.Media{}, func(c *assets.Config) { c.Base, c.Own = "http://media.test/v2", vault{} })
	s.mux.HandleFunc("/to-own", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://MEDIA.test:80/base/v2/media/x/logo.png", http.StatusFound)
	})
	cache, err := assets.New(assets.Config{
		Client: s.server.Client(), Dir: t.TempDir(), Prober: prober{}, Base: "http://media.test/base", Own: files,
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{
		"http://media.test/base/v2/media/x/logo.png", "http://Media.Test.:80/base/v2/media/x/logo.png", s.server.URL + "/to-own",
	} {
		if a, err := cache.Fetch(t.Context(), "account", address); err != nil || a.Facts.Width != 3 {
			t.Errorf("%s is %+v (%v)", address, a.Facts, err)
		}
	}
	for _, address := range []string{"http://media.test/base/v2/media/y/logo.png", "http://media.test/base/nothing"} {
		_, err := cache.Fetch(t.Context(), "account", address)
		if want := "Failed to download '" + address + "' (404)"; err == nil || err.Error() != want {
			t.Errorf("%s gives %v, want %s", address, err, want)
		}
	}
	for _, address := range []string{"http://media.test/base/down", "http://media.test/base/torn"} {
		_, err = cache.Fetch(t.Context(), "account", address)
		if fault := (*domain.Error)(nil); !errors.Is(err, commands.ErrAway) || errors.As(err, &fault) {
			t.Errorf("%s: a store that is down gives %v", address, err)
		}
	}
	if hits := s.hits.Load(); hits != 1 { // the redirect
		t.Errorf("%d requests left this machine", hits)
	}
}

func TestCache_Refetch(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	content := pngOf(3, 2)
	s.mux.HandleFunc("/x.png", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"same"`)
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		_, _ = w.Write(content)
	})
	if _, err := s.fetch("/x.png"); err != nil {
		t.Fatal(err)
	}
	content = pngOf(7, 7)
	if a, err := s.fetch("/x.png"); err != nil || a.Facts.Width != 3 {
		t.Errorf("fetched %+v (%v)", a.Facts, err)
	}
	if a, err := s.Refetch(t.Context(), "account", s.server.URL+"/x.png", time.Time{}); err != nil || a.Facts.Width != 7 {
		t.Errorf("refetched %+v (%v)", a.Facts, err)
	}
}

func TestCache_Sweep(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, func(c *assets.Config) { c.TTL, c.MaxTotal = 48*time.Hour, 250 })
	now := time.Now()
	use := func(path string, ago time.Duration) commands.Asset {
		t.Helper()
		a, err := s.fetch(path)
		if err != nil {
			t.Fatal(err)
		}
		at := now.Add(-ago)
		if err := os.Chtimes(a.Path+".json", at, at); err != nil {
			t.Fatal(err)
		}
		return a
	}
	for n, path := range []string{"/old.png", "/older.png", "/new.png", "/fresh.png"} {
		content := pngOf(1, 1+n)
		s.serve(path, append(content, make([]byte, 100-len(content))...)) // 100 bytes each
	}
	old, older, newer, fresh := use("/old.png", 2*time.Hour), use("/older.png", 50*time.Hour), use("/new.png", time.Hour), use("/fresh.png", time.Minute)
	broken := filepath.Join(filepath.Dir(old.Path), ".new-1")
	if err := os.WriteFile(broken, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(broken, now.Add(-2*time.Hour), now.Add(-2*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := s.Sweep(t.Context(), now); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{older.Path: false, old.Path: false, newer.Path: true, fresh.Path: true, broken: false} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", path, err == nil, want)
		}
	}
	if a, err := s.fetch("/old.png"); err != nil || a.Hash != old.Hash {
		t.Errorf("an evicted asset cannot be fetched again: %v", err)
	}
}

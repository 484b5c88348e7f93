package assets_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"moviola/adapters/assets"
	"moviola/adapters/blobs"
	"moviola/commands"
	"moviola/tests/harness/servers"
)

// stores are the storages in which hosts without a common folder share their downloads.
var stores = map[string]func(t *testing.T) *blobs.Bucket{
	"a folder": func(t *testing.T) *blobs.Bucket {
		return openStore(t, (&url.URL{Scheme: "file", Path: t.TempDir()}).String())
	},
	"S3": func(t *testing.T) *blobs.Bucket {
		address, environment := servers.StartS3Bucket(t)
		for _, variable := range environment {
			name, value, _ := strings.Cut(variable, "=")
			t.Setenv(name, value)
		}
		return openStore(t, address)
	},
}

func openStore(t *testing.T, address string) *blobs.Bucket {
	t.Helper()
	store, err := blobs.Open(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return store
}

// other is a cache of another host, which shares nothing but the store.
func (s *site) other(t *testing.T, store assets.Store) *assets.Cache {
	t.Helper()
	c, err := assets.New(assets.Config{
		Client: s.server.Client(), Dir: t.TempDir(), Prober: prober{}, Retries: []time.Duration{}, Now: s.now, Shared: store, MaxTotal: 1000,
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCache_Shared: what one host has downloaded is used by another that shares no folder with it, for three days, by the same account, without
// the server.
func TestCache_Shared(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) {
			store := open(t)
			s := newSite(t, commands.Media{}, func(c *assets.Config) { c.Shared = store })
			s.serve("/a.png", pngOf(5, 4))
			first, err := s.fetch("/a.png")
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			s.server.Close()
			for host := range 2 {
				b := s.other(t, store)
				if _, ok := b.Kept(t.Context(), "account", s.server.URL+"/a.png"); ok {
					t.Error("it is on another's disk before it was asked for")
				}
				got, err := b.Fetch(t.Context(), "account", s.server.URL+"/a.png")
				if err != nil || got.Hash != first.Hash || got.Facts.Width != 5 || got.Path == first.Path {
					t.Fatalf("host %d: %+v, %v", host, got, err)
				}
				if _, err := b.Fetch(t.Context(), "stranger", s.server.URL+"/a.png"); err == nil {
					t.Error("another account has it")
				}
				for since, ok := range map[time.Time]bool{{}: false, began.Add(-time.Hour): true, began.Add(time.Minute): false} {
					if _, err := s.other(t, store).Refetch(t.Context(), "account", s.server.URL+"/a.png", since); (err == nil) != ok {
						t.Errorf("asked anew since %s: %v", since, err)
					}
				}
			}
			s.wait(72 * time.Hour)
			if _, err := s.other(t, store).Fetch(t.Context(), "account", s.server.URL+"/a.png"); err == nil {
				t.Error("used after three days")
			}
		})
	}
}

func TestCache_Shared_damaged(t *testing.T) {
	dir := t.TempDir()
	store := openStore(t, (&url.URL{Scheme: "file", Path: dir}).String())
	s := newSite(t, commands.Media{}, func(c *assets.Config) { c.Shared = store })
	s.serve("/a.png", pngOf(5, 4))
	if _, err := s.fetch("/a.png"); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "sources", "*", "files", "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("stored %v, %v", files, err)
	}
	if err := os.WriteFile(files[0], pngOf(9, 9), 0o600); err != nil {
		t.Fatal(err)
	}
	asked := s.hits.Load()
	got, err := s.other(t, store).Fetch(t.Context(), "account", s.server.URL+"/a.png")
	if err != nil || got.Facts.Width != 5 || s.hits.Load() != asked+1 {
		t.Errorf("%+v, %v, asked %d times", got, err, s.hits.Load()-asked)
	}
}

// TestCache_SweepShared: the store is bounded, and forgets.
func TestCache_SweepShared(t *testing.T) {
	store := openStore(t, (&url.URL{Scheme: "file", Path: t.TempDir()}).String())
	keys := func() int {
		t.Helper()
		all, err := store.List(t.Context(), "sources/")
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	s := newSite(t, commands.Media{}, func(c *assets.Config) { c.Shared, c.MaxTotal = store, int64(len(pngOf(5, 4))+len(pngOf(6, 4))) })
	for path, size := range map[string]int{"/a.png": 5, "/b.png": 6, "/c.png": 7} {
		s.serve(path, pngOf(size, 4))
	}
	sweep := func(after time.Duration) {
		t.Helper()
		if err := s.SweepShared(t.Context(), time.Now().Add(after)); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{"/a.png", "/b.png"} {
		if _, err := s.fetch(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		after time.Duration
		left  int
	}{{0, 4}, {71 * time.Hour, 4}, {73 * time.Hour, 2}, {145 * time.Hour, 0}} {
		if sweep(step.after); keys() != step.left {
			t.Errorf("after %s %d files, want %d", step.after, keys(), step.left)
		}
	}
	other := s.other(t, store) // the first has no room for a third
	for _, path := range []string{"/a.png", "/b.png", "/c.png"} {
		if _, err := other.Refetch(t.Context(), "account", s.server.URL+path, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
	if sweep(0); keys() >= 6 {
		t.Errorf("%d files over the bound", keys())
	}
	if err := s.Forget("stranger"); err != nil || keys() == 0 {
		t.Errorf("forgetting another account: %v, left %d", err, keys())
	}
	if err := s.Forget("account"); err != nil || keys() != 0 {
		t.Errorf("forgetting: %v, left %d", err, keys())
	}
}

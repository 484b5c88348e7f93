package assets_test

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"moviola/adapters/assets"
	"moviola/commands"
	"moviola/domain"
)

// files are the paths below the site's folders that fit a pattern.
func (s *site) files(pattern string) []string {
	s.t.Helper()
	found, err := filepath.Glob(filepath.Join(s.dir, "*", pattern))
	if err != nil {
		s.t.Fatal(err)
	}
	return found
}

// A server that knows times only is asked for changes since then, once the download is no longer recent.
func TestCache_Fetch_lastModified(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	changed := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	width, sent, asked := 3, 0, 0
	s.mux.HandleFunc("/a.png", func(w http.ResponseWriter, r *http.Request) {
		since := r.Header.Get("If-Modified-Since")
		if since != "" {
			asked++
		}
		now := changed.Format(http.TimeFormat)
		if since == now {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		sent++
		w.Header().Set("Last-Modified", now)
		_, _ = w.Write(pngOf(width, 2))
	})
	for i, step := range []struct {
		later       time.Duration
		width       int
		sent, asked int
	}{{0, 3, 1, 0}, {0, 3, 1, 1}, {time.Second, 7, 2, 2}, {0, 7, 2, 3}} {
		changed, width = changed.Add(step.later), step.width
		s.wait(73 * time.Hour)
		got, err := s.fetch("/a.png")
		if err != nil || got.Facts.Width != step.width || sent != step.sent || asked != step.asked {
			t.Errorf("step %d: %+v, %v; sent %d, asked %d times", i, got.Facts, err, sent, asked)
		}
	}
}

// TestCache_Fetch_sparesTheOrigin: a download of the account is used for the time to live, whatever becomes of its server. Use does not prolong it, another
// account has to ask, and what asks for a fresh one renews it. Failures are not kept. Decision 51.
func TestCache_Fetch_sparesTheOrigin(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	status, width := http.StatusNotFound, 3
	s.mux.HandleFunc("/a.png", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		if status == http.StatusOK {
			_, _ = w.Write(pngOf(width, 2))
		}
	})
	const day = 24 * time.Hour
	ask := map[string]func() (commands.Asset, error){
		"fetch": func() (commands.Asset, error) { return s.fetch("/a.png") },
		"refetch": func() (commands.Asset, error) {
			return s.Refetch(t.Context(), "account", s.server.URL+"/a.png", time.Time{})
		},
		"other": func() (commands.Asset, error) { return s.Fetch(t.Context(), "another", s.server.URL+"/a.png") },
	}
	for i, step := range []struct {
		later  time.Duration
		how    string
		status int // of the server from now on
		serves int // the width of the picture that it has
		want   int // the width that comes; 0: a failure
		hits   int64
	}{
		{0, "fetch", 404, 0, 0, 1},
		{0, "fetch", 200, 3, 3, 2}, // the failure was not kept
		{0, "fetch", 404, 0, 3, 2},
		{0, "other", 404, 0, 0, 3},
		{2 * day, "fetch", 404, 0, 3, 3},
		{day - time.Minute, "fetch", 404, 0, 3, 3},
		{time.Minute, "fetch", 404, 0, 0, 4}, // two uses have not made it last longer
		{0, "fetch", 200, 4, 4, 5},
		{2 * day, "refetch", 200, 5, 5, 6},
		{2 * day, "fetch", 404, 0, 5, 6}, // that one counts from the second download
		{0, "refetch", 404, 0, 0, 7},
		{0, "fetch", 404, 0, 5, 7}, // a failed renewal leaves what was there
	} {
		s.wait(step.later)
		status, width = step.status, step.serves
		got, err := ask[step.how]()
		if (err == nil) != (step.want > 0) || got.Facts.Width != step.want || s.hits.Load() != step.hits {
			t.Errorf("step %d: width %d, %v, %d requests; want width %d, %d requests", i, got.Facts.Width, err, s.hits.Load(), step.want, step.hits)
		}
	}
}

// TestCache_Fetch_neverReplaces: the same content under two addresses is one file, which stays the very same file: a program in a sandbox may
// have been let in to this one.
func TestCache_Fetch_neverReplaces(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	s.serve("/a.png", pngOf(3, 2))
	s.serve("/b.png", pngOf(3, 2))
	first, err := s.fetch("/a.png")
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(first.Path)
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.fetch("/b.png")
	if err != nil || second.Path != first.Path {
		t.Fatalf("%s and %s, %v", first.Path, second.Path, err)
	}
	if after, err := os.Stat(first.Path); err != nil || !os.SameFile(before, after) {
		t.Errorf("the file is another one: %v", err)
	}
	if err := os.Truncate(first.Path, 5); err != nil { // damage
		t.Fatal(err)
	}
	if _, err := s.Refetch(t.Context(), "account", s.server.URL+"/a.png", time.Time{}); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(first.Path); err != nil || after.Size() != before.Size() {
		t.Errorf("a damaged file stays: %v, %v", after, err)
	}
	s.requireNothingUnfinished()
}

// TestCache_Fetch_refused: what the guard refuses is not tried again; a name that cannot be resolved is.
func TestCache_Fetch_refused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err   error
		tries int64
	}{{refusedError{}, 1}, {&net.DNSError{Err: "no such host", IsNotFound: true}, 3}, {&net.DNSError{Err: "i/o timeout", IsTimeout: true}, 3}} {
		var tries atomic.Int64
		s := newSite(t, commands.Media{}, func(c *assets.Config) {
			c.Client = &http.Client{Transport: roundTrip(func(*http.Request) (*http.Response, error) {
				tries.Add(1)
				return nil, tt.err
			})}
		})
		_, err := s.fetch("/a.png")
		s.requireError(err, "Failed to download 'HOST/a.png' (no connection)")
		if tries.Load() != tt.tries {
			t.Errorf("%v: %d tries, want %d", tt.err, tries.Load(), tt.tries)
		}
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// refusedError is the guard's refusal, as far as this package knows it.
type refusedError struct{}

func (refusedError) Error() string { return "the host is not a public address" }
func (refusedError) Refused() bool { return true }

func (refusedError) Reason() string { return "the host is not a public address" }

// One content is stored once per account, by whatever addresses it comes, and never shared with another account.
func TestCache_Fetch_byContent(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	s.serve("/a.png", pngOf(3, 2))
	s.serve("/b.png", pngOf(3, 2))
	paths := map[string]bool{}
	for _, account := range []domain.AccountID{"one", "two"} {
		for _, path := range []string{"/a.png", "/b.png"} {
			got, err := s.Fetch(t.Context(), account, s.server.URL+path)
			if err != nil {
				t.Fatal(err)
			}
			paths[got.Path] = true
		}
	}
	if stored := len(s.files("files/*")) - len(s.files("files/*.json")); len(paths) != 2 || stored != 2 || s.hits.Load() != 4 {
		t.Errorf("%d paths, %d files, %d requests", len(paths), stored, s.hits.Load())
	}
}

// However many ask for one asset at once, it is downloaded once; another account's is its own.
func TestCache_Fetch_once(t *testing.T) {
	t.Parallel()
	const callers = 32
	s := newSite(t, commands.Media{}, nil)
	release := make(chan struct{})
	s.mux.HandleFunc("/a.png", func(w http.ResponseWriter, _ *http.Request) {
		<-release
		_, _ = w.Write(pngOf(5, 5))
	})
	var wg sync.WaitGroup
	for n := range 2 * callers {
		account := domain.AccountID([]string{"one", "two"}[n%2])
		wg.Go(func() {
			if got, err := s.Fetch(t.Context(), account, s.server.URL+"/a.png"); err != nil || got.Facts.Width != 5 {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
	waitFor(t, func() bool { return s.Waiting() == 2*callers })
	close(release)
	wg.Wait()
	if hits := s.hits.Load(); hits != 2 {
		t.Errorf("%d requests, want one for each account", hits)
	}
}

// What is not used is kept for the time to live and no longer; asking whether it has changed is a use.
func TestCache_Sweep_timeToLive(t *testing.T) {
	t.Parallel()
	const ttl = 72 * time.Hour
	s := newSite(t, commands.Media{}, nil) // the default
	s.mux.HandleFunc("/a.png", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"same"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(pngOf(3, 2)))
	})
	fetch := func() commands.Asset {
		t.Helper()
		got, err := s.fetch("/a.png")
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	there := func(a commands.Asset) bool {
		_, err := os.Stat(a.Path)
		return err == nil
	}
	a := fetch()
	longAgo := time.Now().Add(-ttl)
	if err := os.Chtimes(a.Path+".json", longAgo, longAgo); err != nil {
		t.Fatal(err)
	}
	fetch()
	for _, step := range []struct {
		after time.Duration
		kept  bool
	}{{ttl - time.Minute, true}, {ttl + time.Minute, false}, {2*ttl + time.Minute, false}} {
		if err := s.Sweep(t.Context(), time.Now().Add(step.after)); err != nil {
			t.Fatal(err)
		}
		if there(a) != step.kept {
			t.Errorf("after %v it is there: %v", step.after, there(a))
		}
	}
	if left := len(s.files("files/*")) + len(s.files("visits/*")); left != 0 {
		t.Errorf("%d files are left", left)
	}
	if again := fetch(); !there(again) || again.Hash != a.Hash {
		t.Error("it cannot be fetched again")
	}
}

// killedSite and killedDir tell the process that TestCache_killed starts, and kills, what to fetch into which folder.
const killedSite, killedDir = "MOVIOLA_TEST_ASSET_SITE", "MOVIOLA_TEST_ASSET_DIR"

// TestCache_killed kills a process amid a download: it leaves nothing.
func TestCache_killed(t *testing.T) {
	t.Parallel()
	if address := os.Getenv(killedSite); address != "" {
		cache, err := assets.New(assets.Config{Client: http.DefaultClient, Dir: os.Getenv(killedDir), Prober: prober{}})
		if err == nil {
			_, err = cache.Fetch(t.Context(), "account", address)
		}
		t.Fatalf("not killed: %v", err)
	}
	s := newSite(t, commands.Media{}, nil)
	content := append(pngOf(3, 2), make([]byte, 1<<20)...)
	var whole atomic.Bool
	s.mux.HandleFunc("/a.png", func(w http.ResponseWriter, r *http.Request) {
		if whole.Load() {
			_, _ = w.Write(content)
			return
		}
		_, _ = w.Write(content[:1<<19])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	process := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCache_killed$")
	process.Env = append(os.Environ(), killedSite+"="+s.server.URL+"/a.png", killedDir+"="+s.dir)
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	waitFor(t, func() bool { return isWriting(process.Process.Pid, s.dir) })
	if err := process.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	var killed *exec.ExitError
	if err := process.Wait(); !errors.As(err, &killed) {
		t.Fatalf("the process ended with %v", err)
	}
	whole.Store(true)
	got, err := s.fetch("/a.png")
	if err != nil {
		t.Fatal(err)
	}
	if stored, err := os.ReadFile(got.Path); err != nil || !bytes.Equal(stored, content) || len(s.files("files/.*"))+len(s.files("files/*")) != 2 {
		t.Errorf("%d bytes of %d (%v); left are %v %v", len(stored), len(content), err, s.files("files/.*"), s.files("files/*"))
	}
}

// isWriting says whether a process has a file open below a folder with something in it, whether it has a name or not.
func isWriting(pid int, dir string) bool {
	open, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, path := range open {
		to, err := os.Readlink(path)
		if err != nil || !strings.HasPrefix(to, dir) {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			return true
		}
	}
	return false
}

// What is kept for one account is forgotten, and fetched anew when it is asked for again; the others keep theirs.
func TestCache_Forget(t *testing.T) {
	t.Parallel()
	s := newSite(t, commands.Media{}, nil)
	s.serve("/a.png", pngOf(3, 2))
	fetch := func(account domain.AccountID) string {
		t.Helper()
		got, err := s.Fetch(t.Context(), account, s.server.URL+"/a.png")
		if err != nil {
			t.Fatal(err)
		}
		return got.Path
	}
	one, two := fetch("one"), fetch("two")
	for range 2 {
		if err := s.Forget("one"); err != nil {
			t.Fatal(err)
		}
	}
	_, gone := os.Stat(one)
	_, there := os.Stat(two)
	if gone == nil || there != nil || len(s.files("*/*")) != 3 {
		t.Errorf("the one: %v, the other: %v, left are %v", gone, there, s.files("*/*"))
	}
	if again := fetch("one"); again != one {
		t.Errorf("fetched again to %s", again)
	}
}

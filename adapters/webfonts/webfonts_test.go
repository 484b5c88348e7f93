package webfonts_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/sirupsen/logrus"
	logtest "github.com/sirupsen/logrus/hooks/test"

	"moviola/adapters/blobs"
	"moviola/adapters/webfonts"
	"moviola/commands"
	"moviola/domain/blobkey"
	"moviola/domain/document"
)

// google is a stand-in for the font service: family → the styles that it has, as "0,400". It refuses a request for any style that a family
// does not have, as the original does.
type google struct {
	*httptest.Server
	mu       sync.Mutex
	families map[string][]string
	status   int    // 0: as usual
	broken   string // name of a file that is answered with 503
	hangs    chan struct{}
	asked    atomic.Int64 // for style sheets
	sent     atomic.Int64 // files
}

func newGoogle(t *testing.T, families map[string][]string) *google {
	t.Helper()
	g := &google{families: families}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /css2", g.sheet)
	mux.HandleFunc("GET /s/{name}", func(w http.ResponseWriter, r *http.Request) {
		g.sent.Add(1)
		g.mu.Lock()
		broken := g.broken == r.PathValue("name")
		g.mu.Unlock()
		if broken {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, "font:"+r.PathValue("name"))
	})
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close)
	return g
}

func (g *google) set(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
}

func (g *google) sheet(w http.ResponseWriter, r *http.Request) {
	g.asked.Add(1)
	g.mu.Lock()
	status, hangs := g.status, g.hangs
	name, axes, all := strings.Cut(r.URL.Query().Get("family"), ":ital,wght@")
	has := g.families[name]
	g.mu.Unlock()
	if hangs != nil {
		select {
		case <-hangs:
		case <-r.Context().Done():
		}
	}
	if status != 0 {
		w.WriteHeader(status)
		return
	}
	wanted := has[:min(1, len(has))]
	if all {
		wanted = strings.Split(axes, ";")
	}
	var sheet strings.Builder
	for _, style := range wanted {
		italic, weight, _ := strings.Cut(style, ",")
		if !strings.Contains(" "+strings.Join(has, " ")+" ", " "+style+" ") {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		fmt.Fprintf(&sheet, "@font-face {\n font-family: '%s';\n font-style: %s;\n font-weight: %s;\n src: url(/s/%s-%s-%s.ttf) format('truetype');\n unicode-range: U+0000-00FF, U+0131;\n}\n",
			name, map[string]string{"0": "normal", "1": "italic"}[italic], weight, strings.ReplaceAll(name, " ", ""), italic, weight)
	}
	if len(wanted) == 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/css")
	_, _ = io.WriteString(w, sheet.String())
}

// clock is a time that the test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

type world struct {
	google *google
	store  *blobs.Bucket
	clock  *clock
}

func newWorld(t *testing.T, families map[string][]string) *world {
	t.Helper()
	store, err := blobs.Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return &world{google: newGoogle(t, families), store: store, clock: &clock{now: time.Now()}}
}

// host is the service of a host of the installation.
func (w *world) host(t *testing.T, change func(*webfonts.Config)) *webfonts.Service {
	t.Helper()
	log := logrus.New()
	log.SetOutput(io.Discard)
	cfg := webfonts.Config{
		URL: w.google.URL + "/css2", Client: w.google.Client(), Store: w.store, Dir: filepath.Join(t.TempDir(), "fonts"),
		Has: func(family string) bool { return family == "Inter" }, Now: w.clock.Now, Log: log, Patience: time.Minute,
		Unpack: func(data []byte) ([]byte, error) {
			if !strings.HasPrefix(string(data), "font:") {
				return nil, fmt.Errorf("no font")
			}
			return data, nil
		},
	}
	if change != nil {
		change(&cfg)
	}
	s, err := webfonts.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func wish(family string, weight int) document.FontWish {
	return document.FontWish{Family: family, Weight: weight}
}

// styles are what was found, as it can be read: "Lobster 400".
func styles(t *testing.T, found commands.Fonts) (all []string) {
	t.Helper()
	for _, f := range found.Faces {
		name := fmt.Sprintf("%s %d", f.Family, f.Weight)
		if f.Italic {
			name += " italic"
		}
		if content, err := os.ReadFile(f.Path); err != nil || !strings.HasPrefix(string(content), "font:") {
			t.Errorf("%s: %q, %v", name, content, err)
		}
		all = append(all, name)
	}
	for _, name := range found.Unreachable {
		all = append(all, name+" unreachable")
	}
	return all
}

func check(t *testing.T, s *webfonts.Service, what string, want []string, wishes ...document.FontWish) {
	t.Helper()
	if diff := cmp.Diff(want, styles(t, s.Families(t.Context(), wishes, time.Time{}))); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// A family is fetched once, for all movies, processes and hosts, with the styles that are asked for and that it has.
func TestFamilies_OnceForAll(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string][]string{"Lobster Two": {"0,400", "0,700", "1,400"}, "Buda": {"0,300"}})
	first := w.host(t, nil)
	check(t, first, "installed", nil, wish("Inter", 400))
	if w.google.asked.Load() != 0 {
		t.Error("the service was asked for an installed family")
	}
	italic := document.FontWish{Family: "Lobster Two", Weight: 400, Italic: true}
	want := []string{"Lobster Two 400", "Lobster Two 700", "Lobster Two 400 italic"}
	check(t, first, "asked for", want, wish("Lobster Two", 400), wish("Lobster Two", 700), italic)
	asked, sent := w.google.asked.Load(), w.google.sent.Load()
	if asked != 1 || sent != 3 {
		t.Errorf("%d requests and %d files", asked, sent)
	}
	check(t, first, "again", want, wish("lobster two", 700))
	check(t, w.host(t, nil), "on another host", want, wish("Lobster Two", 400))
	if w.google.asked.Load() != asked || w.google.sent.Load() != sent {
		t.Error("it was fetched again")
	}
	check(t, first, "a weight that it does not have", want, wish("Lobster Two", 400), wish("Lobster Two", 900))
	check(t, first, "no regular weight", []string{"Buda 300"}, wish("Buda", 400))
	if got := len(first.Known(func(family string) bool { return family == "Buda" })); got != 1 {
		t.Errorf("%d faces are known to pages", got)
	}
}

// What the service does not know is not asked for again for a day; when it does not answer, the next movie asks again.
func TestFamilies_UnknownAndUnreachable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string][]string{"Karla": {"0,400"}})
	s := w.host(t, nil)
	check(t, s, "unknown", nil, wish("Nobody", 400))
	asked := w.google.asked.Load()
	check(t, w.host(t, nil), "unknown again", nil, wish("Nobody", 400))
	if w.google.asked.Load() != asked {
		t.Error("the service was asked again within a day")
	}
	w.google.set(func() { w.google.families["Nobody"] = []string{"0,400"} })
	w.clock.pass(25 * time.Hour)
	check(t, s, "a day later", []string{"Nobody 400"}, wish("Nobody", 400))

	w.google.set(func() { w.google.status = http.StatusServiceUnavailable })
	check(t, s, "unreachable", []string{"Karla unreachable"}, wish("Karla", 400))
	check(t, s, "what is kept needs no service", []string{"Nobody 400"}, wish("Nobody", 400))
	w.google.set(func() { w.google.status = 0 })
	check(t, s, "reachable", []string{"Karla 400"}, wish("Karla", 400))
}

// A movie that has waited in vain does not wait again, unless it comes to its render much later; the next movie does.
func TestFamilies_Silent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string][]string{"Karla": {"0,400"}})
	s := w.host(t, nil)
	began := w.clock.Now()
	w.clock.pass(time.Second)
	w.google.set(func() { w.google.status = http.StatusServiceUnavailable })
	check(t, s, "at first", []string{"Karla unreachable"}, wish("Karla", 400))
	w.google.set(func() { w.google.status = 0 })
	asked := w.google.asked.Load()
	again := func(what string, since time.Time, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, styles(t, s.Families(t.Context(), []document.FontWish{wish("Karla", 400)}, since))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
	again("the same movie", began, "Karla unreachable")
	if w.google.asked.Load() != asked {
		t.Error("the service was asked again for one movie")
	}
	w.clock.pass(time.Hour)
	again("the same movie, much later", began, "Karla 400")
}

// roundTrip is a transport made of a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestFamilies_GivenUp: a movie that waits for a family together with another one gets it, even if the other one is cancelled.
func TestFamilies_GivenUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string][]string{"Karla": {"0,400"}})
	var asked atomic.Int64
	s := w.host(t, func(c *webfonts.Config) {
		c.Client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			if asked.Add(1) == 1 {
				<-r.Context().Done()
				return nil, context.Cause(r.Context())
			}
			answer := httptest.NewRecorder()
			w.google.Config.Handler.ServeHTTP(answer, r)
			return answer.Result(), nil
		})}
	})
	synctest.Test(t, func(t *testing.T) { // the store stays outside: its goroutines are real
		ctx, cancel := context.WithCancel(t.Context())
		found := make(chan commands.Fonts, 1)
		go s.Families(ctx, []document.FontWish{wish("Karla", 400)}, time.Time{})
		synctest.Wait()
		go func() { found <- s.Families(t.Context(), []document.FontWish{wish("Karla", 400)}, time.Time{}) }()
		synctest.Wait()
		cancel()
		if diff := cmp.Diff([]string{"Karla 400"}, styles(t, <-found)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// Kept says whether anybody would be asked.
func TestKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string][]string{"Karla": {"0,400"}})
	s := w.host(t, nil)
	kept := func(what string, want bool, wishes ...document.FontWish) {
		t.Helper()
		if got := s.Kept(t.Context(), wishes); got != want {
			t.Errorf("%s: %v", what, got)
		}
	}
	kept("nothing", true)
	kept("a shipped family", true, wish("Inter", 400))
	kept("one that was never asked for", false, wish("Karla", 400))
	check(t, s, "fetched", []string{"Karla 400"}, wish("Karla", 400))
	kept("one that is there", true, wish("Inter", 400), wish("Karla", 400))
	kept("another weight", false, wish("Karla", 700))
	check(t, s, "unknown", nil, wish("Nobody", 400))
	kept("what nobody has", true, wish("Nobody", 400))
	w.clock.pass(25 * time.Hour)
	kept("what nobody had yesterday", false, wish("Nobody", 400))
	kept("with the service off", true)
	s = w.host(t, func(c *webfonts.Config) { c.URL = "" })
	kept("with the service off", true, wish("Karla", 700))
}

func TestReachable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string][]string{"Karla": {"0,400"}})
	ask := func() error { return webfonts.Reachable(t.Context(), w.google.Client(), w.google.URL+"/css2") }
	if err := ask(); err != nil {
		t.Errorf("a service without Roboto: %v", err)
	}
	w.google.set(func() { w.google.status = http.StatusServiceUnavailable })
	if err := ask(); err == nil {
		t.Error("a service that answers 503 is reachable")
	}
}

// A service that does not answer is waited for once, however many families a movie names.
func TestFamilies_Patience(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string][]string{"A": {"0,400"}, "B": {"0,400"}})
	hangs := make(chan struct{})
	t.Cleanup(func() { close(hangs) })
	w.google.set(func() { w.google.hangs = hangs })
	s := w.host(t, func(c *webfonts.Config) { c.Patience = time.Millisecond })
	check(t, s, "hanging", []string{"A unreachable", "B unreachable"}, wish("A", 400), wish("B", 400))
}

func TestFamilies_Off(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string][]string{"Karla": {"0,400"}})
	s := w.host(t, func(c *webfonts.Config) { c.URL = "" })
	check(t, s, "off", nil, wish("Karla", 400))
	check(t, w.host(t, nil), "on", []string{"Karla 400"}, wish("Karla", 400))
	check(t, s, "off, but kept", []string{"Karla 400"}, wish("Karla", 400))
	for _, address := range []string{"ftp://x.test", "fonts"} {
		if _, err := webfonts.New(webfonts.Config{URL: address, Client: http.DefaultClient, Store: w.store, Dir: t.TempDir(),
			Has: func(string) bool { return false }, Unpack: func(d []byte) ([]byte, error) { return d, nil }, Log: logrus.New()}); err == nil {
			t.Errorf("%q is taken", address)
		}
	}
}

// A file that is no font is not kept, nor believed.
func TestFamilies_BadFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string][]string{"Karla": {"0,400"}})
	s := w.host(t, func(c *webfonts.Config) {
		c.Unpack = func([]byte) ([]byte, error) { return nil, fmt.Errorf("damaged") }
	})
	check(t, s, "damaged", []string{"Karla unreachable"}, wish("Karla", 400))
	if n := count(t, w.store, blobkey.Fonts.Prefix()); n != 0 {
		t.Errorf("%d files are kept", n)
	}
}

// A style whose font cannot be downloaded is logged, and is asked for again: not by the next movie, but some minutes later. The other
// styles of its family are not fetched again.
func TestFamilies_FileFails(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string][]string{"Karla": {"0,400", "0,700"}})
	log, lines := logtest.NewNullLogger()
	s := w.host(t, func(c *webfonts.Config) { c.Log = log })
	wishes := []document.FontWish{wish("Karla", 700), wish("Karla", 400)}
	fetched := func(what string, files int64, logged int, want ...string) {
		t.Helper()
		sent := w.google.sent.Load()
		lines.Reset()
		check(t, s, what, want, wishes...)
		if got := w.google.sent.Load() - sent; got != files || len(lines.AllEntries()) != logged {
			t.Errorf("%s: %d files were requested, want %d; log: %v", what, got, files, lines.AllEntries())
		}
	}
	w.google.set(func() { w.google.broken = "Karla-0-700.ttf" })
	fetched("at first", 2, 1, "Karla 400")
	fetched("the next movie", 0, 0, "Karla 400")
	if !s.Kept(t.Context(), wishes) {
		t.Error("the next movie would wait")
	}
	w.clock.pass(5 * time.Minute)
	if s.Kept(t.Context(), wishes) {
		t.Error("later: the style is not asked for again")
	}
	fetched("later, it still fails", 1, 1, "Karla 400")
	fetched("the next movie again", 0, 0, "Karla 400")
	w.google.set(func() { w.google.broken = "" })
	w.clock.pass(5 * time.Minute)
	fetched("it can be downloaded", 1, 0, "Karla 400", "Karla 700")
	w.clock.pass(5 * time.Minute)
	fetched("all is there", 0, 0, "Karla 400", "Karla 700")
}

func count(t *testing.T, store *blobs.Bucket, prefix string) (n int) {
	t.Helper()
	if err := store.Walk(context.Background(), prefix, func(string, time.Time) error { n++; return nil }); err != nil {
		t.Fatal(err)
	}
	return n
}

// Beyond the room for fonts those go that were not used for longest, on every host.
func TestSweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string][]string{"Old": {"0,400"}, "New": {"0,400"}})
	s := w.host(t, func(c *webfonts.Config) { c.MaxBytes = 20 })
	check(t, s, "old", []string{"Old 400"}, wish("Old", 400))
	w.clock.pass(48 * time.Hour)
	check(t, s, "new", []string{"New 400"}, wish("New", 400))
	if err := s.Sweep(t.Context(), w.clock.Now()); err != nil {
		t.Fatal(err)
	}
	if n := count(t, w.store, blobkey.Fonts.Prefix()); n != 2 { // the family and its file
		t.Errorf("%d files are left", n)
	}
	sent := w.google.sent.Load()
	check(t, s, "new", []string{"New 400"}, wish("New", 400))
	check(t, s, "old", []string{"Old 400"}, wish("Old", 400))
	if got := w.google.sent.Load() - sent; got != 1 {
		t.Errorf("%d files were fetched again, want the old one", got)
	}
}

// away is a storage of which records of font families cannot be read.
type away struct{ *blobs.Bucket }

func (a away) Open(ctx context.Context, key string) (commands.File, error) {
	if strings.HasPrefix(key, blobkey.FontFamilies()) {
		return nil, errors.New("the storage does not answer")
	}
	return a.Bucket.Open(ctx, key)
}

// A failure of the storage removes nothing; a damaged record is removed.
func TestSweep_damage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string][]string{"Old": {"0,400"}})
	check(t, w.host(t, nil), "old", []string{"Old 400"}, wish("Old", 400))
	w.clock.pass(48 * time.Hour)
	s := w.host(t, func(c *webfonts.Config) { c.Store = away{w.store} })
	if err := s.Sweep(t.Context(), w.clock.Now()); err == nil {
		t.Error("the failure is not reported")
	}
	if n := count(t, w.store, blobkey.Fonts.Prefix()); n != 2 { // the family and its file
		t.Errorf("after the failure %d files are left", n)
	}
	damaged := blobkey.FontFamilies() + "damaged"
	if err := w.store.Put(t.Context(), damaged, strings.NewReader("{")); err != nil {
		t.Fatal(err)
	}
	if err := w.host(t, nil).Sweep(t.Context(), w.clock.Now()); err != nil {
		t.Error(err)
	}
	if _, err := w.store.Open(t.Context(), damaged); !errors.Is(err, commands.ErrFileNotFound) {
		t.Errorf("the damaged record: %v", err)
	}
}

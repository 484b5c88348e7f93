package watch_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"moviola/tests/disk"
	"moviola/tests/harness"
)

// variable is the environment variable that asks for the run.
const variable = "MOVIOLA_WATCH"

func TestMain(m *testing.M) {
	code := m.Run()
	harness.RemoveBinaries()
	os.Exit(code)
}

type (
	object = map[string]any
	list   = []any
)

// member is a process of the installation.
type member struct {
	name, ops string
	flags     []string
	process   *harness.Process
}

// world is an installation in roles, its event store, what its clients do, and the Prometheus that watches it.
type world struct {
	t        *testing.T
	service  *harness.Service
	store    *harness.Process
	disk     *disk.Disk // disk of the event store
	addr     string     // address of the event store
	members  map[string]*member
	client   *harness.Client
	assets   *harness.Assets
	receiver *harness.Receiver
	refusing *httptest.Server // answers every webhook with 500
	watcher  *prometheus
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, addr: harness.FreeAddr(t), disk: disk.New(t, 256), assets: harness.NewAssets(t),
		receiver: harness.NewReceiver(t), members: map[string]*member{}}
	w.refusing = httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, _ *http.Request) {
		out.WriteHeader(http.StatusInternalServerError)
	}))
	t.Cleanup(w.refusing.Close)
	w.startStore()
	flags := []string{"--eventstore", "esdb://" + w.addr + "?tls=false", "--claim-timeout", "4s", "--retry-limit", "1s",
		"--anchor-to", t.TempDir(), "--otlp", w.refusing.URL}
	for _, host := range []string{w.assets.Host, w.receiver.Host, w.refusing.Listener.Addr().String()} {
		flags = append(flags, "--allow-host", host)
	}
	w.service = harness.NewService(t, flags...)
	targets := map[string]string{}
	for name, roles := range map[string]string{"api": "api", "reader": "projector", "keeper": "keeper,deliverer",
		"renderer": "renderer"} {
		m := &member{name: name, ops: harness.FreeAddr(t), flags: []string{"--roles", roles}}
		w.members[name], targets[name] = m, m.ops
		w.start(name)
	}
	w.service.WaitReady()
	w.client = w.service.NewAccount("watched", 10_000_000)
	w.watcher = startPrometheus(t, targets)
	return w
}

func (w *world) startStore() {
	w.store = harness.StartEventStore(w.t, filepath.Join(w.disk.Path, "events"), w.addr)
}

// start starts a process of the installation, with flags besides its own.
func (w *world) start(name string, more ...string) {
	w.t.Helper()
	m := w.members[name]
	flags := slices.Concat(m.flags, []string{"--ops-listen", m.ops}, more)
	if name == "api" {
		w.service.LaunchAPI(flags...)
		m.process = w.service.API
		return
	}
	m.process = w.service.StartProcess(name, flags...)
}

// again ends a process and starts it with other flags.
func (w *world) again(name string, more ...string) {
	w.t.Helper()
	w.members[name].process.Kill()
	w.start(name, more...)
}

// movie is one of several kinds of small movies, which tell a receiver of their end.
func (w *world) movie(n int, receiver string) object {
	scene := object{"duration": 1, "background-color": fmt.Sprintf("#%06x", n*7919%0xffffff)}
	switch n % 4 {
	case 1:
		scene["elements"] = list{object{"type": "text", "text": fmt.Sprint("Movie ", n)}}
	case 2:
		scene["elements"] = list{object{"type": "image", "src": w.assets.URL + "/picture.png"}}
	case 3:
		scene["elements"] = list{object{"type": "html", "html": fmt.Sprint("<p>page ", n)}}
	}
	return object{
		"resolution": "custom", "width": 128, "height": 72, "scenes": list{scene},
		"exports": list{object{"destinations": list{object{"type": "webhook", "endpoint": receiver}}}},
	}
}

// send posts a body, and says whether it was accepted.
func (w *world) send(path string, body any) bool {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err)
	}
	answer, ok := w.client.Try(http.MethodPost, path, text)
	return ok && answer.Status == http.StatusOK
}

// mostOpen is how many movies of the load are under way at most: a machine that is busy with something else makes fewer.
const mostOpen = 4

// clients is how many clients work at once: a request may take 12 seconds while the event store is away.
const clients = 6

// load lets clients submit movies and ask for their list, until the returned function is called. They submit none while mostOpen
// movies
// are under way.
func (w *world) load() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	for c := range clients {
		done.Go(func() {
			tick := time.NewTicker(clients * 500 * time.Millisecond)
			defer tick.Stop()
			for n := c; ; n += clients {
				select {
				case <-ctx.Done():
					return
				case <-tick.C:
				}
				if w.underway() < mostOpen {
					w.send("/movies", w.movie(n, w.receiver.URL))
				}
			}
		})
	}
	return func() {
		cancel()
		done.Wait()
	}
}

// underway counts the movies of the newest page that have not ended; 0 while the list does not answer, so that submissions go on.
func (w *world) underway() (n int) {
	answer, ok := w.client.Try(http.MethodGet, "/movies", nil)
	if !ok || answer.Status != http.StatusOK {
		return 0
	}
	var page harness.List
	answer.Into(w.t, &page)
	for _, movie := range page.Movies {
		if movie.Status == "pending" || movie.Status == "running" {
			n++
		}
	}
	return n
}

// fault makes alerts fire; mend takes it back.
type fault struct {
	name     string
	alerts   []string
	do, mend func(*world)
}

func nothing(*world) {}

var faults = []fault{
	{"the renderer is away", []string{"MoviolaDown", "MoviolaMoviesWait"},
		func(w *world) { w.members["renderer"].process.Kill() }, func(w *world) { w.start("renderer") }},
	{"the event store's disk is full", []string{"MoviolaAppendsFail"},
		func(w *world) { w.disk.Fill(0) }, func(w *world) { w.disk.MakeRoom() }},
	{"the event store is away", []string{"MoviolaPartAway", "MoviolaSubmissionsFail", "MoviolaSubmissionsFailSlowly",
		"MoviolaAnswersFail"},
		func(w *world) { w.store.Kill() }, (*world).startStore},
	{"nobody projects", []string{"MoviolaListsBehind"},
		func(w *world) { w.members["reader"].process.Kill() }, func(w *world) { w.start("reader") }},
	{"nobody keeps", []string{"MoviolaQueueUnknown"},
		func(w *world) { w.members["keeper"].process.Kill() }, func(w *world) { w.start("keeper") }},
	{"clients send movies that cannot be made", []string{"MoviolaRendersFail"}, func(w *world) {
		for n := range 60 {
			movie := w.movie(n, w.receiver.URL)
			movie["scenes"] = list{object{"duration": 1, "elements": list{object{"type": "image", "src": w.assets.URL + "/no-such.png"}}}}
			w.send("/movies", movie)
		}
	}, nothing},
	{"a receiver refuses", []string{"MoviolaDeliveriesFail"}, func(w *world) {
		for n := range 40 {
			w.send("/movies", w.movie(4*n, w.refusing.URL))
		}
	}, nothing},
	{"a place of anchors refuses", []string{"MoviolaAnchorsOverdue"},
		func(w *world) { w.again("keeper", "--anchor-to", w.refusing.URL) }, func(w *world) { w.again("keeper") }},
	{"the disk is full", []string{"MoviolaDiskLow"},
		func(w *world) { w.again("api", "--disk-reserve", "100000TB") }, func(w *world) { w.again("api") }},
	{"an account has as many files as it may", []string{"MoviolaStorageRefuses"}, func(w *world) {
		w.again("api", "--account-files", "1")
		harness.Eventually(w.t, "an upload is refused", func() bool {
			w.send("/media/file", object{"name": "a.png", "contentType": "image/png", "size": 10})
			answer, ok := w.client.Try(http.MethodPost, "/media/file", []byte(`{"name":"b.png","contentType":"image/png","size":10}`))
			return ok && answer.Status == http.StatusForbidden
		})
	}, func(w *world) { w.again("api") }},
}

// TestWatch breaks the installation in every way that an alert tells of, sees the alert fire, mends it and sees the alert clear,
// under
// load. At the end every panel of the dashboard has had data.
func TestWatch(t *testing.T) {
	if os.Getenv(variable) == "" {
		t.Skip("it runs for fifteen minutes: make test-alerts")
	}
	w := newWorld(t)
	stop := w.load()
	defer stop()
	w.clears("before any fault", alerts(t))
	seen := map[string]bool{}
	for _, f := range slices.Concat(faults, []fault{damagedDocument(), newerVersion(t)}) {
		began := time.Now()
		f.do(w)
		w.fires(f)
		fired := time.Since(began)
		f.mend(w)
		w.clears("after "+f.name, f.alerts)
		t.Logf("%s: %v fired within %.0f s, cleared %.0f s later", f.name, f.alerts, fired.Seconds(),
			(time.Since(began) - fired).Seconds())
		for _, a := range f.alerts {
			seen[a] = true
		}
	}
	for _, a := range alerts(t) {
		if !seen[a] {
			t.Errorf("no fault is there for %s", a)
		}
	}
	for _, p := range panels(t) {
		if n := w.watcher.points(p.expr); n == 0 {
			t.Errorf("panel %q: its query has no data: %s", p.title, p.expr)
		} else {
			t.Logf("panel %q: %d samples", p.title, n)
		}
	}
}

// wait is how long an alert may take: an hour of the rules, twice, and what a busy machine adds.
const wait = 8 * time.Minute

// until asks once a second until something holds.
func (w *world) until(what string, holds func(firing map[string]bool) bool) {
	w.t.Helper()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for end := time.Now().Add(wait); time.Now().Before(end); <-tick.C {
		if holds(w.watcher.firing()) {
			return
		}
	}
	w.t.Fatalf("not within %v: %s; these fire: %v", wait, what, w.watcher.firing())
}

// fires waits until each alert of a fault has fired, which need not be at one time.
func (w *world) fires(f fault) {
	w.t.Helper()
	missing := slices.Clone(f.alerts)
	w.until(fmt.Sprintf("%s: %v fire", f.name, f.alerts), func(firing map[string]bool) bool {
		missing = slices.DeleteFunc(missing, func(a string) bool { return firing[a] })
		return len(missing) == 0
	})
}

func (w *world) clears(when string, names []string) {
	w.t.Helper()
	w.until(fmt.Sprintf("%s: none of %v fires", when, names), func(firing map[string]bool) bool {
		return !slices.ContainsFunc(names, func(a string) bool { return firing[a] })
	})
}

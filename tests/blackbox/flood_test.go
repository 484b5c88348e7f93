package blackbox_test

import (
	"fmt"
	"image/color"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"moviola/tests/harness"
)

// newSilent starts a server that begins each answer with a text and never ends it while the test runs, and tells of each request.
func newSilent(t *testing.T, begin string) (server *httptest.Server, asked <-chan struct{}) {
	t.Helper()
	requests, open := make(chan struct{}, 1000), make(chan struct{})
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if begin != "" {
			_, _ = w.Write([]byte(begin))
			_ = http.NewResponseController(w).Flush()
		}
		requests <- struct{}{}
		select {
		case <-open:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(open) })
	return server, requests
}

// TestFlood_Deliveries: fifty movies of one account with twenty destinations each that never answer keep another account's webhook waiting for
// none of them.
func TestFlood_Deliveries(t *testing.T) {
	t.Parallel()
	silent, asked := newSilent(t, "")
	receiver := harness.NewReceiver(t)
	const slots, share = 64, 4 // a sixteenth is one account's
	service := harness.NewService(t, "--allow-host", strings.TrimPrefix(silent.URL, "http://"), "--allow-host", receiver.Host,
		"--webhook-timeout", "10m", "--deliver-slots", fmt.Sprint(slots))
	service.StartAPI()
	flood, other := service.NewAccount("flood", 600), service.NewAccount("other", 600)
	var hanging list
	for i := range 20 {
		hanging = append(hanging, object{"type": "webhook", "endpoint": fmt.Sprintf("%s/%d", silent.URL, i)})
	}
	movie := func(destinations list) object {
		return object{"scenes": list{object{"duration": 0.2}}, "exports": list{object{"destinations": destinations}}}
	}
	first := flood.Submit(movie(hanging))
	for range 49 {
		flood.Submit(movie(hanging))
	}
	for range share {
		harness.Receive(t, "a destination is asked that does not answer", asked)
	}
	done := other.Submit(movie(list{object{"type": "webhook", "endpoint": receiver.URL + "/done"}}))
	harness.Eventually(t, "the other account's webhook has come", func() bool { return len(receiver.Hits()) == 1 })
	harness.Eventually(t, "its result is known", func() bool { return len(other.Get(done).Movie.DestinationsResult) == 1 })
	if got := flood.Get(first).Movie.DestinationsResult; len(got) != 0 || len(asked) != 0 {
		t.Errorf("of the flood %d destinations have ended and %d more were asked than its share", len(got), len(asked))
	}
}

// TestFlood_LongMovie: behind a movie of thirty minutes in 3840 × 2160 that has the only slot another account's small movie is rendered when the
// window under way has ended; the long one goes on after that, with what it has.
func TestFlood_LongMovie(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t, "--render-slots", "1")
	service.StartAPI()
	flood, other := service.NewAccount("flood", 4000), service.NewAccount("other", 600)
	var scenes list
	for i := range 900 {
		scenes = append(scenes, object{"duration": 2, "background-color": fmt.Sprintf("#%06x", 4096*i)})
	}
	long := flood.Submit(object{"resolution": "custom", "width": 3840, "height": 2160, "scenes": scenes})
	flood.WaitFor(long, "running")
	small := other.Submit(plainMovie)
	other.WaitFor(small, "done")
	got := strings.Fields(history(t, flood, long))
	if len(got) < 3 || strings.Join(got[:3], " ") != "MovieSubmitted RenderStarted RenderReleased" || got[len(got)-1] == "RenderFinished" {
		t.Errorf("the long movie: %s", got)
	}
	if got := history(t, other, small); got != "MovieSubmitted RenderStarted RenderFinished" {
		t.Errorf("the small movie: %s", got)
	}
	harness.Eventually(t, "the long movie goes on", func() bool { return strings.HasSuffix(history(t, flood, long), "RenderReleased RenderStarted") })
}

// TestFlood_HangingPages: behind a movie of 24 pages whose server never ends its answers another account's small movie is rendered while they hang.
func TestFlood_HangingPages(t *testing.T) {
	t.Parallel()
	silent, asked := newSilent(t, "<p>")
	service := harness.NewService(t, "--render-slots", "1", "--allow-host", strings.TrimPrefix(silent.URL, "http://"))
	service.StartAPI()
	flood, other := service.NewAccount("flood", 600), service.NewAccount("other", 600)
	var pages list
	for i := range 24 {
		pages = append(pages, object{"type": "html", "src": fmt.Sprintf("%s/%d", silent.URL, i), "cache": i%2 == 0})
	}
	slow := flood.Submit(object{"resolution": "custom", "width": 64, "height": 64, "scenes": list{object{"duration": 1, "elements": pages}}})
	harness.Receive(t, "a page is asked for", asked)
	small := other.Submit(plainMovie)
	other.WaitFor(small, "done")
	got := strings.Fields(history(t, flood, slow))
	if len(got) < 3 || strings.Join(got[:3], " ") != "MovieSubmitted RenderStarted RenderReleased" || got[len(got)-1] == "RenderFinished" {
		t.Errorf("the movie of pages: %s", got)
	}
	if got := history(t, other, small); got != "MovieSubmitted RenderStarted RenderFinished" {
		t.Errorf("the small movie: %s", got)
	}
}

// TestKilledWhileFetching kills the service while the body of a source is on its way: the movie is made after that, is charged once, and nothing
// is left of the download.
func TestKilledWhileFetching(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	harness.WritePNG(t, filepath.Join(dir, "a.png"), 640, 640, color.Gray{Y: 200}, color.Gray{Y: 100})
	picture, err := os.ReadFile(filepath.Join(dir, "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	picture = append(picture, make([]byte, 100_000)...) // more than its beginning is written before it is cut off
	asked, open := make(chan struct{}, 100), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(picture)))
		_, _ = w.Write(picture[:len(picture)-1])
		_ = http.NewResponseController(w).Flush()
		asked <- struct{}{}
		select {
		case <-open:
			_, _ = w.Write(picture[len(picture)-1:])
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(slow.Close)
	letGo := sync.OnceFunc(func() { close(open) })
	t.Cleanup(letGo)
	service, log := embedded(t, "--allow-host", strings.TrimPrefix(slow.URL, "http://"), "--claim-timeout", "1h")
	account, client := service.OpenAccount("fetcher", 600)
	project := client.Submit(object{"resolution": "custom", "width": 64, "height": 64, "scenes": list{
		object{"duration": 1, "elements": list{object{"type": "image", "src": slow.URL + "/a.png", "duration": 1}}},
	}})
	harness.Receive(t, "the source is on its way", asked)
	service.API.Kill()
	letGo()
	service.StartAPI()
	client.WaitFor(project, "done")
	harness.Eventually(t, "the movie is charged", func() bool { return log.Count("ledger-" + account)["CreditsCharged"] == 1 })
	want := "MovieSubmitted SourcesFetchStarted SourcesFetchStarted SourcesFetched RenderStarted RenderFinished"
	if got := history(t, client, project); got != want {
		t.Errorf("events %s, want %s", got, want)
	}
	if got := log.Count("ledger-" + account)["CreditsCharged"]; got != 1 {
		t.Errorf("charged %d times", got)
	}
	var files []string
	err = filepath.WalkDir(filepath.Join(service.Data, "work", "assets"), func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && filepath.Base(filepath.Dir(path)) == "files" && filepath.Ext(path) != ".json" {
			files = append(files, filepath.Base(path))
		}
		return err
	})
	if err != nil || len(files) != 1 {
		t.Errorf("left are %s (%v)", files, err)
	}
}

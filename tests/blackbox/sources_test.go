package blackbox_test

import (
	"encoding/json"
	"fmt"
	"image/color"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"moviola/tests/harness"
	"moviola/tests/harness/servers"
)

// dam serves pictures whose bodies end only when it is opened.
type dam struct {
	*httptest.Server
	asked chan string
	open  chan struct{}
	once  sync.Once
}

func newDam(t *testing.T) *dam {
	t.Helper()
	dir := t.TempDir()
	harness.WritePNG(t, filepath.Join(dir, "a.png"), 64, 64, color.Gray{Y: 200}, color.Gray{Y: 100})
	d := &dam{asked: make(chan string, 1000), open: make(chan struct{})}
	files := http.FileServer(http.Dir(dir))
	d.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case d.asked <- r.URL.RawQuery:
		default:
		}
		select {
		case <-d.open:
		case <-r.Context().Done():
			return
		}
		files.ServeHTTP(w, r)
	}))
	t.Cleanup(d.Close)
	t.Cleanup(d.release)
	return d
}

func (d *dam) release() { d.once.Do(func() { close(d.open) }) }

// movie shows pictures that the dam holds back.
func (d *dam) movie(name string, pictures int) object {
	var elements []any
	for i := range pictures {
		elements = append(elements, object{"type": "image", "src": fmt.Sprintf("%s/a.png?%s-%d", d.URL, name, i), "duration": 1})
	}
	return object{"resolution": "custom", "width": 64, "height": 64, "scenes": []any{object{"duration": 1, "elements": elements}}}
}

var plainMovie = object{"resolution": "custom", "width": 64, "height": 64, "scenes": []any{object{"duration": 1, "background-color": "#123456"}}}

// TestSources_HoldNoSlot: with one render slot, fifty movies of one account wait for their sources, and another account's movie is rendered
// meanwhile; so is one of the first account that needs no sources. Decision 54.
func TestSources_HoldNoSlot(t *testing.T) {
	t.Parallel()
	d := newDam(t)
	service := harness.NewService(t, "--allow-host", strings.TrimPrefix(d.URL, "http://"), "--render-slots", "1")
	service.StartAPI()
	flood, other := service.NewAccount("flood", 600), service.NewAccount("other", 600)
	var held []string
	for i := range 50 {
		held = append(held, flood.Submit(d.movie(fmt.Sprint(i), 24)))
	}
	harness.Receive(t, "a source is asked for", d.asked)
	other.WaitFor(other.Submit(plainMovie), "done")
	flood.WaitFor(flood.Submit(plainMovie), "done")
	if got := flood.Get(held[0]).Movie; got.Status != "pending" {
		t.Errorf("a movie that waits for its sources is %s", got.Status)
	}
	d.release()
	first := flood.WaitFor(held[0], "done")
	if !first.Success {
		t.Errorf("the movie ended with %+v", first)
	}
	want := "MovieSubmitted SourcesFetchStarted SourcesFetched RenderStarted RenderFinished"
	if got := history(t, flood, held[0]); got != want {
		t.Errorf("events %s, want %s", got, want)
	}
}

// TestSources_OfPreloads: ten items that wait for their sources hold no place of another account's item.
func TestSources_OfPreloads(t *testing.T) {
	t.Parallel()
	d := newDam(t)
	service := harness.NewService(t, "--allow-host", strings.TrimPrefix(d.URL, "http://"), "--preload-slots", "2")
	service.StartAPI()
	flood, other := service.NewAccount("flood", 600), service.NewAccount("other", 600)
	var items []any
	for i := range 10 {
		items = append(items, object{"id": fmt.Sprint(i), "type": "image", "src": fmt.Sprintf("%s/a.png?%d", d.URL, i)})
	}
	held := preload(t, flood, items)
	harness.Receive(t, "a source is asked for", d.asked)
	waitForBatch(t, other, preload(t, other, []any{object{"id": "said", "type": "voice", "text": "Hello"}}))
	d.release()
	waitForBatch(t, flood, held)
}

// preload asks for a batch.
func preload(t *testing.T, client *harness.Client, items []any) (id string) {
	t.Helper()
	body, err := json.Marshal(object{"preload": items})
	if err != nil {
		t.Fatal(err)
	}
	var batch struct {
		ID string `json:"preload_id"`
	}
	client.Do("POST", "/preloads", body).Into(t, &batch)
	return batch.ID
}

func waitForBatch(t *testing.T, client *harness.Client, id string) {
	t.Helper()
	harness.Eventually(t, "batch "+id+" is done", func() bool {
		var batch struct {
			Status string `json:"status"`
			Items  []struct {
				Status string `json:"status"`
			} `json:"items"`
		}
		client.Do("GET", "/preloads/"+id, nil).Into(t, &batch)
		if batch.Status != "done" {
			return false
		}
		for _, item := range batch.Items {
			if item.Status != "ready" {
				t.Errorf("an item of %s is %s", id, item.Status)
			}
		}
		return true
	})
}

// history names the events of a movie, in order.
func history(t *testing.T, client *harness.Client, project string) string {
	t.Helper()
	var answer struct {
		Events []struct {
			Type string `json:"type"`
		} `json:"events"`
	}
	client.Do("GET", "/movies/events?project="+project, nil).Into(t, &answer)
	var names []string
	for _, event := range answer.Events {
		names = append(names, event.Type)
	}
	return strings.Join(names, " ")
}

// TestSources_OnAnotherHost: what one host has downloaded renders on another that shares nothing with it but the log and the storage of files, with
// the origin down; an identical movie needs no network there. Decision 51.
func TestSources_OnAnotherHost(t *testing.T) {
	t.Parallel()
	blobs, environment := servers.StartS3Bucket(t)
	environment = append(environment, "MOVIOLA_SECRET=0123456789abcdef0123456789abcdef")
	o := newOrigin(t)
	addr := harness.FreeAddr(t)
	harness.StartEventStore(t, filepath.Join(t.TempDir(), "events"), addr)
	flags := []string{"--eventstore", "esdb://" + addr + "?tls=false", "--blobs", blobs, "--allow-host", strings.TrimPrefix(o.URL, "http://")}
	one := harness.NewService(t, flags...)
	one.Environment = environment
	one.StartAPI()
	client := one.NewAccount("origin", 600)
	movie := func(background string) object {
		return object{"resolution": "custom", "width": 64, "height": 64, "scenes": []any{object{
			"duration": 1, "background-color": background, "elements": []any{
				object{"type": "image", "src": o.URL + "/image.png", "duration": 1},
				object{"type": "video", "src": o.URL + "/video.mp4", "duration": 1},
			},
		}}}
	}
	client.WaitFor(client.Submit(movie("#000000")), "done")
	one.API.Terminate()
	o.down.Store(true)
	asked := o.asked.Load()
	two := harness.NewService(t, flags...)
	two.Environment = environment
	two.StartAPI()
	client = two.Client(client.Key)
	client.WaitFor(client.Submit(movie("#ffffff")), "done")
	client.WaitFor(client.Submit(movie("#000000")), "done")
	if got := o.asked.Load(); got != asked {
		t.Errorf("the origin was asked %d times", got-asked)
	}
}

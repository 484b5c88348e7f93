package blackbox_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"moviola/tests/harness"
)

// TestDelivery sends one movie to receivers that behave badly, in order, and reads the results.
func TestDelivery(t *testing.T) {
	t.Parallel()
	var tries atomic.Int32
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		tries.Add(1)
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(broken.Close)
	form, forbidden := harness.NewReceiver(t), harness.NewReceiver(t)
	service := harness.NewService(t, "--allow-host", strings.TrimPrefix(broken.URL, "http://"), "--allow-host", form.Host)
	service.StartAPI()
	client := service.NewAccount("delivery", 600)

	hook := func(address, contentType string) object {
		d := object{"type": "webhook", "endpoint": address + "/hook?secret=hush"}
		if contentType != "" {
			d["content-type"] = contentType
		}
		return d
	}
	begin := time.Now()
	project := client.Submit(object{"id": "deliver-1", "scenes": list{object{"duration": 1}}, "exports": list{object{"destinations": list{
		hook(broken.URL, ""), hook(form.URL, "application/x-www-form-urlencoded"), hook(forbidden.URL, ""),
	}}}})
	var results []map[string]any
	harness.Eventually(t, "three destinations have their result", func() bool {
		results = client.Get(project).Movie.DestinationsResult
		return len(results) == 3
	})

	want := []struct {
		status   string
		http     float64
		attempts float64
	}{{"error", 503, 3}, {"ok", 200, 1}, {"error", 0, 1}}
	for i, w := range want {
		r := results[i]
		if r["index"] != float64(i) || r["type"] != "webhook" || r["status"] != w.status || r["http_status"] != w.http || r["attempts"] != w.attempts {
			t.Errorf("result %d: %v, want %+v", i, r, w)
		}
		if message, _ := r["message"].(string); strings.Contains(message, "hush") || strings.Contains(message, "hook") {
			t.Errorf("result %d tells the path: %q", i, message)
		}
	}
	if tries.Load() != 3 || time.Since(begin) < 4*time.Second {
		t.Errorf("%d tries after %v, want 3 with pauses of 1 s and 3 s", tries.Load(), time.Since(begin))
	}
	if len(forbidden.Hits()) != 0 {
		t.Error("a loopback address was called that is not allowed")
	}
	if len(form.Hits()) != 1 {
		t.Fatalf("%d form deliveries", len(form.Hits()))
	}
	fields, err := url.ParseQuery(string(form.Hits()[0].Body))
	if err != nil || fields.Get("success") != "true" || fields.Get("project") != project || fields.Get("id") != "deliver-1" || fields.Get("client-data") != "{}" {
		t.Errorf("form body: %v, %v", fields, err)
	}
}

// TestTimeout lets a movie run out of time, because its picture is held back: its status is timeout, the render goes on, its late success
// is done and free.
func TestTimeout(t *testing.T) {
	t.Parallel()
	picture, held := writtenPNG(t), make(chan struct{})
	assets := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		<-held
		http.ServeFile(w, r, picture)
	}))
	t.Cleanup(assets.Close)
	release := sync.OnceFunc(func() { close(held) })
	t.Cleanup(release)
	receiver := harness.NewReceiver(t)
	service := harness.NewService(t, "--allow-host", strings.TrimPrefix(assets.URL, "http://"), "--allow-host", receiver.Host, "--render-timeout", "2s")
	service.StartAPI()
	client := service.NewAccount("timeout", 600)
	project := client.Submit(object{
		// The address of the picture is not known before a voice has been heard: it is not fetched before the render, which it holds up.
		"scenes": list{object{"duration": 1, "elements": list{
			object{"type": "voice", "id": "said", "text": "a", "muted": true}, object{"type": "image", "src": assets.URL + "/picture.png?{{said_duration}}"},
		}}},
		"exports": list{object{"destinations": list{object{"type": "webhook", "endpoint": receiver.URL + "/late"}}}},
	})

	out := client.WaitFor(project, "timeout")
	release()
	if out.Success || out.Message != "Movie took too long to render" || out.URL != nil {
		t.Errorf("timed out: %+v", out)
	}
	// Whether the render succeeds late or is stopped at twice the limit, there is one webhook, and nothing is charged.
	harness.Eventually(t, "the webhook of the real end has come", func() bool { return len(receiver.Hits()) == 1 })
	end := client.Get(project)
	body := string(receiver.Hits()[0].Body)
	switch {
	case end.Movie.Status == "done" && end.Movie.URL != nil && strings.Contains(body, `"success":true`):
	case end.Movie.Status == "timeout" && end.Movie.URL == nil && strings.Contains(body, `"success":false`):
	default:
		t.Errorf("in the end %+v, webhook %s", end.Movie, body)
	}
	settled(t, client, 600, 0)
}

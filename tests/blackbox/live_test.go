package blackbox_test

import (
	"crypto/hmac"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"moviola/domain/connection"
	"moviola/tests/harness"
)

// news is one live event at a receiver.
type news struct {
	path   string
	header http.Header
	body   []byte
}

// TestLive: saved webhooks that list events are told them beside what destinations send: signed, without `success`, once, and by the
// guarded road only.
func TestLive(t *testing.T) {
	t.Parallel()
	arrived := make(chan news, 64)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			arrived <- news{r.URL.Path, r.Header, body}
		}
	}))
	t.Cleanup(receiver.Close)
	forbidden := harness.NewReceiver(t)
	service := harness.NewService(t, "--allow-host", strings.TrimPrefix(receiver.URL, "http://"))
	service.StartAPI()
	client, stranger := service.NewAccount("live", 600), service.NewAccount("stranger", 600)
	save := func(c *harness.Client, connection string) (secret string) {
		t.Helper()
		answer := c.Do(http.MethodPost, "/connections", []byte(connection))
		var saved struct{ Secret string }
		answer.Into(t, &saved)
		if answer.Status != http.StatusOK {
			t.Fatalf("%d %s", answer.Status, answer.Body)
		}
		return saved.Secret
	}
	secret := save(client, fmt.Sprintf(`{"id":"a","type":"webhook","endpoint":"%s/live","signed":true,"events":["render.started","batch.finished"]}`, receiver.URL))
	save(client, fmt.Sprintf(`{"id":"b","type":"webhook","endpoint":"%s/plain"}`, receiver.URL))
	save(client, fmt.Sprintf(`{"id":"c","type":"webhook","endpoint":"%s/hook","events":["render.started"]}`, forbidden.URL))
	save(stranger, fmt.Sprintf(`{"id":"a","type":"webhook","endpoint":"%s/stranger","events":["render.started","render.progress","batch.finished"]}`, receiver.URL))

	template := client.SaveTemplate(`{"name":"card","movie":{"resolution":"custom","width":64,"height":64,"id":"mine","variables":{"s":1},
		"scenes":[{"duration":"{{s}}"}],"exports":[{"destinations":[{"type":"webhook","id":"b"}]}]}}`)
	answer := client.Do(http.MethodPost, "/batches", fmt.Appendf(nil, `{"template":%q,"rows":[{"s":1},{"s":2},{"s":"many"}]}`, template))
	var started struct{ Batch string }
	answer.Into(t, &started)
	if answer.Status != http.StatusOK {
		t.Fatalf("%d %s", answer.Status, answer.Body)
	}

	projects, got := map[string]bool{}, map[string]int{}
	var ids []string
	for range 5 { // two starts, the end of the batch, and what the destinations of two movies send
		n := harness.Receive(t, "the next event", arrived)
		var body map[string]any
		if err := json.Unmarshal(n.body, &body); err != nil {
			t.Fatalf("%s: %v", n.body, err)
		}
		name, _ := body["event"].(string)
		got[n.path+" "+name]++
		if n.path == "/plain" {
			continue
		}
		if _, has := body["success"]; has {
			t.Errorf("a live event says success: %s", n.body)
		}
		ids = append(ids, n.header.Get("webhook-id"))
		checkSignature(t, n, secret)
		switch name {
		case "render.started":
			projects[body["project"].(string)] = true
			if body["id"] != "mine" {
				t.Errorf("body %s", n.body)
			}
		case "batch.finished":
			if body["batch"] != started.Batch || body["template"] != template || body["movies"] != 2.0 || body["invalid"] != 1.0 || body["cancelled"] != false {
				t.Errorf("body %s", n.body)
			}
			if now := client.Do(http.MethodGet, "/batches/"+started.Batch, nil); !strings.Contains(string(now.Body), `"status":"done"`) {
				t.Errorf("told that it is finished: %s", now.Body)
			}
			late := client.Do(http.MethodPost, "/batches/cancel?id="+started.Batch, nil)
			if late.Status != http.StatusConflict || !strings.Contains(string(late.Body), `"code":"batch_already_finished"`) {
				t.Errorf("cancelled after its end: %d %s", late.Status, late.Body)
			}
		}
	}
	want := map[string]int{"/live render.started": 2, "/live batch.finished": 1, "/plain ": 2}
	if fmt.Sprint(got) != fmt.Sprint(want) || len(projects) != 2 {
		t.Errorf("arrived %v of %v, want %v", got, projects, want)
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) != 3 {
		t.Errorf("ids of messages %q", ids)
	}
	for project := range projects {
		var results []map[string]any
		harness.Eventually(t, "the destination has its result", func() bool {
			results = client.Get(project).Movie.DestinationsResult
			return len(results) > 0
		})
		if len(results) != 1 || results[0]["id"] != "b" {
			t.Errorf("live events among the destinations: %v", results)
		}
	}
	if hits := forbidden.Hits(); len(hits) != 0 {
		t.Errorf("a loopback address was called that is not allowed: %s", hits[0].Body)
	}
	if len(arrived) != 0 {
		t.Errorf("more arrived: %s", (<-arrived).body)
	}
}

// checkSignature verifies a message as a receiver would.
func checkSignature(t *testing.T, n news, secret string) {
	t.Helper()
	at, err := strconv.ParseInt(n.header.Get("webhook-timestamp"), 10, 64)
	if err != nil {
		t.Fatalf("time of a message: %v", err)
	}
	want := connection.Sign([]string{secret}, n.header.Get("webhook-id"), time.Unix(at, 0), n.body)
	if !hmac.Equal([]byte(want), []byte(n.header.Get("webhook-signature"))) {
		t.Errorf("signed %q, want %q", n.header.Get("webhook-signature"), want)
	}
}

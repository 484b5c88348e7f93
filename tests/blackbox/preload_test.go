package blackbox_test

import (
	"encoding/json"
	"testing"

	"moviola/tests/harness"
)

// TestPreload_charged has a provider make pictures for preloads: what was made is paid for, what failed or was made before is given back.
// Decision 38.
func TestPreload_charged(t *testing.T) {
	t.Parallel()
	provider := harness.NewProvider(t)
	service := harness.NewService(t, "--allow-host", provider.Host, "--image-url", provider.URL, "--image-key", harness.ProviderKey)
	service.StartAPI()
	client := service.NewAccount("painter", 30)
	prepare := func(items ...object) (statuses []string) {
		t.Helper()
		body, err := json.Marshal(object{"preload": items})
		if err != nil {
			t.Fatal(err)
		}
		var requested struct {
			ID string `json:"preload_id"`
		}
		client.Do("POST", "/preloads", body).Into(t, &requested)
		var batch struct {
			Status string
			Items  []struct{ Status string }
		}
		harness.Eventually(t, "the batch is done", func() bool {
			client.Do("GET", "/preloads/"+requested.ID, nil).Into(t, &batch)
			return batch.Status == "done"
		})
		for _, item := range batch.Items {
			statuses = append(statuses, item.Status)
		}
		return statuses
	}
	picture := func(id, prompt string) object { return object{"id": id, "type": "image", "prompt": prompt} }
	if got := prepare(picture("a", "a hill"), picture("b", harness.ForbiddenPrompt), object{"id": "c", "type": "voice", "text": "free"}); got[0] != "ready" || got[1] != "error" || got[2] != "ready" {
		t.Errorf("items %v", got)
	}
	settled(t, client, 30, 10)
	if got := prepare(picture("again", "a hill")); got[0] != "ready" {
		t.Errorf("items %v", got)
	}
	settled(t, client, 30, 10) // from the cache
	body := []byte(`{"preload":[{"id":"a","type":"image","prompt":"1"},{"id":"b","type":"image","prompt":"2"},{"id":"c","type":"image","prompt":"3"}]}`)
	if answer := client.Do("POST", "/preloads", body); answer.Status != 402 {
		t.Errorf("more than is there: %d %s", answer.Status, answer.Body)
	}
	settled(t, client, 30, 10)
}

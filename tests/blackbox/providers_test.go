package blackbox_test

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/tests/harness"
)

// TestSavedProvider has one saved connection speak a movie's voices and hear another's sound, on a server without a provider of its own.
// Decision 48.
func TestSavedProvider(t *testing.T) {
	t.Parallel()
	assets, provider := harness.NewAssets(t), harness.NewProvider(t)
	service := harness.NewService(t, "--allow-host", provider.Host, "--allow-host", assets.Host)
	service.StartAPI()
	client, stranger := service.NewAccount("owner", 600), service.NewAccount("stranger", 600)
	saved, err := json.Marshal(object{"id": "studio", "type": "apikey", "url": provider.URL, "key": harness.ProviderKey, "voice": "nova"})
	if err != nil {
		t.Fatal(err)
	}
	if answer := client.Do(http.MethodPost, "/connections", saved); answer.Status != http.StatusOK {
		t.Fatalf("save: %d %s", answer.Status, answer.Body)
	}
	speaking := object{"width": 320, "height": 180, "scenes": list{object{"elements": list{
		object{"type": "voice", "text": "Hello from the provider.", "model": "gpt-4o-mini-tts", "connection": "studio"},
	}}}}
	listening := object{"width": 320, "height": 180, "elements": list{
		object{"type": "audio", "src": assets.URL + "/music.m4a", "duration": 4},
		object{"type": "subtitles", "model": "scribe", "connection": "studio"},
	}}

	said := client.WaitFor(client.Submit(speaking), "done")
	want := []harness.Spoken{{Model: "gpt-4o-mini-tts", Voice: "nova", Input: "Hello from the provider."}}
	if diff := cmp.Diff(want, provider.Spoken()); diff != "" {
		t.Errorf("spoken (-want +got):\n%s", diff)
	}
	path := filepath.Join(t.TempDir(), "said.mp4")
	if err := os.WriteFile(path, client.Download(*said.URL, nil).Body, 0o600); err != nil {
		t.Fatal(err)
	}
	loud := harness.Loudness(t, path)
	if len(loud) < 2 || loud[0] < 0.1 || loud[1] > 0.02 || said.Duration < 2.9 || said.Duration > 3.3 {
		t.Errorf("%v s, loudness %v: the provider's tone, pause, tone is not what is heard", said.Duration, loud)
	}

	heard := client.WaitFor(client.Submit(listening), "done")
	if heard.Ass == nil || !strings.Contains(string(client.Download(*heard.Ass, nil).Body), "Hello") {
		t.Errorf("captions %v", heard.Ass)
	}
	if diff := cmp.Diff([]string{"scribe"}, provider.Listeners()); diff != "" {
		t.Errorf("models that listened (-want +got):\n%s", diff)
	}

	// What is another account's is nobody's. The first movie would be in the cache, were it shared.
	for _, movie := range []object{speaking, listening} {
		failed := stranger.WaitFor(stranger.Submit(movie), "error")
		if !strings.Contains(failed.Message, "Connection studio not found") || failed.ConsumedCredits != 0 {
			t.Errorf("a stranger's movie: %q, %d credits", failed.Message, failed.ConsumedCredits)
		}
	}
	if len(provider.Spoken()) != 1 || len(provider.Listeners()) != 1 {
		t.Errorf("the provider spoke %d times and listened %d times", len(provider.Spoken()), len(provider.Listeners()))
	}
	if strings.Contains(service.API.Output(), harness.ProviderKey) {
		t.Error("the log shows the provider's key")
	}
}

// TestSavedProvider_ElevenLabs saves, tests and uses a connection to a vendor of its own protocol: the captions of a voice stand where the vendor
// says that its words are. Decision 68.
func TestSavedProvider_ElevenLabs(t *testing.T) {
	t.Parallel()
	provider := harness.NewProvider(t)
	service := harness.NewService(t, "--allow-host", provider.Host)
	service.StartAPI()
	client := service.NewAccount("owner", 600)
	saved, err := json.Marshal(object{"id": "eleven", "type": "apikey", "provider": "elevenlabs", "url": provider.URL, "key": harness.ProviderKey})
	if err != nil {
		t.Fatal(err)
	}
	if answer := client.Do(http.MethodPost, "/connections", saved); answer.Status != http.StatusOK {
		t.Fatalf("save: %d %s", answer.Status, answer.Body)
	}
	if answer := client.Do(http.MethodPost, "/connections/test?id=eleven", nil); answer.Status != http.StatusOK || !strings.Contains(string(answer.Body), `"success":true`) {
		t.Errorf("test: %d %s", answer.Status, answer.Body)
	}
	if answer := client.Do(http.MethodGet, "/connections?id=eleven", nil); !strings.Contains(string(answer.Body), `"provider":"elevenlabs"`) {
		t.Errorf("shown: %d %s", answer.Status, answer.Body)
	}
	said := client.WaitFor(client.Submit(object{"width": 320, "height": 180, "elements": list{object{"type": "subtitles"}}, "scenes": list{object{"elements": list{
		object{"type": "voice", "text": "Hi ho", "model": "elevenlabs", "voice": "21m00Tcm4TlvDq8ikWAM", "connection": "eleven"},
	}}}}), "done")
	want := []harness.Spoken{{Model: "eleven_multilingual_v2", Voice: "21m00Tcm4TlvDq8ikWAM", Input: "Hi ho"}}
	if diff := cmp.Diff(want, provider.Spoken()); diff != "" {
		t.Errorf("spoken (-want +got):\n%s", diff)
	}
	if said.Duration < 2.4 || said.Duration > 2.7 || said.Ass == nil || !strings.Contains(string(client.Download(*said.Ass, nil).Body), "0:00:01.5") {
		t.Errorf("%v s, captions %v", said.Duration, said.Ass)
	}
	drawn := client.WaitFor(client.Submit(object{"width": 320, "height": 180, "scenes": list{object{"elements": list{
		object{"type": "image", "prompt": "a cat", "duration": 1, "connection": "eleven"},
	}}}}), "error")
	if !strings.Contains(drawn.Message, "only speaks (provider elevenlabs)") {
		t.Errorf("an image of a speaker: %q", drawn.Message)
	}
	if strings.Contains(service.API.Output(), harness.ProviderKey) {
		t.Error("the log shows the provider's key")
	}
}

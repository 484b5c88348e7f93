package blackbox_test

import (
	"image"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/tests/harness"
)

func promptMovie(prompt string, more object) object {
	element := object{"type": "image", "prompt": prompt, "resize": "cover"}
	for name, value := range more {
		element[name] = value
	}
	return object{"width": 640, "height": 360, "scenes": list{object{"duration": 1, "elements": list{element}}}}
}

// TestImages_ofPrompts has a provider make the pictures of movies. Decision 48; movie-schema §4.1.
func TestImages_ofPrompts(t *testing.T) {
	t.Parallel()
	provider := harness.NewProvider(t)
	service := harness.NewService(t, "--allow-host", provider.Host, "--image-url", provider.URL, "--image-key", harness.ProviderKey)
	service.StartAPI()
	client := service.NewAccount("painter", 600)

	done := client.WaitFor(client.Submit(promptMovie("a red and a blue half", nil)), "done")
	path := filepath.Join(t.TempDir(), "movie.mp4")
	if err := os.WriteFile(path, client.Download(*done.URL, nil).Body, 0o600); err != nil {
		t.Fatal(err)
	}
	frame := harness.Frame(t, path, 0.5)
	checkColor(t, "left half", frame, image.Rect(40, 40, 280, 320), harness.PictureLeft)
	checkColor(t, "right half", frame, image.Rect(360, 40, 600, 320), harness.PictureRight)

	// The same again, in another movie, is not made again; without the cache it is.
	client.WaitFor(client.Submit(promptMovie("a red and a blue half", object{"flip-horizontal": true})), "done")
	client.WaitFor(client.Submit(promptMovie("a red and a blue half", object{"cache": false})), "done")
	failed := client.WaitFor(client.Submit(promptMovie(harness.ForbiddenPrompt, nil)), "error")
	want := "Scene #1, element #1: The image provider at " + provider.Host + " refused the request with status 400; change the prompt, " +
		"or check the provider's model and 'model-settings'"
	if diff := cmp.Diff(want, failed.Message); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a red and a blue half", "a red and a blue half"}, provider.Prompts()); diff != "" {
		t.Errorf("pictures made (-want +got):\n%s", diff)
	}
	if strings.Contains(service.API.Output(), harness.ProviderKey) {
		t.Error("the log shows the provider's key")
	}
}

// Without a provider the movie fails, and says so.
func TestImages_withoutProvider(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t)
	service.StartAPI()
	client := service.NewAccount("painter", 600)
	failed := client.WaitFor(client.Submit(promptMovie("a cat", nil)), "error")
	want := "Scene #1, element #1: Images of a 'prompt' need an image provider, and none is configured; set one, or use the 'src' of an image"
	if diff := cmp.Diff(want, failed.Message); diff != "" || failed.ConsumedCredits != 0 {
		t.Errorf("%d credits, message (-want +got):\n%s", failed.ConsumedCredits, diff)
	}
}

package blackbox_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"moviola/tests/harness"
)

// TestMissingMade: a voice or a generated picture whose file has gone is told by check, and made again for the next movie that has it. A file that
// no note names is told too; a repair removes it, and the note of what has gone.
func TestMissingMade(t *testing.T) {
	t.Parallel()
	provider := harness.NewProvider(t)
	service := harness.NewService(t, "--allow-host", provider.Host, "--speech-url", provider.URL, "--speech-key", harness.ProviderKey,
		"--image-url", provider.URL, "--image-key", harness.ProviderKey)
	service.StartAPI()
	client := service.NewAccount("maker", 600)
	movie := func(background string) object {
		return object{"resolution": "custom", "width": 64, "height": 64, "scenes": list{object{"background-color": background, "elements": list{
			object{"type": "voice", "text": "Hello.", "model": "gpt-4o-mini-tts", "voice": "nova"},
			object{"type": "image", "prompt": "a hill", "width": 32},
		}}}}
	}
	made := func(want int) {
		t.Helper()
		if spoken, drawn := len(provider.Spoken()), len(provider.Prompts()); spoken != want || drawn != want {
			t.Errorf("the provider spoke %d times and drew %d times, want %d", spoken, drawn, want)
		}
	}
	client.WaitFor(client.Submit(movie("#000000")), "done")
	client.WaitFor(client.Submit(movie("#111111")), "done")
	made(1)
	checked(t, service.Data, 0, "--quick")
	var notes, strays []string
	old := time.Now().Add(-48 * time.Hour)
	for _, shelf := range []string{"speech", "images"} {
		note, file := onShelf(t, service.Data, shelf)
		stray := filepath.Join(filepath.Dir(file), "stray")
		notes, strays = append(notes, note), append(strays, stray)
		if err := errors.Join(os.Remove(file), os.WriteFile(stray, []byte("x"), 0o600), os.Chtimes(stray, old, old)); err != nil {
			t.Fatal(err)
		}
	}
	out := checked(t, service.Data, 1, "--quick")
	for _, want := range []string{
		"missing   voice in the cache: " + notes[0], "missing   generated picture in the cache: " + notes[1],
		"orphaned  voice in the cache: " + strays[0], "orphaned  generated picture in the cache: " + strays[1],
	} {
		if !strings.Contains(out, want) {
			t.Errorf("check did not say %q:\n%s", want, out)
		}
	}
	client.WaitFor(client.Submit(movie("#222222")), "done")
	made(2)
	if out := checked(t, service.Data, 1, "--quick"); !strings.Contains(out, ": 2 findings") || strings.Contains(out, "missing") {
		t.Errorf("when both were made again check said %s", out)
	}
	checked(t, service.Data, 0, "--quick", "--repair")
	for _, stray := range strays {
		if _, err := os.Stat(stray); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is left: %v", stray, err)
		}
	}
	client.WaitFor(client.Submit(movie("#333333")), "done")
	made(2)
}

// onShelf is the only thing that was made of a kind, and its note.
func onShelf(t *testing.T, data, shelf string) (note, file string) {
	t.Helper()
	for _, path := range filesBelow(t, filepath.Join(data, "work", shelf)) {
		switch {
		case filepath.Ext(path) == ".json" && note == "":
			note = path
		case filepath.Ext(path) != ".json" && file == "":
			file = path
		default:
			t.Fatalf("one file too many in %s: %s", shelf, path)
		}
	}
	if note == "" || file == "" {
		t.Fatalf("on the shelf of %s: note %q, file %q", shelf, note, file)
	}
	return note, file
}

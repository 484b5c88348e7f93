package blackbox_test

import (
	"bytes"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// TestTranscription makes captions of what a provider hears in the movie's sound. Decision 48; movie-schema §4.8.
func TestTranscription(t *testing.T) {
	t.Parallel()
	assets, provider := harness.NewAssets(t), harness.NewProvider(t)
	service := harness.NewService(t, "--allow-host", provider.Host, "--allow-host", assets.Host,
		"--transcription-url", provider.URL, "--transcription-key", harness.ProviderKey)
	service.StartAPI()
	client := service.NewAccount("listener", 600)
	movie := object{"width": 640, "height": 360, "elements": list{
		object{"type": "audio", "src": assets.URL + "/music.m4a", "duration": 4},
		object{"type": "subtitles", "settings": object{"style": "classic-one-word"}},
	}}
	done := client.WaitFor(client.Submit(movie), "done")
	if done.Ass == nil {
		t.Fatal("there are no captions")
	}
	captions := string(client.Download(*done.Ass, nil).Body)
	for _, want := range []string{"0:00:00.20,0:00:01.00,Line,,0,0,0,fx,{\\rNow}Hello", "Dialogue: 0,0:00:01.00,", "{\\rNow}there."} {
		if !strings.Contains(captions, want) {
			t.Errorf("%q is not in the captions:\n%s", want, captions)
		}
	}
	// Packed for speech: 48 kbit/s are 24 kB for these 4 seconds. And heard once, however often the movie is made.
	movie["height"] = 300
	client.WaitFor(client.Submit(movie), "done")
	sounds := provider.Sounds()
	if len(sounds) != 1 || len(sounds[0]) > 60_000 || !bytes.Contains(sounds[0][:16], []byte("ftyp")) {
		t.Errorf("%d sounds were sent, the first of %d bytes", len(sounds), len(sounds[0]))
	}
}

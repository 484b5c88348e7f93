package blackbox_test

import (
	"bytes"
	"encoding/json"
	"image/gif"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"moviola/tests/harness"
	"moviola/tests/harness/servers"
)

// outputsMovie asks for three outputs that can be made, and one that nobody knows.
func outputsMovie(id string, ftp servers.FileServer, webhook string) object {
	return object{
		"id": id, "width": 320, "height": 180, "scenes": list{object{"duration": 2, "background-color": "#C02020"}},
		"exports": list{object{
			"format": list{"gif", "hologram", "hls", "wav"},
			"destinations": list{
				object{"type": "ftp", "host": ftp.Host, "port": ftp.Port, "username": ftp.Username, "password": ftp.Password, "format": "gif"},
				object{"type": "ftp", "host": ftp.Host, "port": ftp.Port, "username": ftp.Username, "password": ftp.Password, "format": "hologram"},
				object{"type": "webhook", "endpoint": webhook},
			},
		}},
	}
}

// TestOutputs: outputs are made, told of, served, sent, copied for an equal movie, and deleted with the movie; what cannot be made
// leaves the movie as it is. Decision 61.
func TestOutputs(t *testing.T) {
	t.Parallel()
	ftp, receiver := servers.StartFTP(t, nil), harness.NewReceiver(t)
	flags := []string{"--allow-host", receiver.Host}
	for _, address := range ftp.Addresses {
		flags = append(flags, "--allow-host", address)
	}
	service := harness.NewService(t, flags...)
	service.StartAPI()
	client := service.NewAccount("outputs", 600)

	first := client.WaitFor(client.Submit(outputsMovie("first", ftp, receiver.URL)), "done")
	checkOutputs(t, client, first)
	if first.ConsumedCredits != 2 {
		t.Errorf("the movie costs %d credits", first.ConsumedCredits)
	}
	if !slices.ContainsFunc(first.Warnings, func(w string) bool { return strings.Contains(w, "There is no output format 'hologram'") }) {
		t.Errorf("warnings %q", first.Warnings)
	}
	checkSent(t, client, receiver, ftp, first)

	second := client.WaitFor(client.Submit(outputsMovie("second", ftp, receiver.URL)), "done")
	checkOutputs(t, client, second)
	if second.ConsumedCredits != 0 || *second.Outputs[0].URL == *first.Outputs[0].URL {
		t.Errorf("the equal movie costs %d, its outputs: %+v", second.ConsumedCredits, second.Outputs)
	}

	if answer := client.Do(http.MethodDelete, "/movies?project="+first.Project, nil); answer.Status != http.StatusOK {
		t.Fatalf("DELETE: %d %s", answer.Status, answer.Body)
	}
	for _, name := range []string{*first.Outputs[0].URL, *first.Outputs[2].URL, beside(*first.Outputs[2].URL, "video.ts")} {
		if got := client.Download(name, nil); got.Status != http.StatusNotFound {
			t.Errorf("%s after DELETE: %d", name, got.Status)
		}
	}
	var after harness.Movie
	harness.Eventually(t, "the deletion is shown", func() bool {
		after = client.Get(first.Project).Movie
		return after.DeletedAt != nil
	})
	if len(after.Outputs) != 4 || after.Outputs[0].URL != nil || after.Outputs[0].Status != "done" {
		t.Errorf("outputs after DELETE: %+v", after.Outputs)
	}
	checkOutputs(t, client, second)
}

// beside is the address of another file beside one.
func beside(address, name string) string {
	return address[:strings.LastIndexByte(address, '/')+1] + name
}

// checkOutputs downloads what a movie has beside its MP4, and reads it.
func checkOutputs(t *testing.T, client *harness.Client, movie harness.Movie) {
	t.Helper()
	if len(movie.Outputs) != 4 {
		t.Fatalf("outputs %+v", movie.Outputs)
	}
	for i, want := range []string{"gif done", "hologram error", "hls done", "wav done"} {
		o := movie.Outputs[i]
		if got := o.Format + " " + o.Status; got != want || (o.URL == nil) != (o.Status == "error") || (o.Message == "") != (o.Status == "done") {
			t.Errorf("output %d: %+v, want %s", i, o, want)
		}
	}
	got := client.Download(*movie.Outputs[0].URL, nil)
	pictures, err := gif.DecodeAll(bytes.NewReader(got.Body))
	if err != nil || got.Header.Get("Content-Type") != "image/gif" || len(pictures.Image) < 2 || int64(len(got.Body)) != *movie.Outputs[0].Size {
		t.Fatalf("GIF: %v, %d %v", err, got.Status, got.Header)
	}
	if r, g, _, _ := pictures.Image[0].At(160, 90).RGBA(); r>>8 < 180 || g>>8 > 45 {
		t.Errorf("the GIF shows %d %d", r>>8, g>>8)
	}
	playlist := *movie.Outputs[2].URL
	dir := t.TempDir()
	for name, kind := range map[string]string{"index.m3u8": "application/vnd.apple.mpegurl", "video.ts": "video/mp2t"} {
		got := client.Download(beside(playlist, name), nil)
		if got.Status != http.StatusOK || got.Header.Get("Content-Type") != kind {
			t.Errorf("%s: %d %v", name, got.Status, got.Header)
		}
		if err := os.WriteFile(filepath.Join(dir, name), got.Body, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if part := client.Download(beside(playlist, "video.ts"), map[string]string{"Range": "bytes=0-187"}); part.Status != http.StatusPartialContent || len(part.Body) != 188 {
		t.Errorf("a part of the HLS file: %d, %d bytes", part.Status, len(part.Body))
	}
	if seen := harness.Mean(harness.Frame(t, filepath.Join(dir, "index.m3u8"), 1), pictures.Image[0].Bounds()); seen.R < 180 || seen.G > 45 {
		t.Errorf("HLS shows %v", seen)
	}
	for _, name := range []string{"movie.webm", "..%2f" + movie.Project + ".mp4"} {
		if got := client.Download(beside(playlist, name), nil); got.Status != http.StatusNotFound {
			t.Errorf("%s: %d", name, got.Status)
		}
	}
}

// checkSent: the GIF was sent by FTP, what was not made was not, and the webhook tells of all.
func checkSent(t *testing.T, client *harness.Client, receiver *harness.Receiver, ftp servers.FileServer, movie harness.Movie) {
	t.Helper()
	harness.Eventually(t, "every destination has its result", func() bool {
		movie = client.Get(movie.Project).Movie
		return len(movie.DestinationsResult) == 3
	})
	for i, want := range []string{"ok", "error", "ok"} {
		if movie.DestinationsResult[i]["status"] != want {
			t.Errorf("destination %d: %v", i, movie.DestinationsResult[i])
		}
	}
	sent, err := filepath.Glob(filepath.Join(ftp.Folder, "*.gif"))
	if err != nil || len(sent) != 1 {
		t.Fatalf("sent: %v %v", sent, err)
	}
	body, err := os.ReadFile(sent[0])
	if made := client.Download(*movie.Outputs[0].URL, nil).Body; err != nil || !bytes.Equal(body, made) {
		t.Errorf("the GIF that was sent differs: %v", err)
	}
	var payload struct {
		Outputs []harness.Output `json:"outputs"`
	}
	if err := json.Unmarshal(receiver.Hits()[0].Body, &payload); err != nil || len(payload.Outputs) != 4 || *payload.Outputs[0].URL != *movie.Outputs[0].URL {
		t.Errorf("webhook: %v %s", err, receiver.Hits()[0].Body)
	}
}

package blackbox_test

import (
	"encoding/json"
	"image"
	"image/color"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"moviola/tests/harness"
)

// roadMovie has three scenes (picture and text, clip and text, colour and sound) under one piece of music.
func roadMovie(assets *harness.Assets, webhook string) object {
	text := func(s string) object {
		return object{"type": "text", "text": s, "x": 100, "y": 500, "width": 1080, "height": 160,
			"settings": object{"font-family": "Inter", "font-size": "96px", "font-weight": 700, "color": "#FFFFFF"}}
	}
	movie := object{
		"id": "road-1", "client-data": object{"order": 7},
		"resolution": "custom", "width": 1280, "height": 720,
		"scenes": list{
			object{"duration": 3, "elements": list{object{"type": "image", "src": assets.URL + "/picture.png"}, text("First scene")}},
			object{"elements": list{object{"type": "video", "src": assets.URL + "/clip.mp4", "resize": "cover"}, text("Second scene")}},
			object{"duration": 2, "background-color": "#2060C0", "elements": list{object{"type": "audio", "src": assets.URL + "/voice.wav"}}},
		},
		"elements": list{object{"type": "audio", "src": assets.URL + "/music.m4a", "duration": -2, "volume": 0.5}},
	}
	if webhook != "" {
		movie["exports"] = list{object{"destinations": list{object{"type": "webhook", "endpoint": webhook}}}}
	}
	return movie
}

// What the timeline of roadMovie comes to: 3 + 2.4 + 2 seconds at 25 frames.
const (
	roadFrames  = 185
	roadSeconds = 7.4
	roadCredits = 8
)

// TestRoad submits a movie, watches it grow, looks at the result and deletes it, on every way to run the service.
func TestRoad(t *testing.T) {
	t.Parallel()
	for _, topology := range topologies {
		t.Run(topology.name, func(t *testing.T) {
			t.Parallel()
			assets := harness.NewAssets(t)
			receiver := harness.NewReceiver(t)
			service := topology.start(t, "--allow-host", assets.Host, "--allow-host", receiver.Host)
			client := service.NewAccount("road", 600)

			seen := make(chan harness.Movie, 10)
			receiver.OnHit = func(d harness.Delivery) {
				var payload struct {
					Project string `json:"project"`
				}
				if err := json.Unmarshal(d.Body, &payload); err != nil {
					t.Errorf("webhook body: %v", err)
				}
				seen <- client.Get(payload.Project).Movie
			}
			project := client.Submit(roadMovie(assets, receiver.URL+"/hook?secret=hush"))
			movie := watch(t, client, project)
			path := checkMovie(t, client, movie)
			checkPicture(t, path)
			checkWebhook(t, client, receiver, seen, movie)
			checkFailure(t, client, assets)
			checkDeletion(t, client, movie)
		})
	}
}

// watch polls to the end and checks that status and progress only move forward, and that the movie has been through every status.
func watch(t *testing.T, client *harness.Client, project string) harness.Movie {
	t.Helper()
	rank := map[string]int{"pending": 0, "running": 1, "done": 2}
	var last harness.Movie
	harness.Eventually(t, "the movie is done", func() bool {
		movie := client.Get(project).Movie
		if movie.Status == "error" || movie.Status == "timeout" {
			t.Fatalf("status %s: %s", movie.Status, movie.Message)
		}
		if rank[movie.Status] < rank[last.Status] || movie.Progress < last.Progress {
			t.Errorf("went back from %s %v%% to %s %v%%", last.Status, last.Progress, movie.Status, movie.Progress)
		}
		last = movie
		return movie.Status == "done"
	})
	var history struct{ Events []struct{ Status string } }
	client.Do(http.MethodGet, "/movies/events?project="+project, nil).Into(t, &history)
	var statuses []string
	for _, event := range history.Events {
		statuses = append(statuses, event.Status)
	}
	if got := slices.Compact(statuses); !slices.Equal(got, []string{"pending", "running", "done"}) {
		t.Errorf("the movie was %v", got)
	}
	if last.Progress != 100 {
		t.Errorf("progress of the finished movie: %v", last.Progress)
	}
	return last
}

// checkMovie compares the status object with the plan and with the downloaded file, and returns the file's path.
func checkMovie(t *testing.T, client *harness.Client, movie harness.Movie) string {
	t.Helper()
	if movie.Width != 1280 || movie.Height != 720 || math.Abs(movie.Duration-roadSeconds) > 1e-9 || movie.ConsumedCredits != roadCredits {
		t.Errorf("status: %dx%d, %v s, %d credits", movie.Width, movie.Height, movie.Duration, movie.ConsumedCredits)
	}
	settled(t, client, 600, roadCredits)
	if movie.URL == nil || movie.Thumbnail == nil {
		t.Fatalf("url %v, thumbnail %v", movie.URL, movie.Thumbnail)
	}
	file := client.Download(*movie.URL, nil)
	if file.Status != http.StatusOK || int64(len(file.Body)) != movie.Size || file.Header.Get("ETag") == "" {
		t.Errorf("download: %d, %d bytes of %d, ETag %q", file.Status, len(file.Body), movie.Size, file.Header.Get("ETag"))
	}
	part := client.Download(*movie.URL, map[string]string{"Range": "bytes=100-199"})
	if part.Status != http.StatusPartialContent || string(part.Body) != string(file.Body[100:200]) {
		t.Errorf("range: %d, %d bytes", part.Status, len(part.Body))
	}
	thumbnail := client.Download(*movie.Thumbnail, nil)
	if thumbnail.Status != http.StatusOK || http.DetectContentType(thumbnail.Body) != "image/jpeg" {
		t.Errorf("thumbnail: %d %s", thumbnail.Status, http.DetectContentType(thumbnail.Body))
	}
	path := filepath.Join(t.TempDir(), "movie.mp4")
	if err := os.WriteFile(path, file.Body, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// checkPicture looks into the file: size, length, texts, colours, sound.
func checkPicture(t *testing.T, path string) {
	t.Helper()
	probe := harness.ProbeFile(t, path)
	if len(probe.Streams) != 2 {
		t.Fatalf("%d streams", len(probe.Streams))
	}
	v := probe.Streams[0]
	if v.CodecName != "h264" || v.Width != 1280 || v.Height != 720 || v.PixFmt != "yuv420p" || v.ColorSpace != "bt709" {
		t.Errorf("video: %+v", v)
	}
	if v.Frames != strconv.Itoa(roadFrames) {
		t.Errorf("%s frames, want %d", v.Frames, roadFrames)
	}
	length, err := strconv.ParseFloat(probe.Format.Duration, 64)
	if err != nil || math.Abs(length-roadSeconds) > 1.0/25 {
		t.Errorf("%s s, want %v within a frame (%v)", probe.Format.Duration, roadSeconds, err)
	}

	first, second, third := harness.Frame(t, path, 1.5), harness.Frame(t, path, 4.2), harness.Frame(t, path, 6.4)
	checkColor(t, "picture, left", first, image.Rect(20, 20, 600, 400), harness.PictureLeft)
	checkColor(t, "picture, right", first, image.Rect(700, 20, 1260, 400), harness.PictureRight)
	checkColor(t, "background", third, image.Rect(20, 20, 1260, 700), color.NRGBA{R: 0x20, G: 0x60, B: 0xC0, A: 255})
	white := func(c color.NRGBA) bool { return c.R > 230 && c.G > 230 && c.B > 230 }
	box := image.Rect(100, 500, 1180, 660)
	if got := harness.Share(first, box, white); got < 0.03 || got > 0.5 {
		t.Errorf("text of the first scene covers %.3f of its box", got)
	}
	if got := harness.Share(second, box, white); got < 0.03 {
		t.Errorf("text of the second scene covers %.3f of its box", got)
	}
	if got := harness.Share(first, image.Rect(0, 0, 1280, 480), white); got > 0.001 {
		t.Errorf("text outside its box covers %.3f", got)
	}

	loudness := harness.Loudness(t, path)
	if len(loudness) < 7 {
		t.Errorf("%d seconds of sound", len(loudness))
	}
	for i, rms := range loudness {
		if rms < 0.01 {
			t.Errorf("second %d is silent: %v", i, rms)
		}
	}
}

func checkColor(t *testing.T, what string, img image.Image, r image.Rectangle, want color.NRGBA) {
	t.Helper()
	if got := harness.Mean(img, r); !harness.Near(got, want, 2) {
		t.Errorf("%s: %v, want %v within 2", what, got, want)
	}
}

// checkWebhook: it arrived once, with the facts of the file, and a GET made on its arrival said done.
func checkWebhook(t *testing.T, client *harness.Client, receiver *harness.Receiver, seen <-chan harness.Movie, movie harness.Movie) {
	t.Helper()
	if then := harness.Receive(t, "the webhook", seen); then.Status != "done" || then.URL == nil {
		t.Errorf("on arrival of the webhook the movie was %s", then.Status)
	}
	harness.Eventually(t, "the delivery is recorded", func() bool { return client.Get(movie.Project).Movie.DestinationsResult != nil })
	hits := receiver.Hits()
	if len(hits) != 1 || !strings.HasPrefix(hits[0].ContentType, "application/json") {
		t.Fatalf("%d webhooks, first of type %q", len(hits), hits[0].ContentType)
	}
	var got map[string]any
	if err := json.Unmarshal(hits[0].Body, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"success": true, "project": movie.Project, "id": "road-1", "url": *movie.URL, "thumbnail": *movie.Thumbnail,
		"width": 1280.0, "height": 720.0, "duration": roadSeconds, "size": float64(movie.Size), "codec": "h264", "codec_type": "video",
		"pix_fmt": "yuv420p", "video_streams": 1.0, "audio_streams": 1.0, "frame_rate": 25.0, "color_space": "bt709"}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("webhook %s: %v, want %v", name, got[name], value)
		}
	}
	if data, ok := got["client-data"].(map[string]any); !ok || data["order"] != 7.0 {
		t.Errorf("webhook client-data: %v", got["client-data"])
	}
}

// checkFailure: an asset that is not there ends in an error that names scene and element, and costs nothing.
func checkFailure(t *testing.T, client *harness.Client, assets *harness.Assets) {
	t.Helper()
	other := client.Submit(object{"scenes": list{object{"duration": 1}}})
	project := client.Submit(object{"scenes": list{object{"duration": 2, "elements": list{
		object{"type": "text", "text": "fine"}, object{"type": "image", "src": assets.URL + "/missing.png"}}}}})
	movie := client.WaitFor(project, "error")
	if movie.Success || movie.ConsumedCredits != 0 || movie.URL != nil {
		t.Errorf("failed movie: success %v, %d credits, url %v", movie.Success, movie.ConsumedCredits, movie.URL)
	}
	message := strings.ToLower(movie.Message)
	if !strings.Contains(message, "scene #1") || !strings.Contains(message, "element #2") || !strings.Contains(message, "404") {
		t.Errorf("message %q", movie.Message)
	}
	client.WaitFor(other, "done")
	settled(t, client, 600, roadCredits+1)
}

// checkDeletion: the url becomes null, the record stays, and twice is fine.
func checkDeletion(t *testing.T, client *harness.Client, movie harness.Movie) {
	t.Helper()
	var answers [2]struct {
		Success   bool      `json:"success"`
		Project   string    `json:"project"`
		DeletedAt time.Time `json:"deleted_at"`
	}
	for i := range answers {
		answer := client.Do(http.MethodDelete, "/movies?project="+movie.Project, nil)
		answer.Into(t, &answers[i])
		if answer.Status != http.StatusOK || !answers[i].Success || answers[i].Project != movie.Project {
			t.Errorf("DELETE %d: %d %s", i+1, answer.Status, answer.Body)
		}
	}
	if !answers[0].DeletedAt.Equal(answers[1].DeletedAt) {
		t.Errorf("deleted at %v and at %v", answers[0].DeletedAt, answers[1].DeletedAt)
	}
	var after harness.Movie
	harness.Eventually(t, "the deletion is shown", func() bool { // a closed movie is shown as the read models have it
		after = client.Get(movie.Project).Movie
		return after.DeletedAt != nil
	})
	if after.Status != "done" || after.URL != nil || after.ConsumedCredits != roadCredits {
		t.Errorf("after DELETE: %+v", after)
	}
	if got := client.Download(*movie.URL, nil); got.Status != http.StatusNotFound {
		t.Errorf("the deleted file answers %d", got.Status)
	}
}

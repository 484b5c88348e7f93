package console_test

import (
	"fmt"
	"image"
	"image/color"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"

	"moviola/tests/harness"
)

// TestPlayback: the player shows the frames of the file, and they are those that the movie asks for.
func TestPlayback(t *testing.T) {
	t.Parallel()
	c := newService(t).NewAccount("maker", 100)
	project := c.SubmitBody([]byte(`{"width":320,"height":180,"scenes":[{"duration":1,"background-color":"#ff0000"},{"duration":1,"background-color":"#0000ff"}]}`))
	movie := c.WaitFor(project, "done")
	film := filepath.Join(t.TempDir(), "film.mp4")
	answer := c.Download(*movie.URL, nil)
	if answer.Status != http.StatusOK {
		t.Fatalf("download: %d", answer.Status)
	}
	if err := os.WriteFile(film, answer.Body, 0o600); err != nil {
		t.Fatal(err)
	}
	b := visit(t, c)
	b.goTo("/movies/" + project)
	for at, asked := range map[float64]color.NRGBA{0.5: {R: 255, A: 255}, 1.5: {B: 255, A: 255}} {
		shown := b.frame(at)
		got, want := harness.Mean(shown, shown.Bounds()), harness.Mean(harness.Frame(t, film, at), shown.Bounds())
		if !harness.Near(got, asked, 12) || !harness.Near(got, color.NRGBA{R: want.R, G: want.G, B: want.B, A: 255}, 12) {
			t.Errorf("at %v s the player shows %v, the file %v, the movie asks for %v", at, got, want, asked)
		}
	}
}

// frame is what the player shows at a moment.
func (b *browser) frame(at float64) image.Image {
	b.t.Helper()
	b.until("the player has the movie", "document.querySelector('video')?.readyState >= 2")
	var raw []int
	b.do("show a moment", chromedp.Evaluate(fmt.Sprintf(`new Promise((resolve) => {
		const video = document.querySelector("video");
		video.requestVideoFrameCallback(function look(_, frame) {
			if (Math.abs(frame.mediaTime - %[1]v) > 0.1) return video.requestVideoFrameCallback(look); // one from before the jump
			const canvas = document.createElement("canvas");
			canvas.width = video.videoWidth;
			canvas.height = video.videoHeight;
			const context = canvas.getContext("2d");
			context.drawImage(video, 0, 0);
			resolve([canvas.width, canvas.height, ...context.getImageData(0, 0, canvas.width, canvas.height).data]);
		});
		video.currentTime = %[1]v;
	})`, at), &raw, await))
	shown := image.NewNRGBA(image.Rect(0, 0, raw[0], raw[1]))
	for i, v := range raw[2:] {
		shown.Pix[i] = uint8(v)
	}
	return shown
}

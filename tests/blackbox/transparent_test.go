package blackbox_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"moviola/tests/harness"
)

// TestOutputs_transparent: the WebM of a transparent movie is laid over a chequerboard, which is seen where nothing is. Decision 81.
func TestOutputs_transparent(t *testing.T) {
	t.Parallel()
	service := harness.NewService(t)
	service.StartAPI()
	client := service.NewAccount("transparent", 600)
	movie := client.WaitFor(client.Submit(object{
		"width": 320, "height": 180, "background-color": "transparent",
		"scenes": list{
			object{"duration": 1, "background-color": "transparent"},
			object{"duration": 1, "background-color": "rgba(255,0,0,0.5)"},
			object{"duration": 1},
		},
		"exports": list{object{"format": "webm"}},
	}), "done")
	if len(movie.Outputs) != 1 || movie.Outputs[0].Status != "done" {
		t.Fatalf("outputs %+v", movie.Outputs)
	}
	if !slices.ContainsFunc(movie.Warnings, func(w string) bool { return strings.Contains(w, "the scene's is black: the outputs are opaque there") }) {
		t.Errorf("warnings %q", movie.Warnings)
	}
	webm := filepath.Join(t.TempDir(), "movie.webm")
	if err := os.WriteFile(webm, client.Download(*movie.Outputs[0].URL, nil).Body, 0o600); err != nil {
		t.Fatal(err)
	}
	// A board of squares of 20 pixels, white and grey, below the movie.
	raw, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-nostdin", "-f", "lavfi", "-i",
		"nullsrc=s=320x180:r=25,format=gray,geq=lum='if(mod(floor(X/20)+floor(Y/20),2),255,128)',format=rgb24", "-c:v", "libvpx-vp9", "-i", webm,
		"-filter_complex", "[0:v][1:v]overlay=format=gbrp:shortest=1,format=rgb24", "-f", "rawvideo", "-").Output()
	const frame = 320 * 180 * 3
	if err != nil || len(raw) != 75*frame {
		t.Fatalf("over a board: %d bytes, %v", len(raw), err)
	}
	for _, want := range []struct {
		frame, x, y int
		color       [3]int
	}{
		{10, 210, 90, [3]int{128, 128, 128}}, {10, 230, 90, [3]int{255, 255, 255}}, // nothing over the board
		{40, 50, 90, [3]int{191, 64, 64}}, {40, 70, 90, [3]int{255, 128, 128}}, // half red over it
		{65, 210, 90, [3]int{0, 0, 0}}, // the opaque scene
	} {
		at := raw[want.frame*frame+(want.y*320+want.x)*3:]
		for i, c := range want.color {
			if d := int(at[i]) - c; d < -16 || d > 16 {
				t.Errorf("frame %d at %d,%d is %v, want %v", want.frame, want.x, want.y, at[:3], want.color)
				break
			}
		}
	}
}

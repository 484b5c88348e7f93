//go:build !race

package render_test

import (
	"context"
	"image"
	"image/color"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"moviola/adapters/render"
)

// hashesOf are the sums of the frames of a file; what a decoder complains about fails the test.
func hashesOf(t *testing.T, path string) []string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ffmpeg", "-v", "warning", "-xerror", "-err_detect", "explode", "-i", path, "-map", "0:v", "-f", "framemd5", "-")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil || said.Len() > 0 {
		t.Fatalf("decode %s: %v\n%s", path, err, said.String())
	}
	var all []string
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, ",")
		if at := strings.TrimSpace(fields[2]); at != strconv.Itoa(len(all)) {
			t.Fatalf("frame %d is at %s", len(all), at)
		}
		all = append(all, strings.TrimSpace(fields[len(fields)-1]))
	}
	return all
}

func changing(frames []string) []int {
	var all []int
	for n := range frames {
		if n == 0 || frames[n] != frames[n-1] {
			all = append(all, n)
		}
	}
	return all
}

// restingMovie is a photograph that fades in and out, a text over it for a part of the time, a card, and a picture that moves.
func restingMovie(b *bench) object {
	img := image.NewNRGBA(image.Rect(0, 0, 202, 98))
	for y := range 98 {
		for x := range 202 {
			img.Set(x, y, color.NRGBA{uint8(x), uint8(2 * y), uint8(x * y), 255})
		}
	}
	b.save("photo.png", img)
	photo := object{"type": "image", "src": "http://x.test/photo.png", "resize": "cover"}
	faded, moving := maps.Clone(photo), maps.Clone(photo)
	faded["fade-in"], faded["fade-out"], moving["zoom"] = 0.4, 0.4, 3
	return object{"width": 202, "height": 98, "fps": 25, "scenes": []object{
		{"duration": 6, "elements": []object{faded, {"type": "text", "text": "x", "x": 20, "y": 20, "width": 50, "height": 30, "start": 2, "duration": 1.2}}},
		{"duration": 5, "background-color": "#123456"},
		{"duration": 1, "elements": []object{moving}},
		{"duration": 2, "elements": []object{photo}},
	}}
}

// What rests is the same picture again; what is shown is what is shown without held pictures, up to what encoding makes of it.
func TestEngine_Render_heldPictures(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	doc := restingMovie(b)
	held := b.mustRender(doc)
	doc["held-pictures"] = false
	plain := b.mustRender(doc)
	frames := hashesOf(t, held.Movie)
	if want := hashesOf(t, plain.Movie); len(frames) != len(want) || len(frames) != 350 {
		t.Fatalf("%d frames, %d without held pictures", len(frames), len(want))
	}
	for n, similar := range similarity(t, held.Movie, plain.Movie) {
		if similar < 0.96 {
			t.Errorf("frame %d: SSIM %.4f", n, similar)
		}
	}
	changes := changing(frames)
	// From 10 to 50, from 80 to 140 and in the card and the photograph nothing changes, but where a key frame stands, and in the
	// three frames that are encoded after a change or before the next one.
	for _, rest := range [][2]int{{15, 46}, {84, 100}, {105, 136}, {151, 250}, {251, 275}, {301, 350}} {
		if i := slices.IndexFunc(changes, func(n int) bool { return n > rest[0] && n < rest[1] }); i >= 0 {
			t.Errorf("frame %d of the rest from %d to %d changes", changes[i], rest[0], rest[1])
		}
	}
	for n := 276; n < 300; n++ {
		if !slices.Contains(changes, n) {
			t.Errorf("frame %d of what moves does not change", n)
		}
	}
}

// What is packed anew without being encoded, as for streaming, shows the same pictures.
func TestEngine_Render_heldPicturesRepacked(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	movie := b.mustRender(restingMovie(b)).Movie
	want := picturesOf(t, movie)
	for name, format := range map[string][]string{"movie.ts": nil, "movie.m3u8": {"-hls_list_size", "0"}, "movie.mkv": nil} {
		path := filepath.Join(t.TempDir(), name)
		args := append([]string{"-v", "warning", "-nostdin", "-i", movie, "-map", "0:v", "-c", "copy"}, format...)
		cmd := exec.CommandContext(t.Context(), "ffmpeg", append(args, path)...)
		if said, err := cmd.CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%s: %v\n%s", name, err, said)
			continue
		}
		if got := picturesOf(t, path); got != want {
			t.Errorf("%s shows other pictures", name)
		}
	}
}

// What is encoded anew, with a scaled copy besides, as services do with uploads, has every frame at its place, and shows the same.
func TestEngine_Render_heldPicturesReencoded(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	movie := b.mustRender(restingMovie(b)).Movie
	dir := t.TempDir()
	again, small := filepath.Join(dir, "again.mp4"), filepath.Join(dir, "small.mp4")
	cmd := exec.CommandContext(t.Context(), "ffmpeg", "-v", "warning", "-xerror", "-err_detect", "explode", "-nostdin", "-i", movie,
		"-map", "0:v", "-c:v", "libx264", "-preset", "ultrafast", "-crf", "12", again,
		"-map", "0:v", "-vf", "scale=100:48", "-c:v", "libx264", "-preset", "ultrafast", small)
	if said, err := cmd.CombinedOutput(); err != nil || len(said) > 0 {
		t.Fatalf("encode anew: %v\n%s", err, said)
	}
	if n := len(hashesOf(t, small)); n != 350 {
		t.Errorf("%d frames in the scaled copy", n)
	}
	if n := len(hashesOf(t, again)); n != 350 {
		t.Fatalf("%d frames", n)
	}
	for n, similar := range similarity(t, again, movie) {
		if similar < 0.96 {
			t.Errorf("frame %d: SSIM %.4f", n, similar)
		}
	}
}

// picturesOf is the sum of all pictures of a file; what a decoder complains about fails the test.
func picturesOf(t *testing.T, path string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ffmpeg", "-v", "warning", "-xerror", "-err_detect", "explode", "-nostdin", "-i", path,
		"-map", "0:v", "-fps_mode", "passthrough", "-f", "md5", "-")
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil || said.Len() > 0 {
		t.Fatalf("decode %s: %v\n%s", path, err, said.String())
	}
	return string(out)
}

// No frame is called equal to its predecessor that is not, in what is composed.
func TestEngine_Render_restsAreRests(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	doc := restingMovie(b)
	doc["scenes"] = append(doc["scenes"].([]object), object{"duration": 2, "elements": []object{
		{"type": "text", "text": "y", "width": 40, "height": 40, "rotate": object{"angle": 90, "speed": 0.5}},
		{"type": "text", "text": "z", "x": 60, "width": 40, "height": 40, "start": 0.4, "fade-in": 0.2, "duration": 1, "fade-out": 0.3},
	}})
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	composed, called, err := render.Composed(ctx, b.Engine, b.job(doc))
	if err != nil {
		t.Fatal(err)
	}
	resting := 0
	for n := 1; n < len(composed); n++ {
		if !called[n] {
			resting++
			if composed[n] != composed[n-1] {
				t.Errorf("frame %d is called equal to its predecessor", n)
			}
		}
	}
	if resting < 250 {
		t.Errorf("only %d of %d frames rest", resting, len(composed))
	}
}

// A clip that says where its colours lie is joined to scenes without one.
func TestEngine_Render_clipWithChromaLocation(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.generate("center.mp4", "-f", "lavfi", "-i", "testsrc2=s=128x72:r=25:d=1", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "120", "-chroma_sample_location", "center",
		"-colorspace", "bt709", "-color_range", "tv", "-color_primaries", "bt709", "-color_trc", "bt709")
	out := b.mustRender(object{"width": 128, "height": 72, "fps": 25, "scenes": []object{
		{"duration": 1, "elements": []object{{"type": "video", "src": "http://x.test/center.mp4", "resize": "cover"}}},
		{"duration": 1, "background-color": "#123456"},
	}})
	if n := len(hashesOf(t, out.Movie)); n != 50 {
		t.Errorf("%d frames", n)
	}
}

// similarity is how alike the frames of two movies are, one by one.
func similarity(t *testing.T, a, b string) []float64 {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-i", a, "-i", b, "-lavfi", "[0:v][1:v]ssim=stats_file=-", "-f", "null", "-").Output()
	if err != nil {
		t.Fatalf("compare: %v", err)
	}
	var all []float64
	for line := range strings.Lines(string(out)) {
		_, rest, _ := strings.Cut(line, "All:")
		value, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, value)
	}
	return all
}

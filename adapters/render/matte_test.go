package render_test

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"moviola/adapters/render/outputs"
	"moviola/commands"
	"moviola/domain/document"
	"moviola/domain/movie"
)

// transparentMovie has a second with a red box of half opacity and an opaque blue one that fades, then a transition to an opaque
// green scene.
func (b *bench) transparentMovie() object {
	b.paint("blue.png", 40, 40, color.NRGBA{0, 0, 255, 255})
	box := object{"type": "text", "text": "x", "x": 20, "y": 20, "width": 60, "height": 60, "position": "custom",
		"settings": object{"color": "rgba(255,0,0,0.5)"}}
	fading := object{"type": "image", "src": "http://x.test/blue.png", "x": 120, "y": 20, "position": "custom", "fade-in": 0.8}
	return object{
		"width": 240, "height": 240, "fps": 25, "background-color": "transparent",
		"scenes": []object{
			{"duration": 2, "background-color": "transparent", "elements": []object{box, fading}},
			{"duration": 2, "background-color": "#00ff00", "transition": object{"style": "wipeleft", "duration": 1}},
		},
		"exports": []object{{"format": []string{document.OutputWebM, document.OutputPNG, document.OutputPNGSequence}}},
	}
}

// seen decodes a frame of a WebM with its alpha channel.
func seen(t *testing.T, path string, n int) *image.NRGBA {
	t.Helper()
	const w, h = 240, 240
	raw, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "error", "-nostdin", "-c:v", "libvpx-vp9", "-i", path, "-vf",
		"select=eq(n\\,"+strconv.Itoa(n)+"),scale=in_color_matrix=bt709:in_range=tv:out_range=pc,format=rgba", "-frames:v", "1", "-f",
		"rawvideo", "-").Output()
	if err != nil || len(raw) != 4*w*h {
		t.Fatalf("decode frame %d: %d bytes, %v", n, len(raw), err)
	}
	return &image.NRGBA{Pix: raw, Stride: 4 * w, Rect: image.Rect(0, 0, w, h)}
}

// requireAlpha fails unless a point is so opaque, and so coloured.
func requireAlpha(t *testing.T, what string, img *image.NRGBA, x, y int, want color.NRGBA) {
	t.Helper()
	got := img.NRGBAAt(x, y)
	near := func(a, b uint8, within int) bool { d := int(a) - int(b); return d >= -within && d <= within }
	colored := want.A == 0 || near(got.R, want.R, 14) && near(got.G, want.G, 14) && near(got.B, want.B, 14)
	if !colored || !near(got.A, want.A, 8) {
		t.Errorf("%s at %d,%d is %v, want %v", what, x, y, got, want)
	}
}

// outputsOf makes the outputs of a rendered movie.
func (b *bench) outputsOf(out commands.Rendered, formats ...string) map[string]movie.Output {
	b.t.Helper()
	made, err := outputs.New(outputs.Config{Tools: b.media.tools, Limit: time.Hour}).Make(b.t.Context(), commands.OutputJob{
		Movie: out.Movie, Matte: out.Matte, Plan: out.Plan, Still: out.Still, Formats: formats,
	})
	if err != nil {
		b.t.Fatal(err)
	}
	all := map[string]movie.Output{}
	for _, o := range made {
		if o.Status != movie.OutputDone {
			b.t.Fatalf("%+v", o)
		}
		all[o.Format] = o
	}
	return all
}

// TestEngine_Render_matte: a movie whose background is transparent has outputs that are so, with what its layers, fades and
// transitions make of it.
func TestEngine_Render_matte(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	job := b.job(b.transparentMovie())
	job.Matte = true
	out, err := b.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if out.Matte == "" {
		t.Fatal("no matte")
	}
	made := b.outputsOf(out, document.OutputWebM, document.OutputPNG, document.OutputPNGSequence)
	path := made[document.OutputWebM].Files[0].Key

	first, late := seen(t, path, 10), seen(t, path, 23)
	requireAlpha(t, "background", first, 200, 200, color.NRGBA{})
	requireAlpha(t, "half a box", first, 50, 50, color.NRGBA{255, 0, 0, 128})
	requireAlpha(t, "picture that comes", first, 140, 40, color.NRGBA{0, 0, 255, 128})
	requireAlpha(t, "picture that has come", late, 140, 40, color.NRGBA{0, 0, 255, 255})
	middle := seen(t, path, 38) // of the wipe
	requireAlpha(t, "what leaves", middle, 50, 200, color.NRGBA{})
	requireAlpha(t, "half a box that leaves", middle, 50, 50, color.NRGBA{255, 0, 0, 128})
	requireAlpha(t, "what enters", middle, 200, 200, color.NRGBA{0, 255, 0, 255})
	requireAlpha(t, "opaque scene", seen(t, path, 70), 50, 50, color.NRGBA{0, 255, 0, 255})

	still := decodeNRGBA(t, made[document.OutputPNG].Files[0].Key)
	requireAlpha(t, "still", still, 200, 200, color.NRGBA{})
	requireAlpha(t, "still", still, 50, 50, color.NRGBA{255, 0, 0, 128})
	if made[document.OutputPNGSequence].Files[0].Size == 0 {
		t.Error("the sequence is empty")
	}

	// The windows of the matte are kept: the same movie is made again without encoding.
	var encoded atomic.Int64 // windows are made side by side
	job.Attempt, job.Frames = 2, func(made, _ int64) { encoded.Add(made) }
	again, err := b.Render(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if encoded.Load() != 0 || again.Matte == "" {
		t.Errorf("made again, %d frames are encoded; matte %q", encoded.Load(), again.Matte)
	}
}

// TestEngine_Render_noMatte: an opaque movie has none, nor has one for which nobody asked.
func TestEngine_Render_noMatte(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	opaque := object{"width": 240, "height": 240, "scenes": []object{{"duration": 1, "background-color": "transparent"}}}
	unasked := b.transparentMovie()
	for what, doc := range map[string]object{"opaque": opaque, "not asked for": unasked} {
		b.project = "movie-" + what
		job := b.job(doc)
		job.Matte = what == "opaque"
		out, err := b.Render(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		if out.Matte != "" {
			t.Errorf("%s: matte %s", what, filepath.Base(out.Matte))
		}
	}
}

func decodeNRGBA(t *testing.T, path string) *image.NRGBA {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	whole, ok := img.(*image.NRGBA)
	if !ok {
		t.Fatalf("the picture is %T", img)
	}
	return whole
}

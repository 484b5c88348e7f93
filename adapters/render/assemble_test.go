//go:build !race

package render_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"moviola/adapters/render/mp4file"
	"moviola/domain/timeline"
)

// briefMovie has windows of one, two and many frames, at a rate that is no whole number.
func briefMovie(b *bench) (object, *timeline.Timeline) {
	b.generate("tone.wav", "-f", "lavfi", "-i", "sine=f=440:d=3:r=44100")
	b.generate("clip.mp4", "-f", "lavfi", "-i", "testsrc2=s=128x72:r=25:d=2", "-pix_fmt", "yuv420p")
	clip := []object{{"type": "video", "src": "http://x.test/clip.mp4", "resize": "cover", "muted": true}}
	frame := 100.0 / 2997
	plan := &timeline.Timeline{Width: 128, Height: 72, FPS: timeline.Rate{Num: 2997, Den: 100}, Frames: 1 + 2 + 30 + 3 + 150}
	return object{"width": 128, "height": 72, "fps": 29.97, "scenes": []object{
		{"duration": frame, "background-color": "#123456"}, {"duration": 2 * frame, "background-color": "#654321"},
		{"duration": 30 * frame, "elements": clip}, {"duration": 3 * frame, "background-color": "#ffffff"}, {"duration": 150 * frame, "background-color": "#202020"},
	}, "elements": []object{{"type": "audio", "src": "http://x.test/tone.wav", "duration": 2}}}, plan
}

// ffprobe says the same of a movie's file as the facts that the render returns, with and without held pictures.
func TestEngine_Render_probeAgrees(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	doc, plan := briefMovie(b)
	for _, held := range []bool{true, false} {
		doc["held-pictures"] = held
		out := b.mustRender(doc)
		m, err := b.media.tools.Probe(t.Context(), out.Movie, "mov")
		if err != nil {
			t.Fatal(err)
		}
		v, f := m.Video, out.File
		if v == nil || m.Audio == nil || m.VideoStreams != f.VideoStreams || m.AudioStreams != f.AudioStreams || v.Frames != plan.Frames || v.Codec != f.Codec ||
			v.PixelFormat != f.PixelFormat || v.FrameRate != f.FrameRate || v.ColorSpace != f.ColorSpace || v.ColorPrimaries != f.ColorPrimaries ||
			v.ColorTransfer != f.ColorTransfer || m.SizeBytes != f.Size || v.Width != plan.Width || v.Height != plan.Height {
			t.Errorf("held %v: ffprobe says %+v %+v, the movie %+v", held, m, v, f)
		}
		if length := 186 * 100.0 / 2997; m.Duration < length-0.001 || m.Duration > length+0.04 {
			t.Errorf("held %v: %.4f s instead of %.4f s", held, m.Duration, length)
		}
		if n := len(hashesOf(t, out.Movie)); n != 186 {
			t.Errorf("held %v: %d frames", held, n)
		}
	}
}

// follows compares a file with a plan, with a key frame every four seconds.
func follows(path string, plan *timeline.Timeline) error {
	m, err := mp4file.Inspect(path)
	if err != nil {
		return err
	}
	return m.Follows(plan, 120)
}

// A file that is damaged in any of its tables is not taken for the movie.
func TestInspect(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	doc, plan := briefMovie(b)
	whole, err := os.ReadFile(b.mustRender(doc).Movie)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "movie.mp4")
	inspect := func(file []byte) error {
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		return follows(path, plan)
	}
	if err := inspect(whole); err != nil {
		t.Fatal(err)
	}
	longer := *plan
	longer.Frames++
	if err := follows(path, &longer); err == nil {
		t.Error("a movie with a frame too few is taken")
	}
	for _, damage := range []struct {
		box string
		at  int // behind the name
		nth int // of that name
	}{
		{"stts", 11, 0}, {"stts", 15, 0}, {"ctts", 15, 0}, {"stss", 11, 0}, {"stsz", 15, 0}, {"stsc", 15, 0}, {"stsc", 11, 0}, {"stco", 11, 0}, {"stco", 15, 1},
		{"stsz", 15, 1}, {"stts", 11, 1}, {"avc1", 25, 1}, {"avcC", 1, 0}, {"hdlr", 8, 0}, {"hdlr", 8, 1}, {"mdhd", 15, 0}, {"elst", 15, 0}, {"moov", -1, 0}, {"mdat", -1, 0},
	} {
		file := bytes.Clone(whole)
		at := 0
		for range damage.nth + 1 {
			next := bytes.Index(file[at:], []byte(damage.box))
			if next < 0 {
				t.Fatalf("no %s", damage.box)
			}
			at += next + 4
		}
		file[at+damage.at] ^= 0x08
		if err := inspect(file); err == nil {
			t.Errorf("%+v: taken", damage)
		}
	}
	for _, cut := range []int{1, 100, len(whole) / 2, len(whole) - 8, len(whole)} {
		if err := inspect(whole[:len(whole)-cut]); err == nil {
			t.Errorf("without its last %d bytes: taken", cut)
		}
	}
}

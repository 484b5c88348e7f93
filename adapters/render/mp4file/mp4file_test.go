package mp4file_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"moviola/adapters/render/ffmpeg/ffmpegtest"
	"moviola/adapters/render/mp4file"
	"moviola/domain/timeline"
)

// No file that was not written by the renderer is taken for a movie.
func FuzzInspect(f *testing.F) {
	path := filepath.Join(f.TempDir(), "silence.m4a")
	if err := mp4file.WriteSilence(path, 5000); err != nil {
		f.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(file)
	f.Fuzz(func(t *testing.T, file []byte) {
		path := filepath.Join(t.TempDir(), "movie.mp4")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		m, err := mp4file.Inspect(path)
		if err == nil {
			err = m.Follows(&timeline.Timeline{Width: 2, Height: 2, FPS: timeline.Rate{Num: 25, Den: 1}, Frames: 1}, 100)
		}
		if err == nil {
			t.Error("taken for a movie")
		}
	})
}

// Silence is as long as it should be, to the sample, and silent.
func TestWriteSilence(t *testing.T) {
	t.Parallel()
	tools := ffmpegtest.Tools(t)
	for _, length := range []int64{1, 1023, 1024, 1025, 144000, 96001} {
		path := filepath.Join(t.TempDir(), "silence.m4a")
		if err := mp4file.WriteSilence(path, length); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "ffmpeg", "-v", "warning", "-xerror", "-nostdin", "-i", path, "-f", "f32le", "-").Output()
		if err != nil {
			t.Fatal(err)
		}
		if n := int64(len(out)) / 8; n < length || n >= length+1024 { // decoders give the last frame whole
			t.Errorf("%d samples instead of %d", n, length)
		}
		for i := 0; i+4 <= len(out); i += 4 {
			if binary.LittleEndian.Uint32(out[i:])&^(1<<31) != 0 {
				t.Fatalf("sample %d of %d is not silent", i/4, length)
			}
		}
		m, err := tools.Probe(t.Context(), path, "mov")
		if err != nil || m.Audio == nil || m.Audio.Codec != "aac" || m.Audio.Channels != 2 || m.Audio.SampleRate != 48000 {
			t.Errorf("%d samples: %v %+v", length, err, m.Audio)
		}
		if want := float64(length) / 48000; m.Duration < want-0.0001 || m.Duration > want+0.0011 {
			t.Errorf("%.4f s instead of %.4f s", m.Duration, want)
		}
	}
}

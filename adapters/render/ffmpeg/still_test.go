//go:build !race

package ffmpeg_test

import (
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"moviola/adapters/render/ffmpeg"
	"moviola/adapters/render/ffmpeg/ffmpegtest"
	"moviola/commands"
)

// TestTools_ToPNG: TIFF files as ffmpeg and cameras write them, HEIC and AVIF become PNG, and nothing else does.
func TestTools_ToPNG(t *testing.T) {
	t.Parallel()
	tools := ffmpegtest.Tools(t)
	dir := t.TempDir()
	for _, tt := range []struct{ name, pixels, packing string }{
		{"ycbcr", "yuv420p", "packbits"}, {"wide", "yuv444p", "lzw"}, {"rgb", "rgb24", "packbits"}, {"deep", "rgb48le", "deflate"}, {"gray", "gray", "raw"},
	} {
		from, to := filepath.Join(dir, tt.name+".tiff"), filepath.Join(dir, tt.name+".png")
		generate(t, from, "-f", "lavfi", "-i", "color=0xC81E3C:s=64x48,format="+tt.pixels, "-frames:v", "1", "-compression_algo", tt.packing)
		if err := tools.ToPNG(t.Context(), from, "tiff_pipe", to); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		picture := pictureAt(t, to)
		if picture.Bounds().Dx() != 64 || picture.Bounds().Dy() != 48 {
			t.Errorf("%s: %v", tt.name, picture.Bounds())
		}
		r, g, b, _ := picture.At(10, 10).RGBA()
		near := func(got, want uint32) bool { return max(got>>8, want)-min(got>>8, want) <= 4 }
		if tt.name != "gray" && (!near(r, 200) || !near(g, 30) || !near(b, 60)) {
			t.Errorf("%s: the colour is %d %d %d", tt.name, r>>8, g>>8, b>>8)
		}
	}
	source := filepath.Join(dir, "source.png")
	generate(t, source, "-f", "lavfi", "-i", "color=0xC81E3C@0.5:s=64x48,format=rgba", "-frames:v", "1")
	for name, options := range map[string][]string{
		"photo.heic": {"-q", "95"}, "picture.avif": {"-A", "-q", "95"}, "deep.avif": {"-A", "-b", "10", "-q", "95"},
	} {
		from, to := filepath.Join(dir, name), filepath.Join(dir, name+".png")
		if out, err := exec.CommandContext(t.Context(), "heif-enc", append(options, "-o", from, source)...).CombinedOutput(); err != nil {
			t.Fatalf("heif-enc: %v\n%s", err, out)
		}
		if err := tools.ToPNG(t.Context(), from, ffmpeg.HEIF, to); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		c := color.NRGBAModel.Convert(pictureAt(t, to).At(10, 10)).(color.NRGBA)
		near := func(got, want uint8) bool { return max(got, want)-min(got, want) <= 6 }
		if !near(c.R, 200) || !near(c.G, 30) || !near(c.B, 60) || !near(c.A, 128) {
			t.Errorf("%s: the colour is %+v", name, c)
		}
	}
	junk := filepath.Join(dir, "junk.tiff")
	if err := os.WriteFile(junk, []byte("II*\x00junk that is no picture"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := tools.ToPNG(t.Context(), junk, "tiff_pipe", filepath.Join(dir, "junk.png")); !errors.Is(err, commands.ErrNotMedia) {
		t.Errorf("junk: %v", err)
	}
	if err := tools.ToPNG(t.Context(), junk, ffmpeg.HEIF, filepath.Join(dir, "junk.png")); !errors.Is(err, commands.ErrNotMedia) {
		t.Errorf("junk: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "junk.png")); err == nil {
		t.Error("junk has become a picture")
	}
	left, err := filepath.Glob(filepath.Join(dir, ".new-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left over: %v, %v", left, err)
	}
}

// pictureAt reads a PNG file.
func pictureAt(t *testing.T, path string) image.Image {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(f)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	return picture
}

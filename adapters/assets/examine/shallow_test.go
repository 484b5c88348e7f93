package examine_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"moviola/adapters/assets/examine"
)

// deepPicture is a picture of 16 bits a channel.
func deepPicture(w, h int, opaque bool) *image.NRGBA64 {
	random := rand.New(rand.NewPCG(1, 2))
	img := image.NewNRGBA64(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			c := color.NRGBA64{R: uint16(x * 1311), G: uint16(y * 977), B: uint16(random.Uint32()), A: uint16(random.Uint32())}
			if opaque {
				c.A = 0xffff
			}
			img.SetNRGBA64(x, y, c)
		}
	}
	return img
}

// TestShallow: each channel of a picture is the nearest of 8 bits, with and without transparency, whatever the filters of its rows.
func TestShallow(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, opaque := range map[string]bool{"opaque": true, "transparent": false} {
		deep := deepPicture(61, 40, opaque)
		plain := filepath.Join(dir, name+".png")
		writePNG(t, plain, deep)
		files := []string{plain}
		for _, filter := range []string{"none", "sub", "up", "avg", "paeth", "mixed"} {
			file := filepath.Join(dir, name+"-"+filter+".png")
			format := map[bool]string{true: "rgb48be", false: "rgba64be"}[opaque]
			run := exec.CommandContext(t.Context(), "ffmpeg", "-nostdin", "-v", "error", "-y", "-i", plain, "-pix_fmt", format, "-pred", filter, file)
			if said, err := run.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			files = append(files, file)
		}
		for _, file := range files {
			to := filepath.Join(dir, "shallow.png")
			if err := examine.ShallowPNG(t.Context(), file, to); err != nil {
				t.Fatalf("%s: %v", filepath.Base(file), err)
			}
			requireShallow(t, filepath.Base(file), readPNG(t, to), deep)
		}
	}
}

func writePNG(t *testing.T, path string, img image.Image) {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func readPNG(t *testing.T, path string) image.Image {
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
	return img
}

// requireShallow fails unless a picture is another one with 8 bits a channel.
func requireShallow(t *testing.T, name string, got image.Image, deep *image.NRGBA64) {
	t.Helper()
	if got.Bounds() != deep.Rect || got.ColorModel() == color.NRGBA64Model || got.ColorModel() == color.RGBA64Model {
		t.Fatalf("%s: it has the bounds %v and the colours of %T", name, got.Bounds(), got)
	}
	nearest := func(v uint16) uint8 { return uint8((uint32(v)*255 + 32767) / 65535) }
	for y := range deep.Rect.Dy() {
		for x := range deep.Rect.Dx() {
			from := deep.NRGBA64At(x, y)
			want := color.NRGBA{R: nearest(from.R), G: nearest(from.G), B: nearest(from.B), A: nearest(from.A)}
			if pixel := color.NRGBAModel.Convert(got.At(x, y)); pixel != want {
				t.Fatalf("%s: at %d,%d it is %v, want %v", name, x, y, pixel, want)
			}
		}
	}
}

// TestShallow_large: a picture of 49 megapixels takes the memory of a few rows.
func TestShallow_large(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "deep.png"), filepath.Join(dir, "shallow.png")
	run := exec.CommandContext(t.Context(), "ffmpeg", "-nostdin", "-v", "error", "-y", "-f", "lavfi", "-i", "color=orange:size=7000x7000:duration=0.04,format=rgb48be",
		"-frames:v", "1", "-compression_level", "1", from)
	if said, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := examine.ShallowPNG(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 32<<20 {
		t.Errorf("it took %d MB of memory in all", taken>>20)
	}
	f, err := os.Open(to)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if config, err := png.DecodeConfig(f); err != nil || config.Width != 7000 || config.Height != 7000 {
		t.Errorf("%+v, %v", config, err)
	}
}

// FuzzShallow: whatever a file holds, reading it ends, and with a picture or an error.
func FuzzShallow(f *testing.F) {
	var b bytes.Buffer
	if err := png.Encode(&b, deepPicture(5, 4, false)); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:60])
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 24 && (data[16]|data[17]|data[20]|data[21]) != 0 {
			t.Skip() // large pictures take long
		}
		var out bytes.Buffer
		if err := examine.Shallow(t.Context(), bytes.NewReader(data), &out); err == nil {
			if _, err := png.Decode(&out); err != nil {
				t.Error(err)
			}
		}
	})
}

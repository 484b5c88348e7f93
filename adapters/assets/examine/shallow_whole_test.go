package examine_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/image/tiff"

	"moviola/adapters/assets/examine"
)

// interlaced writes a picture of 16 bits a channel as an interlaced PNG file; clear: a colour that stands for nothing, in a file without alpha.
func interlaced(t *testing.T, img *image.NRGBA64, clear *color.NRGBA64) []byte {
	t.Helper()
	var plain bytes.Buffer // its chunks and packing are png's own; the rows are ours
	w, h := img.Rect.Dx(), img.Rect.Dy()
	var rows bytes.Buffer
	for _, p := range [][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}} {
		for y := p[1]; y < h && p[0] < w; y += p[3] {
			rows.WriteByte(0)
			for x := p[0]; x < w; x += p[2] {
				c := img.NRGBA64At(x, y)
				channels := []uint16{c.R, c.G, c.B, c.A}
				if clear != nil {
					channels = channels[:3]
				}
				for _, v := range channels {
					rows.WriteByte(byte(v >> 8))
					rows.WriteByte(byte(v))
				}
			}
		}
	}
	kind := byte(6)
	if clear != nil {
		kind = 2
	}
	head := append(binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h)), 16, kind, 0, 0, 1)
	plain.WriteString("\x89PNG\r\n\x1a\n")
	plain.Write(pngChunk("IHDR", head))
	if clear != nil {
		var raw []byte
		for _, v := range []uint16{clear.R, clear.G, clear.B} {
			raw = binary.BigEndian.AppendUint16(raw, v)
		}
		plain.Write(pngChunk("tRNS", raw))
	}
	plain.Write(pngChunk("IDAT", deflated(t, rows.Bytes())))
	plain.Write(pngChunk("IEND", nil))
	return plain.Bytes()
}

// pngChunk is a chunk of a PNG file.
func pngChunk(kind string, data []byte) []byte {
	out := append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), kind...)
	out = append(out, data...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out[4:]))
}

func deflated(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, err := w.Write(data)
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func runFFmpeg(t *testing.T, args ...string) {
	t.Helper()
	run := exec.CommandContext(t.Context(), "ffmpeg", append([]string{"-nostdin", "-v", "error", "-y"}, args...)...)
	if said, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
}

// TestShallow_interlaced: a picture that comes in passes is the same as one that does not, and so is one with a colour that stands for nothing.
func TestShallow_interlaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, size := range [][2]int{{61, 40}, {1, 1}, {3, 2}, {8, 9}, {1, 7}, {5, 1}} {
		deep := deepPicture(size[0], size[1], false)
		opaque := deepPicture(size[0], size[1], true)
		clear := opaque.NRGBA64At(size[0]-1, size[1]-1)
		holed := image.NewNRGBA64(opaque.Rect)
		copy(holed.Pix, opaque.Pix)
		for y := range size[1] {
			for x := range size[0] {
				if opaque.NRGBA64At(x, y) == clear {
					holed.SetNRGBA64(x, y, color.NRGBA64{R: clear.R, G: clear.G, B: clear.B})
				}
			}
		}
		for name, row := range map[string]struct {
			content []byte
			want    *image.NRGBA64
		}{"alpha": {interlaced(t, deep, nil), deep}, "a clear colour": {interlaced(t, opaque, &clear), holed}} {
			from, to := filepath.Join(dir, "from.png"), filepath.Join(dir, "to.png")
			if err := os.WriteFile(from, row.content, 0o600); err != nil {
				t.Fatal(err)
			}
			if decoded, err := png.Decode(bytes.NewReader(row.content)); err != nil || decoded.Bounds() != row.want.Rect {
				t.Fatalf("the test's own file: %v", err)
			}
			if err := examine.ShallowPNG(t.Context(), from, to); err != nil {
				t.Fatalf("%v, %s: %v", size, name, err)
			}
			requireShallow(t, name, readPNG(t, to), row.want)
		}
	}
}

// TestShallowTIFF: TIFF files of 16 bits a channel are read in strips and tiles, packed and not, in both orders of bytes, as Go's decoder does.
func TestShallowTIFF(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opaque, clear := deepPicture(61, 40, true), deepPicture(61, 40, false)
	files := map[string][]byte{}
	for name, options := range map[string]*tiff.Options{
		"plain": {}, "deflate": {Compression: tiff.Deflate}, "deflate, differences": {Compression: tiff.Deflate, Predictor: true},
	} {
		for kind, img := range map[string]image.Image{"alpha": clear, "premultiplied": premultiplied(clear)} {
			var b bytes.Buffer
			if err := tiff.Encode(&b, img, options); err != nil {
				t.Fatal(err)
			}
			files[name+", "+kind] = b.Bytes()
		}
	}
	plain := filepath.Join(dir, "plain.png")
	writePNG(t, plain, opaque)
	for _, compression := range []string{"raw", "lzw", "deflate"} {
		path := filepath.Join(dir, compression+".tiff")
		runFFmpeg(t, "-i", plain, "-pix_fmt", "rgb48le", "-compression_algo", compression, path)
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files["ffmpeg "+compression] = raw
	}
	files["tiles, big endian"] = tiled(opaque, 16, 32)
	for name, content := range files {
		want, err := tiff.Decode(bytes.NewReader(content))
		if err != nil {
			t.Fatalf("%s: Go's decoder: %v", name, err)
		}
		from, to := filepath.Join(dir, "from.tiff"), filepath.Join(dir, "to.png")
		if err := os.WriteFile(from, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := examine.ShallowTIFF(t.Context(), from, to); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := readPNG(t, to)
		for y := range 40 {
			for x := range 61 {
				a := color.NRGBA64Model.Convert(want.At(x, y)).(color.NRGBA64)
				b := color.NRGBAModel.Convert(got.At(x, y)).(color.NRGBA)
				off := func(deep uint16, v uint8) bool { d := int(deep) - int(v)*257; return d > 200 || d < -200 }
				if off(a.A, b.A) || a.A > 2000 && (off(a.R, b.R) || off(a.G, b.G) || off(a.B, b.B)) {
					t.Fatalf("%s: at %d,%d it is %v, want %v", name, x, y, b, a)
				}
			}
		}
	}
	other := filepath.Join(dir, "other.tiff")
	runFFmpeg(t, "-i", plain, "-pix_fmt", "rgb24", other)
	if err := examine.ShallowTIFF(t.Context(), other, filepath.Join(dir, "to.png")); !errors.Is(err, examine.ErrOtherPicture) {
		t.Errorf("a picture of 8 bits a channel: %v", err)
	}
}

// premultiplied is a picture whose colours have been multiplied by their alpha.
func premultiplied(img *image.NRGBA64) *image.RGBA64 {
	out := image.NewRGBA64(img.Rect)
	for y := range img.Rect.Dy() {
		for x := range img.Rect.Dx() {
			out.Set(x, y, img.NRGBA64At(x, y))
		}
	}
	return out
}

// tiled writes a TIFF file, not packed, in tiles.
func tiled(img *image.NRGBA64, tw, th int) []byte {
	w, h := img.Rect.Dx(), img.Rect.Dy()
	var body []byte
	var offsets, sizes []uint32
	for y := 0; y < h; y += th {
		for x := 0; x < w; x += tw {
			offsets, sizes = append(offsets, uint32(8+len(body))), append(sizes, uint32(tw*th*6))
			for ty := range th {
				for tx := range tw {
					c := img.NRGBA64At(min(x+tx, w-1), min(y+ty, h-1))
					for _, v := range []uint16{c.R, c.G, c.B} {
						body = binary.BigEndian.AppendUint16(body, v)
					}
				}
			}
		}
	}
	place := func(values []uint32) uint32 {
		at := uint32(8 + len(body))
		for _, v := range values {
			body = binary.BigEndian.AppendUint32(body, v)
		}
		return at
	}
	at, lengths := place(offsets), place(sizes)
	bits := uint32(8 + len(body))
	body = append(body, 0, 16, 0, 16, 0, 16)
	ifd := uint32(8 + len(body))
	entries := [][4]uint32{
		{256, 4, 1, uint32(w)}, {257, 4, 1, uint32(h)}, {258, 3, 3, bits}, {259, 3, 1, 1 << 16}, {262, 3, 1, 2 << 16}, {277, 3, 1, 3 << 16},
		{322, 4, 1, uint32(tw)}, {323, 4, 1, uint32(th)}, {324, 4, uint32(len(offsets)), at}, {325, 4, uint32(len(sizes)), lengths},
	}
	out := append([]byte("MM\x00*"), binary.BigEndian.AppendUint32(nil, ifd)...)
	out = binary.BigEndian.AppendUint16(append(out, body...), uint16(len(entries)))
	for _, e := range entries {
		out = binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(out, uint16(e[0])), uint16(e[1]))
		out = binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(out, e[2]), e[3])
	}
	return append(out, 0, 0, 0, 0)
}

// TestShallow_largeWhole: what is read whole takes the memory of the picture with 8 bits a channel, 147 MB for 49 megapixels, and little beside it.
func TestShallow_largeWhole(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "deep.tiff"), filepath.Join(dir, "shallow.png")
	runFFmpeg(t, "-f", "lavfi", "-i", "color=orange:size=7000x7000:duration=0.04,format=rgb48le", "-frames:v", "1", "-compression_algo", "deflate", from)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := examine.ShallowTIFF(t.Context(), from, to); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	taken := after.TotalAlloc - before.TotalAlloc
	t.Logf("it took %d MB of memory in all", taken>>20)
	if taken > 7000*7000*3+64<<20 {
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

// FuzzShallowTIFF: whatever a file holds, reading it ends, and with a picture or an error.
func FuzzShallowTIFF(f *testing.F) {
	var b bytes.Buffer
	if err := tiff.Encode(&b, deepPicture(5, 4, false), &tiff.Options{Compression: tiff.Deflate, Predictor: true}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(tiled(deepPicture(5, 4, true), 3, 2))
	f.Fuzz(func(t *testing.T, data []byte) {
		config, err := tiff.DecodeConfig(bytes.NewReader(data))
		if err == nil && config.Width*config.Height > 10_000 {
			t.Skip() // large pictures take long
		}
		dir := t.TempDir()
		from := filepath.Join(dir, "from")
		if err := os.WriteFile(from, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if examine.ShallowTIFF(t.Context(), from, filepath.Join(dir, "to")) == nil {
			readPNG(t, filepath.Join(dir, "to"))
		}
	})
}

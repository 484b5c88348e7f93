package media_test

import (
	"bytes"
	"encoding/binary"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"

	"moviola/tests/studio"
)

// corners is a picture of 40 × 20 in any model: red and green above, blue and white below.
func corners(img draw.Image) draw.Image {
	for i, c := range []color.Color{red, color.NRGBA{G: 128, A: 255}, blue, white} {
		at := image.Rect(0, 0, 20, 10).Add(image.Pt(i%2*20, i/2*10))
		draw.Draw(img, at, image.NewUniform(c), image.Point{}, draw.Src)
	}
	return img
}

var lying = image.Rect(0, 0, 40, 20)

// shot renders a picture of 40 × 20 enlarged to 320 × 160 over grey, and returns the movie's middle frame.
func shot(t *testing.T, s *studio.Studio, name string, more studio.Object) *image.NRGBA {
	t.Helper()
	element := studio.Object{"type": "image", "src": s.URL + "/" + name, "x": 0, "y": 0, "width": 320, "height": 160}
	for k, v := range more {
		element[k] = v
	}
	out := s.For(t).MustRender(of(320, 160, 0.2, "#808080", element))
	return studio.Frames(t, out.Movie, 320, 160, 2)[0]
}

func requireCorners(t *testing.T, img image.Image, tolerance int, want ...color.NRGBA) {
	t.Helper()
	if len(want) == 0 {
		want = []color.NRGBA{red, {G: 128, A: 255}, blue, white}
	}
	for i, at := range []image.Point{{80, 40}, {240, 40}, {80, 120}, {240, 120}} {
		studio.RequireColor(t, "corner", img, at.X, at.Y, want[i], tolerance)
	}
}

// encoded writes a picture down.
func encoded(t *testing.T, write func(*bytes.Buffer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPicture_formats: pictures of every format and depth show their colours. Movie-schema §4.1.
func TestPicture_formats(t *testing.T) {
	t.Parallel()
	s := studio.New(t)
	plain := corners(image.NewNRGBA(lying))
	asPNG := func(img image.Image) []byte {
		return encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, img) })
	}
	palette := color.Palette{red, color.NRGBA{G: 128, A: 255}, blue, white}
	formats := map[string][]byte{
		"8.png":       asPNG(plain),
		"16.png":      asPNG(corners(image.NewNRGBA64(lying))),
		"palette.png": asPNG(corners(image.NewPaletted(lying, palette))),
		"plain.bmp":   encoded(t, func(b *bytes.Buffer) error { return bmp.Encode(b, plain) }),
		"16.tiff":     encoded(t, func(b *bytes.Buffer) error { return tiff.Encode(b, corners(image.NewNRGBA64(lying)), nil) }),
		"packed.tiff": encoded(t, func(b *bytes.Buffer) error {
			return tiff.Encode(b, plain, &tiff.Options{Compression: tiff.Deflate, Predictor: true})
		}),
		"still.gif": encoded(t, func(b *bytes.Buffer) error { return gif.Encode(b, corners(image.NewPaletted(lying, palette)), nil) }),
		"cmyk.jpg":  cmykJPEG(),
	}
	for name, content := range formats {
		s.Serve(name, content)
	}
	s.Generate("lossless.webp", "-i", write(t, s, "for.png", formats["8.png"]), "-c:v", "libwebp", "-lossless", "1")
	s.Generate("lossy.webp", "-i", s.Dir+"/for.png", "-c:v", "libwebp", "-quality", "95")
	s.Generate("movie.mjpeg", "-i", s.Dir+"/for.png", "-vf", "scale=320:160:flags=neighbor:out_color_matrix=bt601:out_range=pc", "-pix_fmt", "yuvj444p", "-q:v", "1", "-f", "mjpeg")
	for _, name := range []string{"lossless.webp", "lossy.webp", "movie.mjpeg"} {
		formats[name] = nil
	}
	for name := range formats {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			requireCorners(t, shot(t, s, name, nil), 7)
		})
	}
}

// TestPicture_grey: pictures without colours are shown in their greys, at any depth.
func TestPicture_grey(t *testing.T) {
	t.Parallel()
	s := studio.New(t)
	for name, img := range map[string]draw.Image{"grey.png": image.NewGray(lying), "grey16.png": image.NewGray16(lying)} {
		draw.Draw(img, lying, image.NewUniform(color.Gray{Y: 90}), image.Point{}, draw.Src)
		s.Serve(name, encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, img) }))
		grey := color.NRGBA{R: 90, G: 90, B: 90, A: 255}
		requireCorners(t, shot(t, s, name, nil), 2, grey, grey, grey, grey)
	}
}

// TestPicture_transparent: what is transparent in a picture shows what is below it.
func TestPicture_transparent(t *testing.T) {
	t.Parallel()
	s := studio.New(t)
	img := image.NewNRGBA(lying)
	draw.Draw(img, image.Rect(20, 0, 40, 10), image.NewUniform(color.NRGBA{R: 254, A: 128}), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(0, 10, 40, 20), image.NewUniform(red), image.Point{}, draw.Src)
	s.Serve("alpha.png", encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, img) }))
	s.Generate("alpha.webp", "-i", write(t, s, "for.png", encoded(t, func(b *bytes.Buffer) error { return png.Encode(b, img) })), "-c:v", "libwebp", "-lossless", "1")
	for _, name := range []string{"alpha.png", "alpha.webp"} {
		requireCorners(t, shot(t, s, name, nil), 3, color.NRGBA{R: 128, G: 128, B: 128, A: 255}, color.NRGBA{R: 191, G: 64, B: 64, A: 255}, red, red)
	}
}

// TestPicture_exif: a photograph is shown as it was held, for each of the eight ways.
func TestPicture_exif(t *testing.T) {
	t.Parallel()
	s := studio.New(t)
	big := image.NewNRGBA(image.Rect(0, 0, 320, 160))
	small := corners(image.NewNRGBA(lying))
	for y := range 160 {
		for x := range 320 {
			big.Set(x, y, small.At(x/8, y/8))
		}
	}
	photo := encoded(t, func(b *bytes.Buffer) error { return jpeg.Encode(b, big, &jpeg.Options{Quality: 95}) })
	r, g, b, w := red, color.NRGBA{G: 128, A: 255}, blue, white
	for orientation, want := range map[uint16][]color.NRGBA{ // top left, top right, bottom left, bottom right
		1: {r, g, b, w}, 2: {g, r, w, b}, 3: {w, b, g, r}, 4: {b, w, r, g}, 5: {r, b, g, w}, 6: {b, r, w, g}, 7: {w, g, b, r}, 8: {g, w, r, b},
	} {
		name := string('0'+rune(orientation)) + ".jpg"
		s.Serve(name, oriented(photo, orientation))
		requireCorners(t, shot(t, s, name, nil), 5, want...)
		if orientation < 5 {
			continue
		}
		// It stands: of its own size it is 160 wide and 320 high.
		out := s.MustRender(of(400, 400, 0.2, "#808080", studio.Object{"type": "image", "src": s.URL + "/" + name, "x": 0, "y": 0}))
		img := studio.Frames(t, out.Movie, 400, 400, 2)[0]
		studio.RequireColor(t, name+" at its end", img, 150, 310, want[3], 6)
		studio.RequireColor(t, name+" beside it", img, 170, 310, color.NRGBA{R: 128, G: 128, B: 128, A: 255}, 3)
	}
}

// write keeps a file for ffmpeg, and returns its path.
func write(t *testing.T, s *studio.Studio, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(s.Dir, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// oriented puts an EXIF orientation into a JPEG.
func oriented(photo []byte, orientation uint16) []byte {
	exif := []byte("Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03\x00\x00\x00\x01")
	exif = append(binary.BigEndian.AppendUint16(exif, orientation), 0, 0, 0, 0, 0, 0)
	out := append([]byte{0xff, 0xd8, 0xff, 0xe1}, binary.BigEndian.AppendUint16(nil, uint16(len(exif)+2))...)
	return append(append(out, exif...), photo[2:]...)
}

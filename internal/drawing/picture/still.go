package picture

import (
	"bufio"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"os"
	"runtime/debug"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
)

// Still describes a picture file and how it is placed on the canvas.
type Still struct {
	Path        string
	Format      string          // format of the file: jpeg, png, gif, webp, bmp or tiff
	Orientation int             // EXIF orientation, 1 to 8; 0: upright
	Crop        image.Rectangle // part of the upright picture that is shown; empty: all of it
	Box         image.Rectangle // rectangle on the canvas that the shown part fills; may extend beyond the canvas
	Memory      *Memory         // memory for the pixels; nil: new memory is used
}

var decoders = map[string]func(io.Reader) (image.Image, error){
	"jpeg": jpeg.Decode, "png": png.Decode, "gif": gif.Decode, "webp": decodeWebP, "bmp": bmp.Decode, "tiff": tiff.Decode,
}

// Pixels decodes the picture, draws it into the field Box, and returns those pixels of the canvas that lie both in Box and
// in the rectangle visible; an empty picture if there are none, or Crop lies outside of the picture. Nothing else refers to the
// picture: the caller may release it to Memory.
func (s Still) Pixels(visible image.Rectangle) (*image.RGBA, error) {
	if visible = visible.Intersect(s.Box); visible.Empty() {
		return &image.RGBA{}, nil
	}
	if s.large() {
		oneLarge <- struct{}{}
		defer func() {
			debug.FreeOSMemory() // gives the memory back to the system: decoding the next large picture needs as much
			<-oneLarge
		}()
	}
	src, err := s.decode()
	if err != nil {
		return nil, err
	}
	t := orientation{orientation: s.Orientation, size: src.Bounds().Size()}
	crop := s.Crop
	if crop.Empty() {
		crop = image.Rectangle{Max: t.seen()}
	}
	if crop = crop.Intersect(image.Rectangle{Max: t.seen()}); crop.Empty() {
		return &image.RGBA{}, nil
	}
	if s.Orientation <= 1 {
		return s.Memory.scale(src, crop.Add(src.Bounds().Min), s.Box, visible), nil
	}
	// Scale first, then rotate: the picture on the canvas is usually the smaller one.
	lying := orientation{orientation: s.Orientation, size: t.stand(s.Box.Size())}
	part := lying.rect(visible.Sub(s.Box.Min))
	scaled := s.Memory.scale(src, t.rect(crop).Add(src.Bounds().Min), image.Rectangle{Max: lying.size}, part)
	defer s.Memory.Release(scaled)
	return s.Memory.upright(lying, scaled, s.Box, visible), nil
}

// oneLarge makes large pictures be decoded one at a time: each takes up to 200 MB.
var oneLarge = make(chan struct{}, 1)

const largePixels = 16_000_000

// large reports whether decoding the picture takes much memory. It is false for a damaged picture.
func (s Still) large() bool {
	f, err := os.Open(s.Path)
	if err != nil {
		return false
	}
	defer f.Close()
	config, _, err := image.DecodeConfig(bufio.NewReader(f))
	return err == nil && config.Width*config.Height > largePixels
}

func (s Still) decode() (image.Image, error) {
	decode, ok := decoders[s.Format]
	if !ok {
		return nil, fmt.Errorf("no decoder for pictures of format %q", s.Format)
	}
	f, err := os.Open(s.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	img, err := decode(bufio.NewReaderSize(f, 1<<16))
	if err != nil {
		return nil, &DecodeError{Format: s.Format, Err: err}
	}
	if s.Format == "gif" {
		return onScreen(img, f)
	}
	return img, nil
}

// DecodeError is the error for a damaged picture file.
type DecodeError struct {
	Format string
	Err    error
}

func (e *DecodeError) Error() string { return "decode " + e.Format + ": " + e.Err.Error() }
func (e *DecodeError) Unwrap() error { return e.Err }

// onScreen places the first picture of a GIF on the GIF's screen, which may be larger.
func onScreen(first image.Image, f io.ReadSeeker) (image.Image, error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	config, err := gif.DecodeConfig(f)
	if err != nil {
		return nil, &DecodeError{Format: "gif", Err: err}
	}
	screen := image.Rect(0, 0, config.Width, config.Height)
	if first.Bounds() == screen {
		return first, nil
	}
	whole := image.NewRGBA(screen)
	draw.Draw(whole, first.Bounds(), first, first.Bounds().Min, draw.Src)
	return whole, nil
}

// orientation is an EXIF orientation for a picture of a given size.
type orientation struct {
	orientation int
	size        image.Point // size of the picture as stored, before its rotation
}

// seen returns the size of the picture as it is shown, after its rotation.
func (t orientation) seen() image.Point { return t.stand(t.size) }

// stand swaps width and height if the orientation includes a quarter turn.
func (t orientation) stand(size image.Point) image.Point {
	if t.orientation >= 5 {
		return image.Pt(size.Y, size.X)
	}
	return size
}

// stored returns the position in the stored picture of the pixel shown at x, y.
func (t orientation) stored(x, y int) image.Point {
	right, bottom := t.size.X-1, t.size.Y-1
	switch t.orientation {
	case 2:
		return image.Pt(right-x, y)
	case 3:
		return image.Pt(right-x, bottom-y)
	case 4:
		return image.Pt(x, bottom-y)
	case 5:
		return image.Pt(y, x)
	case 6:
		return image.Pt(y, bottom-x)
	case 7:
		return image.Pt(right-y, bottom-x)
	case 8:
		return image.Pt(right-y, x)
	}
	return image.Pt(x, y)
}

// rect returns the rectangle of the stored picture that is shown in r.
func (t orientation) rect(r image.Rectangle) image.Rectangle {
	a, b := t.stored(r.Min.X, r.Min.Y), t.stored(r.Max.X-1, r.Max.Y-1)
	return image.Rect(min(a.X, b.X), min(a.Y, b.Y), max(a.X, b.X)+1, max(a.Y, b.Y)+1)
}

// upright rotates a picture and places it at box; only the pixels inside visible are computed.
func (m *Memory) upright(t orientation, stored *image.RGBA, box, visible image.Rectangle) *image.RGBA {
	out := m.undrawn(visible)
	for y := visible.Min.Y; y < visible.Max.Y; y++ {
		for x := visible.Min.X; x < visible.Max.X; x++ {
			from := t.stored(x-box.Min.X, y-box.Min.Y)
			copy(out.Pix[out.PixOffset(x, y):][:4], stored.Pix[stored.PixOffset(from.X, from.Y):][:4])
		}
	}
	return out
}

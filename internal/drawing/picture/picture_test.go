package picture_test

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"moviola/internal/drawing/picture"
)

var (
	red   = color.NRGBA{255, 0, 0, 255}
	blue  = color.NRGBA{0, 0, 255, 255}
	green = color.NRGBA{0, 128, 0, 255}
	white = color.NRGBA{255, 255, 255, 255}
)

// quarters is a picture whose corners are red, blue, green and white.
func quarters(w, h int) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, c := range []color.NRGBA{red, blue, green, white} {
		x, y := i%2*w/2, i/2*h/2
		draw.Draw(img, image.Rect(x, y, x+w/2, y+h/2), image.NewUniform(c), image.Point{}, draw.Src)
	}
	return img
}

func save(t *testing.T, name string, encode func(*bytes.Buffer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := encode(&out); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func savePNG(t *testing.T, img image.Image) string {
	return save(t, "picture", func(out *bytes.Buffer) error { return png.Encode(out, img) })
}

// at is the colour of a layer at a place on its canvas, converted by the inverse of bt709.
func at(l *picture.Layer, x, y int) color.NRGBA {
	n := l.W * l.H
	i, c := (y-l.Y)*l.W+x-l.X, (y-l.Y)/2*(l.W/2)+(x-l.X)/2
	luma := (float64(l.Pix[i]) - 16) / 219
	cb, cr := (float64(l.Pix[n+c])-128)/224, (float64(l.Pix[n+n/4+c])-128)/224
	r, b := luma+1.5748*cr, luma+1.8556*cb
	g := (luma - 0.2126*r - 0.0722*b) / 0.7152
	eight := func(v float64) uint8 { return uint8(min(max(v*255+0.5, 0), 255)) }
	return color.NRGBA{eight(r), eight(g), eight(b), l.Pix[n+n/2+i]}
}

func near(a, b color.NRGBA, tolerance int) bool {
	for _, d := range []int{int(a.R) - int(b.R), int(a.G) - int(b.G), int(a.B) - int(b.B), int(a.A) - int(b.A)} {
		if d < -tolerance || d > tolerance {
			return false
		}
	}
	return true
}

func TestStill_Draw_orientations(t *testing.T) {
	t.Parallel()
	path := savePNG(t, quarters(40, 20))
	// What is seen at the top left, top right, bottom left and bottom right. EXIF: 1 upright, 2 mirrored, 3 half a turn,
	// 4 mirrored upside down, 5 and 7 mirrored quarter turns, 6 a quarter turn clockwise, 8 anticlockwise.
	tests := map[int][4]color.NRGBA{
		0: {red, blue, green, white}, 1: {red, blue, green, white}, 2: {blue, red, white, green}, 3: {white, green, blue, red},
		4: {green, white, red, blue}, 5: {red, green, blue, white}, 6: {green, red, white, blue}, 7: {white, blue, green, red},
		8: {blue, white, red, green},
	}
	for orientation, want := range tests {
		w, h := 80, 40
		if orientation >= 5 {
			w, h = 40, 80
		}
		for _, size := range []image.Point{{w, h}, {w / 2, h / 2}, {w * 2, h * 3}} {
			box := image.Rectangle{Max: size}.Add(image.Pt(7, 3))
			l, err := picture.Still{Path: path, Format: "png", Orientation: orientation, Box: box}.Draw(500, 500)
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range want {
				x, y := box.Min.X+size.X*(1+2*(i%2))/4, box.Min.Y+size.Y*(1+2*(i/2))/4
				if got := at(l, x, y); !near(got, c, 3) {
					t.Errorf("orientation %d at %v: corner %d is %v, want %v", orientation, size, i, got, c)
				}
			}
		}
	}
}

func TestStill_Draw_cropsAndCuts(t *testing.T) {
	t.Parallel()
	path := savePNG(t, quarters(40, 20))
	tests := []struct {
		name  string
		still picture.Still
		place image.Rectangle // of the layer on a canvas of 100 × 100
		want  map[image.Point]color.NRGBA
	}{
		{"crop", picture.Still{Crop: image.Rect(20, 0, 40, 10), Box: image.Rect(10, 10, 30, 20)}, image.Rect(10, 10, 30, 20),
			map[image.Point]color.NRGBA{{15, 15}: blue}},
		{"crop of a turned picture", picture.Still{Orientation: 6, Crop: image.Rect(0, 0, 10, 20), Box: image.Rect(0, 0, 30, 60)},
			image.Rect(0, 0, 30, 60), map[image.Point]color.NRGBA{{15, 30}: green}},
		{"over the edge", picture.Still{Box: image.Rect(60, 80, 140, 120)}, image.Rect(60, 80, 100, 100),
			map[image.Point]color.NRGBA{{70, 90}: red, {90, 94}: red}},
		{"far larger than the canvas", picture.Still{Box: image.Rect(-3000, -1000, 1000, 1000)}, image.Rect(0, 0, 100, 100),
			map[image.Point]color.NRGBA{{50, 50}: white}},
		{"odd place", picture.Still{Box: image.Rect(11, 13, 52, 34)}, image.Rect(10, 12, 52, 34),
			map[image.Point]color.NRGBA{{20, 20}: red, {10, 20}: {}, {20, 12}: {}}},
		{"outside", picture.Still{Box: image.Rect(100, 0, 140, 20)}, image.Rectangle{}, nil},
	}
	for _, tt := range tests {
		tt.still.Path, tt.still.Format = path, "png"
		l, err := tt.still.Draw(100, 100)
		if err != nil {
			t.Fatal(err)
		}
		if got := image.Rect(l.X, l.Y, l.X+l.W, l.Y+l.H); !got.Eq(tt.place) {
			t.Errorf("%s: lies at %v, want %v", tt.name, got, tt.place)
		}
		if l.Empty() != tt.place.Empty() || len(l.Pix) != l.W*l.H*5/2 {
			t.Errorf("%s: %d bytes for %d × %d", tt.name, len(l.Pix), l.W, l.H)
		}
		for p, c := range tt.want {
			if got := at(l, p.X, p.Y); c.A == 0 && got.A != 0 || c.A != 0 && !near(got, c, 3) {
				t.Errorf("%s: %v is %v, want %v", tt.name, p, got, c)
			}
		}
	}
}

func TestStill_Draw_scalesWithoutSeams(t *testing.T) {
	t.Parallel()
	flat := image.NewNRGBA(image.Rect(0, 0, 97, 61))
	draw.Draw(flat, flat.Rect, image.NewUniform(color.NRGBA{200, 30, 60, 255}), image.Point{}, draw.Src)
	path := savePNG(t, flat)
	for _, size := range []image.Point{{10, 10}, {96, 60}, {97, 61}, {350, 121}} {
		l, err := picture.Still{Path: path, Format: "png", Box: image.Rectangle{Max: size}}.Draw(400, 400)
		if err != nil {
			t.Fatal(err)
		}
		for y := range size.Y {
			for x := range size.X {
				if got := at(l, x, y); !near(got, color.NRGBA{200, 30, 60, 255}, 2) {
					t.Fatalf("%v: pixel %d,%d is %v", size, x, y, got)
				}
			}
		}
	}
}

func TestStill_Draw_whatIsTransparentDoesNotBleed(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 40, 40)) // transparent green around a red square
	draw.Draw(img, img.Rect, image.NewUniform(color.NRGBA{0, 255, 0, 0}), image.Point{}, draw.Src)
	draw.Draw(img, image.Rect(11, 11, 29, 29), image.NewUniform(red), image.Point{}, draw.Src)
	for _, side := range []int{40, 60, 13} {
		l, err := picture.Still{Path: savePNG(t, img), Format: "png", Box: image.Rect(0, 0, side, side)}.Draw(100, 100)
		if err != nil {
			t.Fatal(err)
		}
		for y := range side {
			for x := range side {
				if got := at(l, x, y); got.A > 128 && got.G > 40 {
					t.Fatalf("side %d: pixel %d,%d is %v", side, x, y, got)
				}
			}
		}
	}
}

func TestStill_Draw_gifShowsItsWholeScreen(t *testing.T) {
	t.Parallel()
	small := image.NewPaletted(image.Rect(10, 10, 20, 20), color.Palette{red, blue})
	path := save(t, "picture", func(out *bytes.Buffer) error {
		return gif.EncodeAll(out, &gif.GIF{
			Image: []*image.Paletted{small}, Delay: []int{0}, Config: image.Config{ColorModel: small.Palette, Width: 40, Height: 40},
		})
	})
	l, err := picture.Still{Path: path, Format: "gif", Box: image.Rect(0, 0, 40, 40)}.Draw(40, 40)
	if err != nil {
		t.Fatal(err)
	}
	if inside, outside := at(l, 15, 15), at(l, 30, 30); !near(inside, red, 3) || outside.A != 0 {
		t.Errorf("inside %v, outside %v", inside, outside)
	}
}

func TestStill_Draw_errors(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(savePNG(t, quarters(40, 20)))
	if err != nil {
		t.Fatal(err)
	}
	cut := save(t, "cut", func(out *bytes.Buffer) error { _, err := out.Write(whole[:60]); return err })
	var damaged *picture.DecodeError
	box := image.Rect(0, 0, 10, 10)
	if _, err := (picture.Still{Path: cut, Format: "png", Box: box}).Draw(10, 10); !errors.As(err, &damaged) {
		t.Errorf("cut picture: %v", err)
	}
	if _, err := (picture.Still{Path: cut + "gone", Format: "png", Box: box}).Draw(10, 10); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing picture: %v", err)
	}
	if _, err := (picture.Still{Path: cut, Format: "svg", Box: box}).Draw(10, 10); err == nil || errors.As(err, new(*picture.DecodeError)) {
		t.Errorf("unknown format: %v", err)
	}
}

func TestFrame_Draw(t *testing.T) {
	t.Parallel()
	const w, h = 20, 10
	f := picture.NewFrame(w, h, 0, 0, 255)
	half := image.NewNRGBA(image.Rect(0, 0, 9, 5))
	draw.Draw(half, half.Rect, image.NewUniform(color.NRGBA{255, 0, 0, 128}), image.Point{}, draw.Src)
	f.Draw(picture.FromNRGBA(half, image.Pt(3, 3), w, h))
	// A frame is looked at as a layer without transparency.
	seen := &picture.Layer{W: w, H: h, Pix: append(bytes.Clone(f.Pix), bytes.Repeat([]byte{255}, w*h)...)}
	for y := range h {
		for x := range w {
			got := at(seen, x, y)
			switch inside := image.Pt(x, y).In(image.Rect(4, 4, 12, 8)); {
			case inside && !near(got, color.NRGBA{128, 0, 127, 255}, 4):
				t.Errorf("pixel %d,%d is %v", x, y, got)
			case !image.Pt(x, y).In(image.Rect(2, 2, 12, 8)) && !near(got, blue, 2):
				t.Errorf("pixel %d,%d beside it is %v", x, y, got)
			}
		}
	}
}

// Package goldentest compares drawn pictures with approved ones. Small differences, as between versions of fonts, pass; a missing
// part, a wrong colour or a shifted line fails. It is for tests only.
package goldentest

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Tile is one picture of a sheet, with its position in a box of Size.
type Tile struct {
	Name    string
	Size    image.Point
	Picture *image.NRGBA // its origin is 0, 0
	At      image.Point
	Noise   float64 // added to Tolerance, for a picture in which every pixel is an edge
}

// ground is the colour behind the pictures, so that transparency is compared too.
var ground = color.NRGBA{R: 70, G: 110, B: 120, A: 255}

// Tolerance is the mean difference of the channels, of 255, up to which two pictures are the same.
const Tolerance = 3

// maxBytes is the largest size of a golden file.
const maxBytes = 100 << 10

// Check compares tiles, arranged in a sheet with some columns, with the golden file: a PNG or, for frames of movies, a JPEG. The
// mean difference of each tile must be a small fraction of the range of colours.
func Check(t *testing.T, file string, columns int, tiles []Tile) {
	t.Helper()
	sheet, places := compose(columns, tiles)
	packed := pack(t, file, sheet)
	if *update {
		write(t, file, packed)
	}
	sheet = unpack(t, packed) // so that the losses of JPEG are no difference
	want := read(t, file)
	if want.Rect.Size() != sheet.Rect.Size() {
		t.Fatalf("%s is %v large, the sheet %v", file, want.Rect.Size(), sheet.Rect.Size())
	}
	for i, place := range places {
		if d := difference(want, sheet, place); d > Tolerance+tiles[i].Noise {
			t.Errorf("%s: the mean difference is %.1f of 255 (%s, %v)", tiles[i].Name, d, file, place)
		}
	}
}

// Difference is the mean difference of the channels of two pictures over the ground, of 255.
func Difference(a, b Tile) float64 {
	one, _ := compose(1, []Tile{a})
	other, _ := compose(1, []Tile{b})
	return difference(one, other, one.Rect)
}

func compose(columns int, tiles []Tile) (sheet *image.NRGBA, places []image.Rectangle) {
	x, y, high := 0, 0, 0
	all := image.Rectangle{}
	for i, tile := range tiles {
		if i%columns == 0 {
			x, y, high = 0, y+high, 0
		}
		place := image.Rectangle{Max: tile.Size}.Add(image.Pt(x, y))
		places = append(places, place)
		all = all.Union(place)
		x, high = x+tile.Size.X, max(high, tile.Size.Y)
	}
	sheet = image.NewNRGBA(all)
	draw.Draw(sheet, all, image.NewUniform(ground), image.Point{}, draw.Src)
	for i, tile := range tiles {
		to := tile.Picture.Rect.Add(tile.At).Add(places[i].Min)
		visible := to.Intersect(places[i])
		draw.Draw(sheet, visible, tile.Picture, visible.Min.Sub(to.Min), draw.Over)
	}
	return sheet, places
}

func difference(a, b *image.NRGBA, area image.Rectangle) float64 {
	sum, n := 0, 0
	for y := area.Min.Y; y < area.Max.Y; y++ {
		p, q := a.Pix[a.PixOffset(area.Min.X, y):][:4*area.Dx()], b.Pix[b.PixOffset(area.Min.X, y):][:4*area.Dx()]
		for i := range p {
			sum += max(int(p[i]), int(q[i])) - min(int(p[i]), int(q[i]))
		}
		n += 3 * area.Dx()
	}
	return float64(sum) / float64(max(n, 1))
}

// pack encodes a sheet in the format of its file.
func pack(t *testing.T, file string, sheet *image.NRGBA) []byte {
	t.Helper()
	var data bytes.Buffer
	var err error
	if filepath.Ext(file) == ".jpg" {
		err = jpeg.Encode(&data, sheet, &jpeg.Options{Quality: 88})
	} else {
		encoder := png.Encoder{CompressionLevel: png.BestCompression}
		err = encoder.Encode(&data, sheet)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data.Bytes()
}

func write(t *testing.T, file string, data []byte) {
	t.Helper()
	if len(data) > maxBytes {
		t.Errorf("%s has %d bytes, more than %d", file, len(data), maxBytes)
	}
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, file string) *image.NRGBA {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return unpack(t, data)
}

func unpack(t *testing.T, data []byte) *image.NRGBA {
	t.Helper()
	decoded, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out := image.NewNRGBA(decoded.Bounds())
	draw.Draw(out, out.Rect, decoded, out.Rect.Min, draw.Src)
	return out
}

package text

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"testing"

	"github.com/go-text/typesetting/font"
)

// TestBitmapCache: a picture of a font is bounded in its pixels, whatever its few bytes say, and so are all that are kept.
func TestBitmapCache(t *testing.T) {
	t.Parallel()
	encoded := func(w, h int) []byte {
		var b bytes.Buffer
		if err := png.Encode(&b, image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black, color.White})); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	c := newBitmapCache()
	if _, err := c.get(glyphKey{}, encoded(3000, 3000)); err == nil {
		t.Error("a picture of 9 million pixels is decoded")
	}
	kept := encoded(1000, 1000)
	for i := range 20 {
		if picture, err := c.get(glyphKey{gid: font.GID(i)}, kept); err != nil || picture.Rect.Dx() != 1000 {
			t.Fatalf("picture %d: %v", i, err)
		}
	}
	if len(c.pictures) > 8 || c.pixels > maxBitmaps {
		t.Errorf("%d pictures are kept, of %d pixels", len(c.pictures), c.pixels)
	}
}

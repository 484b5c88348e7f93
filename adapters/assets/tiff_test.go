package assets_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"image"
	"os"
	"slices"
	"testing"

	"golang.org/x/image/tiff"

	"moviola/adapters/assets"
	"moviola/commands"
	"moviola/internal/quota"
)

// converter makes a picture of 5 × 5 pixels of whatever it is given, but of nothing broken.
type converter struct {
	reader string // that it is to be asked for; empty: that of TIFF
	calls  int
}

func (c *converter) ToPNG(_ context.Context, path, format, to string) error {
	c.calls++
	raw, err := os.ReadFile(path)
	if err != nil || format != cmp.Or(c.reader, "tiff_pipe") {
		return errors.Join(err, errors.New("not as it should be called: "+format))
	}
	if bytes.Contains(raw, []byte("broken")) {
		return commands.ErrNotMedia
	}
	return os.WriteFile(to, pngOf(5, 5), 0o600)
}

// A TIFF that Go reads is used as it is; another is converted, once, and used in its new form from then on.
func TestCache_Fetch_TIFF(t *testing.T) {
	t.Parallel()
	plain := new(bytes.Buffer)
	if err := tiff.Encode(plain, image.NewNRGBA(image.Rect(0, 0, 7, 3)), nil); err != nil {
		t.Fatal(err)
	}
	pictures := &converter{}
	size := commands.Media{Video: &commands.VideoStream{Width: 5, Height: 5}}
	s := newSite(t, size, func(c *assets.Config) { c.Pictures = pictures })
	s.serve("/plain.tiff", plain.Bytes())
	s.serve("/strange.tiff", []byte("II*\x00a colour model that is not known"))
	s.serve("/half.tiff", []byte("II*\x00broken"))
	if got, err := s.fetch("/plain.tiff"); err != nil || got.Format != "tiff" || got.Facts.Width != 7 || pictures.calls != 0 {
		t.Errorf("plain: %+v, %v", got, err)
	}
	for range 2 {
		got, err := s.fetch("/strange.tiff")
		if err != nil || got.Format != "png" || got.Facts.Width != 5 || pictures.calls != 1 {
			t.Fatalf("strange: %+v, %v, converted %d times", got, err, pictures.calls)
		}
		if raw, err := os.ReadFile(got.Path); err != nil || !bytes.Equal(raw, pngOf(5, 5)) {
			t.Errorf("its file is %q, %v", raw, err)
		}
	}
	kept := quota.Amount{Bytes: int64(plain.Len() + len("II*\x00a colour model that is not known") + len(pngOf(5, 5))), Files: 3}
	if got := s.Bound().Kept; got != kept {
		t.Errorf("%+v is counted, want %+v", got, kept)
	}
	_, err := s.fetch("/half.tiff")
	s.requireError(err, "The image at 'HOST/half.tiff' cannot be read: it is damaged or not complete")

	// without a converter a TIFF is refused of which Go reads the size only, as one of the compression JPEG
	none := newSite(t, size, nil)
	none.serve("/plain.tiff", plain.Bytes())
	none.serve("/strange.tiff", bytes.Replace(plain.Bytes(), []byte{3, 1, 3, 0, 1, 0, 0, 0, 1, 0}, []byte{3, 1, 3, 0, 1, 0, 0, 0, 7, 0}, 1))
	if got, err := none.fetch("/plain.tiff"); err != nil || got.Format != "tiff" {
		t.Errorf("plain, without a converter: %+v, %v", got, err)
	}
	_, err = none.fetch("/strange.tiff")
	none.requireError(err, "The image at 'HOST/strange.tiff' cannot be read: it is damaged or not complete")

	huge := newSite(t, commands.Media{Video: &commands.VideoStream{Width: 10_000, Height: 6_000}}, func(c *assets.Config) { c.Pictures = pictures })
	huge.serve("/huge.tiff", []byte("MM\x00*a colour model that is not known"))
	_, err = huge.fetch("/huge.tiff")
	huge.requireError(err, "The image at 'HOST/huge.tiff' has 10000 × 6000 pixels: at most 50 megapixels can be used")
}

// A TIFF says how it must be turned, as a JPEG does.
func TestCache_Fetch_TIFF_orientation(t *testing.T) {
	t.Parallel()
	plain := new(bytes.Buffer)
	if err := tiff.Encode(plain, image.NewGray(image.Rect(0, 0, 7, 3)), nil); err != nil {
		t.Fatal(err)
	}
	// The directory stands at the end: it is written again behind itself, with one entry more.
	file, order := plain.Bytes(), binary.LittleEndian
	directory := bytes.Clone(file[order.Uint32(file[4:]):])
	count := order.Uint16(directory)
	order.PutUint32(file[4:], uint32(len(file)))
	file = order.AppendUint16(file, count+1)
	for entry := range slices.Chunk(directory[2:2+12*count], 12) { // in the order of their numbers
		if order.Uint16(entry) == 0x0115 {
			file = append(file, 0x12, 0x01, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0)
		}
		file = append(file, entry...)
	}
	file = append(file, 0, 0, 0, 0)
	s := newSite(t, commands.Media{}, nil)
	s.serve("/turned.tiff", file)
	got, err := s.fetch("/turned.tiff")
	if err != nil || got.Orientation != 6 || got.Facts.Width != 3 || got.Facts.Height != 7 {
		t.Errorf("%+v, %v", got, err)
	}
}

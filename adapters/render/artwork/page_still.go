package artwork

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/render/workspace"
	"moviola/domain/timeline"
)

// PageStills caches the pictures of pages that have an address. For the time to live of a picture, other movies of the
// account can use it again, so that the page's server is not asked for each movie. Decision 51.
type PageStills struct {
	Kept  workspace.Parts
	Dir   string // folder for temporary files
	Until time.Time
	Log   logrus.FieldLogger
}

// drawPage draws the page of a layer.
type drawPage = func(ctx context.Context, l timeline.Layer) (*image.NRGBA, error)

// pictureExtension is the extension of cached pictures.
const pictureExtension = ".png"

// still returns the picture of a page layer: from the cache or, if there is none or the element must be fresh, drawn anew.
func (s PageStills) still(ctx context.Context, l timeline.Layer, draw drawPage) (*image.NRGBA, error) {
	if l.Page.Source == "" {
		return draw(ctx, l)
	}
	key, err := workspace.Key(struct {
		Still timeline.Page
		W, H  int
	}{*l.Page, l.Box.W, l.Box.H})
	if err != nil {
		return nil, err
	}
	if !l.Page.Fresh {
		if img, err := s.take(key); img != nil || err != nil {
			return img, err
		}
	}
	img, err := draw(ctx, l)
	if err != nil {
		return nil, err
	}
	if err := s.keep(key, img); err != nil {
		s.Log.WithError(err).Warn("captured picture of a page not saved; the next attempt captures it again")
	}
	return img, nil
}

// name returns a unique name for a temporary file.
func (s PageStills) name() (string, error) {
	file, err := os.CreateTemp(s.Dir, "page-*")
	if err != nil {
		return "", err
	}
	if err := errors.Join(file.Close(), os.Remove(file.Name())); err != nil {
		return "", err
	}
	return file.Name() + pictureExtension, nil
}

// take reads a picture from the cache; nil: there is none.
func (s PageStills) take(key string) (*image.NRGBA, error) {
	path, err := s.name()
	if err != nil {
		return nil, fmt.Errorf("take the picture of a page: %w", err)
	}
	_, ok, err := s.Kept.Find(key, pictureExtension, path)
	if err != nil || !ok {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("take the picture of a page: %w", err)
	}
	// errors are ignored: the folder of the file is removed with the attempt
	defer func() { _ = errors.Join(file.Close(), os.Remove(path)) }()
	img, err := png.Decode(bufio.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("take the picture of a page: %w", err)
	}
	if plain, ok := img.(*image.NRGBA); ok {
		return plain, nil
	}
	plain := image.NewNRGBA(img.Bounds())
	draw.Draw(plain, plain.Rect, img, img.Bounds().Min, draw.Src)
	return plain, nil
}

// keep writes a picture into the cache.
func (s PageStills) keep(key string, img image.Image) error {
	path, err := s.name()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Clean(path), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(path) }() // the cache has its own link to the file
	to := bufio.NewWriter(file)
	err = (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(to, img)
	if err := errors.Join(err, to.Flush(), file.Close()); err != nil {
		return err
	}
	return s.Kept.Keep(key, pictureExtension, path, workspace.Part{Until: s.Until})
}

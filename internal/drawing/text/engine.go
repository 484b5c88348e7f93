// Package text draws texts: shaping, writing directions, line breaking, fallback fonts and colour emoji, all in this
// process. Lengths in its settings are in pixels; domain/timeline translates the settings of a text element into its
// settings.
//
// A text is drawn in the usual steps. A paragraph is cut into runs of one direction, script and font (itemise.go, with the
// fonts chosen in fonts.go), the runs are shaped and broken into lines, the lines are put into visual order and placed
// (layout.go), and their glyphs, other than those that are pictures, become coverage, which is coloured (paint.go).
package text

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/go-text/typesetting/fontscan"
	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/domain/timeline"
)

// Engine draws texts with the fonts installed on this machine, those shipped with the program, and perhaps those of a movie. It
// is safe for concurrent use.
type Engine struct {
	log     logrus.FieldLogger
	fonts   *fontCollection
	bitmaps *bitmapCache
	workers chan *worker // each is used by one drawing at a time, because its caches are not safe for concurrent use
}

// Drawing is a drawn text, cropped to what is visible.
type Drawing struct {
	Image *image.NRGBA // its origin is 0, 0; empty when nothing is visible
	// At is the position of the image's top left corner in the text's box. It may be negative, and the image may extend beyond
	// the box, for instance because of shadows or tall texts.
	At image.Point
	// Warnings are for the client: fonts that are not installed, and their substitutes.
	Warnings []string
}

// NewEngine finds the fonts of this machine. It stores their index in cacheDir and reuses it at the next start.
func NewEngine(cacheDir string, log logrus.FieldLogger) (*Engine, error) {
	err := os.MkdirAll(cacheDir, 0o700)
	// Other users lose access to the folder: an earlier version of the program let them in, and they could have changed the index.
	if err == nil {
		err = os.Chmod(cacheDir, 0o700)
	}
	if err != nil {
		return nil, fmt.Errorf("make the folder of the font index: %w", err)
	}
	prints, err := fontscan.SystemFonts(scanLogger{log}, cacheDir)
	switch {
	case err != nil:
		log.WithError(err).Warn("index of the installed fonts not made; without fonts of their own, texts use the " +
			"built-in ones, which have Latin letters")
	case len(prints) == 0:
		log.Warnf("no fonts are installed; without fonts of their own, texts use the built-in ones: Latin letters only (%s)", advice)
	}
	return newEngine(newFontCollection(prints), log), nil
}

func newEngine(fonts *fontCollection, log logrus.FieldLogger) *Engine {
	e := &Engine{log: log, fonts: fonts, bitmaps: newBitmapCache(), workers: make(chan *worker, runtime.NumCPU())}
	for range cap(e.workers) {
		e.workers <- newWorker(e)
	}
	return e
}

// advice tells the operator how to install fonts.
const advice = "on Debian: apt-get install fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji"

// scanLogger passes on the messages of the font scanner, as debug messages: they matter only when a font is missing.
type scanLogger struct{ log logrus.FieldLogger }

func (l scanLogger) Printf(format string, args ...any) { l.log.Debugf(format, args...) }

// Draw draws a text into a box of w × h pixels, without its animation. Lines are broken at the width of the box; parts far
// outside of the box are cut off. A text that is too large to draw is a *domain.Error.
func (e *Engine) Draw(t timeline.Text, w, h int) (d Drawing, err error) {
	b, err := e.Lay(t, Options{}, w, h)
	if err != nil {
		return Drawing{}, err
	}
	return b.Draw()
}

// guarded calls do with a worker, and turns panics into errors.
func (e *Engine) guarded(do func(*worker) error) (err error) {
	worker := <-e.workers
	defer func() {
		// The font libraries process untrusted files and texts. If they panic on one, this process goes on.
		if cause := recover(); cause != nil {
			e.log.WithField("stack", string(debug.Stack())).Errorf(
				"text not laid out or drawn; a movie or preview that needs it fails: %v", cause)
			worker = newWorker(e) // the old worker may be in an invalid state
			err = domain.Errorf(domain.Invalid, "text_not_drawable", "The text cannot be drawn. Use another font or simpler text")
		}
		e.workers <- worker
	}()
	return do(worker)
}

// bitmapCache caches the decoded pictures of emoji.
type bitmapCache struct {
	mu       sync.Mutex
	pictures map[glyphKey]*image.RGBA
	pixels   int // of all pictures together
}

const (
	maxBitmap  = 1 << 20 // maximum size of one picture in pixels: a font of a few bytes can state any size
	maxBitmaps = 8 << 20 // maximum size of all cached pictures in pixels of 4 bytes
)

func newBitmapCache() *bitmapCache { return &bitmapCache{pictures: make(map[glyphKey]*image.RGBA)} }

// get returns the picture of a glyph; data is its PNG. The picture must not be changed.
func (c *bitmapCache) get(key glyphKey, data []byte) (*image.RGBA, error) {
	c.mu.Lock()
	picture := c.pictures[key]
	c.mu.Unlock()
	if picture != nil {
		return picture, nil
	}
	size, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("decode glyph %d: %w", key.gid, err)
	}
	pixels := size.Width * size.Height
	if size.Width > maxBitmap || size.Height > maxBitmap || pixels > maxBitmap {
		return nil, fmt.Errorf("glyph %d is a picture of %d × %d pixels", key.gid, size.Width, size.Height)
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("decode glyph %d: %w", key.gid, err)
	}
	// The picture is converted to RGBA, because scaling other image types is slow.
	picture = image.NewRGBA(image.Rect(0, 0, decoded.Bounds().Dx(), decoded.Bounds().Dy()))
	draw.Draw(picture, picture.Rect, decoded, decoded.Bounds().Min, draw.Src)
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.pictures[key]; known != nil {
		return known, nil
	}
	if c.pixels += pixels; c.pixels > maxBitmaps {
		clear(c.pictures) // a full cache is emptied: this is rare, and cheaper than tracking each use
		c.pixels = pixels
	}
	c.pictures[key] = picture
	return picture, nil
}

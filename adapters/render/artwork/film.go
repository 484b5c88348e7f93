package artwork

import (
	"bufio"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"moviola/adapters/render/workspace"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/timeline"
)

// MoviePages draws the html elements of one movie. It captures each moving page once.
type MoviePages struct {
	Draw    Pages
	Flights *PageFlights
	Project domain.ProjectID
	Time    *pagesTime
	Kept    PageStills
	Dir     string // folder for film files, which are unlinked at once
	Rate    timeline.Rate
	Now     time.Time // start time on the clock of every page

	Sketch *Sketch // state of a preview; nil: a movie is made

	lapsed  <-chan struct{} // closed when the render must stop waiting for pages; nil: never
	gaveWay *atomic.Bool    // set to true when a wait for a page has ended because lapsed was closed; nil: nobody asks

	mu    sync.Mutex
	films map[string]*film
}

// errNoBrowser is the error for movies with html elements on a server without Chromium.
func errNoBrowser() error {
	return domain.Errorf(domain.Invalid, "html_unavailable", "Web pages cannot be drawn on this server: install "+
		"chromium-headless-shell")
}

// Share says when waiting for pages with external content or scripts has to end: when the channel lapsed is closed. A wait
// that ends for this reason sets gaveWay to true.
func (p *MoviePages) Share(lapsed <-chan struct{}, gaveWay *atomic.Bool) {
	p.lapsed, p.gaveWay = lapsed, gaveWay
}

// await loads and draws a page of the movie. It waits for a page that cannot change (see MayChange) even if the render
// must give up its slot, because drawing such a page depends on no server.
func (p *MoviePages) await(ctx context.Context, l timeline.Layer, load func(context.Context) (any, error)) (any, error) {
	load = p.Time.bounded(l, load)
	if !MayChange(*l.Page) {
		return load(ctx)
	}
	key, err := workspace.Key(struct {
		Project domain.ProjectID
		Page    timeline.Page
		Fresh   bool
		W, H    int
		Rate    timeline.Rate
	}{p.Project, *l.Page, l.Page.Fresh, l.Box.W, l.Box.H, p.Rate})
	if err != nil {
		return nil, err
	}
	shown, err := p.Flights.join(ctx, key, p.lapsed, load)
	if errors.Is(err, commands.ErrGiveWay) && p.gaveWay != nil {
		p.gaveWay.Store(true)
	}
	return shown, err
}

// still returns the picture of a page.
func (p *MoviePages) still(ctx context.Context, l timeline.Layer) (*image.NRGBA, error) {
	shown, err := p.await(ctx, l, func(ctx context.Context) (any, error) { return p.Draw.Still(ctx, *l.Page, l.Box.W, l.Box.H) })
	if err != nil {
		return nil, err
	}
	return shown.(*image.NRGBA), nil
}

// content returns the content of a page layer.
func (p *MoviePages) content(l timeline.Layer, box, seen image.Rectangle) (Content, error) {
	page := *l.Page
	page.Now, l.Page = p.Now, &page
	if p.Sketch != nil && (!p.Sketch.Fetch || OfPreload(page.Source)) {
		if page.Sealed = true; page.Source != "" {
			return p.sketched(l, box, seen), nil
		}
	}
	if p.Draw == nil {
		return nil, Blame(l.Ref, errNoBrowser().Error())
	}
	if l.Page.Capture <= 0 {
		return fixed(func(ctx context.Context) (*image.RGBA, error) {
			img, err := p.Kept.still(ctx, l, p.still)
			if err != nil {
				return nil, faultOf(l.Ref, "draw page", err)
			}
			return premultiplied(img, box.Min), nil
		}), nil
	}
	key, err := workspace.Key(struct {
		Page timeline.Page
		W, H int
	}{*l.Page, l.Box.W, l.Box.H})
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.films == nil {
		p.films = map[string]*film{}
	}
	f, ok := p.films[key]
	if !ok {
		f = &film{pages: p, layer: l}
		p.films[key] = f
	}
	return filmed{f, box.Min}, nil
}

// film is a moving page: its frames are captured once and kept in a file, because several windows may show them.
type film struct {
	pages *MoviePages
	layer timeline.Layer

	once sync.Once
	err  error
	*captured

	mu   sync.Mutex
	last int64 // number of the frame that the field seen holds
	seen *image.RGBA
}

// captured holds the frames of a film. Its file is unlinked: it disappears when nothing refers to it any more.
type captured struct {
	file   *os.File
	frames []shot // the place of each frame; equal frames share a place
}

// shot is the place of a frame in the file, and the part of the page that it covers.
type shot struct {
	offset, size int64
	rect         image.Rectangle
}

// maxFilmBytes is the largest size in bytes of the file of a film.
const maxFilmBytes = 4 << 30

func (f *film) capture(ctx context.Context) error {
	f.once.Do(func() {
		l := f.layer
		shown, err := f.pages.await(ctx, l, func(ctx context.Context) (any, error) { return f.pages.take(ctx, l) })
		if f.err = err; err == nil {
			f.captured = shown.(*captured)
		}
	})
	return f.err
}

// take captures the frames of a page layer.
func (p *MoviePages) take(ctx context.Context, l timeline.Layer) (*captured, error) {
	file, err := os.CreateTemp(p.Dir, "film-*")
	if err == nil {
		err = os.Remove(file.Name())
	}
	if err != nil {
		return nil, fmt.Errorf("write film: %w", err)
	}
	f := &captured{file: file}
	var last *image.NRGBA
	counted := &counting{to: bufio.NewWriterSize(file, 1<<20)}
	err = p.Draw.Frames(ctx, *l.Page, l.Box.W, l.Box.H, p.Rate, l.Page.Capture, func(_ int64, img *image.NRGBA) error {
		if img == last {
			f.frames = append(f.frames, f.frames[len(f.frames)-1])
			return nil
		}
		last = img
		return f.add(premultiplied(img, image.Point{}), counted)
	})
	if err != nil {
		return nil, faultOf(l.Ref, "capture page", errors.Join(err, file.Close()))
	}
	return f, counted.to.Flush()
}

// counting is a writer that counts the bytes written, and refuses more than maxFilmBytes.
type counting struct {
	to   *bufio.Writer
	size int64
}

// Write implements io.Writer.
func (c *counting) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	if c.size += int64(n); c.size > maxFilmBytes {
		return n, domain.Errorf(domain.Invalid, "html_too_large", "The page's animation is too large: make it smaller or "+
			"capture less of it")
	}
	return n, err
}

// add writes the visible part of a frame.
func (f *captured) add(img *image.RGBA, to *counting) error {
	s := shot{offset: to.size, rect: visible(img)}
	pack, err := flate.NewWriter(to, flate.BestSpeed)
	if err != nil {
		return err
	}
	for y := s.rect.Min.Y; y < s.rect.Max.Y; y++ {
		if _, err := pack.Write(img.Pix[img.PixOffset(s.rect.Min.X, y):][:4*s.rect.Dx()]); err != nil {
			return err
		}
	}
	if err := pack.Close(); err != nil {
		return err
	}
	s.size = to.size - s.offset
	f.frames = append(f.frames, s)
	return nil
}

// visible is the smallest rectangle that contains all pixels that are not transparent.
func visible(img *image.RGBA) image.Rectangle {
	seen := image.Rectangle{}
	for y := range img.Rect.Dy() {
		row := img.Pix[y*img.Stride:][:4*img.Rect.Dx()]
		first := 0
		for first < len(row) && row[first+3] == 0 {
			first += 4
		}
		if first == len(row) {
			continue
		}
		last := len(row)
		for row[last-1] == 0 {
			last -= 4
		}
		seen = seen.Union(image.Rect(first/4, y, last/4, y+1))
	}
	return seen
}

// frame reads frame k from the file; beyond the end it is the last frame.
func (f *film) frame(ctx context.Context, k int64) (*image.RGBA, error) {
	if err := f.capture(ctx); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	k = min(k, int64(len(f.frames))-1)
	s := f.frames[k]
	if f.seen != nil && f.frames[f.last] == s {
		return f.seen, nil
	}
	img := image.NewRGBA(s.rect)
	unpack := flate.NewReader(io.NewSectionReader(f.file, s.offset, s.size))
	if _, err := io.ReadFull(unpack, img.Pix); err != nil && len(img.Pix) > 0 {
		return nil, fmt.Errorf("read film: %w", err)
	}
	f.last, f.seen = k, img
	return img, nil
}

// filmed is a film with its position on the canvas.
type filmed struct {
	*film
	at0 image.Point
}

// Settled implements Content.
func (f filmed) Settled() int64 { return f.layer.Page.Capture - 1 }

// At implements Content.
func (f filmed) At(ctx context.Context, k int64) (*image.RGBA, error) {
	img, err := f.frame(ctx, k)
	if err != nil {
		return nil, err
	}
	moved := *img
	moved.Rect = moved.Rect.Add(f.at0)
	return &moved, nil
}

// changeable matches HTML that names an address or runs a script: in an element of its own, in an attribute such as onload, or as
// an address. It also matches some texts that only look like that.
var changeable = regexp.MustCompile(`(?i)//|<script|javascript:|[\s/"']on[a-z]+\s*=`)

// MayChange reports whether a page may look different later: it has an address, loads external content, or may read the clock.
func MayChange(p timeline.Page) bool { return p.Source != "" || changeable.MatchString(p.HTML) }

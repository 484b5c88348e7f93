package artwork

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"os"
	"path/filepath"
	"sync"
	"weak"

	"moviola/adapters/render/workspace"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/caption"
	"moviola/domain/timeline"
	"moviola/internal/drawing/picture"
	"moviola/internal/drawing/text"
)

// Still is a drawn layer. Its position in the frame is kept in memory, its pixels in a file.
type Still struct {
	Layer    picture.Layer // position and size of the layer; its field Pix is empty
	Path     string
	Warnings []string
	drawn    weak.Pointer[picture.Layer] // the layer with its pixels, while it is still in memory
}

// Open returns the layer with its pixels, which the caller must not change.
func (s *Still) Open() (*picture.Layer, error) {
	if l := s.drawn.Value(); l != nil {
		return l, nil
	}
	pix, err := os.ReadFile(s.Path)
	if err != nil {
		return nil, fmt.Errorf("read drawn layer: %w", err)
	}
	l := s.Layer
	l.Pix = pix
	return &l, nil
}

// Drawer opens the layers of one movie that are drawn in this process. A layer that does not move is drawn once, even if several
// windows show it.
type Drawer struct {
	Dir    string
	W, H   int
	Rate   timeline.Rate
	Text   TextDrawer
	Pages  *MoviePages
	Sound  func(ctx context.Context) (*Envelope, error) // envelope of the whole movie's sound
	Heard  string                                       // cache key of the movie's sound
	Source func(address string) Source
	Memory picture.Memory // of the movie's pictures

	mu  sync.Mutex
	all map[string]*drawing
}

// drawing is what is known of a layer: when it stops moving and, once it was asked for, its picture after that. The picture
// is drawn once for all windows that show the layer.
type drawing struct {
	opened  sync.Once
	settled int64
	opening error
	actor   Actor // draws the layer; nil before it is opened and once the layer has been drawn

	drawn sync.Once
	still *Still
	err   error
}

// drawing returns the cache entry of a layer and the entry's key. Layers of different elements share an entry if they
// differ only in times: start, end, length and fades. Layers with a motion or rotation share one only if their elements
// are shown for the same number of frames.
func (s *Drawer) drawing(l timeline.Layer) (*drawing, string, error) {
	if l.Effects == nil || l.Effects.Motion == nil && l.Effects.Rotation == nil {
		l.Life = 0
	}
	l.Ref, l.From, l.To, l.Phase, l.FadeIn, l.FadeOut = timeline.Ref{}, 0, 0, 0, 0, 0
	key, err := workspace.Key(s.Named(l))
	if err != nil {
		return nil, "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.all == nil {
		s.all = map[string]*drawing{}
	}
	d, ok := s.all[key]
	if !ok {
		d = &drawing{}
		s.all[key] = d
	}
	return d, key, nil
}

// Forget empties the cache of drawings and of captured pages: what was cancelled while it was drawn is drawn anew. It must not
// be called while the Drawer is in use.
func (s *Drawer) Forget() {
	s.all = nil
	s.Pages.films = nil
}

// Named returns the layer l with its source, its mask and the font file of its text named by the hashes of their content. The
// source of an audiogram is named by the key of the movie's sound.
func (s *Drawer) Named(l timeline.Layer) timeline.Layer {
	l.Ref = timeline.Ref{}
	if l.Source != "" {
		l.Source = s.Source(l.Source).Asset.Hash
	}
	if l.Kind == timeline.AudiogramLayer {
		l.Source = s.Heard
	}
	if f := l.Text; f != nil && f.Settings.FontSource != "" {
		words := *f
		words.Settings.FontSource = s.Source(f.Settings.FontSource).Asset.Hash
		l.Text = &words
	}
	if l.Effects != nil && l.Effects.Mask != nil {
		effects, mask := *l.Effects, *l.Effects.Mask
		mask.Source = s.Source(mask.Source).Asset.Hash
		effects.Mask, l.Effects = &mask, &effects
	}
	return l
}

// Moves reports whether a layer can still change after its first frame in the window.
func (s *Drawer) Moves(ctx context.Context, l timeline.Layer) (bool, error) {
	d, _, err := s.drawing(l)
	if err != nil {
		return false, err
	}
	s.ready(ctx, d, l)
	return d.settled > l.Phase, d.opening
}

// Settles is the frame of the element from which on a layer looks the same, apart from fades.
func (s *Drawer) Settles(ctx context.Context, l timeline.Layer) (int64, error) {
	d, _, err := s.drawing(l)
	if err != nil {
		return 0, err
	}
	s.ready(ctx, d, l)
	return d.settled, d.opening
}

// ready sets d.actor, which draws the frames of the layer l, and d.settled at the first call for d. If that fails, it sets
// d.opening to the error. Later calls for d do nothing.
func (s *Drawer) ready(ctx context.Context, d *drawing, l timeline.Layer) {
	d.opened.Do(func() {
		if d.actor, d.opening = s.Open(ctx, l); d.opening == nil {
			d.settled = d.actor.Settled()
		}
	})
}

// Get returns the picture of a layer that does not move any more, and draws it if necessary.
func (s *Drawer) Get(ctx context.Context, l timeline.Layer) (*Still, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	d, key, err := s.drawing(l)
	if err != nil {
		return nil, err
	}
	s.ready(ctx, d, l)
	d.drawn.Do(func() {
		if d.err = d.opening; d.err == nil {
			d.still, d.err = s.keep(ctx, d.actor, key)
			d.actor = nil
		}
	})
	return d.still, d.err
}

// keep draws the picture of an actor that does not move any more into a file.
func (s *Drawer) keep(ctx context.Context, a Actor, key string) (*Still, error) {
	layer, err := a.Draw(ctx, a.Settled())
	if err != nil {
		return nil, err
	}
	drawn := &Still{Path: filepath.Join(s.Dir, key+".yuva"), Warnings: WarningsOf(a)}
	drawn.Layer = picture.Layer{X: layer.X, Y: layer.Y, W: layer.W, H: layer.H}
	if layer.Empty() {
		return drawn, nil
	}
	if err := os.WriteFile(drawn.Path, layer.Pix, 0o600); err != nil {
		return nil, fmt.Errorf("write drawn layer: %w", err)
	}
	drawn.drawn = weak.Make(layer)
	if p, ok := a.(*plain); ok {
		p.release(&s.Memory)
	}
	return drawn, nil
}

// Open returns an actor: it draws the frames of the layer.
func (s *Drawer) Open(ctx context.Context, l timeline.Layer) (Actor, error) {
	box, canvas := Rectangle(l.Box), image.Rect(0, 0, s.W, s.H)
	if l.Effects == nil {
		c, err := s.Content(ctx, l, box, box.Intersect(canvas))
		return &plain{Content: c, w: s.W, h: s.H}, err
	}
	p := &Posed{layer: l, fx: *l.Effects, box: box, seen: box, w: s.W, h: s.H, sheet: box}
	seen := box
	switch {
	case p.Travels() || p.fx.Rotation != nil:
		if int64(box.Dx())*int64(box.Dy()) > MaxTurned {
			return nil, Blame(l.Ref, "The element is too large to be moved or turned: make 'width' or 'height' smaller")
		}
		switch {
		case p.fx.Motion == nil:
		case l.Kind == timeline.ImageLayer:
			p.sheet = s.sheet(l)
			box, seen = p.sheet, p.sheet
		case l.Kind == timeline.TextLayer && l.Text != nil:
			l, p.sheet = closer(l)
			box, seen = p.sheet, p.sheet
		}
	default:
		seen = picture.Mirrored(box.Intersect(canvas), box, p.fx.FlipX, p.fx.FlipY)
	}
	var err error
	if m := p.fx.Mask; m != nil && !m.Video {
		if p.mask, err = s.mask(ctx, l, p.box); err != nil {
			return nil, err
		}
	}
	p.Content, err = s.Content(ctx, l, box, seen)
	return p, err
}

// maxSheet is the largest number of pixels of the picture from which zoomed views of a still picture are taken.
const maxSheet = 24 << 20

// The limits up to which a text under a zoom is enlarged. maxNear is the largest factor by which it becomes larger than
// its box. maxNearPixels is the largest number of pixels to which it is enlarged. For an animated text, which is drawn
// many times, this number is maxMovedPixels.
const (
	maxNear        = 3.0
	maxNearPixels  = 10 << 20
	maxMovedPixels = 4 << 20
)

// closer enlarges a text to the size that the text has in the most magnified view of its motion, because scaling up
// letters that were drawn smaller would blur them. maxNear, maxNearPixels and maxMovedPixels limit the enlargement.
// closer returns the layer with the enlarged text and an enlarged box, whose corner is at 0, 0, and this box as a
// rectangle. If the text is not enlarged, closer returns the unchanged layer and its box.
func closer(l timeline.Layer) (timeline.Layer, image.Rectangle) {
	grow := math.Min(nearest(*l.Effects.Motion), maxNear)
	most := float64(maxNearPixels)
	if l.Text.Animation != nil {
		most = maxMovedPixels
	}
	if room := most / (float64(l.Box.W) * float64(l.Box.H)); grow*grow > room {
		grow = math.Sqrt(room)
	}
	if grow <= 1 {
		return l, Rectangle(l.Box)
	}
	side := func(n int) int { return max(2, int(math.Round(grow*float64(n)/2))*2) }
	l.Box = timeline.Box{W: side(l.Box.W), H: side(l.Box.H)}
	larger := *l.Text
	larger.Settings = larger.Settings.Scaled(grow)
	if larger.Animation != nil {
		animation := *larger.Animation
		animation.Way *= grow
		larger.Animation = &animation
	}
	l.Text = &larger
	return l, Rectangle(l.Box)
}

// nearest returns the magnification, at most 10, at the point where a motion shows the smallest part of the picture.
func nearest(m timeline.Motion) float64 {
	size := math.Min(math.Min(m.From.W, m.To.W), math.Min(m.From.H, m.To.H))
	return 1 / math.Max(size, 0.1)
}

// sheet returns the rectangle, with its corner at 0, 0, in which a picture under a zoom is drawn. The rectangle is as large
// as the most magnified view needs, within two limits: it is at most as wide as the used part of the picture's source, and
// has at most maxSheet pixels. The first limit does not apply to SVG drawings. The rectangle is never smaller than the box
// of the layer, even if the box exceeds a limit.
func (s *Drawer) sheet(l timeline.Layer) image.Rectangle {
	facts := s.Source(l.Source).Asset.Facts
	w := float64(facts.Width)
	if l.Crop.W > 0 {
		w = float64(l.Crop.W)
	}
	grow := nearest(*l.Effects.Motion)
	if !s.Source(l.Source).isDrawing() {
		grow = math.Min(grow, w/float64(l.Box.W))
	}
	grow = math.Max(1, grow)
	if pixels := grow * grow * float64(l.Box.W) * float64(l.Box.H); pixels > maxSheet {
		grow = math.Max(1, grow*math.Sqrt(maxSheet/pixels))
	}
	even := func(n int) int { return max(2, int(math.Round(grow*float64(n)/2))*2) }
	return image.Rect(0, 0, even(l.Box.W), even(l.Box.H))
}

// warned is a drawing with warnings for the client.
type warned interface{ warnings() []string }

// WarningsOf returns the warnings for the client about what an actor draws.
func WarningsOf(a Actor) []string {
	if w, ok := a.(warned); ok {
		return w.warnings()
	}
	return nil
}

func (p *plain) warnings() []string { return saidBy(p.Content) }
func (p *Posed) warnings() []string { return saidBy(p.Content) }

func saidBy(c Content) []string {
	moving, ok := c.(animated)
	if !ok {
		if w, ok := c.(warned); ok {
			return w.warnings()
		}
		return nil
	}
	d, err := moving.drawing.Frame(moving.drawing.Settled())
	if err != nil {
		return nil // a picture that cannot be drawn gives no warning: drawing it reports the error
	}
	return d.Warnings
}

// Rectangle converts a box of a layer.
func Rectangle(b timeline.Box) image.Rectangle { return image.Rect(b.X, b.Y, b.X+b.W, b.Y+b.H) }

// Blame returns an error that names the element whose source is at fault.
func Blame(ref timeline.Ref, what string) error {
	return domain.Errorf(domain.Invalid, "asset_failed", "%s: %s", ElementName(ref), what)
}

// ElementName is the form in which asset failures name an element: "Scene #1, element #2".
func ElementName(ref timeline.Ref) string {
	if ref.Scene == 0 {
		return fmt.Sprintf("Movie, element #%d", ref.Element)
	}
	return fmt.Sprintf("Scene #%d, element #%d", ref.Scene, ref.Element)
}

// ImageFault returns the error of an element whose picture is damaged or cannot be drawn; any other error is returned unchanged.
func ImageFault(ref timeline.Ref, err error) error {
	var damaged *picture.DecodeError
	if errors.As(err, &damaged) {
		return Blame(ref, "The image cannot be read: it is damaged or not complete")
	}
	var fault *domain.Error
	if errors.As(err, &fault) {
		return Blame(ref, fault.Message)
	}
	return err
}

// faultOf adds the element to an error for the client, and the failed action to any other error.
func faultOf(ref timeline.Ref, doing string, err error) error {
	var fault *domain.Error
	if errors.As(err, &fault) {
		return Blame(ref, fault.Message)
	}
	return fmt.Errorf("%s of %s: %w", doing, ref, err)
}

// TextDrawer prepares a text in a box of w × h pixels (internal/drawing/text.Engine). It must be safe for concurrent use.
type TextDrawer interface {
	Animate(t timeline.Text, w, h int) (text.Animated, error)
}

// Source is an asset in the form that the windows of a movie use.
type Source struct {
	Asset commands.Asset
	Path  string         // path of the file, in the folder of the movie
	Words []caption.Word // words of a voice, with their times
	// Cached says that the speech or picture comes from the cache.
	Cached bool
}

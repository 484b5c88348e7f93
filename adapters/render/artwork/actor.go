package artwork

import (
	"context"
	"image"

	"moviola/domain/timeline"
	"moviola/internal/drawing/picture"
)

// Actor draws a layer in this process, with its effects but without its fades. It is used by one goroutine at a time.
type Actor interface {
	// Draw draws frame k of the element as far as the canvas shows it. An actor whose view moves may return the same layer again,
	// with changed pixels, at the next call.
	Draw(ctx context.Context, k int64) (*picture.Layer, error)
	// Settled is the first frame of the element from which on the picture does not change.
	Settled() int64
}

// plain shows content without effects.
type plain struct {
	Content
	w, h int
	from *image.RGBA // the picture that was converted into the layer in field made
	made *picture.Layer
}

// Draw implements Actor.
func (p *plain) Draw(ctx context.Context, k int64) (*picture.Layer, error) {
	if moving, ok := p.Content.(animated); ok {
		d, at, err := moving.drawn(k)
		if err != nil || d.Image == nil {
			return &picture.Layer{}, err
		}
		return picture.FromNRGBA(d.Image, at, p.w, p.h), nil
	}
	img, err := p.At(ctx, k)
	if err != nil || img.Rect.Empty() {
		return &picture.Layer{}, err
	}
	if img != p.from {
		p.from, p.made = img, picture.FromRGBA(img, p.w, p.h)
	}
	return p.made, nil
}

// release ends the use of the actor.
func (p *plain) release(m *picture.Memory) {
	if _, ok := p.Content.(photo); ok && p.from != nil {
		m.Release(p.from)
		p.from = nil
	}
}

// Posed draws content with effects.
type Posed struct {
	Content
	layer timeline.Layer
	fx    timeline.Effects
	mask  *image.Gray // brightness mask for the whole box; nil: no mask
	box   image.Rectangle
	seen  image.Rectangle // the part of the box that contains visible pixels
	w, h  int
	// sheet is the rectangle in which the content is drawn. Usually it is the box of the layer. For a picture under a
	// motion, and for a text that is enlarged because a zoomed view needs more detail, its corner is at 0, 0 and it may be
	// larger than the box.
	sheet image.Rectangle

	rest   *image.RGBA // the content after its last change; nil: not drawn yet
	from   *image.RGBA // the picture from which the fields plate and viewer were made
	plate  *picture.Plate
	viewer *picture.Viewer
	turned *picture.Layer // the view of a layer with motion and rotation, not yet rotated; each frame draws into it anew
	out    *picture.Layer // the view of a layer with motion and without rotation; each frame draws into it anew
}

// MaxTurned is the largest number of pixels that the box of a layer may have if the layer has a motion or a rotation. The
// same limit applies to the box of a video that is mirrored or has a mask.
const MaxTurned = 32 << 20

// Settled implements Actor.
func (p *Posed) Settled() int64 {
	at := p.Content.Settled()
	if m := p.fx.Motion; m != nil && m.From != m.To {
		at = max(at, p.layer.Life-1)
	}
	if r := p.fx.Rotation; r != nil && r.Frames > 0 {
		if at = max(at, r.Frames); r.Endless {
			at = p.layer.Life
		}
	}
	return at
}

// Travels reports whether the layer has a motion, or a rotation that changes with time. For such a layer, prepare makes a
// plate: an image from which frames are sampled.
func (p *Posed) Travels() bool {
	r := p.fx.Rotation
	return p.fx.Motion != nil || r != nil && r.Frames > 0
}

// shown returns frame k of the content. Settled content is drawn once and kept.
func (p *Posed) shown(ctx context.Context, k int64) (*image.RGBA, error) {
	settled := p.Content.Settled()
	if k < settled {
		return p.At(ctx, k)
	}
	if p.rest == nil {
		img, err := p.At(ctx, settled)
		if err != nil {
			return nil, err
		}
		p.rest = img
	}
	return p.rest, nil
}

// Draw implements Actor.
func (p *Posed) Draw(ctx context.Context, k int64) (*picture.Layer, error) {
	img, err := p.shown(ctx, k)
	if err != nil || img.Rect.Empty() {
		return &picture.Layer{}, err
	}
	if !p.Travels() {
		return p.withStillEffects(img), nil
	}
	if img != p.from {
		p.prepare(img)
	}
	if p.fx.Motion == nil {
		return p.turn(p.plate, k), nil
	}
	view := picture.View(p.fx.Motion.At(k, p.layer.Life))
	if p.fx.Rotation == nil {
		l := p.fresh(picture.Even(p.seen, p.w, p.h))
		if l.Empty() {
			return l, nil
		}
		p.viewer.Draw(view, l)
		p.finish(l)
		return l, nil
	}
	if p.turned == nil {
		p.turned = Blank(image.Rect(0, 0, (p.box.Dx()+1)&^1, (p.box.Dy()+1)&^1))
	}
	p.viewer.Draw(view, p.turned)
	if p.mask != nil {
		mask := *p.mask
		mask.Rect = mask.Rect.Sub(p.box.Min)
		p.turned.Cover(&mask)
	}
	copied := *p.turned
	copied.Pix = append([]byte(nil), p.turned.Pix...)
	return p.turn(picture.NewPlate(&copied), k), nil
}

// Blank returns a transparent layer that fills the rectangle r, whose coordinates must be even.
func Blank(r image.Rectangle) *picture.Layer {
	return &picture.Layer{X: r.Min.X, Y: r.Min.Y, W: r.Dx(), H: r.Dy(), Pix: make([]byte, r.Dx()*r.Dy()*5/2)}
}

// fresh returns the reusable layer out, which the first call makes with the rectangle r. It still has the pixels of the
// last frame: the caller draws over all of them. One layer is enough: each frame of a moving view is used before the next
// one is drawn.
func (p *Posed) fresh(r image.Rectangle) *picture.Layer {
	if p.out == nil {
		p.out = Blank(r)
	}
	return p.out
}

// keyed returns the picture img after two effects of the layer: mirroring, and the chroma key, which makes one colour
// transparent.
func (p *Posed) keyed(img *image.RGBA) *image.RGBA {
	out := picture.Mirror(img, p.sheet, p.fx.FlipX, p.fx.FlipY)
	if key := p.fx.ChromaKey; key != nil {
		if out == img {
			out = &image.RGBA{Pix: append([]byte(nil), img.Pix...), Stride: img.Stride, Rect: img.Rect}
		}
		picture.Key(out, key.Color.R, key.Color.G, key.Color.B, key.Similarity)
	}
	return out
}

// withStillEffects applies the effects that do not change with time.
func (p *Posed) withStillEffects(img *image.RGBA) *picture.Layer {
	img = p.keyed(img)
	if p.mask != nil {
		covered := *img
		covered.Pix = append([]byte(nil), img.Pix...)
		picture.Cover(&covered, p.mask)
		img = &covered
	}
	if r := p.fx.Rotation; r != nil {
		img = picture.Rotate(img, p.box, r.Degrees, p.w, p.h)
	}
	l := picture.FromRGBA(img, p.w, p.h)
	if !l.Empty() {
		p.correct(l)
		l.Fade(1 - p.fx.Transparency)
	}
	return l
}

func (p *Posed) correct(l *picture.Layer) {
	if c := p.fx.Correction; c != nil {
		l.Correct(picture.Correction(*c))
	}
}

// prepare makes the plate: the image from which the frames of a moving view are sampled.
func (p *Posed) prepare(img *image.RGBA) {
	p.from = img
	img = p.keyed(img)
	whole := image.NewRGBA(p.sheet.Sub(p.sheet.Min))
	shift := img.Rect.Sub(p.sheet.Min).Intersect(whole.Rect)
	for y := shift.Min.Y; y < shift.Max.Y; y++ {
		from := img.Pix[img.PixOffset(shift.Min.X+p.sheet.Min.X, y+p.sheet.Min.Y):]
		copy(whole.Pix[whole.PixOffset(shift.Min.X, y):][:4*shift.Dx()], from)
	}
	if p.fx.Motion == nil && p.mask != nil {
		moved := *p.mask
		moved.Rect = moved.Rect.Sub(p.sheet.Min)
		picture.Cover(whole, &moved)
	}
	l := picture.FromRGBA(whole, whole.Rect.Dx()+1, whole.Rect.Dy()+1)
	p.correct(l)
	p.plate = picture.NewPlate(l)
	box := p.box
	if p.fx.Rotation != nil {
		box = box.Sub(box.Min)
	}
	p.viewer = picture.NewViewer(p.plate, p.sheet.Size(), box)
}

// finish applies the mask and the transparency, which come after the motion.
func (p *Posed) finish(l *picture.Layer) {
	if p.mask != nil {
		l.Cover(p.mask)
	}
	l.Fade(1 - p.fx.Transparency)
}

func (p *Posed) turn(plate *picture.Plate, k int64) *picture.Layer {
	l := p.fresh(picture.TurnBounds(p.box, p.w, p.h))
	if l.Empty() {
		return l
	}
	picture.Rotation{Plate: plate, Box: p.box}.Draw(p.fx.Rotation.At(k), l)
	l.Fade(1 - p.fx.Transparency)
	return l
}

// Opaque reports whether the layer is known to hide everything below it in every frame: its box covers the canvas, and
// its motion shows only parts of an opaque picture that does not change. It returns false for layers without a motion,
// and for those with a rotation, a mask or transparency.
func (p *Posed) Opaque(ctx context.Context) (bool, error) {
	m := p.fx.Motion
	canvas := image.Rect(0, 0, p.w, p.h)
	if m == nil || p.fx.Rotation != nil || p.mask != nil || p.fx.Transparency > 0 || !canvas.In(p.box) {
		return false, nil
	}
	for _, v := range []timeline.View{m.From, m.To} {
		if v.X < 0 || v.Y < 0 || v.X+v.W > 1+1e-9 || v.Y+v.H > 1+1e-9 {
			return false, nil
		}
	}
	if p.Content.Settled() > 0 {
		return false, nil
	}
	img, err := p.shown(ctx, 0)
	if err != nil {
		return false, err
	}
	if img != p.from {
		p.prepare(img)
	}
	return p.plate.Opaque(), nil
}

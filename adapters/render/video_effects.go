package render

import (
	"context"
	"fmt"
	"image"
	"math"
	"strconv"

	"moviola/adapters/render/artwork"
	"moviola/adapters/render/ffmpeg"
	"moviola/domain/timeline"
	"moviola/internal/drawing/picture"
)

// reveals reports whether effects may make layers below a video visible.
func reveals(e *timeline.Effects) bool {
	if e == nil {
		return false
	}
	if m := e.Motion; m != nil && (leaves(m.From) || leaves(m.To)) {
		return true
	}
	return e.ChromaKey != nil || e.Mask != nil || e.Rotation != nil || e.Transparency > 0
}

func leaves(v timeline.View) bool {
	const hair = 1e-9
	return v.X < -hair || v.Y < -hair || v.X+v.W > 1+hair || v.Y+v.H > 1+hair
}

// whole reports whether effects need the whole box of a video, including parts outside of the canvas.
func whole(e *timeline.Effects) bool {
	return e != nil && (e.FlipX || e.FlipY || e.Motion != nil || e.Mask != nil || e.Rotation != nil)
}

// reach is the rectangle in which a layer may be visible.
func reach(l timeline.Layer, box image.Rectangle) image.Rectangle {
	if l.Effects == nil || l.Effects.Rotation == nil {
		return box
	}
	radius := int(math.Ceil(math.Hypot(float64(box.Dx()), float64(box.Dy()))/2)) + 1
	middle := box.Min.Add(box.Max).Div(2)
	return image.Rect(middle.X-radius, middle.Y-radius, middle.X+radius, middle.Y+radius)
}

// applyEffects applies the effects of a video to its frames. It returns the label of the resulting frames and their
// position. The effects are applied in the order of the first drawing. Each effect reads the frames with the label from,
// and its result has a new label. An effect that the layer does not have is left out.
//
//	from ─► keyed ─► straight ─────────────► moved ──────► withAlpha ◄─ maskFor   ─► rotated ─► to, in a larger box
//	        colour   correction, opacity,    view within   mask: a picture          │
//	        key      mirrors                 the box       or a video               └─ not rotated: crop to the canvas ─► to
//
// keyed and withAlpha consist of several filters, which split the frames and merge them again:
//
//	keyed       from ─ split ─┬──────────────────────────────────────────────┐
//	                          └─ extractplanes ─ u, v ─ lut2 ─ scale ─ mask ─ withAlpha ─►
//	withAlpha   from, without alpha ─────────────────────────────────────────── alphamerge ─►
//	                                                       mask ───────────────────┘
//	            from, with alpha ─ split ─┬──────────────────────────────────── alphamerge ─►
//	                                      └─ alphaextract ─┬─ blend (multiply) ────┘
//	                                                 mask ─┘
//
// The variable alpha says at each step up to the mask whether the frames have an alpha channel. A filter that makes frames
// transparent adds an alpha channel only if there is none. withAlpha multiplies its mask into an alpha channel that is
// there.
//
// The parameter p is the position of the frames: p.box is the rectangle of the canvas that the whole video fills, and
// p.visible is the part of p.box that the frames show. If an effect needs all of the box, the caller has set p.visible to
// p.box.
func (c *composer) applyEffects(
	ctx context.Context, l timeline.Layer, src artwork.Source, from string, p place,
) (string, place, error) {
	e := l.Effects
	if e == nil {
		return from, p, nil
	}
	alpha := transparent(src.Asset.Media.Video)
	if e.ChromaKey != nil {
		from, alpha = c.keyed(from, *e.ChromaKey, p.visible.Size(), alpha), true
	}
	if filters := c.straight(l, alpha); len(filters) > 0 {
		to := c.label()
		c.chain(from, filters, to)
		from, alpha = to, alpha || e.Transparency > 0
	}
	if e.Motion != nil {
		out := leaves(e.Motion.From) || leaves(e.Motion.To)
		to := c.label()
		c.chain(from, c.moved(l, p.box.Size(), out), to)
		from, alpha = to, alpha || out
	}
	if e.Mask != nil {
		mask, err := c.maskFor(ctx, l, p)
		if err != nil {
			return "", p, err
		}
		from = c.withAlpha(from, mask, alpha)
	}
	if e.Rotation != nil {
		filters, box := c.rotated(l, p.box)
		to := c.label()
		c.chain(from, filters, to)
		return to, place{box: box, visible: box}, nil
	}
	if canvas := image.Rect(0, 0, c.w, c.h); !p.visible.In(canvas) {
		visible := p.visible.Intersect(canvas)
		to := c.label()
		c.chain(from, []string{crop(visible.Sub(p.visible.Min))}, to)
		return to, place{box: p.box, visible: visible}, nil
	}
	return from, p, nil
}

// keyed makes a colour transparent. It looks chroma distances up in a table, at the size of the chroma planes: ffmpeg's chromakey
// filter takes thirty times as long for the same result.
func (g *graph) keyed(from string, key timeline.ChromaKey, size image.Point, alpha bool) string {
	cb, cr, near, far := picture.KeyRange(key.Color.R, key.Color.G, key.Color.B, key.Similarity)
	main, side, u, v, mask := g.label(), g.label(), g.label(), g.label(), g.label()
	g.chain(from, []string{"split"}, main+"]["+side)
	g.chain(side, []string{"extractplanes=u+v"}, u+"]["+v)
	g.chain(u+"]["+v, []string{
		fmt.Sprintf("lut2=c0='clip((hypot(x-%.3f,y-%.3f)-%.3f)*%.4f,0,255)'", cb, cr, near, 255/(far-near)),
		fmt.Sprintf("scale=w=%d:h=%d:flags=bilinear", size.X, size.Y),
	}, mask)
	return g.withAlpha(main, mask, alpha)
}

// withAlpha makes grey frames the alpha of other frames, or multiplies them into existing alpha.
func (g *graph) withAlpha(from, mask string, alpha bool) string {
	if alpha {
		main, side, old, both := g.label(), g.label(), g.label(), g.label()
		g.chain(from, []string{"split"}, main+"]["+side)
		g.chain(side, []string{"alphaextract"}, old)
		g.chain(old+"]["+mask, []string{"blend=all_mode=multiply"}, both)
		from, mask = main, both
	}
	to := g.label()
	g.chain(from+"]["+mask, []string{"alphamerge"}, to)
	return to
}

// straight returns the effects that are single filters: correction, transparency, mirroring.
func (c *composer) straight(l timeline.Layer, alpha bool) []string {
	e := l.Effects
	var filters []string
	look := ""
	if e.Correction != nil {
		k := picture.Correction(*e.Correction)
		look = fmt.Sprintf("y='clip(255*pow(max(0,%g*(val/255-0.5)+0.5+%g),%g),0,255)'"+
			":u='clip(128+(val-128)*%g,0,255)':v='clip(128+(val-128)*%[4]g,0,255)'",
			k.Contrast, k.Brightness, 1/k.Gamma, k.Saturation)
	}
	if e.Transparency > 0 {
		if !alpha {
			filters = append(filters, "format=yuva420p")
		}
		if look != "" {
			look += ":"
		}
		look += fmt.Sprintf("a='val*%g'", 1-e.Transparency)
	}
	if look != "" {
		filters = append(filters, "lutyuv="+look)
	}
	if e.FlipX {
		filters = append(filters, "hflip")
	}
	if e.FlipY {
		filters = append(filters, "vflip")
	}
	return filters
}

// moved returns the filters that show a moving view of each frame. Where the view extends beyond the picture, it is transparent.
func (c *composer) moved(l timeline.Layer, size image.Point, leaves bool) []string {
	m := *l.Effects.Motion
	var filters []string
	w, h := float64(size.X), float64(size.Y)
	var left, top float64
	if leaves {
		border := func(a, b, size float64) float64 { return math.Ceil(math.Max(0, math.Max(a, b))*size/2)*2 + 2 }
		left, top = border(-m.From.X, -m.To.X, w), border(-m.From.Y, -m.To.Y, h)
		right, bottom := border(m.From.X+m.From.W-1, m.To.X+m.To.W-1, w), border(m.From.Y+m.From.H-1, m.To.Y+m.To.H-1, h)
		filters = append(filters, "format=yuva420p",
			fmt.Sprintf("pad=w=%g:h=%g:x=%g:y=%g:color=black@0", w+left+right, h+top+bottom, left, top))
	}
	at := func(from, to, scale, shift float64) string {
		share := "1"
		if l.Life > 1 {
			share = fmt.Sprintf("min(1,(on-1+%d)/%d)", l.Phase, l.Life-1)
		}
		return fmt.Sprintf("%.6f+%.6f*%s", shift+from*scale, (to-from)*scale, share)
	}
	x0, x1 := at(m.From.X, m.To.X, w, left), at(m.From.X+m.From.W, m.To.X+m.To.W, w, left)
	y0, y1 := at(m.From.Y, m.To.Y, h, top), at(m.From.Y+m.From.H, m.To.Y+m.To.H, h, top)
	filters = append(filters, fmt.Sprintf(
		"perspective=x0='%s':y0='%s':x1='%s':y1='%[2]s':x2='%[1]s'"+
			":y2='%[4]s':x3='%[3]s':y3='%[4]s':sense=source:eval=frame:interpolation=linear",
		x0, y0, x1, y1))
	if leaves {
		filters = append(filters, fmt.Sprintf("scale=w=%d:h=%d:flags=bilinear", size.X, size.Y))
	}
	return filters
}

// rotated rotates frames that fill a box, and returns their new rectangle.
func (c *composer) rotated(l timeline.Layer, box image.Rectangle) ([]string, image.Rectangle) {
	r := l.Effects.Rotation
	out := reach(l, box)
	// The centre must not move: both sizes are odd, or both are even.
	out.Max.X += (out.Dx() - box.Dx()) & 1
	out.Max.Y += (out.Dy() - box.Dy()) & 1
	out = out.Add(box.Min.Add(box.Max).Sub(out.Min.Add(out.Max)).Div(2))
	angle := strconv.FormatFloat(r.Degrees*math.Pi/180, 'f', 9, 64)
	switch {
	case r.Frames > 0 && r.Endless:
		angle += fmt.Sprintf("*mod(n+%d,%d)/%[2]d", l.Phase, r.Frames)
	case r.Frames > 0:
		angle += fmt.Sprintf("*min(1,(n+%d)/%d)", l.Phase, r.Frames)
	}
	return []string{"format=yuva420p", fmt.Sprintf("rotate=a='%s':ow=%d:oh=%d:c=black@0", angle, out.Dx(), out.Dy())}, out
}

func maskedByVideo(l timeline.Layer) bool {
	return l.Effects != nil && l.Effects.Mask != nil && l.Effects.Mask.Video
}

// maskFor returns grey mask frames for the box of a layer.
func (c *composer) maskFor(ctx context.Context, l timeline.Layer, p place) (string, error) {
	if maskedByVideo(l) {
		return c.maskVideo(l, p.box.Size()), nil
	}
	path, err := c.stills.MaskFile(ctx, l, p.box)
	if err != nil {
		return "", err
	}
	in := c.input(ffmpeg.Input{Path: path, Temporary: true, Format: "rawvideo", Raw: &ffmpeg.Raw{
		PixelFormat: "gray", Width: p.box.Dx(), Height: p.box.Dy(), Rate: c.rate,
	}})
	to := c.label()
	c.chain(pad(in, 0), repeated(l.To-l.From, 0), to)
	return to, ctx.Err()
}

// maskVideo opens a video as a mask: it is played once from the element's first frame on.
func (c *composer) maskVideo(l timeline.Layer, size image.Point) string {
	src := c.sources[l.Effects.Mask.Source]
	mask := timeline.Layer{Ref: l.Ref, Source: l.Effects.Mask.Source, From: l.From, To: l.To, Phase: l.Phase, Life: l.Life}
	box := image.Rectangle{Max: size}
	from := c.played(mask, src, place{box: box, visible: box})
	to := c.label()
	c.chain(from, []string{"scale=in_range=tv:out_range=pc", "format=gray"}, to)
	return to
}

// layMasked composites frames of a layer in a region, numbered from 0, with a video as their mask.
func (c *composer) layMasked(l timeline.Layer, from string, region image.Rectangle) {
	box := artwork.Rectangle(l.Box)
	mask := c.maskVideo(l, box.Size())
	seen := region.Intersect(box)
	cut := c.label()
	c.chain(mask, []string{crop(seen.Sub(box.Min)), fmt.Sprintf("pad=w=%d:h=%d:x=%d:y=%d:color=black",
		region.Dx(), region.Dy(), seen.Min.X-region.Min.X, seen.Min.Y-region.Min.Y)}, cut)
	c.put(l, c.withAlpha(from, cut, true), place{box: region, visible: region})
}

// layTurned composites a rotated layer with a video as its mask: both are rotated together, so the layer is first drawn upright,
// alone on a canvas of the size of its box.
func (c *composer) layTurned(ctx context.Context, l timeline.Layer) error {
	box := artwork.Rectangle(l.Box)
	if int64(box.Dx())*int64(box.Dy()) > artwork.MaxTurned {
		return artwork.Blame(l.Ref, "The element is too large to be moved, turned or masked: make 'width' or 'height' smaller")
	}
	upright, effects := l, *l.Effects
	effects.Rotation = nil
	upright.Effects, upright.Box = &effects, timeline.Box{W: l.Box.W, H: l.Box.H}
	a, err := c.stills.Over(l.Box.W, l.Box.H).Open(ctx, upright)
	if err != nil {
		return err
	}
	c.warnings = append(c.warnings, artwork.WarningsOf(a)...)
	s := c.streamOf(a, l)
	s.frames = max(s.frames, 1)
	size := image.Pt((box.Dx()+1)&^1, (box.Dy()+1)&^1)
	s.region = image.Rectangle{Max: size}
	mask := c.label()
	c.chain(c.maskVideo(l, box.Size()), []string{fmt.Sprintf("pad=w=%d:h=%d:x=0:y=0:color=black", size.X, size.Y)}, mask)
	from := c.withAlpha(c.stream(s, 0, l.To-l.From), mask, true)
	filters, out := c.rotated(l, image.Rectangle{Min: box.Min, Max: box.Min.Add(size)})
	to := c.label()
	c.chain(from, filters, to)
	c.put(l, to, place{box: out, visible: out})
	return nil
}

package text

import (
	"image"
	"math"

	"moviola/domain/timeline"
	"moviola/internal/drawing/canvas"
)

// pose is the transformation and visibility of a cluster at a moment.
type pose struct {
	m     canvas.Matrix
	alpha float64          // opacity of the cluster, 0 to 1
	blur  float64          // blur radius of the cluster's shapes, in pixels
	clip  *image.Rectangle // rectangle outside of which the cluster is not drawn; nil: none
}

var atRest = pose{m: canvas.Identity, alpha: 1}

// blockState is the state of an animated block at a moment.
type blockState struct {
	pose    func(c *cluster) pose // position and opacity of each cluster at the moment; nil: none is moved
	opacity float64               // opacity of the whole text
	box     pose                  // pose of the textbox, without blur and clip
	above   *canvas.List          // drawn over the letters; nil: nothing
	rules   float64               // visible fraction of the lines above and below the text, 0 to 1
	// pill returns the pose of a phrase together with its pill, the rounded box behind it; nil: the text has no pills, and
	// the fields pose and box apply
	pill func(phrase int) pose
}

// Draw draws the text at rest.
func (b *Block) Draw() (Drawing, error) { return b.paint(b.resting()) }

// layers are the parts of a text: the coverage masks of letters and strokes (nil: no strokes), and the picture of its emoji.
type layers struct {
	letters, stroke *image.Alpha
	emojis          *image.NRGBA
}

func (b *Block) paint(l blockState) (Drawing, error) {
	parts := b.parts(l)
	all := image.Rectangle{}
	for n := range parts {
		p := &parts[n]
		for i := range b.clusters {
			if p.poses[i].alpha > 0 {
				p.ink = p.ink.Union(b.seen(&b.clusters[i], p.poses[i]))
			}
		}
		all = all.Union(p.ink).Union(p.under.Bounds().Intersect(b.region))
		for _, s := range b.shadows() {
			all = all.Union(shadowBounds(p.ink, s))
		}
	}
	if l.above != nil {
		all = all.Union(l.above.Bounds().Intersect(b.region))
	}
	if all.Dx()*all.Dy() > maxPixels {
		return Drawing{}, errTooLarge()
	}
	drawing := Drawing{Image: image.NewNRGBA(image.Rectangle{}), Warnings: b.Warnings}
	if all.Empty() || l.opacity <= 0 {
		return drawing, nil
	}
	out := image.NewNRGBA(all)
	var list canvas.List
	for _, p := range parts {
		list.Group(p.under, nil, canvas.Identity, 1)
		b.drawLetters(&list, p.ink, p.poses)
	}
	if l.above != nil {
		list.Group(l.above, nil, canvas.Identity, 1)
	}
	list.DrawOn(out)
	if l.opacity < 1 {
		canvas.Mask(out, nil, l.opacity)
	}
	drawing.Image, drawing.At = trim(out)
	return drawing, nil
}

// drawLetters draws the letters with their strokes and shadows.
func (b *Block) drawLetters(list *canvas.List, ink image.Rectangle, poses []pose) {
	if ink.Empty() {
		return
	}
	c := b.cover(ink, poses)
	shadows := b.shadows()
	for i := len(shadows) - 1; i >= 0; i-- {
		if s := shadows[i]; s.Color.A > 0 {
			list.Cover(c.shadow(s), canvas.Paint{Color: s.Color})
		}
	}
	list.Cover(c.letters, canvas.Paint{Color: b.style.Color})
	if c.stroke != nil {
		list.Cover(c.stroke, canvas.Paint{Color: b.style.StrokeColor})
	}
	list.Paste(c.emojis, canvas.Identity, 1)
}

// seen is the rectangle that a cluster covers at most in a pose.
func (b *Block) seen(c *cluster, p pose) image.Rectangle {
	ink := c.ink
	if p.m != canvas.Identity {
		box := canvas.Rectangle(float64(ink.Min.X), float64(ink.Min.Y), float64(ink.Dx()), float64(ink.Dy()))
		ink = box.Bounds(p.m)
	}
	if p.blur > 0 {
		ink = ink.Inset(-canvas.BlurReach(p.blur))
	}
	if p.clip != nil {
		ink = ink.Intersect(*p.clip)
	}
	return ink.Intersect(b.region)
}

// cover draws the coverage masks of the block's letters, strokes and other parts, as far as they lie inside the rectangle ink.
func (b *Block) cover(ink image.Rectangle, poses []pose) layers {
	c := layers{letters: image.NewAlpha(ink)}
	var emojis canvas.List
	if b.style.StrokeWidth > 0 && b.style.StrokeColor.A > 0 {
		c.stroke = image.NewAlpha(ink)
	}
	for i := range b.clusters {
		item, p := &b.clusters[i], poses[i]
		if p.alpha <= 0 {
			continue
		}
		area := b.seen(item, p)
		b.shape(c.letters, item.path, p, area)
		b.shape(c.letters, item.extra, p, area)
		if c.stroke != nil {
			b.shape(c.stroke, item.stroke, p, area)
		}
		for j := range item.emojis {
			opacity := p.alpha * float64(b.style.Color.A) / 255
			if p.clip != nil {
				clip := canvas.Rectangle(float64(area.Min.X), float64(area.Min.Y), float64(area.Dx()), float64(area.Dy()))
				var inner canvas.List
				inner.Paste(b.picture(&item.emojis[j]), p.m, opacity)
				emojis.Group(&inner, &clip, canvas.Identity, 1)
				continue
			}
			emojis.Paste(b.picture(&item.emojis[j]), p.m, opacity)
		}
	}
	c.emojis = emojis.Draw(ink)
	return c
}

// maxBlurred is the largest number of pixels of a letter that is blurred; larger letters are drawn sharp.
const maxBlurred = 1 << 20

// shape adds the coverage of a path. In a translucent or blurred pose the path is composited over the existing coverage.
func (b *Block) shape(to *image.Alpha, path canvas.Path, p pose, area image.Rectangle) {
	if area.Empty() || path.Empty() {
		return
	}
	if p.alpha >= 1 && p.blur == 0 {
		b.raster.Add(to, path, p.m, area)
		return
	}
	part := image.NewAlpha(area)
	b.raster.Add(part, path, p.m, area)
	if area.Dx()*area.Dy() <= maxBlurred {
		canvas.Blur(part, p.blur)
	}
	share := uint32(p.alpha*255 + 0.5)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		from := part.Pix[part.PixOffset(area.Min.X, y):][:area.Dx()]
		row := to.Pix[to.PixOffset(area.Min.X, y):][:area.Dx()]
		for x, a := range from {
			if a > 0 {
				a := uint32(a) * share / 255
				row[x] = uint8(a + uint32(row[x])*(255-a)/255)
			}
		}
	}
}

func (b *Block) shadows() []timeline.Shadow {
	if b.style.Shadow == nil {
		return b.style.Shadows
	}
	return append([]timeline.Shadow{*b.style.Shadow}, b.style.Shadows...)
}

// shadowBounds returns the rectangle that the shadow s covers when it is cast by letters in the rectangle ink. It is empty
// if ink is empty or the shadow is invisible.
func shadowBounds(ink image.Rectangle, s timeline.Shadow) image.Rectangle {
	if ink.Empty() || s.Color.A == 0 {
		return image.Rectangle{}
	}
	return ink.Add(offset(s)).Inset(-canvas.BlurReach(s.Blur))
}

func offset(s timeline.Shadow) image.Point {
	return image.Pt(int(math.Round(s.X)), int(math.Round(s.Y)))
}

// shadow returns the coverage of letters, strokes and emoji, shifted and blurred.
func (c layers) shadow(s timeline.Shadow) *image.Alpha {
	ink := c.letters.Rect
	shape := image.NewAlpha(shadowBounds(ink, s))
	move := offset(s)
	row := func(y int) []uint8 { return shape.Pix[shape.PixOffset(ink.Min.X+move.X, y+move.Y):][:ink.Dx()] }
	emojis := c.emojis
	for y := ink.Min.Y; y < ink.Max.Y; y++ {
		to := row(y)
		copy(to, c.letters.Pix[c.letters.PixOffset(ink.Min.X, y):][:ink.Dx()])
		if c.stroke != nil {
			for x, a := range c.stroke.Pix[c.stroke.PixOffset(ink.Min.X, y):][:ink.Dx()] {
				to[x] = max(to[x], a)
			}
		}
	}
	for y := emojis.Rect.Min.Y; y < emojis.Rect.Max.Y; y++ {
		to := row(y)
		for x := emojis.Rect.Min.X; x < emojis.Rect.Max.X; x++ {
			at := &to[x-ink.Min.X]
			*at = max(*at, emojis.Pix[emojis.PixOffset(x, y)+3])
		}
	}
	canvas.Blur(shape, s.Blur)
	return shape
}

// box draws the textbox: its shadow, background and border.
func (b *Block) box(p pose) *canvas.List {
	var l canvas.List
	s := b.style
	w, h := b.right-b.left, b.bottom-b.top
	round := func(by float64) [4]float64 { r := max(s.Radius+by, 0); return [4]float64{r, r, r, r} }
	outline := canvas.Rounded(b.left, b.top, w, h, round(0))
	if s.BoxShadow != nil {
		by := s.BoxShadow.Spread
		radius := round(by)
		if s.Radius == 0 {
			radius = [4]float64{}
		}
		if w+2*by > 0 && h+2*by > 0 { // otherwise nothing is left of the shadow, as in Chromium
			shape := canvas.Rounded(b.left-by, b.top-by, w+2*by, h+2*by, radius)
			l.Glow(shape, canvas.Move(s.BoxShadow.X, s.BoxShadow.Y).Then(p.m), s.BoxShadow.Blur, s.BoxShadow.Color, p.alpha)
		}
	}
	paint := canvas.Paint{Color: s.Background, Gradient: canvas.Of(s.Gradient, b.left, b.top, w, h)}
	l.Fill(outline, p.m, paint, p.alpha)
	if line := s.BorderWidth; line > 0 && s.BorderColor.A > 0 {
		inside := canvas.Rounded(b.left+line, b.top+line, max(w-2*line, 0), max(h-2*line, 0), round(-line))
		ring := outline
		hole := inside.Reverse()
		ring.Append(hole)
		l.Fill(ring, p.m, canvas.Paint{Color: s.BorderColor}, p.alpha)
	}
	return &l
}

// trim crops a picture to its visible part, whose origin becomes 0, 0; at is its former position.
func trim(out *image.NRGBA) (cropped *image.NRGBA, at image.Point) {
	seen := image.Rectangle{}
	for y := out.Rect.Min.Y; y < out.Rect.Max.Y; y++ {
		row := out.Pix[out.PixOffset(out.Rect.Min.X, y):][:4*out.Rect.Dx()]
		first, last := 0, out.Rect.Dx()-1
		for first <= last && row[4*first+3] == 0 {
			first++
		}
		for last >= first && row[4*last+3] == 0 {
			last--
		}
		if first <= last {
			seen = seen.Union(image.Rect(out.Rect.Min.X+first, y, out.Rect.Min.X+last+1, y+1))
		}
	}
	part, ok := out.SubImage(seen).(*image.NRGBA)
	if !ok || seen.Empty() {
		return image.NewNRGBA(image.Rectangle{}), image.Point{}
	}
	if seen.Size() == out.Rect.Size() {
		part.Rect = part.Rect.Sub(seen.Min)
		return part, seen.Min
	}
	cropped = image.NewNRGBA(image.Rect(0, 0, seen.Dx(), seen.Dy()))
	for y := range seen.Dy() {
		copy(cropped.Pix[y*cropped.Stride:][:4*seen.Dx()], part.Pix[y*part.Stride:])
	}
	return cropped, seen.Min
}

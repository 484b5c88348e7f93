package timeline

import (
	"maps"
	"slices"

	"moviola/domain/document"
)

// layer builds the layer of an element, without its place in a window.
func (l *layout) layer(e *document.Element, s stretch) (Layer, error) {
	layer := Layer{
		Ref: e.Ref, Kind: LayerKind(e.Ref.Type), FadeIn: s.fadeIn, FadeOut: s.fadeOut, Life: s.end - s.start, Effects: l.effects(e),
	}
	switch e.Ref.Type {
	case document.TypeImage, document.TypeVideo:
		layer.Source = e.Src
		layer.Box, layer.Crop = l.box(e, l.facts[e.Src])
		if l.facts[e.Src].Duration > 0 {
			layer.Animated = e.Ref.Type == document.TypeImage
			layer.Seek, layer.Loop, layer.Plays = l.play(e, layer.Life)
		}
	case document.TypeText:
		layer.Text, layer.Box = l.text(e)
		layer.Text.Animation = animate(e.Style, layer.Text.Text, layer.Life, l.movie.FPS)
	case document.TypeHTML:
		layer.Page, layer.Box = l.page(e, layer.Life), l.canvasBox(e)
	case document.TypeComponent:
		layer.Component, layer.Box = e.Component, l.canvasBox(e)
	case document.TypeAudiogram:
		layer.Audiogram = &Audiogram{Color: e.Audiogram.Color, Amplitude: e.Audiogram.Amplitude}
		layer.Box = l.canvasBox(e)
	}
	return layer, checkBox(e.Ref, layer.Box)
}

func (l *layout) page(e *document.Element, life int64) *Page {
	page := &Page{
		HTML: e.Page.HTML, Source: e.Page.Src, Tailwind: e.Page.Tailwind, Wait: e.Page.Wait, DPI: e.Page.DPI,
		Capture: min(l.frame(e.Page.Capture), life), Fresh: !e.Cache,
	}
	page.Finished = page.Capture == 0 && !e.Page.Waits
	if page.HTML != "" {
		page.Source = ""
	}
	for _, name := range slices.Sorted(maps.Keys(e.Settings)) {
		if name != "opacity" { // opacity is an effect of the element, not a setting of the page
			page.Settings = append(page.Settings, Setting{Name: name, Value: e.Settings[name]})
		}
	}
	return page
}

// canvasBox returns the box of an element whose size depends on its properties and the canvas, not on a source. A missing
// side is that of the canvas; with a resize both sides are.
func (l *layout) canvasBox(e *document.Element) Box {
	box := Box{W: e.Width, H: e.Height}
	horizontal, vertical := edges(e.Position)
	if box.W < 0 || e.Resize != "" {
		box.W, horizontal = l.plan.Width, free // as wide as the canvas: only e.X moves it
	}
	if box.H < 0 || e.Resize != "" {
		box.H, vertical = l.plan.Height, free
	}
	box.X = e.X + place(horizontal, l.plan.Width, box.W, gapPercent)
	box.Y = e.Y + place(vertical, l.plan.Height, box.H, gapPercent)
	return box
}

// zoomLevel is the enlargement by one level of zoom. Decision 26.
const zoomLevel = 0.1

// effects returns the effects of the element on its picture; nil: no effects.
func (l *layout) effects(e *document.Element) *Effects {
	given := &e.Effects
	f := Effects{
		Correction: given.Correction, FlipX: given.FlipX, FlipY: given.FlipY, Motion: motionOf(given),
		Rotation: l.rotation(given.Rotate), Transparency: 1 - given.Opacity,
	}
	if key := given.ChromaKey; key != nil {
		f.ChromaKey = &ChromaKey{Color: key.Color, Similarity: key.Tolerance / 100}
	}
	if given.Mask != "" {
		f.Mask = &Mask{Source: given.Mask, Video: l.facts[given.Mask].Duration > 0}
	}
	if f == (Effects{}) {
		return nil
	}
	return &f
}

// motionOf returns the motion of a zoom, a pan or both. A motion moves a view (the visible part of the picture) over the
// picture. A zoom enlarges the picture by a tenth per level about its middle. If there is a zoom, a pan moves the view by
// the pan's distance in the pan's direction; unless pan-crop is false, the view stays inside the picture. Without a zoom, a
// pan moves the picture in the pan's direction, so that the view moves the opposite way. The picture is then enlarged just
// enough to fill its box all the time, unless pan-crop is false. In the first look (document.FirstLook), a pan without a
// zoom moves the view in the pan's direction.
func motionOf(e *document.Effects) *Motion {
	switch {
	case e.Zoom != 0:
		size := 1 / (1 + zoomLevel*max(e.Zoom, -e.Zoom))
		near := View{W: size, H: size, X: travel(size, e.Pan.X, e.PanDistance, e.PanCrop),
			Y: travel(size, e.Pan.Y, e.PanDistance, e.PanCrop)}
		whole := View{W: 1, H: 1}
		if e.Zoom < 0 {
			return &Motion{From: near, To: whole}
		}
		return &Motion{From: whole, To: near}
	case e.Pan == document.Pan{}:
		return nil
	}
	view := document.Pan{X: -e.Pan.X, Y: -e.Pan.Y}
	if document.Look() == document.FirstLook {
		view = e.Pan
	}
	if !e.PanCrop {
		return &Motion{
			From: View{W: 1, H: 1},
			To:   View{X: float64(view.X) * e.PanDistance, Y: float64(view.Y) * e.PanDistance, W: 1, H: 1},
		}
	}
	d := e.PanDistance
	// direction -1 goes from the far edge to the near edge, 1 from near to far, 0 stays in the middle
	from, to := [3]float64{d, d / 2, 0}, [3]float64{0, d / 2, d}
	return &Motion{
		From: View{X: from[view.X+1], Y: from[view.Y+1], W: 1 - d, H: 1 - d},
		To:   View{X: to[view.X+1], Y: to[view.Y+1], W: 1 - d, H: 1 - d},
	}
}

// travel returns the position, on one axis, at which a view ends that moves from the middle of the picture by a distance. A
// view is the visible part of the picture. size, distance and the result are fractions of the picture's size. direction is
// -1, 0 or 1. If stay is true, the view is kept inside the picture.
func travel(size float64, direction int, distance float64, stay bool) float64 {
	at := (1-size)/2 + float64(direction)*distance
	if stay {
		at = min(max(at, 0), 1-size)
	}
	return at
}

// rotation returns the rotation of an element; nil: the element is not rotated. A full turn ends as it began, so it
// continues endlessly.
func (l *layout) rotation(r document.Rotate) *Rotation {
	const around = 360
	full := r.Angle == around || r.Angle == -around
	moves := r.Speed.Sign() > 0
	switch {
	case r.Angle == 0 || full && !moves:
		return nil
	case !moves:
		return &Rotation{Degrees: r.Angle}
	}
	return &Rotation{Degrees: r.Angle, Frames: max(1, l.frame(r.Speed)), Endless: full}
}

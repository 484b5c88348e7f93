package component

import (
	"image"

	"moviola/internal/drawing/canvas"
	"moviola/internal/drawing/picture"
)

// smartCrop is advanced/100: a picture in a frame that moves and changes its size. The picture is cropped to the frame so
// that, where possible, its most interesting part stays visible: faces or, if none are found, striking details. Reference
// vendor-catalogue.md §5.4. Where the reference gives no time for a movement, the time is our own choice.
func smartCrop(s *building) (*node, error) {
	root := s.root()
	g := s.groups["image"]
	st := s.style("image", &root, "")
	if src, ok := scalar(g["src"]); ok && src != "" {
		st.image = src
	}
	empty := &node{style: root.inherited()}
	if st.image == "" || st.hidden {
		return empty, nil
	}
	source, err := s.source(st.image)
	if err != nil || source == nil {
		return empty, err
	}
	whole := frame{0, 0, s.w, s.h}
	begin := s.place(g, "initial-", whole)
	end := s.place(g, "final-", frame{s.w * 0.5, 0, s.w * 0.5, s.h})
	move := s.tween(g, 1, "easeInOutCubic")
	// The picture is kept in memory in the size in which it covers both the frame begin and the frame end, but never larger
	// than source.
	size := source.Bounds().Size()
	factor := min(max(cover(size, begin), cover(size, end)), 1)
	kept := image.Rect(0, 0, max(int(float64(size.X)*factor+0.5), 1), max(int(float64(size.Y)*factor+0.5), 1))
	if err := s.keep(kept); err != nil {
		return nil, err
	}
	sprite := toNRGBA(picture.Scale(source, kept, kept))
	focus := interest(source)
	first, last := focus.middle(begin), focus.middle(end)
	st.image = ""
	return &node{style: root.inherited(), ends: move.ends, paint: func(l *canvas.List, at canvas.Matrix, _ frame, seconds float64) {
		share := move.at(seconds)
		box := &node{style: st, box: between(begin, end, share)}
		if box.box.w < 1 || box.box.h < 1 {
			return
		}
		box.drawBox(l, at)
		mid := canvas.Point{X: first.X + (last.X-first.X)*share, Y: first.Y + (last.Y-first.Y)*share}
		var inner canvas.List
		inner.Paste(sprite, cropped(kept.Size(), box.box, mid).Then(at), 1)
		outline := box.outline(box.box, 0)
		l.Group(&inner, &outline, at, st.opacity)
	}}, nil
}

// cover is the scale at which a picture covers a box.
func cover(size image.Point, b frame) float64 {
	return max(b.w/float64(max(size.X, 1)), b.h/float64(max(size.Y, 1)))
}

// cropped places a picture over a box so that the picture covers the box. The point middle, in fractions of the sides of the
// picture, is as near to the centre of the box as the edges of the picture allow.
func cropped(size image.Point, b frame, middle canvas.Point) canvas.Matrix {
	f := cover(size, b)
	w, h := float64(size.X)*f, float64(size.Y)*f
	x := min(max(b.w/2-middle.X*w, b.w-w), 0)
	y := min(max(b.h/2-middle.Y*h, b.h-h), 0)
	return canvas.Matrix{A: f, D: f, E: b.x + x, F: b.y + y}
}

func toNRGBA(img *image.RGBA) *image.NRGBA {
	out := image.NewNRGBA(img.Rect)
	for i := 0; i+3 < len(img.Pix); i += 4 {
		a := uint32(img.Pix[i+3])
		if a == 0 {
			continue
		}
		for c := range 3 {
			out.Pix[i+c] = uint8(min((uint32(img.Pix[i+c])*255+a/2)/a, 255))
		}
		out.Pix[i+3] = uint8(a)
	}
	return out
}

package picture

// Plate is the picture that a Viewer shows moving parts of, or that a Rotation rotates. Its colours are bt709 in limited range;
// transparent pixels have the colours of their neighbours, so that interpolation does not darken edges.
type Plate struct {
	W, H int // width and height in pixels, both even
	// The planes have the sizes of those in Layer; Alpha is nil for an opaque picture.
	Luma, Cb, Cr, Alpha []byte
}

// NewPlate makes a plate, the source picture of a Viewer or a Rotation, from the layer l. The plate uses the memory of l
// from then on, so l must not be changed. The position of l does not matter.
func NewPlate(l *Layer) *Plate {
	p := &Plate{W: l.W, H: l.H}
	p.Luma, p.Cb, p.Cr, p.Alpha = l.planes()
	for _, a := range p.Alpha {
		if a != 255 {
			p.bleed()
			return p
		}
	}
	p.Alpha = nil
	return p
}

// Opaque reports whether no pixel of the plate is transparent.
func (p *Plate) Opaque() bool { return p.Alpha == nil }

// bleed gives transparent pixels the colours of the visible pixels around them.
func (p *Plate) bleed() {
	spread(p.Luma, p.Alpha, p.W, p.H)
	cw, ch := p.W/2, p.H/2
	alpha := make([]byte, cw*ch)
	for y := range ch {
		for x := range cw {
			i := 2*y*p.W + 2*x
			alpha[y*cw+x] = max(p.Alpha[i], p.Alpha[i+1], p.Alpha[i+p.W], p.Alpha[i+p.W+1])
		}
	}
	spread(p.Cb, alpha, cw, ch)
	spread(p.Cr, alpha, cw, ch)
}

// spread gives a colour to those pixels of a plane whose alpha is 0. It takes the colours from a half-size copy of the plane,
// which it fills in the same way first.
func spread(plane, alpha []byte, w, h int) {
	if w < 2 && h < 2 {
		return
	}
	hw, hh := (w+1)/2, (h+1)/2
	small, seen := make([]byte, hw*hh), make([]byte, hw*hh)
	holes := false
	for y := range hh {
		for x := range hw {
			var sum, weights int
			for _, i := range [4]int{
				2*y*w + 2*x, 2*y*w + min(2*x+1, w-1),
				min(2*y+1, h-1)*w + 2*x, min(2*y+1, h-1)*w + min(2*x+1, w-1),
			} {
				sum += int(plane[i]) * int(alpha[i])
				weights += int(alpha[i])
				holes = holes || alpha[i] == 0
			}
			if weights > 0 {
				small[y*hw+x], seen[y*hw+x] = byte((sum+weights/2)/weights), byte((weights+3)/4)
			}
		}
	}
	if !holes {
		return
	}
	spread(small, seen, hw, hh)
	for y := range h {
		for x := range w {
			if alpha[y*w+x] == 0 {
				plane[y*w+x] = small[y/2*hw+x/2]
			}
		}
	}
}

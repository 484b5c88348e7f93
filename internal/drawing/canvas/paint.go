package canvas

import (
	"image"
	"math"
	"slices"

	"moviola/domain/css"
	"moviola/domain/timeline"
)

// Color is a colour of 8 bits per channel, not premultiplied.
type Color = timeline.Color

// Paint is the filling of an area: a colour, and a gradient over it.
type Paint struct {
	Color    Color
	Gradient *Gradient
}

// Visible reports whether the paint draws anything.
func (p Paint) Visible() bool {
	return p.Color.A > 0 || p.Gradient != nil && slices.ContainsFunc(p.Gradient.Stops, func(s css.Stop) bool {
		return s.Color.A > 0
	})
}

// Gradient is a change of colours along a line, or from the centre of a circle to its edge.
type Gradient struct {
	From, To Point // ends of the line; of a radial gradient its centre, and a point on the edge
	Radial   bool
	Stretch  float64 // height of the ellipse of a radial gradient relative to its width; 0 means 1
	Stops    []css.Stop
}

// Linear returns the gradient of a box for an angle as in CSS: 0 is up, 90 to the right. The line is long enough for the corners
// to have the first and last colours.
func Linear(x, y, w, h, degrees float64, stops []css.Stop) *Gradient {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	half := (math.Abs(w*sin) + math.Abs(h*cos)) / 2
	cx, cy := x+w/2, y+h/2
	return &Gradient{From: Point{cx - sin*half, cy + cos*half}, To: Point{cx + sin*half, cy - cos*half}, Stops: stops}
}

// Of returns the gradient that a CSS value describes in a box; nil when g is nil.
func Of(g *css.Gradient, x, y, w, h float64) *Gradient {
	switch {
	case g == nil:
		return nil
	case !g.Radial:
		return Linear(x, y, w, h, g.Degrees, g.Stops)
	}
	cx, cy := x+w/2, y+h/2
	return &Gradient{From: Point{X: cx, Y: cy}, To: Point{X: cx + w/2*math.Sqrt2, Y: cy}, Radial: true, Stretch: h / max(w, 1),
		Stops: g.Stops}
}

// shades is the number of colours in the table of a gradient.
const shades = 512

// table returns the colours of a gradient at even distances.
func (g *Gradient) table() *[shades]Color {
	var t [shades]Color
	for i := range t {
		t[i] = g.at(float64(i) / (shades - 1))
	}
	return &t
}

// at is the colour at a position, 0 to 1. Colours are mixed weighted by alpha, so that fading to transparent does not turn grey.
func (g *Gradient) at(place float64) Color {
	if len(g.Stops) == 0 {
		return Color{}
	}
	last := g.Stops[0]
	for _, next := range g.Stops {
		if place < next.At {
			if next.At <= last.At {
				return next.Color
			}
			return mix(last.Color, next.Color, min(max((place-last.At)/(next.At-last.At), 0), 1))
		}
		last = next
	}
	return last.Color
}

func mix(a, b Color, share float64) Color {
	wa, wb := float64(a.A)*(1-share), float64(b.A)*share
	if wa+wb == 0 {
		return Color{}
	}
	channel := func(x, y uint8) uint8 { return uint8(math.Round((float64(x)*wa + float64(y)*wb) / (wa + wb))) }
	return Color{R: channel(a.R, b.R), G: channel(a.G, b.G), B: channel(a.B, b.B), A: uint8(math.Round(wa + wb))}
}

// Fill composites a paint over the covered part of the picture; opaque colours are exact. The paint's coordinates are those
// before the transformation m. Opacity is 0 to 1.
func Fill(out *image.NRGBA, coverage *image.Alpha, p Paint, m Matrix, opacity float64) {
	if p.Color.A > 0 {
		fillColor(out, coverage, p.Color, opacity)
	}
	if p.Gradient != nil {
		fillGradient(out, coverage, p.Gradient, m, opacity)
	}
}

func fillColor(out *image.NRGBA, coverage *image.Alpha, c Color, opacity float64) {
	area := coverage.Rect.Intersect(out.Rect)
	alpha := uint32(math.Round(float64(c.A) * opacity))
	if alpha == 0 || area.Empty() {
		return
	}
	r, g, b := uint32(c.R), uint32(c.G), uint32(c.B)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		from := coverage.Pix[coverage.PixOffset(area.Min.X, y):][:area.Dx()]
		to := out.Pix[out.PixOffset(area.Min.X, y):][:4*area.Dx()]
		for x, covered := range from {
			if covered == 0 {
				continue
			}
			pixel := to[4*x : 4*x+4 : 4*x+4]
			if a := uint32(covered) * alpha; a == solid {
				pixel[0], pixel[1], pixel[2], pixel[3] = c.R, c.G, c.B, 255
			} else {
				over(pixel, r, g, b, a)
			}
		}
	}
}

func fillGradient(out *image.NRGBA, coverage *image.Alpha, g *Gradient, m Matrix, opacity float64) {
	area := coverage.Rect.Intersect(out.Rect)
	back, ok := m.Inverse()
	if !ok || area.Empty() || len(g.Stops) == 0 {
		return
	}
	table := g.table()
	place := g.place()
	for y := area.Min.Y; y < area.Max.Y; y++ {
		from := coverage.Pix[coverage.PixOffset(area.Min.X, y):][:area.Dx()]
		to := out.Pix[out.PixOffset(area.Min.X, y):][:4*area.Dx()]
		at := back.Apply(Point{float64(area.Min.X) + 0.5, float64(y) + 0.5})
		for x, covered := range from {
			if covered > 0 {
				c := table[int(min(max(place(at), 0), 1)*(shades-1)+0.5)]
				pixel := to[4*x : 4*x+4 : 4*x+4]
				if covered == 255 && c.A == 255 && opacity >= 1 {
					pixel[0], pixel[1], pixel[2], pixel[3] = c.R, c.G, c.B, 255
				} else {
					over(pixel, uint32(c.R), uint32(c.G), uint32(c.B), uint32(covered)*uint32(float64(c.A)*opacity+0.5))
				}
			}
			at.X, at.Y = at.X+back.A, at.Y+back.B
		}
	}
}

// place returns the function from a point to its position in the gradient.
func (g *Gradient) place() func(Point) float64 {
	dx, dy := g.To.X-g.From.X, g.To.Y-g.From.Y
	length := dx*dx + dy*dy
	if length == 0 {
		length = 1
	}
	if !g.Radial {
		ax, ay := dx/length, dy/length
		c := -(g.From.X*ax + g.From.Y*ay)
		return func(p Point) float64 { return p.X*ax + p.Y*ay + c }
	}
	stretch := max(g.Stretch, 0)
	if stretch == 0 {
		stretch = 1
	}
	across, down := 1/math.Sqrt(length), 1/(math.Sqrt(length)*stretch)
	return func(p Point) float64 {
		x, y := (p.X-g.From.X)*across, (p.Y-g.From.Y)*down
		return math.Sqrt(x*x + y*y)
	}
}

// solid is the alpha of an opaque colour in the arithmetic of over.
const solid = 255 * 255

// over composites a colour with the alpha a, 0 to solid, over a pixel with straight alpha.
func over(pixel []uint8, r, g, b, a uint32) {
	below := uint32(pixel[3])
	switch {
	case a == 0:
	case a >= solid || below == 0:
		pixel[0], pixel[1], pixel[2], pixel[3] = uint8(r), uint8(g), uint8(b), uint8((a+127)/255)
	case below == 255: // the usual case needs no division by a variable
		rest := solid - a
		pixel[0] = uint8((r*a + uint32(pixel[0])*rest + solid/2) / solid)
		pixel[1] = uint8((g*a + uint32(pixel[1])*rest + solid/2) / solid)
		pixel[2] = uint8((b*a + uint32(pixel[2])*rest + solid/2) / solid)
	default:
		rest := below * (solid - a) / 255 // weight of the pixel's former colour, 0 to solid
		sum := a + rest
		pixel[0] = uint8((r*a + uint32(pixel[0])*rest + sum/2) / sum)
		pixel[1] = uint8((g*a + uint32(pixel[1])*rest + sum/2) / sum)
		pixel[2] = uint8((b*a + uint32(pixel[2])*rest + sum/2) / sum)
		pixel[3] = uint8((sum + 127) / 255)
	}
}

// Mask multiplies the alpha of a picture by a coverage, which is 0 outside of its bounds, and by an opacity of 0 to 1.
// coverage nil: by the opacity only.
func Mask(out *image.NRGBA, coverage *image.Alpha, opacity float64) {
	share := uint32(math.Round(min(max(opacity, 0), 1) * 255))
	for y := out.Rect.Min.Y; y < out.Rect.Max.Y; y++ {
		row := out.Pix[out.PixOffset(out.Rect.Min.X, y):][:4*out.Rect.Dx()]
		if coverage == nil {
			for x := 3; x < len(row); x += 4 {
				row[x] = uint8((uint32(row[x])*share + 127) / 255)
			}
			continue
		}
		for x := range out.Rect.Dx() {
			if a := uint32(row[4*x+3]); a > 0 {
				covered := uint32(coverage.AlphaAt(out.Rect.Min.X+x, y).A)
				row[4*x+3] = uint8((a*covered*share + solid/2) / solid)
			}
		}
	}
}

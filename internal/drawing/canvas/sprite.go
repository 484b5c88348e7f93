package canvas

import (
	"image"
	"math"
)

// Paste composites a picture over another one, with a transformation and an opacity of 0 to 1. Pixels are interpolated.
func Paste(out, sprite *image.NRGBA, m Matrix, opacity float64) {
	share := uint32(math.Round(min(max(opacity, 0), 1) * 255))
	if share == 0 {
		return
	}
	if by, ok := m.shift(); ok {
		pasteShifted(out, sprite, by, share)
		return
	}
	back, ok := m.Inverse()
	if !ok {
		return
	}
	area := m.bounds(sprite.Rect.Inset(-1)).Intersect(out.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		to := out.Pix[out.PixOffset(area.Min.X, y):]
		at := back.Apply(Point{float64(area.Min.X) + 0.5, float64(y) + 0.5})
		for x := range area.Dx() {
			if r, g, b, a := sample(sprite, at.X, at.Y); a > 0 {
				over(to[4*x:4*x+4:4*x+4], r, g, b, a*share)
			}
			at.X, at.Y = at.X+back.A, at.Y+back.B
		}
	}
}

func pasteShifted(out, sprite *image.NRGBA, by image.Point, share uint32) {
	area := sprite.Rect.Add(by).Intersect(out.Rect)
	for y := area.Min.Y; y < area.Max.Y; y++ {
		to := out.Pix[out.PixOffset(area.Min.X, y):][:4*area.Dx()]
		from := sprite.Pix[sprite.PixOffset(area.Min.X-by.X, y-by.Y):][:4*area.Dx()]
		for x := 0; x < len(from); x += 4 {
			if a := uint32(from[x+3]); a > 0 {
				over(to[x:x+4:x+4], uint32(from[x]), uint32(from[x+1]), uint32(from[x+2]), a*share)
			}
		}
	}
}

// sample returns the interpolated colour and alpha (of 255) at a point of a picture whose pixel centres are at halves.
// Transparent pixels do not affect the colour.
func sample(p *image.NRGBA, x, y float64) (r, g, b, a uint32) {
	x, y = x-0.5, y-0.5
	fx, fy := math.Floor(x), math.Floor(y)
	x0, y0 := int(fx), int(fy)
	if x0 < p.Rect.Min.X-1 || y0 < p.Rect.Min.Y-1 || x0 >= p.Rect.Max.X || y0 >= p.Rect.Max.Y {
		return 0, 0, 0, 0
	}
	wx, wy := uint32((x-fx)*256), uint32((y-fy)*256)
	weights := [4]uint32{(256 - wx) * (256 - wy), wx * (256 - wy), (256 - wx) * wy, wx * wy}
	var sr, sg, sb, sa uint64
	for i, w := range weights {
		px, py := x0+i%2, y0+i/2
		if w == 0 || px < p.Rect.Min.X || py < p.Rect.Min.Y || px >= p.Rect.Max.X || py >= p.Rect.Max.Y {
			continue
		}
		q := p.Pix[p.PixOffset(px, py):]
		q = q[:4:4]
		alpha := uint64(w) * uint64(q[3])
		sa += alpha
		sr += alpha * uint64(q[0])
		sg += alpha * uint64(q[1])
		sb += alpha * uint64(q[2])
	}
	if sa == 0 {
		return 0, 0, 0, 0
	}
	return uint32((sr + sa/2) / sa), uint32((sg + sa/2) / sa), uint32((sb + sa/2) / sa), uint32((sa + 1<<15) >> 16)
}

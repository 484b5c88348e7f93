package canvas_test

import (
	"image"
	"image/color"
	"math"
	"testing"

	"moviola/domain/timeline"
	"moviola/internal/drawing/canvas"
)

var (
	red  = canvas.Color{R: 200, G: 30, B: 60, A: 255}
	blue = canvas.Color{B: 255, A: 255}
)

// drawn is a list in a picture of 40 × 30.
func drawn(t *testing.T, l *canvas.List) *image.NRGBA {
	t.Helper()
	out := image.NewNRGBA(image.Rect(0, 0, 40, 30))
	l.DrawOn(out)
	return out
}

func nrgba(c canvas.Color) color.NRGBA { return color.NRGBA{R: c.R, G: c.G, B: c.B, A: c.A} }

func TestFill_IsExact(t *testing.T) {
	t.Parallel()
	var l canvas.List
	l.Fill(canvas.Rectangle(5, 5, 20, 10), canvas.Identity, canvas.Paint{Color: red}, 1)
	l.Fill(canvas.Rectangle(10, 8, 10, 5), canvas.Identity, canvas.Paint{Color: blue}, 0.5)
	out := drawn(t, &l)
	for at, want := range map[image.Point]color.NRGBA{
		{5, 5}: nrgba(red), {24, 14}: nrgba(red), {25, 14}: {}, {4, 5}: {}, {12, 10}: {R: 100, G: 15, B: 158, A: 255},
	} {
		if got := out.NRGBAAt(at.X, at.Y); got != want {
			t.Errorf("%v: got %v, want %v", at, got, want)
		}
	}
	if got := l.Bounds(); got != image.Rect(5, 5, 25, 15) {
		t.Errorf("the list reaches %v", got)
	}
}

func TestPath_HolesAndOverlaps(t *testing.T) {
	t.Parallel()
	ring := canvas.Rectangle(0, 0, 30, 30)
	hole := canvas.Rounded(10, 10, 10, 10, [4]float64{3, 3, 3, 3})
	ring.Append(hole.Reverse())
	twice := canvas.Rectangle(0, 0, 20, 20)
	twice.Append(canvas.Rectangle(10, 10, 20, 20))
	area := image.Rect(0, 0, 40, 40)
	for name, tt := range map[string]struct {
		path canvas.Path
		at   image.Point
		want uint8
	}{
		"in the ring": {ring, image.Pt(5, 5), 255}, "in the hole": {ring, image.Pt(15, 15), 0}, "outside": {ring, image.Pt(35, 5), 0},
		"overlap": {twice, image.Pt(15, 15), 255}, "corner": {canvas.Rounded(0, 0, 20, 20, [4]float64{10, 10, 10, 10}), image.Pt(1, 1), 0},
		"disc": {canvas.Ellipse(0, 0, 20, 20), image.Pt(10, 10), 255}, "star": {canvas.Star(20, 20, 20, 8, 5), image.Pt(20, 20), 255},
		"heart": {canvas.Heart(0, 0, 40, 40), image.Pt(20, 30), 255},
	} {
		if got := canvas.Cover(tt.path, canvas.Identity, area).AlphaAt(tt.at.X, tt.at.Y).A; got != tt.want {
			t.Errorf("%s: covered by %d, want %d", name, got, tt.want)
		}
	}
}

// TestStroke_IsAsWideAsAsked: half of it on each side of the line.
func TestStroke_IsAsWideAsAsked(t *testing.T) {
	t.Parallel()
	square := canvas.Rectangle(20, 20, 20, 20)
	covered := canvas.Cover(square.Stroke(6), canvas.Identity, image.Rect(0, 0, 60, 60))
	for x, want := range map[int]uint8{15: 0, 17: 255, 22: 255, 24: 0, 30: 0, 37: 255, 42: 255, 44: 0} {
		if got := covered.AlphaAt(x, 30).A; got != want {
			t.Errorf("column %d is covered by %d, want %d", x, got, want)
		}
	}
}

func TestGradient(t *testing.T) {
	t.Parallel()
	stops := []timeline.Stop{{Color: red}, {Color: blue, At: 1}}
	for name, g := range map[string]*canvas.Gradient{
		"to the right": canvas.Linear(0, 0, 40, 30, 90, stops),
		"from within":  {From: canvas.Point{X: 0, Y: 15}, To: canvas.Point{X: 39, Y: 15}, Radial: true, Stops: stops},
	} {
		var l canvas.List
		l.Fill(canvas.Rectangle(0, 0, 40, 30), canvas.Identity, canvas.Paint{Gradient: g}, 1)
		out := drawn(t, &l)
		near := func(got color.NRGBA, want canvas.Color) bool {
			return math.Abs(float64(got.R)-float64(want.R)) < 8 && math.Abs(float64(got.B)-float64(want.B)) < 8 && got.A == 255
		}
		if first, last := out.NRGBAAt(0, 15), out.NRGBAAt(39, 15); !near(first, red) || !near(last, blue) {
			t.Errorf("%s: it goes from %v to %v", name, first, last)
		}
		for x := 1; x < 40; x++ {
			if out.NRGBAAt(x, 15).B < out.NRGBAAt(x-1, 15).B {
				t.Errorf("%s: it goes back at %d", name, x)
			}
		}
	}
	// Fading to transparent does not pass through another colour.
	fading := canvas.Linear(0, 0, 40, 30, 90, []timeline.Stop{{Color: red}, {Color: canvas.Color{}, At: 1}})
	var l canvas.List
	l.Fill(canvas.Rectangle(0, 0, 40, 30), canvas.Identity, canvas.Paint{Gradient: fading}, 1)
	if got := drawn(t, &l).NRGBAAt(20, 15); got.R != red.R || got.G != red.G || got.A < 110 || got.A > 140 {
		t.Errorf("half way to transparent it is %v", got)
	}
}

func TestPaste(t *testing.T) {
	t.Parallel()
	sprite := image.NewNRGBA(image.Rect(0, 0, 10, 10))
	for i := range 100 {
		copy(sprite.Pix[4*i:], []uint8{red.R, red.G, red.B, 255})
	}
	for name, tt := range map[string]struct {
		m       canvas.Matrix
		opacity float64
		at      image.Point
		want    color.NRGBA
	}{
		"whole pixels":  {canvas.Move(5, 5), 1, image.Pt(5, 5), nrgba(red)},
		"between":       {canvas.Move(5.5, 5), 1, image.Pt(5, 8), color.NRGBA{red.R, red.G, red.B, 128}},
		"inside":        {canvas.Move(5.5, 5), 1, image.Pt(8, 8), nrgba(red)},
		"twice as big":  {canvas.Scale(2, 2, canvas.Point{}), 1, image.Pt(15, 15), nrgba(red)},
		"turned":        {canvas.Turn(90, canvas.Point{X: 10, Y: 10}), 1, image.Pt(15, 5), nrgba(red)},
		"half":          {canvas.Move(0, 0), 0.5, image.Pt(3, 3), color.NRGBA{red.R, red.G, red.B, 128}},
		"outside":       {canvas.Move(5, 5), 1, image.Pt(20, 20), color.NRGBA{}},
		"shrunk to nil": {canvas.Scale(0, 0, canvas.Point{}), 1, image.Pt(0, 0), color.NRGBA{}},
	} {
		var l canvas.List
		l.Paste(sprite, tt.m, tt.opacity)
		if got := drawn(t, &l).NRGBAAt(tt.at.X, tt.at.Y); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}

func TestGroup(t *testing.T) {
	t.Parallel()
	var inner, l canvas.List
	inner.Fill(canvas.Rectangle(0, 0, 20, 20), canvas.Identity, canvas.Paint{Color: red}, 1)
	inner.Fill(canvas.Rectangle(5, 5, 20, 20), canvas.Identity, canvas.Paint{Color: blue}, 1)
	clip := canvas.Rectangle(0, 0, 12, 30)
	l.Group(&inner, &clip, canvas.Identity, 0.5)
	out := drawn(t, &l)
	for at, want := range map[image.Point]color.NRGBA{
		{2, 2}: {red.R, red.G, red.B, 128}, {8, 8}: {0, 0, 255, 128}, {15, 8}: {}, // what lies below does not shine through
	} {
		if got := out.NRGBAAt(at.X, at.Y); got != want {
			t.Errorf("%v: got %v, want %v", at, got, want)
		}
	}
	if cost := l.Cost(image.Rect(0, 0, 40, 30)); cost < 800 || cost > 3000 {
		t.Errorf("the list costs %d pixels", cost)
	}
}

// TestBlur_KeepsTheAmount: what is blurred is spread, not lost, and evenly to both sides.
func TestBlur_KeepsTheAmount(t *testing.T) {
	t.Parallel()
	for _, radius := range []float64{2, 5, 12} {
		shape := image.NewAlpha(image.Rect(0, 0, 101, 101))
		before := 0
		for y := 45; y < 56; y++ {
			for x := 45; x < 56; x++ {
				shape.SetAlpha(x, y, color.Alpha{A: 255})
				before += 255
			}
		}
		canvas.Blur(shape, radius)
		after := 0
		for _, a := range shape.Pix {
			after += int(a)
		}
		if math.Abs(float64(after-before)) > 0.04*float64(before) {
			t.Errorf("radius %v: %d became %d", radius, before, after)
		}
		reach := canvas.BlurReach(radius)
		if shape.AlphaAt(45-reach-1, 50).A != 0 || shape.AlphaAt(44, 50).A != shape.AlphaAt(56, 50).A || shape.AlphaAt(44, 50).A == 0 {
			t.Errorf("radius %v reaches further than %d, or unevenly", radius, reach)
		}
	}
}

// TestGlow_IsABlurredShape, whatever grid it is worked out on.
func TestGlow_IsABlurredShape(t *testing.T) {
	t.Parallel()
	for _, blur := range []float64{4, 11, 30, 90} {
		box := image.Rect(-50, -60, 250, 240)
		path := canvas.Rounded(40, 30.5, 120, 90, [4]float64{20, 20, 20, 20})
		want := canvas.Cover(path, canvas.Identity, box)
		wide := image.NewAlpha(box.Inset(-200))
		for y := want.Rect.Min.Y; y < want.Rect.Max.Y; y++ {
			for x := want.Rect.Min.X; x < want.Rect.Max.X; x++ {
				wide.SetAlpha(x, y, want.AlphaAt(x, y))
			}
		}
		canvas.Blur(wide, blur)
		var l canvas.List
		l.Glow(path, canvas.Identity, blur, canvas.Color{A: 255}, 1)
		got := l.Draw(box)
		for y := box.Min.Y; y < box.Max.Y; y++ {
			for x := box.Min.X; x < box.Max.X; x++ {
				if a, b := int(got.NRGBAAt(x, y).A), int(wide.AlphaAt(x, y).A); a-b > 12 || b-a > 12 {
					t.Fatalf("blur %v: %d, %d is covered by %d, want %d", blur, x, y, a, b)
				}
			}
		}
	}
}

// TestBlur_IsGaussian: across an edge, the coverage is what a Gaussian of half the radius gives.
func TestBlur_IsGaussian(t *testing.T) {
	t.Parallel()
	for _, radius := range []float64{3, 8, 12, 31, 60} {
		high := image.NewAlpha(image.Rect(-203, -200, 200, 200))
		for y := high.Rect.Min.Y; y < high.Rect.Max.Y; y++ {
			for x := 0; x < 200; x++ {
				high.SetAlpha(x, y, color.Alpha{A: 255})
			}
		}
		canvas.Blur(high, radius)
		for x := -100; x < 100; x++ {
			want := 127.5 * (1 + math.Erf((float64(x)+0.5)/(radius/2*math.Sqrt2)))
			if got := float64(high.AlphaAt(x, 0).A); math.Abs(got-want) > 8 {
				t.Errorf("radius %v: %d pixels from the edge it is %.0f, want %.0f", radius, x, got, want)
				break
			}
		}
	}
}

func TestEase(t *testing.T) {
	t.Parallel()
	for _, curve := range []string{"", "Sine", "Quad", "Cubic", "Quart", "Quint", "Expo", "Circ", "Back", "Elastic", "Bounce"} {
		for _, mode := range []string{"In", "Out", "InOut"} {
			name := "ease" + mode + curve
			e, ok := canvas.Ease(name)
			if !ok {
				t.Errorf("%s is not known", name)
				continue
			}
			if math.Abs(e(0)) > 1e-3 || math.Abs(e(1)-1) > 1e-3 {
				t.Errorf("%s goes from %v to %v", name, e(0), e(1))
			}
			for i := range 101 {
				if v := e(float64(i) / 100); math.IsNaN(v) || v < -0.5 || v > 1.5 {
					t.Errorf("%s is %v at %d %%", name, v, i)
				}
			}
		}
	}
	// The elastic curve crosses its end every quarter of the way: its period is a half. Vendor-catalogue §7.
	elastic := canvas.MustEase("easeOutElastic")
	for i, t2 := range []float64{0.125, 0.375, 0.625, 0.875} {
		if got := elastic(t2); math.Abs(got-1) > 1e-9 {
			t.Errorf("easeOutElastic crosses its end for the %d. time at %v: it is %v", i+1, t2, got)
		}
	}
	for name, known := range map[string]bool{"linear": true, "ease": true, "ease-in-out": true, "EASEOUTEXPO": true, "ease_out_back": true, "": false, "out": false, "easeOutNothing": false, "cubic-bezier(0,0,1,1)": false} {
		if _, ok := canvas.Ease(name); ok != known {
			t.Errorf("%q: known %v, want %v", name, ok, known)
		}
	}
}

func TestMatrix(t *testing.T) {
	t.Parallel()
	m := canvas.Move(3, 4).Then(canvas.Turn(30, canvas.Point{X: 1, Y: 2})).Then(canvas.Scale(2, 3, canvas.Point{X: 5, Y: 5}))
	back, ok := m.Inverse()
	p := canvas.Point{X: 7, Y: -2}
	q := back.Apply(m.Apply(p))
	if !ok || math.Hypot(q.X-p.X, q.Y-p.Y) > 1e-9 {
		t.Errorf("there and back again is %v", q)
	}
	if got := canvas.Turn(90, canvas.Point{}).Apply(canvas.Point{X: 1}); math.Hypot(got.X, got.Y-1) > 1e-9 {
		t.Errorf("a quarter turn clockwise moves right to %v", got)
	}
}

// TestCover_Far: what is drawn of a path does not depend on how far the path reaches beyond the drawn area.
func TestCover_Far(t *testing.T) {
	t.Parallel()
	area := image.Rect(0, 0, 40, 30)
	for _, far := range []float64{1e5, 1e9, 1e12} {
		for name, tt := range map[string]struct {
			path canvas.Path
			want map[image.Point]uint8
		}{
			"everything": {canvas.Rectangle(-far, -far, 2*far, 2*far), map[image.Point]uint8{{0, 0}: 255, {39, 29}: 255}},
			"left half":  {canvas.Rectangle(-far, -far, far+20, 2*far), map[image.Point]uint8{{19, 5}: 255, {20, 5}: 0, {39, 29}: 0}},
			"right half": {canvas.Rectangle(20, -far, far, 2*far), map[image.Point]uint8{{19, 5}: 0, {20, 5}: 255, {39, 29}: 255}},
			"lower half": {canvas.Rectangle(-far, 15, 2*far, far), map[image.Point]uint8{{5, 14}: 0, {5, 15}: 255, {39, 29}: 255}},
			"half a row": {canvas.Rectangle(-far, 14.5, 2*far, far), map[image.Point]uint8{{5, 13}: 0, {5, 14}: 127, {5, 15}: 255}},
			"diagonal": {canvas.Polygon(canvas.Point{X: -far, Y: -far}, canvas.Point{X: far, Y: far}, canvas.Point{X: -far, Y: far}),
				map[image.Point]uint8{{5, 20}: 255, {20, 5}: 0, {29, 29}: 127}},
			"circle": {canvas.Ellipse(20-2*far, 15-far, 2*far, 2*far), map[image.Point]uint8{{10, 15}: 255, {30, 15}: 0}},
		} {
			coverage := canvas.Cover(tt.path, canvas.Identity, area)
			for at, want := range tt.want {
				if got := coverage.AlphaAt(at.X, at.Y).A; max(got, want)-min(got, want) > 1 {
					t.Errorf("%s, %g: %v is covered by %d, want %d", name, far, at, got, want)
				}
			}
		}
	}
}

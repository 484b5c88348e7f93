package text

import (
	"image"
	"math"

	"moviola/domain/timeline"
	"moviola/internal/drawing/canvas"
)

// maxPills is the largest number of pills of a text. A pill is a box with round ends behind one phrase. Further phrases
// share the last pill.
const maxPills = 40

// The angles in degrees of pills, the boxes with round ends behind phrases, and their shifts to the right in font sizes.
// The first pill has the first values. After the last values of the lists, the next pill has the first ones again.
var (
	pillTilts  = []float64{-3, 2.5, -1.5, 3.5, -2}
	pillNudges = []float64{-0.2, 0.25, 0.1, -0.15, 0.2}
)

// room is the rectangle around a word or phrase, in pixels of the text's box. The method add includes no padding: its
// callers enlarge the rectangle by the padding.
type room struct{ left, top, right, bottom float64 }

func (r *room) add(c *cluster, line image.Rectangle) {
	if *r == (room{}) {
		*r = room{c.x0, float64(line.Min.Y), c.x1, float64(line.Max.Y)}
		return
	}
	r.left, r.right = min(r.left, c.x0), max(r.right, c.x1)
	r.top, r.bottom = min(r.top, float64(line.Min.Y)), max(r.bottom, float64(line.Max.Y))
}

// findPills computes the rectangles of the pills, the boxes with round ends behind phrases, if the style of the text has
// them.
func (b *Block) findPills() {
	if b.style.Boxes != timeline.PillBoxes {
		return
	}
	for i := range b.clusters {
		c := &b.clusters[i]
		c.phrase = min(c.phrase, maxPills-1)
		for len(b.pills) <= c.phrase {
			b.pills = append(b.pills, room{})
		}
		b.pills[c.phrase].add(c, b.lines[c.line])
	}
	for i := range b.pills {
		if b.pills[i] == (room{}) { // nothing of the phrase is visible
			continue
		}
		b.pills[i].left -= b.style.Padding.Left
		b.pills[i].right += b.style.Padding.Right
		b.pills[i].top -= b.style.Padding.Top
		b.pills[i].bottom += b.style.Padding.Bottom
	}
}

// tilted returns the pose at rest of pill i, the box behind a phrase: a little rotated and shifted.
func (b *Block) tilted(i int) pose {
	p := b.pills[i]
	middle := canvas.Point{X: (p.left + p.right) / 2, Y: (p.top + p.bottom) / 2}
	m := canvas.Turn(pillTilts[i%len(pillTilts)], middle).Then(canvas.Move(pillNudges[i%len(pillNudges)]*b.style.FontSize, 0))
	return pose{m: m, alpha: 1}
}

// fall returns how many pixels above its place pill i, the rounded box behind a phrase, has to be to lie outside of the
// drawing.
func (b *Block) fall(i int) float64 {
	p := b.pills[i]
	// reach is how far the pill, the box behind a phrase, and its shadow extend beyond its rectangle p when it is tilted.
	reach := (p.right-p.left)*math.Sin(math.Pi/36)/2 + b.style.FontSize
	return p.bottom - float64(b.region.Min.Y) + reach
}

// resting returns the state of the block without movement.
func (b *Block) resting() blockState {
	l := blockState{opacity: 1, box: atRest, rules: 1}
	if b.style.Boxes == timeline.PillBoxes {
		l.pill = b.tilted
	}
	return l
}

// part is what is drawn in one step: a background, and some letters on it. When a text is drawn with pills (rounded boxes
// behind phrases), each pill with its letters is a part. Otherwise the whole text is one part. The field poses has a pose
// for every cluster of the text; clusters of other parts have poses that make them invisible.
type part struct {
	under *canvas.List
	poses []pose
	ink   image.Rectangle
}

// parts returns the parts of the text in the order in which they are drawn. The order matters for pills, the rounded boxes
// behind phrases: a later pill may cover letters on an earlier one.
func (b *Block) parts(l blockState) []part {
	if l.pill == nil {
		one := part{under: b.under(l), poses: make([]pose, len(b.clusters))}
		for i := range b.clusters {
			one.poses[i] = atRest
			if l.pose != nil {
				one.poses[i] = l.pose(&b.clusters[i])
			}
		}
		return []part{one}
	}
	all := make([]part, len(b.pills))
	for i, r := range b.pills {
		p := l.pill(i)
		all[i] = part{under: &canvas.List{}, poses: make([]pose, len(b.clusters))}
		if p.alpha > 0 && r != (room{}) {
			round := min(r.bottom-r.top, 1.6*b.style.FontSize) / 2
			b.fill(all[i].under, r, [4]float64{round, round, round, round}, p)
		}
		for j := range b.clusters {
			if b.clusters[j].phrase == i {
				all[i].poses[j] = p
			}
		}
	}
	return all
}

// under returns what is drawn before the letters, so that it lies behind them: either the boxes of the words, or the
// textbox and, if the style has them, one horizontal line above the text and one below.
func (b *Block) under(l blockState) *canvas.List {
	if b.style.Boxes == timeline.WordBoxes {
		return b.wordBoxes()
	}
	list := b.box(l.box)
	if b.style.Rules && l.rules > 0 {
		thick := max(canvas.Round(0.06*b.style.FontSize), 1)
		gap := canvas.Round(0.1 * b.style.FontSize)
		wide := (b.right - b.left) * l.rules
		left := (b.left + b.right - wide) / 2
		for _, y := range []float64{b.top - gap - thick, b.bottom + gap} {
			list.Fill(canvas.Rectangle(left, y, wide, thick), canvas.Identity, canvas.Paint{Color: b.style.Color}, 1)
		}
	}
	return list
}

// wordBoxes draws a background behind each word. On the left and the right, it extends beyond the word by the padding of
// the text, but at least by about a quarter of the usual gap between words. In most fonts it ends before the middle of the
// gap, even if the padding is larger.
func (b *Block) wordBoxes() *canvas.List {
	type key struct{ line, word int }
	rooms := map[key]*room{}
	var order []key
	for i := range b.clusters {
		c := &b.clusters[i]
		k := key{c.line, c.word}
		if rooms[k] == nil {
			rooms[k] = &room{}
			order = append(order, k)
		}
		rooms[k].add(c, b.lines[c.line])
	}
	list := &canvas.List{}
	radius := [4]float64{b.style.Radius, b.style.Radius, b.style.Radius, b.style.Radius}
	gap := 0.11*b.style.FontSize + 0.45*b.style.WordSpacing
	for _, k := range order {
		r := *rooms[k]
		r.left = math.Round(r.left - min(max(b.style.Padding.Left, gap/2), gap))
		r.right = math.Round(r.right + min(max(b.style.Padding.Right, gap/2), gap))
		r.top, r.bottom = r.top-b.style.Padding.Top, r.bottom+b.style.Padding.Bottom
		b.fill(list, r, radius, atRest)
	}
	return list
}

// fill adds the background of the rectangle r to list: in the pose p, with corners of the given radii.
func (b *Block) fill(list *canvas.List, r room, radius [4]float64, p pose) {
	w, h := r.right-r.left, r.bottom-r.top
	paint := canvas.Paint{Color: b.style.Background, Gradient: canvas.Of(b.style.Gradient, r.left, r.top, w, h)}
	list.Fill(canvas.Rounded(r.left, r.top, w, h, radius), p.m, paint, p.alpha)
}

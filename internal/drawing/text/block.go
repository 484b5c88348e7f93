package text

import (
	"image"
	"math"
	"slices"
	"unicode"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/draw"

	"moviola/domain"
	"moviola/domain/timeline"
	"moviola/internal/drawing/canvas"
)

// Block is a text that has been shaped and laid out: its visible shapes, in the coordinates of its box, whose top left corner is
// 0, 0. It has no references to fonts. It is used by one goroutine at a time.
type Block struct {
	Warnings []string // warnings for the client

	style    timeline.TextSettings
	clusters []cluster
	lines    []image.Rectangle // the rectangle of each line, as wide as the line's text
	// The edges of the textbox with its padding, in pixels.
	left, top, right, bottom float64
	pills                    []room          // rectangles of the pills; a pill is a box with round ends behind one phrase
	region                   image.Rectangle // nothing outside of it is drawn
	raster                   canvas.Raster
	cached                   int // number of pixels of the emoji pictures that are kept in memory
}

// cluster is the smallest part that moves as one: a letter with its marks, a ligature, a word of a cursive script, an emoji.
type cluster struct {
	path     canvas.Path // contours of glyphs
	extra    canvas.Path // lines (underline, …) and artificial weight, drawn apart from path: their winding may differ
	stroke   canvas.Path
	emojis   []emoji
	ink      image.Rectangle // rectangle that the cluster covers at most
	center   canvas.Point    // the middle of the cluster's width, on the baseline
	at       int             // index, in the text, of the cluster's first rune
	line     int
	phrase   int     // number of the phrase; phrases are separated by line breaks in the text
	word     int     // number of the word, in reading order; words are separated by blanks
	letter   int     // number of the letter, in reading order; blanks have the number of the letter before
	size     float64 // font size in pixels
	x0, x1   float64 // left and right end of the cluster
	hasGlyph bool
}

// emoji is a picture and the rectangle in which it is drawn.
type emoji struct {
	picture *image.RGBA
	at      image.Rectangle
	scaled  *image.NRGBA // picture scaled to the rectangle at; nil before its first use, or if maxKept would be exceeded
}

// The bounds of a drawing, in pixels. maxWork bounds the sum of the areas of the drawn glyphs, so that letters heaped upon
// each other are bounded too. maxKept bounds the scaled emoji pictures that are kept in memory.
const (
	maxPixels = 64 << 20
	maxWork   = 128 << 20
	maxMargin = 512 // how far outside of its box a text is drawn, in pixels
	maxKept   = 8 << 20
)

func errTooLarge() error {
	return domain.Errorf(domain.Invalid, "text_too_large", "The text is too large to draw. Use a smaller 'font-size' or less text")
}

// Options are settings that only some callers need.
type Options struct {
	Spans   []Span // parts with another weight or slant
	Tabular bool   // all digits have the same width, so that a counter does not jitter
}

// Lay shapes a text and lays it out in a box of w × h pixels.
func (e *Engine) Lay(t timeline.Text, o Options, w, h int) (b *Block, err error) {
	err = e.guarded(func(worker *worker) (err error) {
		b, err = worker.block(t, o, w, h)
		return err
	})
	return b, err
}

// Size is the size of the textbox with its padding, in pixels.
func (b *Block) Size() (w, h float64) { return b.right - b.left, b.bottom - b.top }

// Lines is the number of lines.
func (b *Block) Lines() int { return len(b.lines) }

func (w *worker) block(t timeline.Text, o Options, width, height int) (*Block, error) {
	s, err := w.setting(t.Settings, o)
	if err != nil {
		return nil, err
	}
	p, err := w.lay(t, s, width, height)
	if err != nil {
		return nil, err
	}
	margin := min(maxMargin, int(2*t.Settings.FontSize)+16)
	b := &Block{
		Warnings: s.warnings, style: t.Settings, left: p.left, top: p.top, right: p.right, bottom: p.bottom,
		region: image.Rect(0, 0, width, height).Inset(-margin),
	}
	if err := w.collect(b, p); err != nil {
		return nil, err
	}
	b.number(p.text)
	b.findPills()
	return b, nil
}

// collect adds the glyphs of the page that are in the region of b to the clusters of b, and the lines of the page to its lines.
func (w *worker) collect(b *Block, p page) error {
	words := wordsOf(p.text)
	work := 0
	for n, l := range p.lines {
		room := image.Rect(int(math.Floor(l.x)), int(math.Floor(l.baseline-l.ascent)), int(math.Ceil(l.x+l.width)),
			int(math.Ceil(l.baseline+l.descent)))
		b.lines = append(b.lines, room)
		x := l.x
		for i := range l.runs {
			run := &l.runs[i]
			last := -1 // key of the previous glyph's cluster; -1: there is none
			for _, g := range run.Glyphs {
				at := min(l.start+g.TextIndex(), len(p.text)-1)
				key := at
				// In a script with joined letters, such as Arabic, each word is one cluster.
				if !spacedOut(language.LookupScript(p.text[at])) {
					key = -2 - words[at]
				}
				if key != last || last == -1 {
					b.clusters = append(b.clusters, cluster{
						at: at, line: n, word: words[at], size: px(run.Size),
						x0: x, center: canvas.Point{Y: l.baseline},
					})
					last = key
				}
				c := &b.clusters[len(b.clusters)-1]
				c.at = min(c.at, at)
				placed := place(run, g, x, l.baseline)
				x += px(g.Advance)
				c.x1 = x
				// Glyph 0 is the box that fonts draw for missing characters; a gap looks better, and a warning is given.
				if g.GlyphID == 0 || g.Width == 0 || placed.bounds.Intersect(b.region).Empty() {
					continue
				}
				if work += placed.bounds.Dx() * placed.bounds.Dy(); work > maxWork {
					return errTooLarge()
				}
				w.add(c, placed)
			}
		}
	}
	return nil
}

// wordsOf numbers the words of a text: it returns the word number of each character; a blank has the number of the word before
// it.
func wordsOf(text []rune) []int {
	words := make([]int, len(text))
	n, blank := -1, true
	for i, r := range text {
		if space := unicode.IsSpace(r); !space && blank {
			n++
			blank = false
		} else if space {
			blank = true
		}
		words[i] = max(n, 0)
	}
	return words
}

// number sorts the clusters, numbers their letters and phrases in reading order, and computes what needs whole clusters:
// underlines and the like, strokes, centers and covered rectangles. It drops clusters that draw nothing.
func (b *Block) number(text []rune) {
	slices.SortStableFunc(b.clusters, func(x, y cluster) int { return x.at - y.at })
	letter, phrase, at := -1, 0, 0
	decorated := b.style.Underline || b.style.Overline || b.style.LineThrough
	kept := b.clusters[:0]
	for _, c := range b.clusters {
		blank := !c.hasGlyph || len(text) > 0 && unicode.IsSpace(text[c.at])
		if !blank {
			letter++
		}
		for ; at < c.at; at++ {
			if text[at] == '\n' {
				phrase++
			}
		}
		c.letter, c.phrase = max(letter, 0), phrase
		c.center.X = (c.x0 + c.x1) / 2
		if decorated && c.x1 > c.x0 {
			b.decorate(&c)
		}
		if b.style.StrokeWidth > 0 && b.style.StrokeColor.A > 0 {
			c.stroke = c.path.Stroke(b.style.StrokeWidth)
		}
		c.ink = c.path.Bounds(canvas.Identity).Union(c.extra.Bounds(canvas.Identity)).Union(c.stroke.Bounds(canvas.Identity))
		for _, e := range c.emojis {
			c.ink = c.ink.Union(e.at)
		}
		if !c.ink.Empty() {
			kept = append(kept, c)
		}
	}
	b.clusters = kept
}

// decorate draws the underline, overline and line-through of a cluster. Their ends are rounded to whole pixels, so that those of
// neighbouring clusters join.
func (b *Block) decorate(c *cluster) {
	thick := max(canvas.Round(c.size/14), 1)
	from, to := canvas.Round(c.x0), canvas.Round(c.x1)
	for _, line := range []struct {
		wanted bool
		rise   float64 // height of the line above the baseline, as a multiple of the font size
	}{{b.style.Underline, -0.11}, {b.style.LineThrough, 0.3}, {b.style.Overline, 0.92}} {
		if line.wanted {
			c.extra.Append(canvas.Rectangle(from, canvas.Round(c.center.Y-line.rise*c.size), to-from, thick))
		}
	}
}

// placedGlyph is a glyph, its origin in the box, and the rectangle that it covers at most.
type placedGlyph struct {
	run    *shaping.Output
	gid    font.GID
	x, y   float64
	bounds image.Rectangle
}

func place(run *shaping.Output, g shaping.Glyph, x, baseline float64) placedGlyph {
	p := placedGlyph{run: run, gid: g.GlyphID, x: x + px(g.XOffset), y: baseline - px(g.YOffset)}
	p.bounds = image.Rect(
		int(math.Floor(p.x+px(g.XBearing)))-1, int(math.Floor(p.y-px(g.YBearing)))-1,
		int(math.Ceil(p.x+px(g.XBearing+g.Width)))+1, int(math.Ceil(p.y-px(g.YBearing+g.Height)))+1)
	return p
}

// add puts one glyph into its cluster. Of colours (COLR) and SVG documents in fonts only the outline is drawn; the documents
// are not looked at, because reading one unpacks all of it.
func (w *worker) add(c *cluster, g placedGlyph) {
	if _, colored := g.run.Face.GlyphDataColor(g.gid); !colored {
		if bitmap, ok := g.run.Face.GlyphDataBitmap(g.gid); ok {
			w.bitmap(c, bitmap, g)
			return
		}
	}
	if outline, ok := g.run.Face.GlyphDataOutline(g.gid); ok {
		w.outline(c, outline, g)
	}
}

// bitmap adds a glyph that is a picture.
func (w *worker) bitmap(c *cluster, data font.GlyphBitmap, g placedGlyph) {
	if data.Format != font.PNG {
		return // a black-and-white bitmap glyph, which is not supported
	}
	at := g.bounds.Inset(1)
	picture, err := w.engine.bitmaps.get(glyphKey{g.run.Face.Font, g.gid}, data.Data)
	if err != nil || at.Empty() {
		return // a damaged font: the glyph is skipped
	}
	c.emojis = append(c.emojis, emoji{picture: picture, at: at})
	c.hasGlyph = true
}

// outline adds a glyph's contours. A slant or weight that the font lacks is synthesised.
func (w *worker) outline(c *cluster, outline font.GlyphOutline, g placedGlyph) {
	scale := px(g.run.Size) / float64(g.run.Face.Upem())
	about := w.about[g.run.Face]
	m := canvas.Matrix{A: scale, D: -scale, E: g.x, F: g.y}
	if about.width > 0 {
		m.A *= about.width
	}
	if about.slant {
		m.C = 0.21 * scale
	}
	var p canvas.Path
	open := false
	at := func(q opentype.SegmentPoint) (x, y float64) { return float64(q.X), float64(q.Y) }
	for _, segment := range outline.Segments {
		x, y := at(segment.Args[0])
		switch segment.Op {
		case opentype.SegmentOpMoveTo:
			if open {
				p.Close()
			}
			open = true
			p.MoveTo(x, y)
		case opentype.SegmentOpLineTo:
			p.LineTo(x, y)
		case opentype.SegmentOpQuadTo:
			x1, y1 := at(segment.Args[1])
			p.QuadTo(x, y, x1, y1)
		case opentype.SegmentOpCubeTo:
			x1, y1 := at(segment.Args[1])
			x2, y2 := at(segment.Args[2])
			p.CubeTo(x, y, x1, y1, x2, y2)
		}
	}
	if open {
		p.Close()
	}
	p = p.Transform(m)
	if about.thicken {
		c.extra.Append(p.Stroke(px(g.run.Size) / 28))
	}
	c.path.Append(p)
	c.hasGlyph = true
}

// picture returns the emoji's picture at the size in which it is drawn. Beyond maxKept pixels, pictures are not cached: a text
// may contain many large ones.
func (b *Block) picture(e *emoji) *image.NRGBA {
	if e.scaled != nil {
		return e.scaled
	}
	to := image.NewRGBA(e.at)
	draw.CatmullRom.Scale(to, to.Rect, e.picture, e.picture.Rect, draw.Src, nil)
	out := image.NewNRGBA(e.at)
	draw.Draw(out, out.Rect, to, to.Rect.Min, draw.Src)
	if pixels := e.at.Dx() * e.at.Dy(); b.cached+pixels <= maxKept {
		e.scaled = out
		b.cached += pixels
	}
	return out
}

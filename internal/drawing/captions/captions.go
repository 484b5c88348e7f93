// Package captions draws captions in the style of a movie: it breaks their lines, positions the words, and draws them.
// Movie-schema §4.8.
package captions

import (
	"fmt"
	"image"
	"math"
	"strings"

	"github.com/go-text/typesetting/segmenter"

	"moviola/domain/caption"
	"moviola/domain/timeline"
	"moviola/internal/drawing/canvas"
	"moviola/internal/drawing/text"
)

// Layouter lays out texts and measures them (text.Engine).
type Layouter interface {
	Lay(t timeline.Text, o text.Options, w, h int) (*text.Block, error)
}

// Setter lays out and draws the captions of one movie. It is used by one goroutine at a time.
type Setter struct {
	style caption.Style
	words Layouter
	w, h  int // size of the movie in pixels

	known map[string]*phrase
	kept  int // number of pixels of the pictures of known
	said  []string
}

// maxKept bounds the pictures of words that are kept, in pixels. Beyond it, all are dropped, and drawn again when they are
// needed.
const maxKept = 16 << 20

// New returns a Setter for a movie of w × h pixels.
func New(words Layouter, style caption.Style, w, h int) *Setter {
	return &Setter{style: style, words: words, w: w, h: h, known: map[string]*phrase{}}
}

// Warnings returns the warnings about fonts, of the first word that had any. Before any caption is drawn, these are the
// warnings about the style's own font.
func (c *Setter) Warnings() []string {
	if len(c.said) == 0 {
		_, _, _ = c.blank() // an error is ignored: drawing the captions reports it
	}
	return c.said
}

// phrase is a word in one colour and size. It is drawn when it is seen, as two pictures: the field letters lies on top of
// the field under.
type phrase struct {
	word           string
	settings       timeline.TextSettings
	w, h           float64 // the size that the word takes on its line
	drawn          bool
	under, letters text.Drawing // the outline with its shadow, and the letters above it
}

// placed is a word, or a part of a word, with its place on a line.
type placed struct {
	*phrase
	piece levelled
	x     float64
	gap   float64 // gap before the word, in reading order
}

// row is a line with its words in visual order.
type row struct {
	words []placed
	boxed bool
	w     float64
}

// widest is the largest width of a line, as a fraction of the canvas.
const widest = 0.9

// block is the rows of a caption and their position.
type block struct {
	anchor caption.Anchor
	rows   []row
	line   float64 // the height of a row
	pad    float64
}

// lay breaks the lines of a caption and stacks the results.
func (c *Setter) lay(given []caption.Row) (block, error) {
	blank, height, err := c.blank()
	if err != nil {
		return block{}, err
	}
	b := block{anchor: c.style.Anchor(c.w, c.h), line: height, pad: c.padding()}
	if c.style.Name == caption.BoxedWord { // the blank is widened, so that the box of a word ends before the box of the next one
		blank = math.Max(blank, boxedGap*b.pad)
	}
	for _, r := range given {
		broken, err := c.broken(r, blank)
		if err != nil {
			return block{}, err
		}
		b.rows = append(b.rows, broken...)
	}
	return b, nil
}

// top is the top of the first row.
func (b *block) top() float64 {
	return b.anchor.Y - float64(len(b.rows))*b.line/2*float64(1+b.anchor.Vertical)
}

// left is the left end of a row.
func (b *block) left(r row) float64 { return b.anchor.X - r.w/2*float64(1+b.anchor.Horizontal) }

// Draw draws the rows of a caption as one block at its anchor.
func (c *Setter) Draw(given []caption.Row) (*image.NRGBA, error) {
	b, err := c.lay(given)
	if err != nil {
		return nil, err
	}
	var list canvas.List
	y, far := b.top(), c.far()
	for _, r := range b.rows {
		if y > float64(c.h)+far || y+b.line < -far {
			y += b.line
			continue
		}
		x := b.left(r)
		if r.boxed {
			c.box(&list, x, y, r.w, b.line, b.pad, b.pad)
		}
		for i, w := range r.words {
			if w.piece.Boxed {
				left, right := r.room(i, b.pad)
				c.box(&list, x+w.x, y, w.w, b.line, left, right)
			}
		}
		for _, w := range r.words {
			if w.piece.Role == caption.Hidden || x+w.x > float64(c.w)+far || x+w.x+w.w < -far {
				continue
			}
			if err := c.draw(w.phrase); err != nil {
				return nil, err
			}
			w.paste(&list, canvas.Round(x+w.x)-margin, canvas.Round(y)-margin)
		}
		y += b.line
	}
	return list.Draw(image.Rect(0, 0, c.w, c.h)), nil
}

func (p *phrase) paste(list *canvas.List, x, y float64) {
	for _, d := range []text.Drawing{p.under, p.letters} {
		if d.Image != nil && !d.Image.Rect.Empty() {
			list.Paste(d.Image, canvas.Move(x+float64(d.At.X), y+float64(d.At.Y)), 1)
		}
	}
}

func (c *Setter) padding() float64 { return c.style.Size * 0.2 }

// box draws the box behind a word or a line, extended to the left and right.
func (c *Setter) box(list *canvas.List, x, y, w, h, left, right float64) {
	round := c.padding()
	list.Fill(canvas.Rounded(x-left, y, w+left+right, h, [4]float64{round, round, round, round}), canvas.Identity,
		canvas.Paint{Color: c.style.Box}, 1)
}

// most is the largest width of a line in pixels.
func (c *Setter) most() float64 { return math.Max(widest*float64(c.w), 1) }

// broken places the words of a row side by side, on several lines if they do not fit into one.
func (c *Setter) broken(given caption.Row, blank float64) ([]row, error) {
	most := c.most()
	rows := []row{{boxed: given.Boxed}}
	pieces, err := c.fitting(levels(given.Pieces), most)
	if err != nil {
		return nil, err
	}
	for _, p := range pieces {
		last := &rows[len(rows)-1]
		p.gap = blank
		if p.piece.Glued || len(last.words) == 0 {
			p.gap = 0
		}
		if len(last.words) > 0 && last.w+p.gap+p.w > most {
			rows = append(rows, row{boxed: given.Boxed})
			last, p.gap = &rows[len(rows)-1], 0
		}
		last.words = append(last.words, p)
		last.w += p.gap + p.w
	}
	for i := range rows {
		rows[i].arrange()
	}
	return rows, nil
}

// blank is the width of a blank, and the height of a line.
func (c *Setter) blank() (width, height float64, err error) {
	pair, err := c.phrase(plainly("x x"), 1)
	if err != nil {
		return 0, 0, err
	}
	one, err := c.phrase(plainly("x"), 1)
	if err != nil {
		return 0, 0, err
	}
	return pair.w - 2*one.w, one.h, nil
}

// margin is the space around a word for its outline and shadow, in pixels.
const margin = 64

// smallest is the smallest fraction of its size to which a word is reduced to fit into its line. A longer word is broken.
const smallest = 0.6

// snug is a safety factor against rounding when a word is reduced.
const snug = 0.98

// fitting returns the words of a row (the parameter given), as a rule none of them wider than the parameter most, in
// pixels. A wider word is made smaller, down to the fraction smallest; if that is not enough, it is broken between
// letters.
func (c *Setter) fitting(given []levelled, most float64) ([]placed, error) {
	var all []placed
	for _, piece := range given {
		p, err := c.phrase(piece, 1)
		if err != nil {
			return nil, err
		}
		if p.w > most && p.w*smallest <= most {
			p, err = c.phrase(piece, snug*most/p.w)
		}
		if err != nil {
			return nil, err
		}
		if p.w <= most+1 {
			all = append(all, placed{phrase: p, piece: piece})
			continue
		}
		parts, err := c.split(piece, p.w, most)
		if err != nil {
			return nil, err
		}
		all = append(all, parts...)
	}
	return all, nil
}

// split breaks a word into the smallest number of parts that fit, of about equal length.
func (c *Setter) split(piece levelled, w, most float64) ([]placed, error) {
	letters := graphemes(piece.Text)
	for n := int(math.Ceil(w / most)); ; n++ {
		n = min(n, len(letters))
		all, fits := make([]placed, 0, n), true
		for i := range n {
			part := piece
			part.Text = strings.Join(letters[i*len(letters)/n:(i+1)*len(letters)/n], "")
			part.Glued = piece.Glued || i > 0
			p, err := c.phrase(part, 1)
			// Each part is down to one letter: a letter that is too wide is reduced.
			if err == nil && p.w > most && n == len(letters) {
				p, err = c.phrase(part, snug*most/p.w)
			}
			if err != nil {
				return nil, err
			}
			if fits = p.w <= most+1; !fits && n < len(letters) {
				break
			}
			all = append(all, placed{phrase: p, piece: part})
		}
		if fits || n == len(letters) {
			return all, nil
		}
	}
}

// graphemes returns the visible letters of a text.
func graphemes(text string) []string {
	var cut segmenter.Segmenter
	cut.Init([]rune(text))
	var all []string
	for letters := cut.GraphemeIterator(); letters.Next(); {
		all = append(all, string(letters.Grapheme().Text))
	}
	return all
}

// phrase returns a word at a fraction of its size, 0 to 1. Each word is measured once for each size and colour.
func (c *Setter) phrase(piece levelled, size float64) (*phrase, error) {
	style := c.style
	color, lit := style.Line, "-"
	if piece.Role == caption.Now {
		color, lit = style.Word, "+"
	}
	word := piece.marked()
	key := fmt.Sprintf("%s%.4f %s", lit, size, word)
	if p, ok := c.known[key]; ok {
		return p, nil
	}
	settings := timeline.TextSettings{
		FontFamily: style.Family, FontSource: style.FontURL, FontSize: style.Size, FontWeight: style.Weight, Color: color,
		Align: timeline.AlignLeft, Horizontal: timeline.AlignLeft, Vertical: timeline.AlignTop,
		LineHeight: canvas.Round(style.Size * 1.3),
		Padding:    timeline.Sides{Top: margin, Right: margin, Bottom: margin, Left: margin},
	}
	settings.FontSize *= size
	block, err := c.set(word, settings)
	if err != nil {
		return nil, err
	}
	w, h := block.Size()
	p := &phrase{word: word, settings: settings, w: w - 2*margin, h: h - 2*margin}
	c.known[key] = p
	return p, nil
}

// draw draws a word, unless its pictures are still kept.
func (c *Setter) draw(p *phrase) (err error) {
	if p.drawn {
		return nil
	}
	if p.letters, err = c.picture(p.word, p.settings); err != nil {
		return err
	}
	if style := c.style; style.OutlineWidth > 0 || style.ShadowOffset != 0 {
		settings := p.settings
		settings.StrokeColor, settings.StrokeWidth = style.Outline, 2*style.OutlineWidth
		if style.OutlineWidth > 0 {
			settings.Color = style.Outline
		}
		if style.ShadowOffset != 0 {
			settings.Shadow = &timeline.Shadow{X: style.ShadowOffset, Y: style.ShadowOffset, Color: style.Shadow}
		}
		if p.under, err = c.picture(p.word, settings); err != nil {
			return err
		}
	}
	pixels := area(p.letters) + area(p.under)
	if c.kept+pixels > maxKept {
		for _, other := range c.known {
			if other != p {
				other.drawn, other.letters, other.under = false, text.Drawing{}, text.Drawing{}
			}
		}
		c.kept = 0
	}
	p.drawn = true
	c.kept += pixels
	return nil
}

func area(d text.Drawing) int {
	if d.Image == nil {
		return 0
	}
	return d.Image.Rect.Dx() * d.Image.Rect.Dy()
}

// far is the distance from the movie, in pixels, beyond which nothing of a word is visible.
func (c *Setter) far() float64 {
	const beyond = 512 // how far package text draws beyond a box at most
	return margin + beyond + math.Abs(c.style.ShadowOffset) + c.style.OutlineWidth
}

// set lays out a word with a margin around it.
func (c *Setter) set(word string, settings timeline.TextSettings) (*text.Block, error) {
	wide := 2*margin + int(math.Min(float64(len([]rune(word))+2)*settings.FontSize*2, 8000))
	high := 2*margin + int(2*settings.FontSize) + 1
	block, err := c.words.Lay(timeline.Text{Text: strings.ReplaceAll(word, "\n", " "), Settings: settings}, text.Options{},
		wide, high)
	if err == nil && len(c.said) == 0 {
		c.said = block.Warnings
	}
	return block, err
}

// picture draws a word.
func (c *Setter) picture(word string, settings timeline.TextSettings) (text.Drawing, error) {
	block, err := c.set(word, settings)
	if err != nil {
		return text.Drawing{}, err
	}
	return block.Draw()
}

package render

import (
	"context"
	"fmt"
	"image"
	"math"
	"strings"

	"github.com/go-text/typesetting/segmenter"

	"moviola/domain"
	"moviola/domain/caption"
	"moviola/domain/timeline"
	"moviola/internal/drawing/canvas"
	"moviola/internal/drawing/text"
)

// layouter lays texts out and says how large they are (internal/drawing/text.Engine).
type layouter interface {
	Lay(t timeline.Text, o text.Options, w, h int) (*text.Block, error)
}

// captions are the captions of one window.
type captions struct {
	layer timeline.Layer
	words layouter
	w, h  int

	known map[string]*phrase
	last  int // the caption that seen is
	seen  *image.RGBA
	said  []string
}

// phrase is a drawn word.
type phrase struct {
	under, letters text.Drawing // the outline with its shadow, and what lies on it
	w, h           float64      // the room it takes
}

// captions opens the captions of a window.
func (s *stills) captions(l timeline.Layer) (content, error) {
	words, ok := s.text.(layouter)
	if !ok || l.Captions == nil {
		return nil, domain.Errorf(domain.Internal, "captions_unavailable", "Captions cannot be drawn on this server")
	}
	return &captions{layer: l, words: words, w: s.w, h: s.h, known: map[string]*phrase{}, last: -1}, nil
}

func (c *captions) settled() int64 {
	shown := c.layer.Captions.Shown
	if len(shown) == 0 {
		return 0
	}
	return shown[len(shown)-1].To
}

func (c *captions) at(_ context.Context, k int64) (*image.RGBA, error) {
	for i, shown := range c.layer.Captions.Shown {
		if k < shown.From || k >= shown.To {
			continue
		}
		if i != c.last {
			img, err := c.draw(shown.Rows)
			if err != nil {
				return nil, faultOf(c.layer.Ref, "draw captions", err)
			}
			c.last, c.seen = i, img
		}
		return c.seen, nil
	}
	return &image.RGBA{}, nil
}

// placed is a word on its line, or a part of one.
type placed struct {
	*phrase
	piece levelled
	x     float64
	gap   float64 // before it, as it is read
}

// row is a line as it is drawn.
type row struct {
	words []placed
	boxed bool
	w     float64
}

// widest is the share of the canvas that a line may take.
const widest = 0.9

// draw draws rows as one block at its anchor.
func (c *captions) draw(given []caption.Row) (*image.RGBA, error) {
	style := c.layer.Captions.Style
	blank, height, err := c.blank()
	if err != nil {
		return nil, err
	}
	pad := c.padding()
	if style.Look == caption.BoxedWord { // the box of a word ends before the next one
		blank = math.Max(blank, boxedGap*pad)
	}
	var rows []row
	for _, r := range given {
		broken, err := c.broken(r, blank)
		if err != nil {
			return nil, err
		}
		rows = append(rows, broken...)
	}
	var list canvas.List
	anchor := style.Anchor(c.w, c.h)
	total := float64(len(rows)) * height
	y := anchor.Y - total/2*float64(1+anchor.Vertical)
	for _, r := range rows {
		x := anchor.X - r.w/2*float64(1+anchor.Horizontal)
		if r.boxed {
			c.box(&list, x, y, r.w, height, pad, pad)
		}
		for i, w := range r.words {
			if w.piece.Boxed {
				left, right := r.room(i, pad)
				c.box(&list, x+w.x, y, w.w, height, left, right)
			}
		}
		for _, w := range r.words {
			if w.piece.Role != caption.Hidden {
				w.paste(&list, canvas.Round(x+w.x)-margin, canvas.Round(y)-margin)
			}
		}
		y += height
	}
	img := list.Draw(image.Rect(0, 0, c.w, c.h))
	return premultiplied(img, img.Rect.Min), nil
}

func (p *phrase) paste(list *canvas.List, x, y float64) {
	for _, d := range []text.Drawing{p.under, p.letters} {
		if d.Image != nil && !d.Image.Rect.Empty() {
			list.Paste(d.Image, canvas.Move(x+float64(d.At.X), y+float64(d.At.Y)), 1)
		}
	}
}

func (c *captions) padding() float64 { return c.layer.Captions.Style.Size * 0.2 }

// box draws the box behind a word or a line, which reaches over it at its left and right.
func (c *captions) box(list *canvas.List, x, y, w, h, left, right float64) {
	round := c.padding()
	list.Fill(canvas.Rounded(x-left, y, w+left+right, h, [4]float64{round, round, round, round}), canvas.Identity, canvas.Paint{Color: c.layer.Captions.Style.Box}, 1)
}

// broken puts the words of a row side by side, on several lines where one does not hold them.
func (c *captions) broken(given caption.Row, blank float64) ([]row, error) {
	most := math.Max(widest*float64(c.w), 1)
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
func (c *captions) blank() (width, height float64, err error) {
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

// margin is the room around a word that its outline and shadow may take.
const margin = 64

// smallest is how small a word may be drawn that is too long for its line, as a share of its size. A longer one is broken.
const smallest = 0.6

// snug keeps a word that is made smaller from being too wide by what rounding adds.
const snug = 0.98

// fitting are the words of a row, none wider than most: what is too long is drawn smaller, or broken between letters.
func (c *captions) fitting(given []levelled, most float64) ([]placed, error) {
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

// split breaks a word into as few parts as fit, of about as many letters each.
func (c *captions) split(piece levelled, w, most float64) ([]placed, error) {
	letters := graphemes(piece.Text)
	for n := int(math.Ceil(w / most)); ; n++ {
		n = min(n, len(letters))
		all, fits := make([]placed, 0, n), true
		for i := range n {
			part := piece
			part.Text = strings.Join(letters[i*len(letters)/n:(i+1)*len(letters)/n], "")
			part.Glued = piece.Glued || i > 0
			p, err := c.phrase(part, 1)
			if err == nil && p.w > most && n == len(letters) { // a single letter
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

// graphemes are what is read as letters of a text.
func graphemes(text string) []string {
	var cut segmenter.Segmenter
	cut.Init([]rune(text))
	var all []string
	for letters := cut.GraphemeIterator(); letters.Next(); {
		all = append(all, string(letters.Grapheme().Text))
	}
	return all
}

// phrase draws a word at a share of its size, unless that has been done.
func (c *captions) phrase(piece levelled, size float64) (*phrase, error) {
	style := c.layer.Captions.Style
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
		Align: timeline.AlignLeft, Horizontal: timeline.AlignLeft, Vertical: timeline.AlignTop, LineHeight: canvas.Round(style.Size * 1.3),
		Padding: timeline.Sides{Top: margin, Right: margin, Bottom: margin, Left: margin},
	}
	settings.FontSize *= size
	letters, w, h, err := c.set(word, settings)
	if err != nil {
		return nil, err
	}
	p := &phrase{letters: letters, w: w - 2*margin, h: h - 2*margin}
	if style.OutlineWidth > 0 || style.ShadowOffset != 0 {
		settings.Color, settings.StrokeColor, settings.StrokeWidth = style.Outline, style.Outline, 2*style.OutlineWidth
		if style.OutlineWidth == 0 {
			settings.Color = color
		}
		if style.ShadowOffset != 0 {
			settings.Shadow = &timeline.Shadow{X: style.ShadowOffset, Y: style.ShadowOffset, Color: style.Shadow}
		}
		if p.under, _, _, err = c.set(word, settings); err != nil {
			return nil, err
		}
	}
	c.known[key] = p
	return p, nil
}

// set draws a word, and returns the room it takes with the margin around it.
func (c *captions) set(word string, settings timeline.TextSettings) (d text.Drawing, w, h float64, err error) {
	wide := 2*margin + int(math.Min(float64(len([]rune(word))+2)*settings.FontSize*2, 8000))
	high := 2*margin + int(2*settings.FontSize) + 1
	block, err := c.words.Lay(timeline.Text{Text: strings.ReplaceAll(word, "\n", " "), Settings: settings}, text.Options{}, wide, high)
	if err != nil {
		return text.Drawing{}, 0, 0, err
	}
	if len(c.said) == 0 {
		c.said = block.Warnings
	}
	w, h = block.Size()
	d, err = block.Draw()
	return d, w, h, err
}

func (c *captions) warnings() []string { return c.said }

package captions

import (
	"fmt"
	"math"
	"strings"
	"time"

	"moviola/domain/caption"
	"moviola/domain/document"
	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

// overflow is what was found out about the captions of a movie: the worst of them.
type overflow struct {
	line   float64 // the width that the longest line needs, when it is more than lines may take
	lineAt time.Duration
	block  [2]float64 // the size of the caption that lies furthest outside of the movie
	beyond float64
	at     time.Duration
}

// Overflow notes captions that need more room than the movie has: the longest of the lines that have to be broken or made
// smaller, and the caption of which most is cut off. Nothing is drawn. It ends early when more says so; left is how many captions
// were not looked at.
func Overflow(
	words Layouter, s *timeline.Subtitles, track caption.Track, w, h int, more func() bool,
) (notes []document.Note, left int, err error) {
	c := New(words, s.Style, w, h)
	c.dry = true
	var found overflow
	seen := map[string]bool{}
	for _, state := range s.Style.States(track) {
		key := written(state.Rows)
		if seen[key] {
			continue
		}
		if seen[key] = true; !more() {
			left++
			continue
		}
		if err := c.measure(&found, state); err != nil {
			return nil, 0, err
		}
	}
	return found.notes(s, c), left, nil
}

// written is what rows say, whatever word of them is lit.
func written(rows []caption.Row) string {
	var b strings.Builder
	for _, r := range rows {
		for _, p := range r.Pieces {
			b.WriteString(p.Text)
			b.WriteByte(' ')
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// measure holds a caption against the worst ones so far.
func (c *Setter) measure(found *overflow, state caption.State) error {
	blank, _, err := c.blank()
	if err != nil {
		return err
	}
	for _, r := range state.Rows {
		wide := 0.0
		for i, p := range levels(r.Pieces) {
			one, err := c.phrase(p, 1)
			if err != nil {
				return err
			}
			if wide += one.w; i > 0 && !p.Glued {
				wide += blank
			}
		}
		if wide > c.most()+1 && wide > found.line {
			found.line, found.lineAt = wide, state.From
		}
	}
	b, err := c.lay(state.Rows)
	if err != nil {
		return err
	}
	x, y := [2]float64{math.Inf(1), math.Inf(-1)}, [2]float64{b.top(), b.top() + float64(len(b.rows))*b.line}
	for _, r := range b.rows {
		x[0], x[1] = math.Min(x[0], b.left(r)), math.Max(x[1], b.left(r)+r.w)
	}
	beyond := 0.0
	for _, by := range []float64{-x[0], x[1] - float64(c.w), -y[0], y[1] - float64(c.h)} {
		beyond = math.Max(beyond, by)
	}
	if len(b.rows) > 0 && beyond >= 1 && beyond > found.beyond {
		found.beyond, found.at, found.block = beyond, state.From, [2]float64{x[1] - x[0], y[1] - y[0]}
	}
	return nil
}

// notes writes down what was found. Lines of captions that are made of what is said are broken as it suits: nobody wrote them.
func (o *overflow) notes(s *timeline.Subtitles, c *Setter) (notes []document.Note) {
	given := s.Captions != "" || s.Source != ""
	path := ""
	if given {
		path = "/captions"
	}
	if o.line > 0 && (given || s.Style.Rebreak) {
		notes = append(notes, document.Note{
			Ref: s.Ref, Path: path, Code: text.TextOverflow, Remedy: "Make the 'font-size' smaller, or the lines shorter",
			Text: fmt.Sprintf("A line of the captions needs %.0f pixels at %s s, and lines may be %.0f wide: it is broken or made smaller",
				o.line, seconds(o.lineAt), c.most()),
		})
	}
	if o.beyond > 0 {
		notes = append(notes, document.Note{
			Ref: s.Ref, Path: path, Code: text.TextOverflow, Remedy: "Make the 'font-size' smaller, the captions shorter, or " +
				"change 'position', 'x' or 'y'",
			Text: fmt.Sprintf("The captions need %.0f×%.0f pixels at %s s, and reach %.0f pixels out of the movie's %d×%d",
				o.block[0], o.block[1], seconds(o.at), o.beyond, c.w, c.h),
		})
	}
	return notes
}

// seconds writes a time for people.
func seconds(at time.Duration) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", at.Seconds()), "0"), ".")
}

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

// overflow holds the worst captions found in a movie.
type overflow struct {
	line   float64 // width of the longest line, if it does not fit
	lineAt time.Duration
	block  [2]float64 // size of the caption that extends furthest beyond the movie
	beyond float64
	at     time.Duration
}

// Overflow returns notes on captions that do not fit: at most one on the longest line that has to be broken or reduced
// (see the method notes), and one on the caption that extends furthest beyond the movie. Nothing is drawn. It stops early
// when more returns false; left is the number of captions that were not checked, where captions with the same text count
// once.
func Overflow(
	words Layouter, s *timeline.Subtitles, track caption.Track, w, h int, more func() bool,
) (notes []document.Note, left int, err error) {
	c := New(words, s.Style, w, h)
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

// written returns the text of rows, whichever word is highlighted.
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

// measure compares the caption state with the worst captions so far, which found describes: the one with the longest line
// that does not fit, and the one that extends furthest beyond the movie. If state is worse than one of them, found
// describes state instead.
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

// notes returns the notes on captions that do not fit. Long lines are not reported if the captions are transcribed from
// sound, because no author wrote them, unless Style.Rebreak is set.
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

// seconds formats a time for messages.
func seconds(at time.Duration) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", at.Seconds()), "0"), ".")
}

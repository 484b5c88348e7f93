package caption

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// WriteASS writes captions as ASS, with the look of the style, for a movie of the given size in pixels. States become
// dialogues, so that a player shows them without knowing karaoke; a state of less than 10 ms may be left out. Words and
// their times are kept as karaoke comments, which Parse reads, with a precision of 10 ms.
func (s Style) WriteASS(t Track, width, height int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b,
		"[Script Info]\nScriptType: v4.00+\nPlayResX: %d\nPlayResY: %d\nWrapStyle: 2\nScaledBorderAndShadow: yes\n\n", width, height)
	s.writeStyles(&b, width, height)
	b.WriteString("[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n")
	for _, c := range t.Cues {
		writeEvent(&b, "Comment", c.Start, c.End, karaokeEffect, karaokeText(c))
	}
	place := s.placement(width, height)
	for _, state := range s.States(t) {
		writeEvent(&b, "Dialogue", state.From, state.To, fxEffect, place+stateText(state))
	}
	return []byte(b.String())
}

// The names of the ASS styles, by role.
const (
	lineStyle   = "Line"
	nowStyle    = "Now"
	hiddenStyle = "Hidden"
)

func (s Style) writeStyles(b *strings.Builder, width, height int) {
	b.WriteString("[V4+ Styles]\nFormat: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, " +
		"Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, " +
		"MarginL, MarginR, MarginV, Encoding\n")
	s.writeStyle(b, lineStyle, s.Line, s.Name == BoxedLine, width, height)
	s.writeStyle(b, nowStyle, s.Word, s.Name == BoxedLine || s.Name == BoxedWord, width, height)
	hidden := s
	hidden.Outline.A, hidden.Shadow.A, hidden.Box.A = 0, 0, 0
	hidden.writeStyle(b, hiddenStyle, Color{}, false, width, height)
	b.WriteString("\n")
}

// emsPerHeight is the height of a line in font sizes: ASS gives the font size as the height of a line.
const emsPerHeight = 1.2

func (s Style) writeStyle(b *strings.Builder, name string, text Color, boxed bool, width, height int) {
	border, edge, edgeWidth := 1, s.Outline, s.OutlineWidth
	if boxed {
		border, edge, edgeWidth = 3, s.Box, max(s.Size*0.15, 1)
	}
	bold := 0
	if s.Weight >= 600 {
		bold = -1
	}
	fmt.Fprintf(b, "Style: %s,%s,%.0f,%s,%s,%s,%s,%d,0,0,0,100,100,0,0,%d,%.4g,%.4g,%d,%d,%d,%d,1\n",
		name, s.assFamily(), math.Round(s.Size*emsPerHeight), assColor(text), assColor(text), assColor(edge), assColor(s.Shadow),
		bold, border, edgeWidth, max(s.ShadowOffset, 0), s.assAlignment(width, height),
		int(float64(width)*margin), int(float64(width)*margin), int(float64(height)*margin))
}

// assFamily returns the first of the style's font families, without characters that a field of ASS cannot contain;
// Arial if nothing is left.
func (s Style) assFamily() string {
	family, _, _ := strings.Cut(s.Family, ",")
	family = strings.Trim(strings.TrimSpace(clean(family)), `'"`)
	if family == "" {
		return "Arial"
	}
	return family
}

// assColor writes a colour as ASS does: transparency, blue, green, red.
func assColor(c Color) string { return fmt.Sprintf("&H%02X%02X%02X%02X", 255-c.A, c.B, c.G, c.R) }

// assAlignment returns the ASS alignment: the key of a numeric keypad at the same position.
func (s Style) assAlignment(width, height int) int {
	a := s.Anchor(width, height)
	return 5 + int(a.Horizontal) - 3*int(a.Vertical)
}

// placement returns the override tag that sets the position of the captions, if no margin can give that position.
func (s Style) placement(width, height int) string {
	switch s.Position {
	case Custom, MidTopCenter, MidBottomCenter:
		a := s.Anchor(width, height)
		return fmt.Sprintf(`{\pos(%.4g,%.4g)}`, a.X, a.Y)
	}
	return ""
}

func writeEvent(b *strings.Builder, kind string, from, to time.Duration, effect, text string) {
	start, end := hundredths(from), hundredths(to)
	if end > start {
		fmt.Fprintf(b, "%s: 0,%s,%s,%s,,0,0,0,%s,%s\n", kind, assTime(start), assTime(end), lineStyle, effect, text)
	}
}

func hundredths(t time.Duration) int64 {
	return int64(t.Round(10*time.Millisecond) / (10 * time.Millisecond))
}

func assTime(hundredths int64) string {
	return fmt.Sprintf("%d:%02d:%02d.%02d", hundredths/360000, hundredths/6000%60, hundredths/100%60, hundredths%100)
}

// roleStyles maps roles to names of ASS styles.
var roleStyles = map[Role]string{Now: nowStyle, Hidden: hiddenStyle, Said: lineStyle, Coming: lineStyle}

func stateText(state State) string {
	var b strings.Builder
	style := lineStyle
	change := func(to string) {
		if to != style {
			b.WriteString(`{\r` + to + "}")
			style = to
		}
	}
	for i, row := range state.Rows {
		for j, p := range row.Pieces {
			if style == nowStyle {
				change(lineStyle) // the tag is written before the blank, so that the word's box does not include the blank
			}
			switch {
			case j == 0 && i > 0:
				b.WriteString(`\N`)
			case j > 0 && !p.Glued:
				b.WriteByte(' ')
			}
			change(roleStyles[p.Role])
			b.WriteString(escapeASS(p.Text))
		}
	}
	return b.String()
}

// karaokeText writes the words of a cue as karaoke syllables, with pauses between them.
func karaokeText(c Cue) string {
	var b strings.Builder
	words := c.Words()
	at := hundredths(c.Start)
	n := 0
	for i, line := range c.Lines {
		if i > 0 {
			b.WriteString(`\N`)
		}
		for j, w := range line {
			if j > 0 && !Glued(line[j-1].Text, w.Text) {
				b.WriteByte(' ')
			}
			start, end := max(hundredths(w.Start), at), hundredths(w.End)
			if n++; n < len(words) {
				end = min(end, hundredths(words[n].Start))
			}
			end = max(end, start)
			if start > at {
				fmt.Fprintf(&b, `{\k%d\k%d}`, start-at, end-start)
			} else {
				fmt.Fprintf(&b, `{\k%d}`, end-start)
			}
			at = end
			b.WriteString(escapeASS(w.Text))
		}
	}
	return b.String()
}

var assEscapes = strings.NewReplacer(`\`, `\`+guard, "{", `\{`, "}", `\}`)

// escapeASS escapes a text, so that it has no override tags or line breaks.
func escapeASS(text string) string { return assEscapes.Replace(text) }

package css

import (
	"slices"
	"strings"
)

// Shadow is the shadow of a shape: behind it or, with inset, inside it. Lengths are in pixels.
type Shadow struct {
	X, Y, Blur, Spread float64
	Color              Color
	Inset              bool
}

// Bounds that limit the cost of drawing shadows. maxBlur is in pixels.
const (
	maxShadows = 8
	maxBlur    = 300
)

// Shadows reads a list of shadows, the topmost first: each has two to four lengths, and may have a colour and the word
// inset, in any order. ok reports whether all of them are valid; the first eight valid shadows are returned in any case. The
// text "none" is an empty list.
func (u Units) Shadows(text string) (all []Shadow, ok bool) {
	if strings.EqualFold(strings.TrimSpace(text), "none") {
		return nil, true
	}
	ok = true
	for _, one := range Split(text, ',') {
		s, good := u.shadow(one)
		ok = ok && good
		if good && len(all) < maxShadows {
			all = append(all, s)
		}
	}
	return all, ok
}

func (u Units) shadow(text string) (s Shadow, ok bool) {
	s.Color = Black
	lengths := make([]float64, 0, 4)
	for _, part := range Split(text, ' ') {
		if n, ok := u.Pixels(part, u.Em); ok {
			lengths = append(lengths, n)
		} else if c, ok := ParseColor(part); ok {
			s.Color = c
		} else if strings.EqualFold(part, "inset") {
			s.Inset = true
		} else {
			return Shadow{}, false
		}
	}
	if len(lengths) < 2 || len(lengths) > 4 {
		return Shadow{}, false
	}
	lengths = append(lengths, 0, 0)
	s.X, s.Y, s.Blur, s.Spread = lengths[0], lengths[1], min(max(lengths[2], 0), maxBlur), lengths[3]
	return s, true
}

// Line is a border or stroke as a shorthand such as "2px solid red" gives it.
type Line struct {
	Width    Length
	HasWidth bool
	Color    *Color // nil: no colour given
	Style    string // style in lower case, such as solid; empty: no style given
}

// Visible is false for the styles none and hidden.
func (l Line) Visible() bool { return l.Style != "none" && l.Style != "hidden" }

var lineStyles = []string{"none", "hidden", "solid", "dashed", "dotted", "double", "groove", "ridge", "inset", "outset"}

// thinWidths holds the widths of lines, in pixels, by the words that CSS has for them: thin, medium and thick.
var thinWidths = map[string]float64{"thin": 1, "medium": 3, "thick": 5}

// Line reads "2px solid red": width, style and colour, in any order. Of several widths, styles or colours it uses the last.
func (u Units) Line(text string) (l Line, ok bool) {
	parts := Split(text, ' ')
	for _, part := range parts {
		word := strings.ToLower(part)
		px, named := thinWidths[word]
		if width, ok := u.Length(part); ok && !width.Auto {
			l.Width, l.HasWidth = width, true
		} else if named {
			l.Width, l.HasWidth = Length{Px: px}, true
		} else if slices.Contains(lineStyles, word) {
			l.Style = word
		} else if c, ok := ParseColor(part); ok {
			l.Color = &c
		} else {
			return Line{}, false
		}
	}
	return l, len(parts) > 0
}

// Background holds the values of the shorthand background.
type Background struct {
	Color    *Color    // nil: no colour given
	Gradient *Gradient // the topmost gradient; nil: none given
	URL      string    // address of a picture; empty: none given
	// Position and Size hold the words of background-position and background-size, in lower case. Empty: not given. If a
	// layer of the background has a picture, Position and Size come from that layer.
	Position, Size string
}

// ParseBackground reads a colour, a gradient and the URL of a picture, in any order, and "position / size"; several layers are
// separated by commas. The words cover and contain are a size without a slash, too. Other parts of a background (repeat) are
// ignored. ok is false when the text has neither colour, gradient nor picture, or when a gradient is invalid.
func ParseBackground(text string) (b Background, ok bool) {
	ok = true
	for _, layer := range Split(text, ',') {
		ok = b.add(layer) && ok
	}
	return b, ok && (b.Color != nil || b.Gradient != nil || b.URL != "")
}

// add reads one layer. It returns false when a gradient is invalid.
func (b *Background) add(text string) (ok bool) {
	ok = true
	var address string
	var places, sizes []string
	for i, half := range Split(text, '/') {
		sizing := i == 1 // the first words behind the slash are a size
		for _, part := range Split(half, ' ') {
			word := strings.ToLower(part)
			_, isLength := Units{}.Length(part)
			switch {
			case word == "cover" || word == "contain":
				sizes, sizing = []string{word}, false
			case isLength && sizing && len(sizes) < 2:
				sizes = append(sizes, word)
			case i == 0 && (isLength || slices.Contains(placeWords, word)):
				places = append(places, word)
			default:
				sizing = false
				if a, isURL := URL(part); isURL {
					address = a
				} else {
					ok = b.paint(part) && ok
				}
			}
		}
	}
	if address != "" || b.URL == "" {
		b.URL, b.Position, b.Size = address, strings.Join(places, " "), strings.Join(sizes, " ")
	}
	return ok
}

var placeWords = []string{"left", "right", "top", "bottom", "center"}

// paint reads a gradient or a colour, and ignores other words. It returns false when a gradient is invalid.
func (b *Background) paint(part string) (ok bool) {
	name, _, isCall := Call(part)
	if g, good := ParseGradient(part); good {
		if b.Gradient == nil {
			b.Gradient = &g
		}
	} else if isCall && strings.HasSuffix(name, "-gradient") {
		return false
	} else if c, good := ParsePaint(part); good {
		b.Color = &c
	}
	return true
}

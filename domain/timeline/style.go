package timeline

import (
	"maps"
	"math"
	"slices"
	"strings"
	"unicode"

	"moviola/domain/css"
	"moviola/domain/document"
)

// The bounds of a font size, in pixels.
const (
	smallest, giant = 1, 2000
)

var defaultShadow = Shadow{X: 2, Y: 2, Color: Color{R: 33, G: 33, B: 33, A: 128}}

// text returns the text of an element, with its settings in pixels, and the box in which it is drawn. On each axis (x and
// width, y and height) the box has the element's size and position. If the element has no size on the axis, or has the
// property resize, the box is as long as the canvas. If it then also has a position such as top-left, the box leaves
// gapPercent of the canvas free at both edges, and the textbox stands at that position in the box, unless a setting gives
// another position. The setting margin makes the box smaller.
func (l *layout) text(e *document.Element) (*Text, Box) {
	canvas := Box{W: l.plan.Width, H: l.plan.Height}
	horizontal, vertical := edges(e.Position)
	gapX, gapY := 0, 0
	box := Box{W: e.Width, H: e.Height}
	if e.Width < 0 || e.Resize != "" {
		box.W = canvas.W
		if horizontal != free {
			gapX = scale(canvas.W, gapPercent, 100)
		}
	}
	if e.Height < 0 || e.Resize != "" {
		box.H = canvas.H
		if vertical != free {
			gapY = scale(canvas.H, gapPercent, 100)
		}
	}
	s := styler{layout: l, ref: e.Ref, defaults: defaultsOf(e.Style), given: e.Settings,
		units: css.On(float64(box.W), float64(box.H), css.RootSize)}
	box.W, box.H = box.W-2*gapX, box.H-2*gapY
	box.X, box.Y = e.X+place(horizontal, canvas.W, box.W, gapPercent), e.Y+place(vertical, canvas.H, box.H, gapPercent)

	settings := s.settings()
	box = s.inset(box)
	if _, given := s.first("horizontal-position", "horizontal-align"); !given && gapX > 0 {
		settings.Horizontal = map[edge]Align{near: AlignLeft, middle: AlignCenter, far: AlignRight}[horizontal]
	}
	if _, given := s.first("vertical-position", "vertical-align"); !given && gapY > 0 {
		settings.Vertical = map[edge]VerticalAlign{near: AlignTop, middle: AlignMiddle, far: AlignBottom}[vertical]
	}
	return &Text{Text: transform(written(e), s.word("text-transform")), Settings: settings}, box
}

// styler converts the CSS-like settings of a text to pixels. A value that cannot be read is replaced by the default, with a
// warning.
type styler struct {
	layout   *layout
	ref      Ref
	defaults styleDefaults
	given    map[string]string
	units    css.Units
}

func (s *styler) warn(code, setting, text string) {
	s.layout.note(document.Note{Ref: s.ref, Path: "/settings/" + setting, Code: code, Text: text})
}

func (s *styler) unreadable(setting string) {
	s.warn(document.ValueType, setting, "The setting '"+setting+"' cannot be read")
}

// first returns the value of the first of the names that is set. Most settings have an older name too, so first takes several
// names.
func (s *styler) first(names ...string) (string, bool) {
	for _, name := range names {
		if value := s.given[name]; value != "" {
			return value, true
		}
	}
	return "", false
}

func (s *styler) word(names ...string) string {
	value, _ := s.first(names...)
	return strings.ToLower(value)
}

func (s *styler) settings() TextSettings {
	s.expandFont()
	size := s.length(s.units.VW*s.defaults.size, "font-size")
	size = min(max(size, smallest), giant)
	s.units.Em = size
	t := TextSettings{
		FontSize:   size,
		FontWeight: s.weight(),
		Color:      s.color(s.defaults.color, "font-color", "color"),
		Align:      s.align(AlignCenter, "text-align"),
		Vertical:   s.vertical(),
		LineHeight: s.lineHeight(),
		Padding:    s.padding(),
		Radius:     max(s.length(0, "border-radius"), 0),
	}
	t.Italic, _ = css.Italic(s.word("font-style"))
	t.FontFamily, t.FontSource = s.family()
	t.Background, t.Gradient = s.background()
	t.Shadow, t.Shadows = s.shadows()
	t.BoxShadow = s.boxShadow()
	s.decorate(&t)
	s.stroke(&t)
	s.border(&t)
	t.WordSpacing = min(max(s.length(0, "word-spacing"), -size), 10*size)
	t.LetterSpacing = min(max(s.spacing(), -size), 10*size)
	t.Boxes, t.Rules = s.defaults.boxes, s.defaults.rules
	// The position of the textbox follows from the alignment of the lines: left-aligned lines give a textbox at the left.
	t.Horizontal = s.align(t.Align, "horizontal-position", "horizontal-align")
	if t.Horizontal == AlignJustify { // a box has no horizontal position justify
		t.Horizontal = AlignLeft
	}
	s.warnUnknown()
	return t
}

// family returns the font's family name and the key of its file, if it has one. A family given beside a file is used for letters
// that the file lacks.
func (s *styler) family() (name, source string) {
	source = document.FontAddress(s.given)
	name, ok := s.first("font-family")
	if !ok || document.AddressOf(name) != "" {
		name = s.defaults.family
	}
	return name, source
}

func (s *styler) weight() int {
	word := s.word("font-weight")
	weight, ok := css.Weight(word)
	if !ok && word != "" {
		s.unreadable("font-weight")
	}
	if !ok {
		return css.Normal
	}
	return weight
}

// expandFont replaces the shorthand font by its single settings. A single setting that the text gives itself is kept.
func (s *styler) expandFont() {
	value, given := s.first("font")
	if !given {
		return
	}
	font, ok := css.ExpandFont(value)
	if !ok {
		s.unreadable("font")
	}
	s.given = maps.Clone(s.given)
	for _, d := range font {
		if s.given[d.Name] == "" {
			s.given[d.Name] = d.Value
		}
	}
}

func (s *styler) color(otherwise Color, names ...string) Color {
	value, ok := s.first(names...)
	if !ok || strings.EqualFold(value, "none") {
		return otherwise
	}
	c, ok := css.ParseColor(value)
	if !ok {
		s.warn(document.ValueType, names[0], "The setting '"+names[0]+"' is no colour")
		return otherwise
	}
	return c
}

func (s *styler) align(otherwise Align, names ...string) Align {
	switch s.word(names...) {
	case "left", "start":
		return AlignLeft
	case "justify":
		return AlignJustify
	case "center", "middle":
		return AlignCenter
	case "right", "end":
		return AlignRight
	}
	return otherwise
}

func (s *styler) vertical() VerticalAlign {
	switch s.word("vertical-position", "vertical-align") {
	case "top", "start":
		return AlignTop
	case "bottom", "end":
		return AlignBottom
	}
	return AlignMiddle
}

func (s *styler) lineHeight() float64 {
	value := s.word("line-height")
	switch value {
	case "normal":
		return 0
	case "":
		return s.defaults.lineHeight * s.units.Em
	}
	height, isNumber := css.Number(value) // a plain number is a multiple of the font size
	height *= s.units.Em
	if !isNumber {
		height = s.length(0, "line-height")
	}
	return min(max(height, 0), 10*s.units.Em)
}

// spacing returns the space between letters, in pixels.
func (s *styler) spacing() float64 {
	if s.word("letter-spacing") == "normal" {
		return 0
	}
	return s.length(s.defaults.spacing*s.units.Em, "letter-spacing")
}

// padding returns the space between the textbox's edges and its lines, in pixels.
func (s *styler) padding() Sides {
	if _, given := s.first("padding"); !given {
		side := s.defaults.padding * s.units.Em
		return s.sides("padding", 0, Sides{Right: side, Left: side})
	}
	return s.sides("padding", 0, Sides{})
}

// inset shrinks the box by the margin around the textbox. A margin that leaves nothing of the box is ignored.
func (s *styler) inset(box Box) Box {
	m := s.sides("margin", -maxBoxSide, Sides{})
	left, top := int(math.Round(m.Left)), int(math.Round(m.Top))
	w, h := box.W-left-int(math.Round(m.Right)), box.H-top-int(math.Round(m.Bottom))
	if w <= 0 || h <= 0 {
		return box
	}
	return Box{X: box.X + left, Y: box.Y + top, W: w, H: h}
}

// sides reads one to four lengths, as in CSS, and settings of single sides, such as padding-left.
func (s *styler) sides(name string, least float64, otherwise Sides) Sides {
	value, given := s.first(name)
	sides, ok := s.units.Sides(value)
	if given && !ok {
		s.unreadable(name)
	}
	of := func(i int) float64 { return sides[i].Of(s.units.Em, 0) }
	p := otherwise
	if given {
		p = Sides{Top: of(0), Right: of(1), Bottom: of(2), Left: of(3)}
	}
	for i, side := range []*float64{&p.Top, &p.Right, &p.Bottom, &p.Left} {
		single := name + []string{"-top", "-right", "-bottom", "-left"}[i]
		*side = min(max(s.length(*side, single), least), maxBoxSide)
	}
	return p
}

func transform(text, how string) string {
	switch how {
	case "uppercase":
		return strings.ToUpper(text)
	case "lowercase":
		return strings.ToLower(text)
	case "capitalize":
		inWord := false
		return strings.Map(func(r rune) rune {
			first := !inWord && unicode.IsLetter(r)
			inWord = unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || inWord && (r == '\'' || r == '’')
			if first {
				return unicode.ToTitle(r)
			}
			return r
		}, text)
	}
	return text
}

// warnUnknown warns of settings without effect. It ignores names that begin with two dashes or, in the document, two
// underscores, because they are the client's own, and names of more than 40 bytes.
func (s *styler) warnUnknown() {
	for _, name := range slices.Sorted(maps.Keys(s.given)) {
		_, known := document.Find(document.SettingsKind(document.TypeText), name)
		idle := !known || name == "pill-color" && s.defaults.boxes != PillBoxes
		if idle && len(name) <= 40 && !strings.HasPrefix(name, "--") {
			s.warn(PropertyUnknown, name, "The setting '"+name+"' has no effect")
		}
	}
}

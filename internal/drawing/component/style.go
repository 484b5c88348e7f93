package component

import (
	"strings"

	"moviola/domain/css"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

// style is the look of a box and of its text. Sizes are in pixels; one that may depend on the size of the box or of its
// container is a css.Length.
type style struct {
	units css.Units
	group string // name of the settings group that the texts of the box come from

	// Properties of the text, most of which inner boxes inherit: see the method inherited.
	family      string
	fontFile    string // key of a font among the movie's sources; empty: none
	size        float64
	autoSize    bool
	weight      int
	italic      bool
	color       Color
	align       string
	lineHeight  float64 // a multiple of the font size if lineTimes is set; 0: the font's own line height
	lineTimes   bool
	spacing     float64
	transform   string
	underline   bool
	through     bool
	textShadows []css.Shadow
	strokeWidth float64
	strokeColor Color

	// Properties of the box.
	padding, margin, border sides
	borderColors            [4]Color
	radius                  sides
	background              Color
	gradient                *css.Gradient
	image                   string // address of the background image
	imageSize               string // background-size
	imagePlace              string // background-position
	boxShadows              []css.Shadow
	width, height           css.Length
	maxWidth                css.Length
	left, top               css.Length
	spacingX, spacingY      float64 // border-spacing
	vertical, horizontal    string  // position of the box in its container
	opacity                 float64
	turn                    float64 // rotation of the box in degrees
	hidden                  bool
	overflows               bool // overflow: visible
}

// inherited returns the style of a box inside of a box with the style s: the properties that inner boxes inherit have the
// values of s, and all others have their defaults.
func (s *style) inherited() style {
	return style{
		units: s.units, group: s.group, family: s.family, fontFile: s.fontFile, size: s.size, weight: s.weight,
		italic: s.italic, color: s.color, align: s.align,
		lineHeight: s.lineHeight, lineTimes: s.lineTimes, spacing: s.spacing, transform: s.transform, textShadows: s.textShadows,
		strokeWidth: s.strokeWidth, strokeColor: s.strokeColor,
		width: css.Length{Auto: true}, height: css.Length{Auto: true}, maxWidth: css.Length{Auto: true},
		left: css.Length{Auto: true}, top: css.Length{Auto: true},
		opacity: 1,
	}
}

// apply sets properties in order. Font size and colour come first, because other values may refer to them.
func (s *style) apply(all []css.Declaration) {
	all = withFont(all)
	for _, d := range all {
		if d.Name == "font-size" {
			s.setSize(d.Value)
		}
	}
	s.units.Em = s.size
	for _, d := range all {
		if d.Name == "color" || d.Name == "font-color" {
			setColor(&s.color, d.Value)
		}
	}
	for _, d := range all {
		if set := properties[d.Name]; set != nil && len(d.Value) <= maxValue {
			set(s, strings.TrimSpace(d.Value))
		}
	}
}

// withFont replaces each font shorthand in all, if it is not too long, by single properties such as font-size. Declarations after
// it override them.
func withFont(all []css.Declaration) []css.Declaration {
	var expanded []css.Declaration
	for _, d := range all {
		if d.Name != "font" {
			expanded = append(expanded, d)
		} else if len(d.Value) <= maxValue {
			font, _ := css.ExpandFont(d.Value)
			expanded = append(expanded, font...)
		}
	}
	return expanded
}

const smallest, largest = 1, 2000

func (s *style) setSize(value string) {
	l, ok := css.Units{Em: s.size, VW: s.units.VW, VH: s.units.VH}.Length(value)
	if !ok {
		return
	}
	s.autoSize = l.Auto
	if !l.Auto {
		s.size = min(max(l.Of(s.size, 0), smallest), largest)
	}
}

// properties are the supported properties besides font and font-size, which apply reads itself; others are ignored.
var properties = map[string]func(*style, string){
	"font-family":    (*style).setFamily,
	"font-url":       func(s *style, v string) { s.fontFile = document.AddressOf(v) },
	"font-weight":    func(s *style, v string) { s.weight = weight(v, s.weight) },
	"font-style":     func(s *style, v string) { s.italic, _ = css.Italic(v) },
	"color":          func(s *style, v string) { setColor(&s.color, v) },
	"font-color":     func(s *style, v string) { setColor(&s.color, v) },
	"text-align":     func(s *style, v string) { s.align = strings.ToLower(v) },
	"line-height":    (*style).setLineHeight,
	"letter-spacing": func(s *style, v string) { s.spacing = s.pixels(v, 0) },
	"text-transform": func(s *style, v string) { s.transform = strings.ToLower(v) },
	"text-decoration": func(s *style, v string) {
		s.underline, s.through = strings.Contains(v, "underline"), strings.Contains(v, "line-through")
	},
	"text-shadow":         func(s *style, v string) { s.textShadows, _ = s.units.Shadows(v) },
	"-webkit-text-stroke": (*style).setStroke,
	"text-stroke":         (*style).setStroke,

	"padding":          func(s *style, v string) { setSides(s, &s.padding, v) },
	"margin":           func(s *style, v string) { setSides(s, &s.margin, v) },
	"border":           func(s *style, v string) { s.setBorder(v, 0, 1, 2, 3) },
	"border-top":       func(s *style, v string) { s.setBorder(v, 0) },
	"border-right":     func(s *style, v string) { s.setBorder(v, 1) },
	"border-bottom":    func(s *style, v string) { s.setBorder(v, 2) },
	"border-left":      func(s *style, v string) { s.setBorder(v, 3) },
	"border-width":     func(s *style, v string) { setSides(s, &s.border, v) },
	"border-color":     (*style).setBorderColor,
	"border-style":     func(s *style, v string) { s.noBorder(v) },
	"border-radius":    func(s *style, v string) { setSides(s, &s.radius, css.BeforeSlash(v)) },
	"border-spacing":   (*style).setSpacing,
	"box-shadow":       func(s *style, v string) { s.boxShadows, _ = s.units.Shadows(v) },
	"background":       (*style).setBackground,
	"background-color": func(s *style, v string) { setColor(&s.background, v) },
	"background-image": (*style).setImage,
	"background-size":  func(s *style, v string) { s.imageSize = strings.ToLower(v) },
	"object-fit":       func(s *style, v string) { s.imageSize = strings.ToLower(v) },
	"background-position": func(s *style, v string) {
		s.imagePlace = strings.ToLower(v)
	},

	"width":               func(s *style, v string) { setLength(s, &s.width, v) },
	"height":              func(s *style, v string) { setLength(s, &s.height, v) },
	"max-width":           func(s *style, v string) { setLength(s, &s.maxWidth, v) },
	"left":                func(s *style, v string) { setLength(s, &s.left, v) },
	"top":                 func(s *style, v string) { setLength(s, &s.top, v) },
	"vertical-align":      func(s *style, v string) { s.vertical = strings.ToLower(v) },
	"vertical-position":   func(s *style, v string) { s.vertical = strings.ToLower(v) },
	"horizontal-align":    func(s *style, v string) { s.horizontal = strings.ToLower(v) },
	"horizontal-position": func(s *style, v string) { s.horizontal = strings.ToLower(v) },
	"opacity":             (*style).setOpacity,
	"rotate":              func(s *style, v string) { s.turn = turn(v, s.turn) },
	"display":             func(s *style, v string) { s.hidden = v == "none" },
	"overflow":            func(s *style, v string) { s.overflows = v == "visible" },
	"visibility":          func(s *style, v string) { s.hidden = v == "hidden" },
}

func init() {
	for i, side := range []string{"top", "right", "bottom", "left"} {
		properties["padding-"+side] = func(s *style, v string) { setLength(s, &s.padding[i], v) }
		properties["margin-"+side] = func(s *style, v string) { setLength(s, &s.margin[i], v) }
		properties["border-"+side+"-width"] = func(s *style, v string) { setLength(s, &s.border[i], v) }
		properties["border-"+side+"-color"] = func(s *style, v string) { setColor(&s.borderColors[i], v) }
	}
	for i, corner := range []string{"top-left", "top-right", "bottom-right", "bottom-left"} {
		properties["border-"+corner+"-radius"] = func(s *style, v string) { setLength(s, &s.radius[i], v) }
	}
}

// setFamily reads the name of a font family, or the address of a font.
func (s *style) setFamily(value string) {
	if file := document.AddressOf(value); file != "" {
		s.fontFile = file
		return
	}
	s.family = value
}

func setColor(to *Color, value string) {
	if c, ok := css.ParsePaint(value); ok {
		*to = c
	}
}

func setLength(s *style, to *css.Length, value string) {
	if l, ok := s.units.Length(value); ok {
		*to = l
	}
}

func setSides(s *style, to *sides, value string) {
	if all, ok := s.units.Sides(value); ok {
		*to = all
	}
}

// pixels reads a length. Percentages are of the font size.
func (s *style) pixels(value string, otherwise float64) float64 {
	l, ok := s.units.Length(value)
	if !ok {
		return otherwise
	}
	return l.Of(s.size, otherwise)
}

func (s *style) setLineHeight(value string) {
	if n, ok := css.Number(value); ok {
		s.lineHeight, s.lineTimes = min(max(n, 0), 10), true
		return
	}
	s.lineHeight, s.lineTimes = max(s.pixels(value, 0), 0), false
}

func (s *style) setStroke(value string) {
	line, ok := s.units.Line(value)
	if !ok {
		return
	}
	if line.HasWidth {
		s.strokeWidth = min(max(line.Width.Px, 0), 200)
	}
	if line.Color != nil {
		s.strokeColor = *line.Color
	}
}

// setBorder reads "2px solid red" for some of the sides.
func (s *style) setBorder(value string, which ...int) {
	const medium = 3 // default width of a line in pixels
	line, ok := s.units.Line(value)
	if !ok {
		return
	}
	paint := s.color
	if line.Color != nil {
		paint = *line.Color
	}
	switch {
	case !line.Visible():
		line.Width = css.Length{}
	case !line.HasWidth && line.Style != "":
		line.Width = css.Length{Px: medium}
	}
	for _, i := range which {
		s.border[i], s.borderColors[i] = line.Width, paint
	}
}

func (s *style) setBorderColor(value string) {
	parts := css.Split(value, ' ')
	if len(parts) == 0 {
		return
	}
	for i, from := range css.SideOrder(len(parts)) {
		setColor(&s.borderColors[i], parts[from])
	}
}

func (s *style) noBorder(value string) {
	if value == "none" || value == "hidden" {
		s.border = sides{}
	}
}

func (s *style) setSpacing(value string) {
	parts := css.Split(value, ' ')
	if len(parts) == 0 {
		return
	}
	s.spacingX = max(s.pixels(parts[0], 0), 0)
	s.spacingY = max(s.pixels(parts[len(parts)-1], 0), 0)
}

// setBackground reads a colour, a gradient and an image, in any order.
func (s *style) setBackground(value string) {
	s.background, s.gradient, s.image = Color{}, nil, ""
	b, _ := css.ParseBackground(value)
	if b.Color != nil {
		s.background = *b.Color
	}
	s.gradient, s.image = b.Gradient, b.URL
	if b.Size != "" {
		s.imageSize = b.Size
	}
	if b.Position != "" {
		s.imagePlace = b.Position
	}
}

// setImage reads a gradient and an image, but no colour.
func (s *style) setImage(value string) {
	s.gradient, s.image = nil, ""
	if bareAddress(value) {
		s.image = strings.TrimSpace(value)
		return
	}
	b, _ := css.ParseBackground(value)
	s.gradient, s.image = b.Gradient, b.URL
}

// bareAddress reports whether an image is given by its address alone, as in elements, not in url().
func bareAddress(value string) bool {
	value = strings.ToLower(strings.TrimSpace(value))
	return strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "http://")
}

func (s *style) setOpacity(value string) {
	plain, percent := strings.CutSuffix(value, "%")
	if n, ok := css.Number(plain); ok {
		if percent {
			n /= 100
		}
		s.opacity = min(max(n, 0), 1)
	}
}

func weight(value string, otherwise int) int {
	if w, ok := css.Weight(value); ok {
		return w
	}
	return otherwise
}

func turn(value string, otherwise float64) float64 {
	if degrees, ok := css.Angle(value); ok {
		return degrees
	}
	return otherwise
}

// text returns the text settings of the style, aligned to the top left corner of the box.
func (s *style) text() timeline.TextSettings {
	t := timeline.TextSettings{
		FontFamily: s.family, FontSource: s.fontFile, FontSize: s.size, FontWeight: s.weight, Italic: s.italic, Color: s.color,
		Align: timeline.AlignLeft, Horizontal: timeline.AlignLeft, Vertical: timeline.AlignTop,
		LetterSpacing: s.spacing, Underline: s.underline, LineThrough: s.through,
		StrokeWidth: s.strokeWidth, StrokeColor: s.strokeColor,
	}
	switch s.align {
	case "center", "middle":
		t.Align = timeline.AlignCenter
	case "right", "end":
		t.Align = timeline.AlignRight
	case "justify":
		t.Align = timeline.AlignJustify
	}
	t.LineHeight = s.lineHeight
	if s.lineTimes {
		t.LineHeight *= s.size
	}
	for _, one := range s.textShadows {
		t.Shadows = append(t.Shadows, timeline.Shadow{X: one.X, Y: one.Y, Blur: min(one.Blur, 200), Color: one.Color})
	}
	return t
}

package component

import (
	"strings"

	"moviola/domain/document"
	"moviola/domain/timeline"
)

// style is how a box and its text look: its properties, worked out to pixels where that can be done without knowing the box.
type style struct {
	units units

	// Of the text; a box inside takes them over.
	family      string
	fontFile    string // key of a font among the movie's sources; empty: none
	size        float64
	autoSize    bool
	weight      int
	italic      bool
	color       Color
	align       string
	lineHeight  float64 // a multiple of the size where lineTimes is set; 0: as the font wants it
	lineTimes   bool
	spacing     float64
	transform   string
	underline   bool
	through     bool
	textShadows []shadow
	strokeWidth float64
	strokeColor Color

	// Of the box.
	padding, margin, border sides
	borderColors            [4]Color
	radius                  sides
	background              Color
	gradient                *gradient
	image                   string // address
	imageSize               string // background-size
	imagePlace              string // background-position
	boxShadows              []shadow
	width, height           length
	maxWidth                length
	left, top               length
	spacingX, spacingY      float64 // border-spacing
	vertical, horizontal    string  // where the box is in its container
	opacity                 float64
	turn                    float64 // degrees
	hidden                  bool
}

// inherited is a style that takes over from its container what text takes over.
func (s *style) inherited() style {
	return style{
		units: s.units, family: s.family, fontFile: s.fontFile, size: s.size, weight: s.weight, italic: s.italic, color: s.color, align: s.align,
		lineHeight: s.lineHeight, lineTimes: s.lineTimes, spacing: s.spacing, transform: s.transform, textShadows: s.textShadows,
		strokeWidth: s.strokeWidth, strokeColor: s.strokeColor,
		width: length{auto: true}, height: length{auto: true}, maxWidth: length{auto: true}, left: length{auto: true}, top: length{auto: true},
		opacity: 1,
	}
}

// apply sets properties in order. The font size and the colour go first, for others are told by them.
func (s *style) apply(all []declaration) {
	for _, d := range all {
		if d.name == "font-size" {
			s.setSize(d.value)
		}
	}
	s.units.em = s.size
	for _, d := range all {
		if d.name == "color" || d.name == "font-color" {
			setColor(&s.color, d.value)
		}
	}
	for _, d := range all {
		if set := properties[d.name]; set != nil && len(d.value) <= maxValue {
			set(s, strings.TrimSpace(d.value))
		}
	}
}

const smallest, largest = 1, 2000

func (s *style) setSize(value string) {
	l, ok := units{em: s.size, vw: s.units.vw, vh: s.units.vh}.length(value)
	if !ok {
		return
	}
	s.autoSize = l.auto
	if !l.auto {
		s.size = min(max(l.of(s.size, 0), smallest), largest)
	}
}

// properties are the settings that are understood; all others are ignored.
var properties = map[string]func(*style, string){
	"font-family":    (*style).setFamily,
	"font-url":       func(s *style, v string) { s.fontFile = document.AddressOf(v) },
	"font-weight":    func(s *style, v string) { s.weight = weight(v, s.weight) },
	"font-style":     func(s *style, v string) { s.italic = v == "italic" || strings.HasPrefix(v, "oblique") },
	"color":          func(s *style, v string) { setColor(&s.color, v) },
	"font-color":     func(s *style, v string) { setColor(&s.color, v) },
	"text-align":     func(s *style, v string) { s.align = strings.ToLower(v) },
	"line-height":    (*style).setLineHeight,
	"letter-spacing": func(s *style, v string) { s.spacing = s.pixels(v, 0) },
	"text-transform": func(s *style, v string) { s.transform = strings.ToLower(v) },
	"text-decoration": func(s *style, v string) {
		s.underline, s.through = strings.Contains(v, "underline"), strings.Contains(v, "line-through")
	},
	"text-shadow":         func(s *style, v string) { s.textShadows = s.units.shadows(v) },
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
	"border-radius":    func(s *style, v string) { setSides(s, &s.radius, beforeSlash(v)) },
	"border-spacing":   (*style).setSpacing,
	"box-shadow":       func(s *style, v string) { s.boxShadows = s.units.shadows(v) },
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

// setFamily reads the name of a font, or the address of one.
func (s *style) setFamily(value string) {
	if file := document.AddressOf(value); file != "" {
		s.fontFile = file
		return
	}
	s.family = value
}

func setColor(to *Color, value string) {
	if c, ok := color(value); ok {
		*to = c
	}
}

func setLength(s *style, to *length, value string) {
	if l, ok := s.units.length(value); ok {
		*to = l
	}
}

func setSides(s *style, to *sides, value string) {
	if all, ok := s.units.sides(value); ok {
		*to = all
	}
}

// pixels reads a length whose share is one of the font size.
func (s *style) pixels(value string, otherwise float64) float64 {
	l, ok := s.units.length(value)
	if !ok {
		return otherwise
	}
	return l.of(s.size, otherwise)
}

func (s *style) setLineHeight(value string) {
	if n, ok := number(value); ok {
		s.lineHeight, s.lineTimes = min(max(n, 0), 10), true
		return
	}
	s.lineHeight, s.lineTimes = max(s.pixels(value, 0), 0), false
}

func (s *style) setStroke(value string) {
	for _, part := range split(value, ' ') {
		if l, ok := s.units.length(part); ok {
			s.strokeWidth = min(max(l.px, 0), 200)
		} else {
			setColor(&s.strokeColor, part)
		}
	}
}

// setBorder reads "2px solid red" for some of the sides.
func (s *style) setBorder(value string, which ...int) {
	width, paint := length{}, s.color
	hasWidth := false
	for _, part := range split(value, ' ') {
		if l, ok := s.units.length(part); ok {
			width, hasWidth = l, true
		} else if c, ok := color(part); ok && part != "none" {
			paint = c
		} else if part == "solid" && !hasWidth {
			width = length{px: 3}
		}
	}
	if strings.Contains(value, "none") || strings.Contains(value, "hidden") {
		width = length{}
	}
	for _, i := range which {
		s.border[i], s.borderColors[i] = width, paint
	}
}

func (s *style) setBorderColor(value string) {
	parts := split(value, ' ')
	if len(parts) == 0 {
		return
	}
	order := [5][4]int{{}, {0, 0, 0, 0}, {0, 1, 0, 1}, {0, 1, 2, 1}, {0, 1, 2, 3}}[min(len(parts), 4)]
	for i := range s.borderColors {
		setColor(&s.borderColors[i], parts[order[i]])
	}
}

func (s *style) noBorder(value string) {
	if value == "none" || value == "hidden" {
		s.border = sides{}
	}
}

func (s *style) setSpacing(value string) {
	parts := split(value, ' ')
	if len(parts) == 0 {
		return
	}
	s.spacingX = max(s.pixels(parts[0], 0), 0)
	s.spacingY = max(s.pixels(parts[len(parts)-1], 0), 0)
}

// setBackground reads a colour, a gradient and an image, in any order.
func (s *style) setBackground(value string) {
	s.background, s.gradient, s.image = Color{}, nil, ""
	for _, layer := range split(value, ',') {
		for _, part := range split(beforeSlash(layer), ' ') {
			if g, ok := s.units.gradient(part); ok {
				if s.gradient == nil {
					s.gradient = &g
				}
			} else if a, ok := address(part); ok {
				s.image = a
			} else if part == "cover" || part == "contain" {
				s.imageSize = part
			} else if part != "none" {
				setColor(&s.background, part)
			}
		}
	}
}

func (s *style) setImage(value string) {
	s.gradient, s.image = nil, ""
	if bareAddress(value) {
		s.image = strings.TrimSpace(value)
		return
	}
	for _, layer := range split(value, ',') {
		if g, ok := s.units.gradient(layer); ok && s.gradient == nil {
			s.gradient = &g
		} else if a, ok := address(layer); ok {
			s.image = a
		}
	}
}

// bareAddress says whether an image is given by its address alone, as in elements, instead of in url().
func bareAddress(value string) bool {
	value = strings.ToLower(strings.TrimSpace(value))
	return strings.HasPrefix(value, "https://") || strings.HasPrefix(value, "http://")
}

func (s *style) setOpacity(value string) {
	plain, percent := strings.CutSuffix(value, "%")
	if n, ok := number(plain); ok {
		if percent {
			n /= 100
		}
		s.opacity = min(max(n, 0), 1)
	}
}

// beforeSlash leaves out what comes after a slash outside of brackets: the second radii, the size of a background.
func beforeSlash(value string) string { return split(value, '/')[0] }

func weight(value string, otherwise int) int {
	switch strings.ToLower(value) {
	case "normal", "regular":
		return 400
	case "bold", "bolder":
		return 700
	case "lighter":
		return 300
	}
	if n, ok := number(value); ok {
		return int(min(max(n, 100), 900))
	}
	return otherwise
}

func turn(value string, otherwise float64) float64 {
	if degrees, ok := angle(value); ok {
		return degrees
	}
	return otherwise
}

// text is how the style sets a text, flush at the top left corner of its box.
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
		t.Shadows = append(t.Shadows, timeline.Shadow{X: one.x, Y: one.y, Blur: min(one.blur, 200), Color: one.color})
	}
	return t
}

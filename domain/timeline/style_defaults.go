package timeline

import (
	"strings"

	"moviola/domain/css"
	"moviola/domain/document"
)

// styleDefaults are the settings of a text style that apply when a text does not give them.
type styleDefaults struct {
	family     string
	size       float64 // font size in vw, hundredths of the width of the element's box
	color      Color
	shadow     bool    // letters have defaultShadow
	spacing    float64 // space between letters, in em
	background Color
	padding    float64 // padding at the left and right, in em
	lineHeight float64 // line height in em; 0: the line height of the font
	boxes      Boxes
	rules      bool
}

var (
	white = Color{R: 255, G: 255, B: 255, A: 255}
	// pillInk is the colour of letters on white pills. It comes from an example in vendor-catalogue §2.2, which does not
	// document the default itself.
	pillInk = Color{R: 0x23, G: 0x40, B: 0xd8, A: 255}
)

// documentedDefaults holds the defaults of the documented text styles, by the number of the style (vendor-catalogue §2.2).
// Some of these defaults are our own choices: that styles 012 and 013 have no shadow, and the padding and line height of
// style 013. The colours of style 013 are those of the documented example.
var documentedDefaults = map[string]styleDefaults{
	"001": {family: "Inter", size: 4, color: white, shadow: true},
	"002": {family: "Roboto", size: 4, color: white, shadow: true},
	"003": {family: "Roboto", size: 4, color: white, shadow: true},
	"004": {family: "Roboto", size: 4, color: white, shadow: true},
	"005": {family: "Roboto", size: 4, color: white, shadow: true},
	"006": {family: "Anton", size: 4, color: white, shadow: true, spacing: 0.5},
	"007": {family: "Anton", size: 4, color: white},
	"008": {family: "Anton", size: 4, color: white, rules: true},
	"009": {family: "Inter", size: 4, color: white},
	"010": {family: "Inter", size: 4, color: white},
	"011": {family: "Inter", size: 6, color: white, background: css.Black, boxes: WordBoxes},
	"012": {family: "Anton", size: 12, color: Color{R: 0x11, G: 0x11, B: 0x11, A: 255}},
	"013": {family: "Oswald", size: 6, color: pillInk, background: white, padding: 0.6, lineHeight: 1.3, boxes: PillBoxes},
}

// defaultsOf returns the defaults of a style; our own styles use those of 002.
func defaultsOf(style string) styleDefaults {
	if d, ok := documentedDefaults[style]; ok {
		return d
	}
	return documentedDefaults["002"]
}

// written returns the text with the line breaks of its style: in style 013 each phrase is a line.
func written(e *document.Element) string {
	if defaultsOf(e.Style).boxes == PillBoxes {
		return strings.Join(document.Phrases(e.Text), "\n")
	}
	return e.Text
}

package document

import "slices"

// Flags that tell where a CSS-like setting is accepted: in texts, or in the groups of components.
const (
	ofText      = 1 << iota // the setting is one of text elements
	ofComponent             // the setting is one of the groups of components
)

// styleRow is a CSS-like setting, with flags that say whether texts, components or both have it.
type styleRow struct {
	of int
	Property
}

const ofBoth = ofText | ofComponent

var (
	easings = []string{"linear", "easeInSine", "easeOutSine", "easeInOutSine", "easeInQuad", "easeOutQuad", "easeInOutQuad",
		"easeInCubic",
		"easeOutCubic", "easeInOutCubic", "easeInQuart", "easeOutQuart", "easeInOutQuart", "easeInQuint", "easeOutQuint",
		"easeInOutQuint",
		"easeInExpo", "easeOutExpo", "easeInOutExpo", "easeInCirc", "easeOutCirc", "easeInOutCirc", "easeInBack", "easeOutBack",
		"easeInOutBack",
		"easeInElastic", "easeOutElastic", "easeInOutElastic", "easeInBounce", "easeOutBounce", "easeInOutBounce"}
	vertical   = []string{"top", "center", "bottom", "start", "middle", "end"}
	horizontal = []string{"left", "center", "right", "start", "middle", "end"}
)

// styleRows are all CSS-like settings. Movie-schema §4.3; docs/text-styles.md, docs/components.md.
var styleRows = slices.Concat(fontRows, paintRows, boxRows)

var fontRows = []styleRow{
	{ofBoth, Property{Name: "font", Type: CSSType, Example: `"italic 700 5vw/1.2 Lora"`,
		Doc: "Is short for style, weight, size, line height and family; what is also given by itself wins."}},
	{ofBoth, Property{Name: "font-family", Type: CSSType, Example: `"Oswald"`, Picture: "15-text-settings",
		Doc: "Names the font, or several by preference, or is the address of a TrueType, OpenType, WOFF or WOFF 2 file."}},
	{ofBoth, Property{Name: "font-url", Type: AddressType, Example: `"https://example.com/brand.ttf"`,
		Doc: "Is the address of the file of the font."}},
	{ofBoth, Property{Name: "font-size", Type: LengthType, Values: []string{"auto"}, Example: `"6vw"`, Picture: "15-text-settings",
		Doc: "Sets the size of the letters; vw and vh are hundredths of the element's own box. In components auto is the " +
			"largest size that fits."}},
	{ofBoth, Property{Name: "font-weight", Type: NumberType, Min: at(100), Max: at(900), Values: []string{"normal", "regular",
		"bold", "bolder", "lighter"},
		Example: `"700"`, Doc: "Sets how heavy the letters are; normal is 400, bold is 700."}},
	{ofBoth, Property{Name: "font-style", Type: ChoiceType, Values: []string{"normal", "italic", "oblique"},
		Default: `"normal"`, Example: `"italic"`,
		Doc: "Slants the letters."}},
	{ofBoth, Property{Name: "color", Aliases: []string{"font-color"}, Type: ColorType, Example: `"gold"`,
		Picture: "15-text-settings",
		Doc:     "Is the colour of the letters."}},
	{ofBoth, Property{Name: "text-align", Type: ChoiceType,
		Values:  []string{"left", "center", "right", "justify", "start", "middle", "end"},
		Example: `"left"`, Doc: "Sets the lines flush left, right, centred or justified."}},
	{ofBoth, Property{Name: "line-height", Type: LengthType, Values: []string{"normal"}, Example: `"1.3"`,
		Doc: "Sets the distance from line to line; a plain number is a multiple of the font size."}},
	{ofBoth, Property{Name: "letter-spacing", Type: LengthType, Values: []string{"normal"}, Example: `"0.1em"`,
		Doc: "Adds room between letters."}},
	{ofText, Property{Name: "word-spacing", Type: LengthType, Values: []string{"normal"}, Example: `"0.3em"`,
		Doc: "Adds room between words."}},
	{ofBoth, Property{Name: "text-transform", Type: ChoiceType,
		Values: []string{"none", "uppercase", "lowercase", "capitalize"}, Default: `"none"`,
		Example: `"uppercase"`, Doc: "Writes the text in capitals, small letters, or with capital initials."}},
	{ofText, Property{Name: "text-decoration", Aliases: []string{"text-decoration-line"}, Type: CSSType, Example: `"underline"`,
		Doc: "Draws a line: underline, overline or line-through."}},
	{ofComponent, Property{Name: "text-decoration", Type: CSSType, Example: `"underline"`,
		Doc: "Draws a line: underline or line-through."}},
	{ofText, Property{Name: "text-shadow", Aliases: []string{"shadow"}, Type: CSSType, Example: `"3px 3px 6px black"`,
		Picture: "15-text-settings",
		Doc:     "Draws shadows of the letters: x, y, blur and colour, several separated by commas."}},
	{ofComponent, Property{Name: "text-shadow", Type: CSSType, Example: `"3px 3px 6px black"`,
		Doc: "Draws shadows of the letters: x, y, blur and colour, several separated by commas."}},
}

var paintRows = []styleRow{
	{ofText, Property{Name: "text-stroke", Aliases: []string{"-webkit-text-stroke", "stroke"}, Type: CSSType, Example: `"2px black"`,
		Doc: "Draws a line around the letters: width and colour."}},
	{ofText, Property{Name: "text-stroke-width", Aliases: []string{"-webkit-text-stroke-width", "stroke-width"},
		Type: LengthType, Example: `"2px"`,
		Doc: "Sets the width of the line around the letters."}},
	{ofText, Property{Name: "text-stroke-color", Aliases: []string{"-webkit-text-stroke-color", "stroke-color"},
		Type: ColorType, Example: `"black"`,
		Doc: "Sets the colour of the line around the letters."}},
	{ofComponent, Property{Name: "text-stroke", Aliases: []string{"-webkit-text-stroke"}, Type: CSSType, Example: `"2px black"`,
		Doc: "Draws a line around the letters: width and colour."}},
	{ofBoth, Property{Name: "background", Type: CSSType, Example: `"linear-gradient(90deg, #2ea4ff, #7b5cff)"`,
		Picture: "21-basic-000",
		Doc:     "Fills the box: with a colour or a gradient; in components also with an image, url(…)."}},
	{ofBoth, Property{Name: "background-color", Type: ColorType, Example: `"rgba(0,0,0,.6)"`,
		Doc: "Fills the box with a colour."}},
	{ofText, Property{Name: "pill-color", Type: ColorType, Default: `"#ffffff"`, Example: `"#ffd24a"`, Picture: "17-style-013",
		Doc: "Is the colour of the pills of style 013."}},
	{ofBoth, Property{Name: "background-image", Type: CSSType, Example: `"linear-gradient(red, blue)"`,
		Doc: "Fills the box with a gradient; in components also with an image, by its address or url(…)."}},
	{ofComponent, Property{Name: "background-size", Aliases: []string{"object-fit"}, Type: CSSType, Default: `"cover"`,
		Example: `"contain"`,
		Doc:     "Fits the image to the box: cover, contain, or a size."}},
	{ofComponent, Property{Name: "background-position", Type: CSSType, Example: `"top left"`,
		Doc: "Says which part of an image is seen when it is cropped."}},
	{ofText, Property{Name: "opacity", Type: NumberType, Min: at(0), Max: at(1), Example: "0.5",
		Doc: "Sets how much the element hides what is behind it; also in per cent."}},
	{ofComponent, Property{Name: "overflow", Type: ChoiceType, Values: []string{"hidden", "visible"}, Default: `"hidden"`,
		Example: `"visible"`,
		Doc:     "Says whether the texts of a card or a strip are cut off at its edges."}},
	{ofComponent, Property{Name: "opacity", Type: NumberType, Min: at(0), Max: at(1), Example: "0.5",
		Doc: "Sets how much the part hides what is behind it; also in per cent."}},
	{ofBoth, Property{Name: "box-shadow", Type: CSSType, Example: `"0 4px 12px rgba(0,0,0,.5)"`,
		Doc: "Draws a shadow of the box: x, y, blur, spread and colour."}},
	{ofBoth, Property{Name: "border", Type: CSSType, Example: `"2px solid white"`,
		Doc: "Draws a line around the box: width, style and colour."}},
	{ofBoth, Property{Name: "border-width", Type: CSSType, Example: `"2px"`,
		Doc: "Sets the width of the line around the box."}},
	{ofBoth, Property{Name: "border-color", Type: CSSType, Example: `"white"`,
		Doc: "Sets the colour of the line around the box."}},
	{ofBoth, Property{Name: "border-style", Type: ChoiceType, Values: []string{"solid", "none", "hidden", "dashed", "dotted",
		"double"}, Example: `"none"`,
		Doc: "Takes the line around the box away with none or hidden; every other style is solid."}},
	{ofBoth, Property{Name: "border-radius", Type: CSSType, Example: `"12px"`, Doc: "Rounds the corners of the box."}},
}

var boxRows = slices.Concat(sideRows(), []styleRow{
	{ofComponent, Property{Name: "border-spacing", Type: CSSType, Example: `"10px 4px"`,
		Doc: "Sets the room between the cells of a table."}},
	{ofComponent, Property{Name: "width", Type: LengthType, Values: []string{"auto"}, Example: `"80%"`,
		Doc: "Sets the width of the box, with padding and border."}},
	{ofComponent, Property{Name: "height", Type: LengthType, Values: []string{"auto"}, Example: `"2vw"`,
		Doc: "Sets the height of the box, with padding and border."}},
	{ofComponent, Property{Name: "max-width", Type: LengthType, Values: []string{"auto"}, Example: `"60%"`,
		Doc: "Bounds the width of the box."}},
	{ofComponent, Property{Name: "left", Type: LengthType, Example: `"10%"`,
		Doc: "Puts the left edge of a shape or a textbox there."}},
	{ofComponent, Property{Name: "top", Type: LengthType, Example: `"10%"`,
		Doc: "Puts the upper edge of a shape or a textbox there."}},
	{ofText, Property{Name: "vertical-position", Aliases: []string{"vertical-align"}, Type: ChoiceType, Values: vertical,
		Default: `"center"`, Example: `"bottom"`,
		Doc: "Puts the text at the top, in the middle or at the bottom of the element's box."}},
	{ofText, Property{Name: "horizontal-position", Aliases: []string{"horizontal-align"}, Type: ChoiceType, Values: horizontal,
		Example: `"left"`,
		Doc:     "Puts the text at the left, in the middle or at the right of the element's box; without it, as text-align says."}},
	{ofComponent, Property{Name: "vertical-align", Aliases: []string{"vertical-position"}, Type: ChoiceType, Values: vertical,
		Example: `"bottom"`,
		Doc:     "Puts the part at the top, in the middle or at the bottom of what it stands in."}},
	{ofComponent, Property{Name: "horizontal-align", Aliases: []string{"horizontal-position"}, Type: ChoiceType,
		Values: horizontal, Example: `"left"`,
		Doc: "Puts the part at the left, in the middle or at the right of what it stands in."}},
	{ofComponent, Property{Name: "rotate", Type: CSSType, Unit: "°", Example: `"15deg"`,
		Doc: "Turns a shape or a textbox clockwise around its middle."}},
	{ofComponent, Property{Name: "display", Type: ChoiceType, Values: []string{"block", "inline-block", "flex", "none"},
		Example: `"none"`,
		Doc:     "Leaves the part out with none."}},
	{ofComponent, Property{Name: "visibility", Type: ChoiceType, Values: []string{"visible", "hidden"}, Example: `"hidden"`,
		Doc: "Leaves the part out with hidden."}},
	{ofText, Property{Name: "white-space", Type: CSSType, Idle: true, Example: `"pre-wrap"`,
		Doc: "Is accepted: line breaks are kept and long lines are broken."}},
	{ofText, Property{Name: "overflow-wrap", Aliases: []string{"word-wrap"}, Type: CSSType, Idle: true, Example: `"break-word"`,
		Doc: "Is accepted: words that are too long are broken."}},
	{ofText, Property{Name: "display", Type: CSSType, Idle: true, Example: `"block"`, Doc: "Is accepted: a text is a block."}},
})

// sideRows returns padding, margin, the settings of single sides of padding, margin and borders, and those of single
// corners.
func sideRows() []styleRow {
	rows := []styleRow{
		{ofBoth, Property{Name: "padding", Type: CSSType, Example: `"10px 20px"`,
			Doc: "Sets the room between the edges of the box and what is in it."}},
		{ofBoth, Property{Name: "margin", Type: CSSType, Example: `"20px"`, Doc: "Sets the room around the box."}},
	}
	for _, side := range []string{"top", "right", "bottom", "left"} {
		rows = append(rows,
			styleRow{ofBoth, Property{Name: "padding-" + side, Type: LengthType, Example: `"10px"`,
				Doc: "Sets the padding at one side: " + side + "."}},
			styleRow{ofBoth, Property{Name: "margin-" + side, Type: LengthType, Example: `"10px"`,
				Doc: "Sets the margin at one side: " + side + "."}},
			styleRow{ofComponent, Property{Name: "border-" + side, Type: CSSType, Example: `"2px solid white"`,
				Doc: "Draws a line at one side: " + side + "."}},
			styleRow{ofComponent, Property{Name: "border-" + side + "-width", Type: LengthType, Example: `"2px"`,
				Doc: "Sets the width of the line at one side: " + side + "."}},
			styleRow{ofComponent, Property{Name: "border-" + side + "-color", Type: ColorType, Example: `"white"`,
				Doc: "Sets the colour of the line at one side: " + side + "."}},
		)
	}
	for _, corner := range []string{"top-left", "top-right", "bottom-right", "bottom-left"} {
		rows = append(rows, styleRow{ofComponent, Property{Name: "border-" + corner + "-radius", Type: LengthType, Example: `"12px"`,
			Doc: "Rounds one corner: " + corner + "."}})
	}
	return rows
}

// styleProperties returns the CSS-like settings of texts (ofText) or of the groups of components (ofComponent).
func styleProperties(of int) []Property {
	var all []Property
	for _, row := range styleRows {
		if row.of&of != 0 {
			all = append(all, row.Property.pictured())
		}
	}
	return all
}

package document

import "slices"

// componentRow describes a component: its groups are in the order of the documentation.
type componentRow struct {
	id, doc, picture string
	groups           []groupRow
}

// groupRow describes the settings of one part of a component. Every group also accepts the CSS-like settings in table_css.go.
type groupRow struct {
	name   string
	doc    string
	parts  int // flags of the group: hasText, hasMotion, ...
	own    []Property
	styles map[string]string // defaults of the CSS-like settings, by name
}

// Flags of a group. The first three add properties that several groups share. They come in addition to the properties in the
// field own and the CSS-like settings.
const (
	hasText    = 1 << iota // the group has the property text
	hasMotion              // the group has the properties animation, duration, delay and easing
	isPlace                // the group may be moved by an animation: it has the property animate
	isNumbered             // the group may be repeated: rectangle1, rectangle2
)

// areaDoc is the description of the group card of lower thirds.
const areaDoc = "The area that holds the parts: padding, vertical-align and horizontal-align place them in the component."

// textOfGroup is the property text of groups that have one.
var textOfGroup = Property{Name: "text", Type: ListType, Or: TextType, Example: `"Hello"`, Picture: cardsPicture,
	Doc: "Is the text, or a list of paragraphs; <b>, <i> and <br> work. A group that is only a text is its text."}

func (g groupRow) properties() []Property {
	var all []Property
	if g.parts&hasText != 0 {
		all = append(all, textOfGroup)
	}
	all = slices.Concat(all, g.own)
	if g.parts&isPlace != 0 {
		all = append(all, animateProperty)
	}
	if g.parts&hasMotion != 0 {
		all = slices.Concat(all, motionProperties)
	}
	return withDefaults(slices.Concat(all, styleProperties(ofComponent)), g.styles)
}

// motionProperties are the properties of groups that appear with an animation.
var motionProperties = []Property{
	{Name: "animation", Type: ChoiceType, Values: []string{"none"}, Example: `"none"`,
		Doc: "Leaves the movement out with none."},
	{Name: "duration", Type: NumberType, Unit: "ms", Min: at(0), Max: at(60_000), Example: "800",
		Doc: "Sets how long the movement takes."},
	{Name: "delay", Type: NumberType, Unit: "ms", Min: at(0), Max: at(60_000), Example: "200",
		Doc: "Sets when the movement begins."},
	{Name: "easing", Type: ChoiceType, Values: easings, Example: `"easeOutExpo"`,
		Doc: "Chooses how the movement gains and loses speed."},
}

var animateProperty = Property{Name: "animate", Type: ObjectType, Kind: "animate",
	Example: `{"left": "50%", "rotate": 90, "duration": 2000}`, Picture: motionPicture,
	Doc: "Says where the part goes to, and how."}

// numberOf returns a property of components that is a number from least to most; otherwise is its default.
func numberOf(name, doc string, least, most float64, otherwise, example string) Property {
	return Property{Name: name, Type: NumberType, Min: at(least), Max: at(most), Default: otherwise, Example: example, Doc: doc}
}

// lengthOf returns a property of components that is a length.
func lengthOf(name, doc, example string) Property {
	return Property{Name: name, Type: LengthType, Example: `"` + example + `"`, Doc: doc}
}

// group returns the description of a group of settings: parts are its flags, own the properties that only this group has.
func group(name, doc string, parts int, own ...Property) groupRow {
	return groupRow{name: name, doc: doc, parts: parts, own: own}
}

var (
	pictureSrc = Property{Name: "src", Type: AddressType, Example: `"https://example.com/face.jpg"`,
		Doc: "Is the address of the picture."}
	offColor = Property{Name: "off-color", Type: ColorType, Example: `"rgba(255,255,255,.2)"`,
		Doc: "Is the colour of what is not filled."}
)

// components are all components. docs/components.md.
var components = slices.Concat(cards, lowerThirds, items, movingTexts, shapes)

var (
	cardGroups = []groupRow{
		group("card", "The box around the texts.", hasMotion), group("headline", "The title.", hasText|hasMotion),
		group("body", "One or more paragraphs.", hasText|hasMotion),
	}
	stillCardGroups = []groupRow{
		group("card", "The box around the texts.", 0), barCardGroups[1], barCardGroups[2], barCardGroups[3],
	}
	barCardGroups = []groupRow{
		group("card", "The box around the texts.", hasMotion), group("bar", "The bar at the left.", hasMotion),
		group("headline", "The title.", hasText|hasMotion), group("body", "One or more paragraphs.", hasText|hasMotion),
	}
	newsGroups = []groupRow{
		group("card", areaDoc, 0),
		group("bar", "The bar at the left.", hasMotion),
		group("headline", "The upper line.", hasText|hasMotion), group("lead", "The lower line.", hasText|hasMotion),
	}
	avatarGroups = []groupRow{
		group("card", areaDoc, 0),
		group("image", "The picture.", hasMotion, pictureSrc, lengthOf("size", "Sets the width and height of the picture.", "12vw")),
		group("headline", "The text.", hasText|hasMotion), group("bar", "The ring around the picture, or the bar; color fills it.", 0),
	}
	lineGroups = []groupRow{
		group("card", areaDoc, 0),
		group("section", "The label; left out without a text.", hasText),
		group("headline", "The text beside it.", hasText|hasMotion),
	}
	panelGroups = []groupRow{
		group("box", "The box.", 0, append(ends("left", "top", "width", "height"), motionProperties[1:]...)...),
	}
	profileGroups = []groupRow{
		group("card", "The box around it all.", 0),
		group("image", "The picture.", hasMotion, pictureSrc, lengthOf("size", "Sets the width of the picture.", "60%")),
		group("name", "The first text.", hasText|hasMotion), group("title", "The second text.", hasText|hasMotion),
		group("description", "The third text.", hasText|hasMotion),
	}
	fallingGroups = []groupRow{
		group("animation", "The text.", hasText, numberOf("speed", "Sets how fast the text falls.", 1, 6, "3", "5")),
	}
	buttonGroups = []groupRow{group("button", "The button.", hasText|hasMotion)}
	clickGroups  = []groupRow{group("button", "The button.", hasText), group("cursor", "The cursor.", hasMotion)}
	ratingGroups = []groupRow{group("rating", "The symbols.", hasMotion, append(slices.Clone(ratingProperties),
		Property{Name: "stroke", Type: CSSType, Example: `"2px black"`, Doc: "Is the line around symbols that are filled."},
		Property{Name: "off-stroke", Type: CSSType, Example: `"2px white"`, Doc: "Is the line around symbols that are not filled."},
		Property{Name: "drop-shadow", Type: CSSType, Example: `"2px 2px 4px black"`,
			Doc: "Is the shadow of symbols that are filled."})...)}
	plainRatingGroups = []groupRow{group("rating", "The symbols.", hasMotion, ratingProperties...)}
	ratingProperties  = []Property{
		numberOf("value", "Sets how many of the five symbols are filled; parts are shown.", 0, 5, "5", "4.5"),
		{Name: "symbol", Type: ChoiceType, Values: []string{"star", "heart", "circle"}, Default: `"star"`, Example: `"heart"`,
			Doc: "Chooses the symbol."},
		lengthOf("size", "Sets the size of a symbol.", "6vw"), offColor,
	}
)

var cards = []componentRow{
	{"basic/000", "A card that fades in; its texts slide up one after the other.", "21-basic-000", cardGroups},
	{"basic/001", "A card with a bar; its texts slide in from above.", "", stillCardGroups},
	{"moviola/card", "A card: texts rise and fade in one after the other.", "", cardGroups},
	{"moviola/bar-card", "A card with a bar, from behind which the texts come.", "", barCardGroups},
}

var lowerThirds = []componentRow{
	{"basic/050", "A lower third of news: bar, headline and lead.", "21-basic-050", newsGroups},
	{"basic/051", "A lower third with a round picture in a ring.", "21-basic-051", avatarGroups},
	{"basic/052", "A lower third of one line: section and headline.", "21-basic-052", lineGroups},
	{"moviola/news", "A lower third of news, whose lead comes from above.", "", newsGroups},
	{"moviola/avatar", "A lower third with a round picture, and a headline over a bar.", "", avatarGroups},
	{"moviola/line", "A lower third of one line, with its section above.", "", lineGroups},
}

var items = []componentRow{
	{"basic/100", "A box that springs from one place and size to another.", "21-basic-100", panelGroups},
	{"moviola/panel", "A box that grows from nothing to its place.", "", panelGroups},
	{"basic/120", "A profile: a round picture with texts below.", "21-basic-120", profileGroups},
	{"moviola/profile", "A profile whose picture springs up.", "", profileGroups},
	{"basic/125", "A table whose rows come in one after the other.", "21-basic-125", []groupRow{
		group("table", "The whole table.", 0),
		group("header", "The first row.", hasMotion,
			Property{Name: "column-widths", Type: ListType, Or: TextType, Example: `["30%", "70%"]`,
				Doc: "Sets the width of each column."}),
		group("first-column", "The cells of the first column.", 0), group("cells", "All cells but the header.", hasMotion),
		group("data", "What is in the table.", 0,
			Property{Name: "columns", Type: ListType, Example: `["Day", "Opens"]`, Doc: "Lists the titles of the columns."},
			Property{Name: "rows", Type: DataType, Example: `[["Mon", "9:00"], ["Tue", "10:00"]]`,
				Doc: "Lists the rows, each a list of cells."}),
	}},
	{"advanced/050", "A button that springs up.", "21-advanced-050", buttonGroups},
	{"moviola/button", "A blue button that springs up.", "", buttonGroups},
	{"advanced/051", "A button that a pointer presses.", "", clickGroups},
	{"moviola/click", "A blue button that springs up and is pressed.", "", clickGroups},
	{"advanced/060", "A number that runs.", "21-advanced-060", []groupRow{group("counter", "The number.", 0, counterProperties...)}},
	{"moviola/counter", "A bold number that runs fast at first.", "",
		[]groupRow{group("counter", "The number.", 0, counterProperties...)}},
	{"advanced/070", "A rating with symbols that appear one after the other.", "21-advanced-070", ratingGroups},
	{"moviola/rating", "A rating with symbols that spring up.", "", plainRatingGroups},
	{"advanced/100", "A picture whose frame moves, cut so that faces, or what stands out, are seen.", "",
		[]groupRow{group("image", "The picture.", 0,
			append(append([]Property{pictureSrc}, ends("left", "top", "width", "height")...), motionProperties[1:]...)...)}},
	{"moviola/progress-bar", "A bar that fills up.", "", progressBarGroups},
	{"moviola/progress-ring", "A ring that fills up around a number.", "", progressRingGroups},
	{"advanced/110", "The same as moviola/progress-ring.", "", progressRingGroups},
}

var counterProperties = append([]Property{
	{Name: "text", Type: TextType, Default: `"__num__"`, Example: `"__num__ km"`,
		Doc: "Is the text, in which __num__ is the number."},
	numberOf("from", "Is the number to begin with.", -1e12, 1e12, "0", "10"), numberOf("to",
		"Is the number to end with.", -1e12, 1e12, "1000", "42"),
	numberOf("decimals", "Sets how many decimals are shown.", 0, 3, "0", "1"),
}, motionProperties[1:]...)

var progressBarGroups = []groupRow{
	group("card", "The box around it all.", 0), group("label", "The text above.", hasText|hasMotion), group("track",
		"What the bar runs in.", hasMotion),
	group("bar", "The bar.", 0, append([]Property{numberOf("value", "Sets how far the bar fills up, in per cent.", 0, 100, "75",
		"40")}, motionProperties[1:]...)...),
}

var progressRingGroups = []groupRow{
	group("ring", "The ring.", 0, append([]Property{
		numberOf("value", "Sets how far the ring fills up, in per cent.", 0, 100, "75", "40"),
		lengthOf("size", "Sets the size of the ring; per cent are of the element's width.", "40%"),
		lengthOf("thickness", "Sets how thick the ring is.", "8%"), offColor}, motionProperties[1:]...)...),
	group("label", "The number; __num__ is replaced.", hasText),
}

// ends returns two properties for each name: one for the start of a movement (initial-name), one for its end (final-name).
func ends(names ...string) []Property {
	var all []Property
	for _, name := range names {
		all = append(all, lengthOf("initial-"+name, "Sets the "+name+" at the beginning.", "10%"), lengthOf("final-"+name,
			"Sets the "+name+" at the end.", "60%"))
	}
	return all
}

var movingTexts = []componentRow{
	{"advanced/000", "Texts that come near, stay and fly past the eye, one after the other.", "", []groupRow{group("animation",
		"The texts.", hasText)}},
	{"advanced/001", "Words that fall from near the eye into their places.", "21-advanced-001", fallingGroups},
	{"moviola/falling-letters", "Letters that fall into their places.", "", fallingGroups},
	{"textbox/simple", "Boxes with a text each.", "",
		[]groupRow{group("textbox", "One of the boxes, textbox1, textbox2 …", hasText|isPlace|isNumbered,
			lengthOf("min-font-size", "Bounds the font size auto.", "20px"),
			lengthOf("max-font-size", "Bounds the font size auto.", "40px"))}},
	{"shape/html", "Boxes with a few marked words each.", "",
		[]groupRow{group("html", "One of the boxes, html1, html2 …", hasText|isPlace|isNumbered,
			Property{Name: "align-items", Type: ChoiceType, Values: []string{"start", "center", "end"}, Example: `"center"`,
				Doc: "Says where in the box the text stands, from top to bottom."},
			lengthOf("min-font-size", "Bounds the font size auto.", "20px"),
			lengthOf("max-font-size", "Bounds the font size auto.", "40px"),
			Property{Name: "html", Type: TextType, Example: `"<b>Bold</b> words"`, Doc: "Is the text with simple tags."})}},
}

// geometry are the names of the properties that place the hole of a cutout.
var geometry = []string{"left", "top", "width", "height", "x", "y", "cx", "cy", "r", "rx", "ry"}

func holeProperties() []Property {
	all := []Property{
		{Name: "shape", Type: ChoiceType, Values: []string{"ellipse", "circle", "rect", "rectangle", "polygon", "star",
			"heart"}, Default: `"ellipse"`,
			Example: `"circle"`, Doc: "Chooses the shape of the hole."},
		{Name: "points", Type: CSSType, Example: `"50% 0, 100% 100%, 0 100%"`, Doc: "Lists the corners of a polygon."},
		{Name: "stroke", Type: ColorType, Example: `"white"`, Doc: "Is the colour of the line around the hole."},
		lengthOf("stroke-width", "Sets the width of the line around the hole.", "4px"),
	}
	for _, name := range geometry {
		all = append(all, lengthOf(name, geometrySays[name], "30%"))
	}
	return slices.Concat(all, ends(geometry...), motionProperties[1:])
}

// geometrySays describes the properties of a hole, which are those of SVG shapes and of boxes.
var geometrySays = map[string]string{
	"left": "Is the left edge of the hole.", "x": "Is the left edge of the hole, as left.",
	"top": "Is the upper edge of the hole.", "y": "Is the upper edge of the hole, as top.",
	"width": "Is the width of the hole.", "height": "Is the height of the hole.",
	"cx": "Is where the middle of the hole is, from the left.", "cy": "Is where the middle of the hole is, from the top.",
	"r":  "Is the radius of a circle, of which shares are those of the component's shorter side.",
	"rx": "Is half the width of an ellipse.", "ry": "Is half the height of an ellipse.",
}

var shapes = []componentRow{
	{"shape/rectangle", "Rectangles that may move.", "21-shape-rectangle", []groupRow{group("rectangle",
		"One of them, rectangle1, rectangle2 …", isPlace|isNumbered)}},
	{"shape/polygon", "Figures with corners that may move.", "",
		[]groupRow{group("polygon", "One of them, polygon1, polygon2 …", isPlace|isNumbered,
			Property{Name: "points", Type: CSSType, Example: `"50,0 100,100 0,100"`,
				Doc: "Lists the corners, in a square of 100 by 100, or as in CSS."},
			Property{Name: "fill", Type: ColorType, Default: `"#00ff00"`, Example: `"red"`, Doc: "Is the colour of the figure."},
			Property{Name: "stroke", Type: ColorType, Example: `"white"`, Doc: "Is the colour of the line around it."},
			lengthOf("stroke-width", "Sets the width of the line around it.", "4px"),
			Property{Name: "clip-path", Type: CSSType, Example: `"polygon(50% 0, 100% 100%, 0 100%)"`,
				Doc: "Is another way to write the corners."},
			Property{Name: "sides", Type: IntegerType, Min: at(3), Max: at(200), Default: "3", Example: "6",
				Doc: "Sets how many sides a regular figure has."})}},
	{"shape/3dbox", "A solid box that turns into its place.", "",
		append(faceGroups(), group("box", "Our own: a box whose faces are alike.", isPlace, append([]Property{
			lengthOf("depth", "Sets how deep the box is.", "20%"),
			{Name: "rotate-x", Type: CSSType, Unit: "°", Example: "30", Doc: "Turns the box around the horizontal axis."},
			{Name: "rotate-y", Type: CSSType, Unit: "°", Example: "45", Doc: "Turns the box around the vertical axis."},
			{Name: "rotate-z", Aliases: []string{"rotate"}, Type: CSSType, Unit: "°", Example: "10",
				Doc: "Turns the box in the plane of the picture."},
		}, motionProperties[1:]...)...))},
	{"shape/cutout", "A picture seen through a hole, or a cover with a hole in it.", "", []groupRow{
		group("background", "The picture that is seen.", 0), group("cutout", "The hole in front of it.", isPlace, holeProperties()...),
		group("cover", "Our own: what is over everything.", 0),
		group("hole", "Our own: the hole in it.", isPlace, append([]Property{
			{Name: "shape", Type: ChoiceType, Values: []string{"rectangle", "circle", "ellipse", "star", "heart"},
				Default: `"rectangle"`, Example: `"star"`,
				Doc: "Chooses the shape of the hole."},
		}, motionProperties[1:]...)...),
	}},
}

// faceGroups returns the groups of the component that shows a solid box: its size, its movement and its six faces.
func faceGroups() []groupRow {
	turns := []Property{
		{Name: "rotate-x", Type: CSSType, Unit: "°", Example: "30", Doc: "Turns the box around the horizontal axis."},
		{Name: "rotate-y", Type: CSSType, Unit: "°", Example: "45", Doc: "Turns the box around the vertical axis."},
		{Name: "rotate-z", Aliases: []string{"rotate"}, Type: CSSType, Unit: "°", Example: "10",
			Doc: "Turns the box in the plane of the picture."},
		numberOf("zoom", "Enlarges the box.", 0, 20, "1", "0.5"),
		lengthOf("left", "Is where the middle of the box is, from the left.", "50%"),
		lengthOf("top", "Is where the middle of the box is, from the top.", "50%"),
	}
	all := []groupRow{
		group("size", "How large the box is.", 0, lengthOf("width", "Sets the width.", "30vw"),
			lengthOf("height", "Sets the height.", "20vw"),
			lengthOf("depth", "Sets the depth.", "5vw")),
		group("origin", "Where the box comes from.", 0, turns...),
		group("destination", "Where the box goes to.", 0, append(slices.Clone(turns), motionProperties[1:]...)...),
	}
	for _, name := range []string{"front", "back", "left", "right", "top", "bottom"} {
		all = append(all, group(name, "The face at the "+name+".", 0))
	}
	return all
}

func init() {
	objectProperties["animate"] = slices.Concat([]Property{
		lengthOf("left", "Is the left edge at the end.", "50%"), lengthOf("top", "Is the upper edge at the end.", "50%"),
		lengthOf("width", "Is the width at the end.", "20%"), lengthOf("height", "Is the height at the end.", "20%"),
		{Name: "rotate", Type: CSSType, Unit: "°", Example: "90", Doc: "Is the turn at the end."},
		numberOf("opacity", "Is the opacity at the end.", 0, 1, "", "0.2"),
		{Name: "points", Type: CSSType, Example: `"0,0 100,0 100,100"`,
			Doc: "Lists the corners of a polygon at the end, as many as at the beginning."},
		{Name: "fill", Type: ColorType, Example: `"blue"`, Doc: "Is the colour of a polygon at the end."},
		{Name: "stroke", Type: ColorType, Example: `"gold"`, Doc: "Is the colour of a polygon's line at the end."},
		lengthOf("stroke-width", "Is the width of a polygon's line at the end.", "8px"),
		{Name: "rotate-x", Type: CSSType, Unit: "°", Example: "-60", Doc: "Is the turn of a solid box around the horizontal " +
			"axis at the end."},
		{Name: "rotate-y", Type: CSSType, Unit: "°", Example: "90", Doc: "Is the turn of a solid box around the upright axis " +
			"at the end."},
		{Name: "rotate-z", Type: CSSType, Unit: "°", Example: "10", Doc: "Is the turn of a solid box in the plane of the " +
			"picture at the end."},
		lengthOf("x", "Is the left edge of a cutout at the end.", "10%"),
		lengthOf("y", "Is the upper edge of a cutout at the end.", "10%"),
		lengthOf("cx", "Is the middle of a cutout at the end, from the left.", "50%"),
		lengthOf("cy", "Is the middle of a cutout at the end, from the top.", "50%"),
		lengthOf("r", "Is the radius of a cutout at the end.", "30%"),
		lengthOf("rx", "Is half the width of a cutout at the end.", "30%"),
		lengthOf("ry", "Is half the height of a cutout at the end.", "20%"),
	}, motionProperties)
}

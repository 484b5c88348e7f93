package document

// settingsProperties returns the settings of elements by type.
func settingsProperties() map[string][]Property {
	return map[string][]Property{
		TypeText: styleProperties(ofText), TypeHTML: pageProperties, TypeSubtitles: captionProperties, TypeComponent: nil,
	}
}

// OpenKind reports whether an object may have members besides those of its kind. The settings of a page may be any CSS,
// those of a component are its groups, and a preload item has the properties of the element of its type.
func OpenKind(kind string) bool {
	return kind == SettingsKind(TypeHTML) || kind == SettingsKind(TypeComponent) || kind == PreloadKind
}

// pageProperties are examples of CSS properties of a page's body: every other CSS property is accepted too.
var pageProperties = []Property{
	{Name: "font-family", Type: CSSType, Example: `"Inter"`, Picture: pagePicture, Doc: "Names the font of the page's body."},
	{Name: "font-size", Type: CSSType, Example: `"25px"`, Picture: pagePicture,
		Doc: "Sets the size of the letters of the page's body."},
	{Name: "color", Type: CSSType, Example: `"white"`, Picture: pagePicture,
		Doc: "Is the colour of the letters of the page's body."},
	{Name: "background", Type: CSSType, Example: `"#102030"`, Picture: pagePicture, Doc: "Fills the page."},
	{Name: "text-align", Type: CSSType, Example: `"center"`, Picture: pagePicture, Doc: "Sets the lines of the page's body."},
	{Name: "padding", Type: CSSType, Example: `"20px"`, Picture: pagePicture, Doc: "Sets the room around what is in the page."},
}

// captionProperties are the settings of subtitles. Movie-schema §4.8.
var captionProperties = []Property{
	{Name: "style", Type: ChoiceType, Or: ObjectType, Kind: SettingsKind(TypeSubtitles),
		Values:  []string{"classic", "classic-progressive", "classic-one-word", "boxed-line", "boxed-word"},
		Default: `"classic"`, Example: `"boxed-word"`, Picture: "22-subtitles",
		Doc: "Chooses what happens to the words: classic colours the spoken one, progressive shows them as they are spoken, " +
			"one-word shows the " +
			"spoken one alone, boxed puts a box behind the line or the word. An object holds all of these settings, style too."},
	{Name: "all-caps", Type: BooleanType, Default: "false", Example: "true", Doc: "Writes everything in capitals."},
	{Name: "font-family", Type: TextType, Default: `"Arial"`, Example: `"Montserrat"`,
		Doc: "Names the font; with font-url, the family in that file."},
	{Name: "font-size", Type: LengthType, Unit: "px", Min: at(1), Max: at(2000), Example: "90",
		Doc: "Sets the size of the letters in pixels of the movie; without it 5 % of the movie's width."},
	{Name: "font-url", Type: AddressType, Example: `"https://example.com/brand.ttf"`,
		Doc: "Is the address of a TrueType file."},
	{Name: "font-weight", Type: NumberType, Min: at(100), Max: at(900), Values: []string{"normal", "bold"}, Default: "400",
		Example: `"700"`,
		Doc:     "Sets how heavy the letters are."},
	{Name: "position", Type: ChoiceType, Values: []string{"top-left", "top-center", "top-right", "center-left", "center-center",
		"center-right",
		"bottom-left", "bottom-center", "bottom-right", "mid-top-center", "mid-bottom-center", "custom"}, Default: `"bottom-center"`,
		Example: `"mid-bottom-center"`, Doc: "Puts the subtitles at a place of the movie; custom takes x and y."},
	{Name: "x", Type: LengthType, Unit: "px", Example: "540",
		Doc: "Is the horizontal place of their middle with the position custom; without it the middle of the movie."},
	{Name: "y", Type: LengthType, Unit: "px", Default: "0", Example: "1470",
		Doc: "Is the vertical place of their upper edge with the position custom."},
	{Name: "word-color", Aliases: []string{"highlight-color"}, Type: ColorType, Default: `"#FFFF00"`, Example: `"#7CFC00"`,
		Picture: "22-subtitles",
		Doc:     "Is the colour of the word that is spoken."},
	{Name: "line-color", Aliases: []string{"font-color", "color"}, Type: ColorType, Default: `"#FFFFFF"`, Example: `"#EEEEEE"`,
		Picture: "23-captions",
		Doc:     "Is the colour of the other words."},
	{Name: "box-color", Type: ColorType, Default: `"#000000"`, Example: `"#7a1fa2"`,
		Doc: "Is the colour of the box of the boxed styles."},
	{Name: "outline-color", Type: ColorType, Default: `"#000000"`, Example: `"navy"`,
		Doc: "Is the colour of the line around the letters."},
	{Name: "outline-width", Type: LengthType, Unit: "px", Min: at(0), Max: at(200), Default: "0", Example: "6",
		Doc: "Sets the width of the line around the letters."},
	{Name: "shadow-color", Type: ColorType, Default: `"#000000"`, Example: `"#333333"`,
		Doc: "Is the colour of the shadow of the letters."},
	{Name: "shadow-offset", Type: LengthType, Unit: "px", Min: at(-200), Max: at(200), Default: "0", Example: "4",
		Doc: "Moves the shadow of the letters to the right and down; 0 is none."},
	{Name: "max-words-per-line", Type: IntegerType, Min: at(1), Max: at(50), Default: "4", Example: "3",
		Doc: "Bounds how many words are shown at a time; captions of your own are broken anew only when it is given."},
	{Name: "keywords", Type: ListType, Or: TextType, Example: `["Moviola", "SFTP"]`,
		Doc: "Lists words that the model which listens should know."},
	{Name: "replace", Type: DataType, Example: `{"movie ola": "Moviola"}`,
		Doc: "Replaces words by others, whatever their case."},
}

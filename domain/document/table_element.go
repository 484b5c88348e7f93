package document

// The words that are accepted as the language of subtitles, and as the type of an element.
var (
	languages = []string{"auto", "en", "bg", "ca", "cs", "da", "nl", "en-AU", "en-GB", "en-NZ", "en-IN", "en-US", "et", "fr",
		"fi", "nl-BE", "de",
		"de-CH", "el", "hi", "hi-Latn", "hu", "id", "it", "ja", "ko", "lv", "lt", "ms", "no", "pl", "pt", "pt-BR", "ro", "ru",
		"sk", "es", "es-419",
		"sv", "th", "tr", "uk", "vi", "zh", "zh-TW"}
	elementTypes = []string{TypeImage, TypeVideo, TypeText, TypeHTML, TypeComponent, TypeAudio, TypeVoice, TypeAudiogram,
		TypeSubtitles, "template"}
)

// elementProperties are the common properties of all elements. Movie-schema §3.
var elementProperties = append([]Property{
	{Name: "type", Type: ChoiceType, Values: elementTypes, Required: true, Example: `"image"`,
		Doc: "Says what the element is; template is deprecated: use component, or the template of the movie."},
	{Name: "id", Type: TextType, Example: `"logo"`,
		Doc: "Names the element, whose times are then variables: {{logo_start}}, {{logo_end}}, {{logo_duration}}, {{logo_extratime}}."},
	{Name: "start", Type: NumberType, Unit: "s", Min: at(-1), Default: "0", Example: "1.5",
		Doc: "Sets when the element begins, from the start of its scene or movie; -1 is when all elements before it in the " +
			"list have ended."},
	{Name: "duration", Type: DurationType, Unit: "s", Values: []string{"auto", "container"}, Example: "4",
		Doc: "Sets how long the element lasts; -1 or \"auto\" is as long as its source or animation, -2 or \"container\" as " +
			"long as its " +
			"scene or movie. Without it, it is its own length where it has one, else the scene's."},
	{Name: "extra-time", Type: NumberType, Unit: "s", Min: at(0), Default: "0", Example: "2",
		Doc: "Lets the element stay so much longer."},
	{Name: "fade-in", Type: NumberType, Unit: "s", Min: at(0), Default: "0", Example: "0.5", Picture: "13-fade",
		Doc: "Lets the picture appear, and the sound rise, over this time."},
	{Name: "fade-out", Type: NumberType, Unit: "s", Min: at(0), Default: "0", Example: "0.5", Picture: "13-fade",
		Doc: "Lets the picture disappear, and the sound sink, over this time."},
	{Name: "z-index", Type: IntegerType, Min: at(-99), Max: at(99), Default: "0", Example: "10", Picture: "02-layers",
		Doc: "Draws elements with a higher number over those with a lower one; below 0, elements of the movie lie behind its scenes."},
	{Name: "cache", Type: BooleanType, Default: "true", Example: "false",
		Doc: "Lets a source that was fetched or made before be used again; false fetches or makes it anew."},
	{Name: "save-to-media", Type: BooleanType, Default: "false", Example: "true",
		Doc: "Keeps what was made for the element (a voice, a generated image, an html or component) in the media library."},
}, repeatedProperties...)

// visualProperties are the properties of elements with a picture. Movie-schema §3.1.
var visualProperties = []Property{
	{Name: "position", Type: ChoiceType, Values: []string{"custom", "top-left", "top-center", "top-right", "center-left",
		"center-center",
		"center-right", "bottom-left", "bottom-center", "bottom-right", "center"}, Default: `"custom"`, Example: `"bottom-right"`,
		Picture: "03-positions",
		Doc: "Puts the element at an edge of the canvas, 5 % from it, or at its middle; custom puts its upper left " +
			"corner at x and y."},
	{Name: "x", Type: IntegerType, Unit: "px", Default: "0", Example: "100", Picture: "03-positions",
		Doc: "Moves the element to the right: from the left edge with the position custom, else from its position."},
	{Name: "y", Type: IntegerType, Unit: "px", Default: "0", Example: "50", Picture: "03-positions",
		Doc: "Moves the element down: from the upper edge with the position custom, else from its position."},
	{Name: "width", Type: IntegerType, Unit: "px", Min: at(-1), Default: "-1", Example: "640",
		Doc: "Sets the width; -1 follows from the height, the source or the canvas. Texts, pages and components are laid out in it."},
	{Name: "height", Type: IntegerType, Unit: "px", Min: at(-1), Default: "-1", Example: "360",
		Doc: "Sets the height; -1 follows from the width, the source or the canvas. Texts, pages and components are laid out in it."},
	{Name: "scale", Type: ObjectType, Kind: "scale", Example: `{"width": 640, "height": -1}`,
		Doc: "Is an older way to write width and height."},
	{Name: "resize", Type: ChoiceType, Values: []string{"cover", "fill", "fit", "contain", "none"}, Default: `"none"`,
		Example: `"cover"`,
		Picture: "04-resize",
		Doc:     "Fits the element to the canvas: cover and fill fill it and crop, fit and contain show all of the element."},
	{Name: "crop", Type: ObjectType, Kind: "crop", Example: `{"x": 100, "y": 50, "width": 640, "height": 360}`,
		Picture: "05-crop-flip",
		Doc:     "Shows only this rectangle of the source."},
	{Name: "rotate", Type: ObjectType, Kind: "rotate", Or: NumberType, Unit: "°", Min: at(-fullTurn), Max: at(fullTurn),
		Example: `{"angle": 15}`, Picture: "06-rotate",
		Doc: "Turns the element clockwise around its middle, at once or over time."},
	{Name: "zoom", Type: NumberType, Min: at(-maxZoom), Max: at(maxZoom), Default: "0", Example: "2", Picture: "07-zoom",
		Doc: "Moves nearer by so many times 10 % while the element is shown, or away with a negative number."},
	{Name: "pan", Type: ChoiceType, Values: []string{"left", "right", "top", "up", "bottom", "down", "top-left", "top-right",
		"bottom-left",
		"bottom-right", "center", "center-center", "none"}, Default: `"none"`, Example: `"right"`, Picture: "08-pan",
		Doc: "Moves the picture in this direction while the element is shown; with zoom, the view comes nearer to this side instead."},
	{Name: "pan-distance", Type: NumberType, Min: at(minTravel), Max: at(maxTravel), Default: "0.1", Example: "0.2",
		Picture: "08-pan",
		Doc:     "Sets which share of the picture pan travels over."},
	{Name: "pan-crop", Type: BooleanType, Default: "true", Example: "false",
		Doc: "Enlarges a picture that pans so that it keeps filling its place; false may uncover what is behind it."},
	{Name: "flip-horizontal", Type: BooleanType, Default: "false", Example: "true", Picture: "05-crop-flip",
		Doc: "Mirrors the picture left to right."},
	{Name: "flip-vertical", Type: BooleanType, Default: "false", Example: "true", Picture: "05-crop-flip",
		Doc: "Turns the picture upside down."},
	{Name: "opacity", Type: NumberType, Min: at(0), Max: at(1), Default: "1", Example: "0.5",
		Doc: "Sets how much the element hides what is behind it: 0 not at all, 1 wholly."},
	{Name: "mask", Type: AddressType, Example: `"https://example.com/mask.png"`, Picture: "09-mask",
		Doc: "Shows the element where this image or video is bright: black is transparent, white is opaque."},
	{Name: "chroma-key", Type: ObjectType, Kind: "chroma-key", Or: ColorType, Example: `{"color": "#00b140", "tolerance": 25}`,
		Picture: "11-chroma-key",
		Doc:     "Makes a colour of the picture transparent."},
	{Name: "correction", Type: ObjectType, Kind: "correction", Example: `{"brightness": 0.1, "saturation": 1.3}`,
		Picture: "12-correction",
		Doc:     "Changes brightness, contrast and colours of the picture."},
}

// soundProperties are the properties of elements with sound. Movie-schema §3.2.
var soundProperties = []Property{
	{Name: "volume", Type: NumberType, Min: at(0), Max: at(10), Default: "1", Example: "0.2", Doc: "Multiplies the loudness."},
	{Name: "muted", Type: BooleanType, Default: "false", Example: "true", Doc: "Leaves the sound out."},
}

// sourceProperties are the properties of elements whose sound is a file.
var sourceProperties = []Property{
	{Name: "src", Type: AddressType, Required: true, Example: `"https://example.com/clip.mp4"`,
		Doc: "Is the address of the file."},
	{Name: "seek", Type: NumberType, Unit: "s", Default: "0", Example: "12.5",
		Doc: "Begins at this time of the file; a negative time counts from its end."},
	{Name: "loop", Type: IntegerType, Min: at(-1), Default: "1", Example: "-1",
		Doc: "Plays the file so many times; -1 plays it again and again, as long as duration says."},
}

// providerProperties are the properties of elements whose content a provider generates.
var providerProperties = []Property{
	{Name: "connection", Type: TextType, Example: `"my-openai"`,
		Doc: "Names a saved connection to the provider that is asked."},
	{Name: "model-settings", Type: DataType, Default: "{}", Example: `{"speed": 1.1}`,
		Doc: "Is handed on to the provider as it is."},
}

// typeProperties are the properties of one type of element only. Movie-schema §4.
var typeProperties = map[string][]Property{
	TypeImage: append([]Property{
		{Name: "src", Type: AddressType, Example: `"https://example.com/photo.jpg"`,
			Doc: "Is the address of the image: PNG, JPEG, WebP, AVIF, HEIC, SVG, GIF, BMP or TIFF; links of Google Drive and " +
				"Dropbox are resolved."},
		{Name: "prompt", Type: TextType, Example: `"A lighthouse at dusk, oil painting"`,
			Doc: "Describes an image to be made by a provider when there is no src."},
		{Name: "model", Type: TextType, Example: `"dall-e-3"`,
			Doc: "Names the model that makes the image; without it the provider chooses."},
		{Name: "aspect-ratio", Type: ChoiceType, Values: []string{Horizontal, Vertical, Squared, "square"}, Example: `"vertical"`,
			Doc: "Chooses the shape of the image that is made; without it the one that is nearest to width and height."},
	}, providerProperties...),
	TypeVideo: sourceProperties, TypeAudio: sourceProperties,
	TypeText: {
		{Name: "text", Type: TextType, Required: true, Example: `"Hello world"`, Picture: "15-text-settings",
			Doc: "Is the text, in which a line break is \\n."},
		{Name: "style", Type: ChoiceType, Values: TextStyles(), Default: `"001"`, Example: `"003"`, Picture: "17-style-003",
			Doc: "Chooses how the text comes in, and with it the defaults of its settings; 001 is simply there."},
		{Name: "settings", Type: ObjectType, Kind: "settings:text", Default: "{}",
			Example: `{"font-size": "6vw", "color": "gold"}`, Picture: "15-text-settings",
			Doc: "Says how the text looks and where in its box it stands."},
	},
	TypeHTML: {
		{Name: "html", Type: TextType, Example: `"<h1>Hello</h1>"`, Picture: "20-html",
			Doc: "Is a piece of HTML, with styles and scripts, over a transparent page."},
		{Name: "src", Type: AddressType, Example: `"https://example.com/page"`,
			Doc: "Is the address of a page to show instead of html."},
		{Name: "tailwindcss", Aliases: []string{"tailwind"}, Type: BooleanType, Default: "false", Example: "true",
			Doc: "Loads Tailwind CSS before the page."},
		{Name: "wait", Type: NumberType, Unit: "s", Min: at(0), Max: at(maxWait), Example: "2",
			Doc: "Takes the picture so long after the page was loaded; without it, when its finite animations have ended, 5 " +
				"s later at most."},
		{Name: "dpi", Type: NumberType, Min: at(minDPI), Max: at(maxDPI), Default: "1", Example: "2",
			Doc: "Draws the page with so many pixels for each of its own and scales it down. Less than 1 counts as 1."},
		{Name: "capture", Type: ObjectType, Kind: "capture", Example: `{"duration": 4}`,
			Doc: "Shows the page's animations instead of a still."},
		{Name: "settings", Type: ObjectType, Kind: "settings:html", Default: "{}", Example: `{"font-size": "25px"}`,
			Doc: "Are CSS properties of the body of the page."},
	},
	TypeComponent: {
		{Name: "component", Type: TextType, Required: true, Example: `"basic/001"`, Picture: "21-basic-000",
			Doc: "Names the ready-made graphic."},
		{Name: "settings", Type: ObjectType, Kind: "settings:component", Default: "{}",
			Example: `{"headline": {"text": "Hello", "color": "gold"}}`,
			Doc:     "Holds the texts and looks of its parts, one group of CSS-like properties for each."},
	},
	"template": {
		{Name: "template", Type: TextType, Example: `"basic/001"`, Doc: "Names a saved template, or a component."},
		{Name: "component", Type: TextType, Example: `"basic/001"`, Doc: "Names a component."},
		{Name: "settings", Type: DataType, Default: "{}", Example: `{"headline": "Hello"}`,
			Doc: "Gives values to the variables of the template, or settings to the component."},
	},
	TypeVoice: append([]Property{
		{Name: "text", Type: TextType, Required: true, Example: `"Welcome to the harbour."`, Doc: "Is what is said."},
		{Name: "voice", Type: TextType, Example: `"en-GB-LibbyNeural"`,
			Doc: "Names the voice; without it the model has a default."},
		{Name: "model", Type: TextType, Default: `"azure"`, Example: `"elevenlabs"`, Doc: "Names the model that speaks."},
	}, providerProperties...),
	TypeAudiogram: {
		{Name: "color", Type: ColorType, Default: `"#ffffff"`, Example: `"#2ea4ff"`, Picture: "24-audiogram",
			Doc: "Is the colour of the waveform."},
		{Name: "amplitude", Type: NumberType, Min: at(0), Max: at(maxAmplitude), Default: "5", Example: "8", Picture: "24-audiogram",
			Doc: "Sets how high the waveform is; at 5 the loudest sound fills the height."},
		{Name: "src", Type: AddressType, Idle: true, Example: `"https://example.com/music.mp3"`,
			Doc: "Is accepted from older clients; what is heard is drawn."},
	},
	TypeSubtitles: {
		{Name: "captions", Type: TextType, Example: `"https://example.com/captions.srt"`, Picture: "23-captions",
			Doc: "Is the address or the text of captions in SRT, VTT or ASS; without it they are made from what is said."},
		{Name: "language", Type: TextType, Values: languages, Default: `"auto"`, Example: `"en-GB"`,
			Doc: "Is the language that is spoken."},
		{Name: "model", Type: TextType, Values: []string{"default", "whisper"}, Default: `"default"`, Example: `"whisper"`,
			Doc: "Names the model that listens."},
		{Name: "connection", Type: TextType, Example: `"my-openai"`,
			Doc: "Names a saved connection to the provider that listens."},
		{Name: "settings", Type: ObjectType, Kind: "settings:subtitles", Default: "{}",
			Example: `{"style": "boxed-word", "font-size": 90}`, Picture: "22-subtitles",
			Doc: "Says how the subtitles look."},
		{Name: "cache", Type: BooleanType, Default: "true", Example: "false",
			Doc: "Lets captions and a font that were fetched before be used again; false fetches them anew."},
	},
}

// typeDefaults are defaults of common properties that differ for one type.
var typeDefaults = map[string]map[string]string{TypeAudiogram: {"opacity": "0.5"}}

// made are the types of elements with generated content that can be stored in the media library.
var made = map[string]bool{TypeImage: true, TypeVoice: true, TypeHTML: true, TypeComponent: true, "template": true}

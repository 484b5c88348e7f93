package document

import "moviola/domain/connection"

// The properties of a movie. Movie-schema §1; spec: POST /movies.
var movieProperties = []Property{
	{Name: "resolution", Type: ChoiceType, Values: []string{"sd", "hd", "full-hd", "squared", "instagram-story", "instagram-feed",
		"twitter-landscape", "twitter-portrait", "custom"}, Default: `"custom"`, Example: `"full-hd"`,
		Doc: "Names the size of the canvas: sd 640×360, hd 1280×720, full-hd 1920×1080, squared and instagram-feed 1080×1080, " +
			"instagram-story 1080×1920, twitter-landscape 1600×900, twitter-portrait 1080×1350; custom takes width and height."},
	{Name: "width", Type: IntegerType, Unit: "px", Min: at(minSide), Max: at(maxSide), Default: "640", Example: "1080",
		Doc: "Sets the width of the canvas of a movie without a named resolution; an odd one is rounded down."},
	{Name: "height", Type: IntegerType, Unit: "px", Min: at(minSide), Max: at(maxSide), Default: "360", Example: "1920",
		Doc: "Sets the height of the canvas of a movie without a named resolution; an odd one is rounded down."},
	{Name: "fps", Type: NumberType, Unit: "frames per second", Min: at(minFPS), Max: at(maxFPS), Default: "25", Example: "29.97",
		Doc: "Sets how many frames a second has, to three decimals."},
	{Name: "quality", Type: ChoiceType, Values: []string{"low", "medium", "high"}, Default: `"high"`, Example: `"medium"`,
		Doc: "Chooses between a small file and a good picture; it does not change the price."},
	{Name: "scenes", Type: ListType, Kind: SceneKind, Doc: "Holds the parts of the movie, which are shown one after the other.",
		Example: `[{"duration": 3, "elements": [{"type": "text", "text": "Hello"}]}]`},
	{Name: "elements", Type: ListType, Kind: "element", Picture: "02-layers",
		Doc:     "Holds what is shown or heard over the whole movie: above the scenes, or below them with a negative z-index.",
		Example: `[{"type": "audio", "src": "https://example.com/music.mp3", "duration": -2}]`},
	{Name: "background-color", Type: ColorType, Default: `"#000000"`, Example: `"#102030"`,
		Doc: "Paints what lies below everything else; transparent is black in the MP4, and stays transparent in outputs that can be."},
	{Name: "variables", Type: DataType, Default: "{}", Example: `{"headline": "Summer sale", "price": 12}`,
		Doc: "Gives values to names which expressions, {{name}}, stand for; those that begin with @ or ? describe another variable."},
	{Name: "template", Aliases: []string{"templateId"}, Type: TextType, Example: `"LerKrmBfiqaIgBuacLWn"`,
		Doc: "Names a saved template to render; the other properties of the body go over those of the template."},
	{Name: "project", Type: TextType, Example: `"5Bb0nXvL9x2cQ7Aa"`,
		Doc: "Renders the JSON of that finished movie once more; it stands alone in the body."},
	{Name: "preload", Type: ListType, Kind: PreloadKind,
		Example: `[{"id": "intro", "type": "video", "src": "https://example.com/intro.mp4"}]`,
		Doc: "Names up to 10 assets to make ready first; their results are variables: {{intro_url}}, {{intro_duration}}, " +
			"{{intro_width}}."},
	{Name: "exports", Type: ListType, Kind: ExportKind,
		Example: `[{"destinations": [{"type": "webhook", "endpoint": "https://example.com/done"}]}]`,
		Doc:     "Says where the finished movie goes, in exactly one object."},
	{Name: "thumbnail", Type: ObjectType, Kind: "thumbnail", Or: NumberType, Unit: "s", Example: "2.5",
		Doc: "Chooses the frame of the preview picture: seconds, {\"time\": seconds}, or {\"scene\": a number from 1 or an id}; " +
			"without it the frame at 1 second, or the middle of a shorter movie."},
	{Name: "cache", Type: BooleanType, Default: "true", Example: "false",
		Doc: "Lets the result of an identical movie be used again at once; false renders anew, from cached sources."},
	{Name: "draft", Type: BooleanType, Default: "false", Example: "true", Picture: "25-draft",
		Doc: "Marks the movie with a watermark, for plans that count drafts apart."},
	{Name: "held-pictures", Type: BooleanType, Default: "true", Example: "false",
		Doc: "Lets what does not move be written as pictures that repeat the one before, unless the service is started with " +
			"--held-pictures=false; false encodes every picture, for players that stumble over it."},
	{Name: "id", Type: TextType, Example: `"order-4711"`,
		Doc: "Is your own name for the movie, which comes back in its status and webhook."},
	{Name: "client-data", Type: DataType, Default: "{}", Example: `{"order": 4711}`,
		Doc: "Is an object of your own that comes back in the status and webhook of the movie."},
	{Name: "comment", Type: TextType, Idle: true, Doc: "Is a note for readers of the JSON.", Example: `"Spring campaign"`},
	{Name: "settings", Type: DataType, Idle: true, Doc: "Is accepted from older clients.", Example: "{}"},
	{Name: "$schema", Type: TextType, Idle: true, Doc: "Names the JSON Schema of movies, for editors.",
		Example: `"https://video.example/v2/movie.schema.json"`},
}

// The properties of a scene. Movie-schema §2; docs/templates.md.
var sceneProperties = append([]Property{
	{Name: "elements", Type: ListType, Kind: "element", Example: `[{"type": "text", "text": "Hello"}]`,
		Doc: "Holds what is shown or heard in the scene; later ones are drawn over earlier ones."},
	{Name: "duration", Type: DurationType, Unit: "s", Values: []string{"auto"}, Default: "-1", Example: "5",
		Doc: "Sets how long the scene is and cuts what would last longer; -1 or \"auto\" is as long as its elements need."},
	{Name: "background-color", Type: ColorType, Default: `"#000000"`, Example: `"transparent"`, Picture: "19-transparent-scene",
		Doc: "Paints what lies below the elements; transparent shows elements of the movie that have a negative z-index, " +
			"and its background."},
	{Name: "transition", Type: ObjectType, Kind: "transition", Or: ChoiceType, Example: `{"style": "circleopen", "duration": 1}`,
		Picture: "14-transition-circleopen",
		Doc:     "Lets the scene come in over the end of the one before, which shortens the movie; the first one comes from black."},
	{Name: "cache", Type: BooleanType, Default: "true", Example: "false",
		Doc: "Lets a finished movie with this scene be used again; false renders anew, from cached sources."},
	{Name: "id", Type: TextType, Example: `"intro"`, Doc: "Names the scene, for import and thumbnail."},
	{Name: "import", Type: TextType, Example: `"intro"`,
		Doc: "Adds the elements of the scene with this id to those of the scene."},
}, repeatedProperties...)

// repeatedProperties are the properties for conditions, iterations and variables of scenes and elements. docs/templates.md.
var repeatedProperties = []Property{
	{Name: "condition", Type: TextType, Example: `"{{ price > 10 }}"`,
		Doc: "Decides whether it is there: not when the expression is empty, false or undefined."},
	{Name: "variables", Type: DataType, Default: "{}", Example: `{"headline": "Inside"}`,
		Doc: "Gives values to names within it, which go before those of the movie."},
	{Name: "iterate", Type: DataType, Example: `"products"`,
		Doc: "Repeats it: for every item of a list, which is named, computed or written there, or as many times as a number says."},
	{Name: "iterate-as", Type: TextType, Default: `"item"`, Example: `"product"`,
		Doc: "Names the current item of the repetition."},
	{Name: "iterate-from", Type: IntegerType, Default: "1", Example: "2",
		Doc: "Begins the repetition at this place, from 1; negative places count from the end."},
	{Name: "iterate-to", Type: IntegerType, Example: "4",
		Doc: "Ends the repetition before this place; negative places count from the end."},
	{Name: "iterate-step", Type: IntegerType, Default: "1", Example: "2",
		Doc: "Takes every second, third … item; a negative step goes backwards."},
	{Name: "comment", Type: TextType, Idle: true, Doc: "Is a note for readers of the JSON.", Example: `"Logo"`},
}

// The properties of an object in exports. Spec: Export destination entries.
var exportProperties = []Property{
	{Name: "destinations", Type: ListType, Kind: DestinationKind,
		Example: `[{"type": "webhook", "endpoint": "https://example.com/done"}]`,
		Doc:     "Lists up to 20 places to which the finished movie is sent or announced, in order."},
	{Name: "format", Type: ListType, Or: TextType, Example: `["gif", "mp3"]`,
		Doc: "Names what is made of the movie beside the MP4: webm, gif, png-sequence, png, jpg, mp3, wav, m4a, hls, storyboard."},
	{Name: "codec", Type: ChoiceType, Values: append([]string{"h264"}, OutputCodecs...), Default: `"h264"`, Example: `"hevc"`,
		Doc: "Makes another MP4 in this codec, beside the one in H.264."},
}

// The properties of a destination.
var destinationProperties = []Property{
	{Name: "type", Type: ChoiceType, Values: connection.DestinationKinds(), Example: `"webhook"`,
		Doc: "Says what kind of destination it is; a saved connection alone needs none."},
	{Name: "id", Type: TextType, Example: `"my-ftp"`,
		Doc: "Names a saved connection, whose settings the other properties replace."},
	{Name: "endpoint", Type: AddressType, Example: `"https://example.com/done"`, Doc: "Is the public address of a webhook."},
	{Name: "content-type", Type: ChoiceType, Values: []string{JSONContent, FormContent}, Default: `"` + JSONContent + `"`,
		Example: `"application/x-www-form-urlencoded"`, Doc: "Chooses the form of a webhook's body; any other value is JSON."},
	{Name: "host", Type: TextType, Example: `"ftp.example.com"`, Doc: "Is the name of the server (ftp, sftp, email)."},
	{Name: "port", Type: IntegerType, Min: at(1), Max: at(65535), Example: "21",
		Doc: "Is the port of the server: 21 for ftp, 22 for sftp, 587 or 465 for email unless it is given."},
	{Name: "username", Type: TextType, Example: `"videos"`, Doc: "Is the name to log in with (ftp, sftp, email)."},
	{Name: "password", Type: TextType, Example: `"secret"`, Doc: "Is the password to log in with; it is never shown again."},
	{Name: "secure", Type: BooleanType, Default: "false", Example: "true", Doc: "Encrypts FTP by TLS."},
	{Name: "private-key", Type: TextType, Example: `"-----BEGIN OPENSSH PRIVATE KEY-----…"`,
		Doc: "Is a key to log in to SFTP with, in PEM or OpenSSH form."},
	{Name: "passphrase", Type: TextType, Example: `"secret"`, Doc: "Opens the private key."},
	{Name: "host-key", Type: TextType, Example: `"SHA256:…"`, Doc: "Is the fingerprint that an SFTP server must show."},
	{Name: "security", Type: ChoiceType, Values: []string{"starttls", "tls", "none"}, Default: `"starttls"`, Example: `"tls"`,
		Doc: "Chooses how e-mail is encrypted on its way to the server."},
	{Name: "folder", Type: TextType, Example: `"exports"`,
		Doc: "Is the name of an export folder of the server (folder); never a path."},
	{Name: "overwrite", Type: BooleanType, Default: "false", Example: "true",
		Doc: "Replaces a file that has the name already (folder); without it that is an error."},
	{Name: "remote-path", Type: TextType, Default: `"./"`, Example: `"videos/__yyyy__/__mm__"`,
		Doc: "Is the folder on the server; macros such as __yyyy__, __mm__, __dd__ and __random__ are filled in."},
	{Name: "file", Type: TextType, Example: `"__filename_without_extension__-final.mp4"`,
		Doc: "Is the name of the file on the server, with macros; without it one is made of the date."},
	{Name: "format", Type: TextType, Example: `"gif"`,
		Doc: "Sends this output of the movie in place of the MP4 (ftp, sftp, folder, email); the export must name it in " +
			"format too."},
	{Name: "from", Type: TextType, Example: `"studio@example.com"`, Doc: "Is the sender of an e-mail."},
	{Name: "to", Type: ListType, Or: TextType, Example: `["ana@example.com"]`,
		Doc: "Lists up to 10 addresses that get the e-mail."},
	{Name: "subject", Type: TextType, Example: `"Your movie is ready"`, Doc: "Is the subject of an e-mail, with macros."},
	{Name: "message", Type: TextType, Example: `"Watch it at __video_url__"`, Doc: "Is the text of an e-mail, with macros."},
}

// The properties of a preload item, besides those of the element of its type.
var preloadProperties = []Property{
	{Name: "id", Type: TextType, Required: true, Example: `"intro"`,
		Doc: "Begins the names of the variables that the item becomes."},
	{Name: "type", Type: ChoiceType, Values: []string{"image", "video", "audio", "voice", "html", "component"}, Required: true,
		Example: `"video"`, Doc: "Says what the item is; it takes the properties of the element of this type."},
}

// objectProperties maps the kinds of the small objects, such as crop and rotate, to their properties.
var objectProperties = map[string][]Property{
	"thumbnail": {
		{Name: "time", Type: NumberType, Unit: "s", Min: at(0), Example: "2.5",
			Doc: "Takes the frame at this time of the movie."},
		{Name: "scene", Type: TextType, Example: `"intro"`,
			Doc: "Takes a frame of the scene with this number, from 1, or this id."},
	},
	"transition": {
		{Name: "style", Type: ChoiceType, Values: TransitionStyles, Default: `"fade"`, Example: `"wipeleft"`,
			Picture: "14-transition-wipeleft",
			Doc:     "Names the way in which the scene comes in."},
		{Name: "duration", Type: NumberType, Unit: "s", Min: at(0), Default: "1", Example: "0.5",
			Doc: "Sets how long the transition takes, as far as both scenes are long enough; 0 is none."},
		{Name: "type", Type: ChoiceType, Values: []string{"xfade"}, Default: `"xfade"`, Idle: true, Example: `"xfade"`,
			Doc: "Is accepted from older clients."},
	},
	"crop": {
		{Name: "width", Type: IntegerType, Unit: "px", Min: at(1), Required: true, Example: "640",
			Doc: "Is the width of the rectangle."},
		{Name: "height", Type: IntegerType, Unit: "px", Min: at(1), Required: true, Example: "360",
			Doc: "Is the height of the rectangle."},
		{Name: "x", Type: IntegerType, Unit: "px", Default: "0", Example: "100",
			Doc: "Is the left edge of the rectangle in the source."},
		{Name: "y", Type: IntegerType, Unit: "px", Default: "0", Example: "50",
			Doc: "Is the upper edge of the rectangle in the source."},
	},
	"scale": {
		{Name: "width", Type: IntegerType, Unit: "px", Min: at(-1), Default: "-1", Example: "640",
			Doc: "Is the width; -1 keeps the proportions."},
		{Name: "height", Type: IntegerType, Unit: "px", Min: at(-1), Default: "-1", Example: "-1",
			Doc: "Is the height; -1 keeps the proportions."},
	},
	"rotate": {
		{Name: "angle", Type: NumberType, Unit: "°", Min: at(-fullTurn), Max: at(fullTurn), Default: "0", Example: "45",
			Picture: "06-rotate",
			Doc:     "Turns the element clockwise around its middle."},
		{Name: "speed", Type: NumberType, Unit: "s", Min: at(0), Default: "0", Example: "2",
			Doc: "Sets how long turning through the angle takes; 0 turns it from the start."},
	},
	"chroma-key": {
		{Name: "color", Type: ColorType, Required: true, Example: `"#00b140"`, Picture: "11-chroma-key",
			Doc: "Is the colour that becomes transparent."},
		{Name: "tolerance", Type: NumberType, Min: at(minTolerance), Max: at(maxTolerance), Default: "25", Example: "40",
			Doc: "Sets how near to the colour another one may be: 1 only the colour itself, 100 everything."},
	},
	"correction": {
		{Name: "brightness", Type: NumberType, Min: at(-1), Max: at(1), Default: "0", Example: "0.1", Picture: "12-correction",
			Doc: "Makes the picture brighter, or darker with a negative value."},
		{Name: "contrast", Type: NumberType, Min: at(-maxContrast), Max: at(maxContrast), Default: "1", Example: "1.2",
			Picture: "12-correction",
			Doc:     "Multiplies the differences of brightness."},
		{Name: "gamma", Type: NumberType, Min: at(minGamma), Max: at(maxGamma), Default: "1", Example: "1.1", Picture: "12-correction",
			Doc: "Lightens the middle tones, or darkens them below 1."},
		{Name: "saturation", Type: NumberType, Min: at(0), Max: at(maxSaturation), Default: "1", Example: "0", Picture: "12-correction",
			Doc: "Multiplies the strength of the colours; 0 is grey."},
	},
	"capture": {
		{Name: "duration", Type: NumberType, Unit: "s", Min: at(0), Max: at(maxCapture), Default: "0", Example: "4",
			Doc: "Shows so many seconds of the page's animations, after which the last frame stays; 0 is a still."},
		{Name: "width", Type: IntegerType, Unit: "px", Idle: true, Example: "640",
			Doc: "Is accepted from older clients; the page is as large as the element."},
		{Name: "height", Type: IntegerType, Unit: "px", Idle: true, Example: "360",
			Doc: "Is accepted from older clients; the page is as large as the element."},
	},
}

package document

// ours holds our choices for values that no public documentation gives. It maps the title of a chapter of the reference
// (docs/movie.md) and the name of a property to a remark that tells the choice. Documented values are in
// docs/movie-schema.md and, for looks, in docs/text-styles.md and docs/components.md.
var ours = map[string]map[string]string{
	"Movie": {
		"quality":   "x264's crf: low 28, medium 23, high 19",
		"thumbnail": "seconds, or an object with time or scene; without it the frame at 1 second",
	},
	"Transition": {
		"style":    "an unknown one fades; the first scene comes from black",
		"duration": "1 s",
	},
	"Scenes and elements": {
		"iterate":      "beside names also lists, expressions and numbers",
		"iterate-from": "the name", "iterate-to": "the name", "iterate-step": "the name",
	},
	"Elements with a picture": {
		"position":     "5 % of the canvas's width and of its height",
		"x":            "added to a position",
		"y":            "added to a position",
		"resize":       "the element stands in the middle of the canvas",
		"rotate":       "clockwise; what is turned keeps its size",
		"zoom":         "10 % a level, evenly over the element's time",
		"pan":          "evenly over the element's time; with zoom the view ends that much off the middle",
		"pan-distance": "a share of the element's own size",
		"pan-crop":     "enlarged by as much as it travels",
		"mask":         "stretched to the element",
	},
	"ChromaKey":    {"tolerance": "hundredths of the greatest distance between two colours, without their brightness"},
	"Element html": {"wait": "without it, when finite animations have ended, 5 s at most"},
	"Element audiogram": {"color": "what is drawn: bars of the peaks around a middle line, 2 s at once, which move past as " +
		"they are heard"},
	"Element text":      {"style": "the styles called moviola/…; of the others what docs/text-styles.md lists"},
	"Settings of texts": {"pill-color": "white"},
	"Settings of subtitles": {
		"style": "boxes reach a fifth of font-size over the words, and their corners are as round; words " +
			"without times of their own have a share of their line's",
		"position":           "5 % from the edges; mid-top and mid-bottom at a quarter and three quarters of the height",
		"x":                  "without it the middle of the movie",
		"y":                  "the upper edge of the text",
		"max-words-per-line": "lines about equally long; captions of your own only when it is given",
	},
	"Animate": {
		"duration": "1000 ms", "delay": "none", "easing": "easeOutExpo",
		"animation": "none is at its end at once",
	},
	"Component basic/000": {
		"card":     "white letters",
		"headline": "fades in and slides up by its font-size, easeOutCubic; line-height 1.2",
		"body":     "fades in and slides up by its font-size, easeOutCubic; line-height 1.3; 0.3em above it",
	},
	"Component basic/001": {
		"card": "at the left; white letters", "bar": "grows in 500 ms, easeOutCubic",
		"headline": "fades in and slides down by its font-size; line-height 1.2",
		"body":     "fades in and slides down by its font-size; line-height 1.3; 0.3em above it",
	},
	"Component basic/050": {
		"card": "padding 0 4vw 7vh 4vw, as in 051", "bar": "1vw; easeOutCubic",
		"headline": "auto is at most 4vw; opens with easeOutExpo, then its text fades in and slides up by 0.6 of its " +
			"font-size, easeOutCubic",
		"lead": "auto is at most 2.2vw; 200 ms after the headline, as that",
	},
	"Component basic/051": {
		"headline": "auto is at most 3.4vw; moves as that of 050", "bar": "the ring is drawn around the picture, a " +
			"twentieth of it wide",
	},
	"Component basic/052": {"headline": "easeOutCubic", "section": "several stand side by side"},
	"Component basic/120": {
		"image": "bounces from half its size", "name": "fades in and slides up by its font-size, easeOutCubic; line-height 1.2",
		"title": "as the name; line-height 1.3", "description": "line-height 1.3",
	},
	"Component basic/125": {
		"table":  "black letters of 3vw, line-height 1.3; 100% wide, in the middle",
		"header": "bold, a line of 0.2vw below, padding 0.6vw 1vw; fades in and slides up by 2vh in 500 ms, easeOutCubic",
		"cells":  "padding 0.6vw 1vw; rows fade in and slide from 4vw to the right in 700 ms, easeOutExpo, 200 ms apart",
	},
	"Component advanced/000": {"animation": "9vw; nothing is seen after the last text"},
	"Component advanced/001": {
		"animation": "4vw", "animation › speed": "at 3 a word falls for 600 ms and the next begins after 300 ms; other " +
			"speeds in proportion",
	},
	"Component advanced/050": {"button": "grows from nothing in 1100 ms, easeOutElastic; 3vw, padding and corners as in 051"},
	"Component advanced/051": {"cursor": "comes from 90% of the width and height; white"},
	"Component advanced/060": {"counter": "10vw, line-height 1.2; no separators of thousands"},
	"Component advanced/070": {"rating › value": "parts of a symbol are shown",
		"rating › size": "symbols are 0.18 of their size apart"},
	"Component advanced/100": {
		"image": "1000 ms, easeInOutCubic; faces stand out, without any edges and strong colours", "image › final-height": "100%",
	},
	"Component advanced/110": {"ring": "all of it: no page describes this id"},
	"Component shape/rectangle": {
		"rectangle": "the whole box, #2ea4ff",
	},
	"Component shape/polygon": {
		"polygon › stroke": "the name", "polygon › stroke-width": "the name", "polygon › clip-path": "another form",
		"polygon › sides": "another form",
	},
	"Component shape/3dbox": {
		"origin": "the name, and those of its properties", "destination": "the name; 2000 ms, easeInOutCubic", "box": "all of it",
		"front": "#2ea4ff where no picture is given",
	},
	"Component shape/cutout": {
		"background": "is seen through the hole; what is around is clear", "cutout": "1000 ms, easeOutExpo, from nothing to its size",
		"cutout › shape": "star and heart", "cover": "all of it", "hole": "all of it",
	},
	"Component textbox/simple": {"textbox": "the whole box; the largest letters that fit; at the top"},
	"Component shape/html":     {"html": "the whole box; 4vw; simple tags only"},
}

// ownLook is the remark in the reference for a component that is not documented: its whole look is our own design.
const ownLook = "all of it: a look of our own"

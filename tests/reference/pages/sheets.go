package pages

// Sheets is what was seen in the movies of docs/gallery that show many properties at once, one line each.
var Sheets = map[string]string{
	"28-text-fonts": "nine texts on boxes of their size: bold slanted serifs by font, the heaviest weight, a slant, wide " +
		"lines, letters and words apart, capitals, an underline, lines that end at the right",
	"29-text-paint": "a red outline, a gradient behind a text, one of which little is left, a shadow of a box and one of " +
		"letters, a border, round corners, padding on all sides, a margin that moves nothing else",
	"30-text-places": "nine framed texts in the corners, at the middles of the edges and in the middle, each in the corner or " +
		"at the edge that it names",
	"31-page": "a page with a yellow body: serif letters in its middle, below the padding",
	"32-component-looks": "nine boxes of a component: two sides with borders, two round corners, one turned, one nearly clear, a " +
		"text at its padding, a shadow, a serif with wide lines, an outline, a gradient with a white border",
	"33-animate": "half way: a red rectangle between two places, turned by 45 degrees; a triangle whose colour is between " +
		"yellow and blue, with a yellow outline",

	"34-sizes": "pictures in the upper left of their places: the shape stays with one side given, not with both; a " +
		"part around the sun by crop; one that lets the ground through; the logo, as high as its place",
	"35-times": "at 2.5 s: what began at 1 s and what stays is there, what begins later or has ended is not; a film " +
		"from its third second, one that plays twice, a text that follows another",
	"36-moves": "at 1.9 s: pictures that have moved, the third out of its place; nearer and further ones; one " +
		"turned by nearly 45 degrees; an orange disc with a thin green edge, and with none by more tolerance",
	"37-canvas":     "a canvas of 640 × 800 in the movie's yellow",
	"38-resolution": "an upright canvas, named by its resolution",
	"39-repetition": "one row of boxes for each way to repeat: all four fruits, from the second, up to the third, every " +
		"second, those that a condition lets through, by variables; below a line from the scene that is imported",
	"40-html": "at 1 s: a bar at its full width, as it was at half a second, and half way in a film; a red button " +
		"of Tailwind, a green page by its address, a circle of fine lines",
	"41-caption-letters": "two words in white and yellow capitals, the spoken one yellow, with red outlines and black " +
		"shadows, in the middle",
	"42-caption-font": "capitals of a font by its address on a violet box with round corners, the spoken word yellow",
	"43-cards": "cards and lower thirds, documented and our own: headlines, paragraphs, bars, strips and round " +
		"pictures, no text cut",
	"44-items": "two panels half way, a table with lines and a coloured first column, profiles, buttons, and " +
		"pointers on buttons",
	"45-figures": "counters with a unit at their numbers, a picture half way to the right, three and a half stars and " +
		"hearts, a bar, rings at 66 %, a counter on its way",
	"46-texts": "a text that has come near; at 1 s a word that falls slowly is still larger than its place, and cut " +
		"off there; a fast one rests; letters that fall; texts as large as their boxes let them be, and two that are larger, by " +
		"min-font-size; tags in texts",
	"47-solids": "a triangle with an outline, a hexagon, a shape by clip-path; boxes turned around each axis, one of " +
		"which reaches out of its place; faces with a picture and colours, a smaller one, one from behind",
	"48-cutout": "a picture seen through a circle with a white line, an ellipse, a rectangle, a triangle, a star, " +
		"and holes that moved and grew; a red cover with a heart in it",
	"49-motion": "at 0.6 s: a headline at rest without animation and after 600 ms, half there after 3 s, not yet " +
		"there with a delay, hardly there and there already by its easing",
	"50-more-looks": "pictures that cover, fit and lie at the bottom of their boxes; a text cut at its card and one that " +
		"goes over it; a narrow card; a table with wide gaps; a box beside two that are hidden; a font by its address",
	"51-animate": "half way: boxes between two places, in between two colours and sizes",
	"52-transition-duration": "half way through two seconds: the blue scene covers the left half of the red one, with one " +
		"straight edge through both texts",
	"53-text-boxes": "a script on a gradient, a yellow border and none, paddings that push a text to a corner of its " +
		"box, margins that move the box, a red outline, words on yellow pills that are tilted",
	"54-component-sides": "boxes with borders at two sides in other colours and widths, in four colours, corners of different " +
		"sizes, paddings, and margins that move a card",
	"55-caption-colors": "the spoken word dark on a green box with round corners, the others yellow, and the box ends before " +
		"the next word",
	"56-dress": "a picture upside down, darker and lighter by gamma, darker by brightness, with more contrast; the " +
		"logo at the lower right, moved by x and y",
	"57-animate-parts": "half way: a text and a page that have moved, turned and faded, a box that turns, holes that have " +
		"moved and grown",
}

package timeline

import (
	"time"

	"moviola/domain/caption"
)

// Page is what an HTMLLayer shows. The page is as large as the layer's box. HTML or Source is set; HTML wins.
type Page struct {
	HTML     string // a fragment, shown over nothing
	Source   string // address of a page, which is not among the facts
	Settings []Setting
	Tailwind bool
	Wait     float64 // seconds after the page and its fonts have been loaded, 0 to 10
	// Finished has the picture taken when the page's finite animations have ended, 5 s later at most: no wait was given. Decision 67.
	Finished bool    `json:",omitempty"`
	DPI      float64 // pixels of the drawing for each pixel of the page; the result is scaled down to the box
	// Capture is how many frames of the element show the page moving, at the movie's rate and from the end of Wait on; 0: a still.
	// Afterwards the last frame stays.
	Capture int64
	// Now is when the page begins, by its own clock. It is set by who draws it, and is no part of what the page is.
	Now time.Time `json:"-"`
	// Fresh forbids to take the picture of the page from a cache: the element's cache is false. It is no part of what the page is either.
	Fresh bool `json:"-"`
	// Sealed has the page reach no network. It is set by who draws it.
	Sealed bool `json:"-"`
}

// DrawingView is a part of an SVG drawing: W × H pixels of a canvas on which the drawing, of Width × Height pixels on its own, lies at X, Y,
// enlarged by ScaleX and ScaleY.
type DrawingView struct {
	W, H           int
	X, Y           float64
	ScaleX, ScaleY float64
	Width, Height  float64
}

// Setting is a CSS property of the body of a page, as written; names are in lower case with dashes.
type Setting struct{ Name, Value string }

// Audiogram draws the waveform of the mixed sound, from the middle of the box up and down.
type Audiogram struct {
	Color     Color
	Amplitude float64 // 0 to 10: a full swing fills Amplitude/5 of half the box's height, and is cut at its edge
}

// Subtitles says where the movie's captions come from and how they look. What they say is found out when the sound is mixed;
// Plan.Caption then adds them.
type Subtitles struct {
	Ref      Ref
	Captions string // an SRT, VTT or ASS text; empty: none was given
	Source   string // key of a file of captions among the sources; empty: none. Without both they are made from what is said
	Language string // lower case, as in the document; "auto": to be found out
	Model    string
	// Connection is the id of a saved connection to the provider that listens; empty: none.
	Connection string
	Style      caption.Style // its FontURL is the key of a font among the sources
}

// Captions is what a window shows of the movie's captions, each one a picture of its own, in order and without overlap. The layer's
// box is the canvas.
type Captions struct {
	Style caption.Style
	Shown []ShownCaption
}

// ShownCaption is a caption and the frames of the window that show it: From to before To.
type ShownCaption struct {
	Rows     []caption.Row
	From, To int64
}

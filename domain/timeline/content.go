package timeline

import (
	"time"

	"moviola/domain/caption"
)

// Page is the web page of an HTMLLayer, as large as the layer's box. HTML or Source is set; if both are, HTML is used.
type Page struct {
	HTML     string // HTML fragment, shown on a transparent background
	Source   string // address of a page; Lay gets no Facts about the page
	Settings []Setting
	Tailwind bool
	Wait     float64 // seconds to wait after the page and its fonts have been loaded, 0 to 10
	// Finished reports whether the picture is taken when the page's finite animations have ended, at most 5 s after loading,
	// because no wait was given. Decision 67.
	Finished bool `json:",omitempty"`
	// DPI is the number of drawn pixels per CSS pixel. Above 1, the drawn picture is scaled down to the box; values below 1 are
	// drawn as 1.
	DPI float64
	// Capture is the number of frames for which the moving page is recorded, at the movie's rate, beginning after Wait; 0: one
	// still picture. The last frame is then shown to the element's end.
	Capture int64
	// Now is the start time on the page's clock. The renderer sets it; the time is not part of the page's identity.
	Now time.Time `json:"-"`
	// Fresh reports whether the picture of the page must not come from a cache, because the element's cache is false. This
	// field is not part of the page's identity.
	Fresh bool `json:"-"`
	// Sealed reports whether the page has no network access. The renderer sets this field.
	Sealed bool `json:"-"`
}

// DrawingView is a part of an SVG drawing. The drawing has Width × Height pixels in its own units. It is scaled by ScaleX and
// ScaleY and placed at X, Y on a canvas, of which a viewport of W × H pixels is shown.
type DrawingView struct {
	W, H           int
	X, Y           float64
	ScaleX, ScaleY float64
	Width, Height  float64
}

// Setting is a CSS property of a page's body, its value as written. Names are in lower case with dashes.
type Setting struct{ Name, Value string }

// Audiogram draws the waveform of the mixed sound, symmetric about the horizontal middle of the box.
type Audiogram struct {
	Color     Color
	Amplitude float64 // 0 to 10: a full-scale signal fills Amplitude/5 of half the box's height, clipped at the box's edge
}

// Subtitles is the source and the look of the movie's captions. The texts of the captions are known when the sound has been
// mixed; then Timeline.Caption adds them.
type Subtitles struct {
	Ref      Ref
	Captions string // an SRT, VTT or ASS text; empty: no text was given
	// key of a caption file among the sources; empty: no file. Without Captions and Source, captions are transcribed from
	// the sound
	Source   string
	Language string // language in which the sound is transcribed, in lower case; "auto": it is detected
	Model    string
	// Connection is the id of a saved connection to the provider that transcribes; empty: no connection is named.
	Connection string
	Style      caption.Style // the field FontURL of the style is the key of a font among the sources
}

// Captions are the captions that a window shows, each of them a picture, in order and without overlap. The layer's box is
// the canvas.
type Captions struct {
	Style caption.Style
	Shown []ShownCaption
}

// ShownCaption is a caption and the frames of the window that show the caption: the field From is the first of them, the field To
// is the frame after the last.
type ShownCaption struct {
	Rows     []caption.Row
	From, To int64
}

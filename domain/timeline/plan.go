package timeline

import "moviola/domain/document"

// The vocabulary that a plan shares with its document.
type (
	// Rate is frames per second as an exact, positive fraction: 25/1, 2997/100.
	Rate = document.Rate
	// Color is 8 bits per channel, not premultiplied.
	Color = document.Color
	// Ref names an element for messages: "Scene #1 Element #2". Scene 0 is the movie itself.
	Ref = document.Ref
	// Quality is the wanted balance of size and looks.
	Quality = document.Quality
)

// The qualities of the movie's quality property.
const (
	Low    = document.Low
	Medium = document.Medium
	High   = document.High
)

// Plan is a movie laid out in frames and pixels: all that a renderer needs to know, and nothing it has to decide.
type Plan struct {
	Width, Height  int // pixels, even
	FPS            Rate
	Frames         int64 // length of the movie
	Windows        []Window
	Audio          []Clip
	ThumbnailFrame int64
	Quality        Quality
	Draft          bool       // every frame is to be marked (decision 37); the mark is no layer of the plan
	Held           bool       // frames that look like the one before may be written as such
	Fresh          bool       // the movie's cache is false: nothing that was rendered before may be taken, not even its sound
	Subtitles      *Subtitles // nil: none. Their layers are added by Caption, when the captions are known
	Warnings       []string
}

// Window is a stretch of the movie that is rendered by itself. The windows of a plan follow each other without gap or overlap
// and cover it. None is much longer than 15 seconds unless it is a transition: they are cut here and nowhere else, also
// inside videos and animations, and what a window shows does not depend on where it was cut.
type Window struct {
	Scene      int   // number of the scene, from 1; 0 in a movie without scenes
	Start      int64 // frame of the movie
	Frames     int64
	Background Color
	Layers     []Layer // bottom first
	// Transition is set in a window in which a scene comes in. Background and Layers are those of the entering scene then, and
	// the leaving one is in here.
	Transition *Transition
	// Fresh forbids to take the window from a cache: the movie, the scene or one of the scene's elements says so. What is rendered
	// may be kept for others.
	Fresh bool
}

// Transition is the change from one scene to the next, over all frames of its window. At the window's frame k, of n, its share
// k/n is done: the first frame shows the leaving scene alone, and the frame after the last one would show the entering scene
// alone. Both are complete, opaque pictures: the movie's elements below the scenes are among the layers of both.
type Transition struct {
	Style      string // one of document.TransitionStyles, named as in ffmpeg's xfade filter
	Scene      int    // number of the leaving scene; 0: the black before the first one
	Background Color  // of the leaving scene
	Layers     []Layer
	// Over is drawn over the changing picture and does not change with it: the elements of the movie above the scenes.
	Over []Layer
}

// LayerKind says what a layer shows.
type LayerKind string

// The kinds of layers.
const (
	ImageLayer     LayerKind = "image"
	VideoLayer     LayerKind = "video"
	TextLayer      LayerKind = "text"
	HTMLLayer      LayerKind = "html"
	ComponentLayer LayerKind = "component"
	AudiogramLayer LayerKind = "audiogram" // the waveform of the mixed sound
	CaptionLayer   LayerKind = "caption"   // the subtitles
	ColorLayer     LayerKind = "color"     // a filled box: the half transparent background of a scene over elements of the movie
)

// Layer is one picture in one window: an element, or the part of it that falls into the window. The frame of the element that
// the window's frame k shows is Phase + k - From, which counts from 0 to Life-1; everything that moves is given in it.
type Layer struct {
	Ref       Ref
	Kind      LayerKind
	Source    string              // key of the image or video among the facts
	Text      *Text               // of a TextLayer
	Page      *Page               // of an HTMLLayer
	Component *document.Component // of a ComponentLayer; the settings' lengths are relative to Box
	Audiogram *Audiogram          // of an AudiogramLayer
	Captions  *Captions           // of a CaptionLayer
	Color     Color               // of a ColorLayer
	Box       Box                 // where it is drawn; may reach over the canvas
	// Crop is the part of the source that fills the box, in source pixels. The zero Crop is the whole source.
	Crop Box
	From int64 // first frame of the window that shows it
	To   int64 // first frame that does not any more
	// Phase is how many frames of the element lie before From: not 0 where a window begins in its middle.
	Phase int64
	// Seek is where in the source the element begins, and Loop how long one play of the source is, both in seconds. Loop 0: it
	// is played once. Plays is how often a looped source is played at most; 0: endlessly. When the plays are over, the last
	// frame stays.
	Seek  float64
	Loop  float64
	Plays int
	// Animated is an ImageLayer that is played like a video: an animated GIF or WebP.
	Animated bool
	// FadeIn and FadeOut are lengths in frames, at the element's own start and end; Life is the element's whole length.
	FadeIn, FadeOut, Life int64
	Effects               *Effects // nil: none
}

// Box is a rectangle in pixels.
type Box struct{ X, Y, W, H int }

// Text is a text and how it is set in the layer's box.
type Text struct {
	Text      string
	Settings  TextSettings
	Animation *Animation // how it comes in; nil: it is there from the start
}

// Clip is a stretch of sound, placed in the whole movie.
type Clip struct {
	Ref    Ref
	Source string // key of the video, audio or voice among the facts
	From   int64  // frame of the movie
	To     int64
	Seek   float64 // seconds
	Loop   float64 // seconds of one play; 0: once
	Plays  int     // how often a looped source is played at most; 0: endlessly. Silence follows
	Volume float64
	// FadeIn and FadeOut are lengths in frames, at From and before To.
	FadeIn, FadeOut int64
}

// Facts is what has been found out about a source by probing it. They are given to Lay by the source's key.
type Facts struct {
	Width, Height int     // as shown, after rotation; 0 without picture
	Duration      float64 // seconds; 0 of a still image, a font or a file of captions
	HasVideo      bool
	HasAudio      bool
}

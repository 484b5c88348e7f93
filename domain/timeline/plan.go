package timeline

import "moviola/domain/document"

// Types of package document that a timeline uses too.
type (
	// Rate is frames per second as an exact, positive fraction: 25/1, 2997/100.
	Rate = document.Rate
	// Color is a colour of 8 bits per channel, not premultiplied.
	Color = document.Color
	// Ref names an element for messages: "Scene #1 Element #2". Scene 0 means the movie itself.
	Ref = document.Ref
	// Quality is the chosen balance between file size and picture quality.
	Quality = document.Quality
)

// The values of a movie's property quality.
const (
	Low    = document.Low
	Medium = document.Medium
	High   = document.High
)

// Timeline is a movie laid out in frames and pixels. It holds everything that a renderer needs, and leaves no choice to the
// renderer.
type Timeline struct {
	Width, Height  int // size of the movie in pixels, even
	FPS            Rate
	Frames         int64 // length of the movie in frames
	Windows        []Window
	Audio          []Clip
	ThumbnailFrame int64
	Quality        Quality
	Draft          bool // every frame gets the draft mark (decision 37), which is not a layer of the timeline
	Held           bool // a frame that equals the previous one may be written as a repeat
	Fresh          bool // the movie's cache is false: pictures and sound must not come from earlier renders
	// source and look of the captions; nil: none. Caption adds the captions' layers when their texts are known
	Subtitles *Subtitles
	Warnings  []string
}

// Window is a stretch of the movie that is rendered on its own. The windows of a timeline cover the movie without gap or
// overlap. None of them is much longer than 15 seconds, except transitions. Only this package cuts a movie into windows. It
// also cuts inside videos and animations; the pictures do not depend on the cuts.
type Window struct {
	Scene      int   // number of the scene, from 1; 0 in a movie without scenes
	Start      int64 // first frame of the window in the movie
	Frames     int64
	Background Color
	Layers     []Layer // layers of the window or of its entering scene, the bottom layer first
	// Transition is set in a window in which one scene replaces another. Background and Layers are then those of the
	// entering scene; Transition holds those of the leaving scene.
	Transition *Transition
	// Clear is set in a window with transparent parts: the backgrounds of the movie and of the scene are transparent. The MP4
	// shows black there.
	Clear *Clear
	// Fresh reports whether the window must not come from a cache, because the movie, a scene that it shows, an element of
	// such a scene, or an element of the movie in the window has cache false. The rendered window may be stored in the
	// cache.
	Fresh bool
	// Pieces is set in a window that the renderer has made of several short windows, in order to encode them together. These windows
	// are neighbours, with cuts between them and no transition. Background, Layers, Transition and Clear are then empty.
	Pieces []Window
}

// Clear holds the backgrounds of a window over white instead of black. Where a window looks different over black and over
// white, the movie is transparent. The difference is the degree of transparency.
type Clear struct {
	Scene   Color // background of the entering or only scene
	Leaving Color // background of the leaving scene of a transition
}

// Transition is the change from one scene to the next, over all frames of its window. At frame k of n the fraction k/n of
// the change is done: the first frame shows the leaving scene alone, and the frame after the last one would show the
// entering scene alone. Both scenes are complete, opaque pictures: elements of the movie that are seen through a scene are
// among its layers.
type Transition struct {
	Style      string // one of document.TransitionStyles, named as in ffmpeg's xfade filter
	Scene      int    // number of the leaving scene; 0: black, before the first scene
	Background Color  // background of the leaving scene
	Layers     []Layer
	// Over has the layers that are drawn above the transition and are not affected by it: the elements of the movie above
	// the scenes.
	Over []Layer
}

// LayerKind is the kind of picture that a layer shows.
type LayerKind string

// The kinds of layers.
const (
	ImageLayer     LayerKind = "image"
	VideoLayer     LayerKind = "video"
	TextLayer      LayerKind = "text"
	HTMLLayer      LayerKind = "html"
	ComponentLayer LayerKind = "component"
	AudiogramLayer LayerKind = "audiogram" // the waveform of the mixed sound
	CaptionLayer   LayerKind = "caption"   // the captions
	ColorLayer     LayerKind = "color"     // a filled box: the translucent background of a scene, over elements of the movie
)

// Layer is one picture in one window: an element (or the part of it that falls into the window), the captions, or the
// background of a scene. Frame k of the window shows frame Phase + k - From of the element, 0 to Life-1. Fades, zooms, pans
// and rotations are given in frames of the element.
type Layer struct {
	Ref       Ref
	Kind      LayerKind
	Source    string              // key of the image or video among the facts; see Facts
	Text      *Text               // text of a TextLayer
	Page      *Page               // page of an HTMLLayer
	Component *document.Component // component of a ComponentLayer; the settings' lengths are relative to Box
	Audiogram *Audiogram          // waveform of an AudiogramLayer
	Captions  *Captions           // captions of a CaptionLayer
	Color     Color               // colour of a ColorLayer
	Box       Box                 // rectangle in which the layer is drawn; it may extend beyond the canvas
	// Crop is the part of the source that fills the box, in source pixels. The zero Crop is the whole source.
	Crop Box
	From int64 // first frame in which the layer is shown, counted from the start of the window
	To   int64 // first frame after From in which the layer is not shown any more, counted from the start of the window
	// Phase is the number of the element's frames before From. It is not 0 when the element began in an earlier window.
	Phase int64
	// Seek is the start position in the source, Loop the length of one play of the source, both in seconds. Loop 0: the
	// source is played once. Plays is the maximum number of plays; 0: no maximum. After the last play its last frame is
	// held.
	Seek  float64
	Loop  float64
	Plays int
	// Animated reports whether an ImageLayer is played like a video, because its image is an animated GIF or WebP.
	Animated bool
	// FadeIn and FadeOut are lengths in frames, at the element's own start and end; Life is the element's whole length.
	FadeIn, FadeOut, Life int64
	Effects               *Effects // effects on the picture; nil: none
}

// Box is a rectangle in pixels.
type Box struct{ X, Y, W, H int }

// Text is a text and its settings.
type Text struct {
	Text      string
	Settings  TextSettings
	Animation *Animation // animation by which the text appears; nil: the text is complete from the start
}

// Clip is the sound of an element, placed in the whole movie.
type Clip struct {
	Ref    Ref
	Source string // key of the video, audio or voice in the map of Facts that Lay takes
	From   int64  // first frame of the clip in the movie
	To     int64
	Seek   float64 // start position in the source, in seconds
	Loop   float64 // length of one play in seconds; 0: the source is played once
	Plays  int     // maximum number of plays; 0: no maximum. Silence follows the last play
	Volume float64
	// FadeIn and FadeOut are lengths in frames; FadeIn begins at From, and FadeOut ends at To.
	FadeIn, FadeOut int64
}

// Facts holds the results of probing a source. Lay takes a map of Facts by the source's key.
type Facts struct {
	Width, Height int     // size of the picture in pixels as displayed, after rotation; 0: the source has no picture
	Duration      float64 // length of the source in seconds; 0 for a still image, a font or a caption file
	HasVideo      bool
	HasAudio      bool
}

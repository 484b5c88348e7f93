package document

import "strings"

// Effects is what an element of the picture does beside being there. The zero Effects is wrong for Opacity; readers of documents
// always set it.
type Effects struct {
	Opacity     float64 // 0 to 1
	Zoom        float64 // levels of 10 % over the element's life, -10 to 10; negative: zooms out. Decision 26
	Pan         Pan
	PanDistance float64 // share of the picture that is travelled, 0.01 to 0.5
	PanCrop     bool    // the picture is enlarged so that panning uncovers nothing
	Rotate      Rotate
	FlipX       bool   // mirrored left to right
	FlipY       bool   // upside down
	Mask        string // address of an image or video whose brightness is the element's opacity; empty: none
	ChromaKey   *ChromaKey
	Correction  *Correction
}

// Pan is where the view travels to: -1, 0 or 1 along each axis, right and down being positive. The zero Pan stays.
type Pan struct{ X, Y int }

// Rotate turns an element clockwise around its middle.
type Rotate struct {
	Angle float64 // degrees, -360 to 360
	Speed Seconds // how long turning through the angle takes; 0: it is turned from the start
}

// ChromaKey makes a colour transparent.
type ChromaKey struct {
	Color     Color
	Tolerance float64 // 1 (this colour only) to 100 (everything)
}

// Correction changes colours, in the ranges of ffmpeg's eq filter.
type Correction struct {
	Brightness float64 // -1 to 1; 0
	Contrast   float64 // -1000 to 1000; 1
	Gamma      float64 // 0.1 to 10; 1
	Saturation float64 // 0 to 3; 1
}

// Transition is how a scene comes in over the one before it, or over black in the first scene.
type Transition struct {
	Style    string  // one of TransitionStyles
	Duration Seconds // as asked for: the scenes may be too short for it
}

// TransitionStyles are the ways in which a scene can come in, named as in ffmpeg's xfade filter. Movie-schema §2.1.
var TransitionStyles = strings.Fields(`fade wipeleft wiperight wipeup wipedown slideleft slideright slideup slidedown circlecrop
	rectcrop distance fadeblack fadewhite radial smoothleft smoothright smoothup smoothdown circleopen circleclose vertopen
	vertclose horzopen horzclose dissolve pixelize diagtl diagtr diagbl diagbr hlslice hrslice vuslice vdslice hblur fadegrays
	wipetl wipetr wipebl wipebr squeezeh squeezev zoomin`)

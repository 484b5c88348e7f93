package document

import "strings"

// Effects are the effects on the picture of an element. The zero Effects has Opacity 0, which is not the default; so code
// that reads the effects of an element sets it.
type Effects struct {
	Opacity     float64 // 0 (invisible) to 1 (opaque)
	Zoom        float64 // enlargement over the element's lifetime in levels of 10 %, -10 to 10; negative: zooms out. Decision 26
	Pan         Pan
	PanDistance float64 // distance of the pan as a fraction of the picture, 0.01 to 0.5
	PanCrop     bool    // enlarge the picture so that panning leaves no empty area
	Rotate      Rotate
	FlipX       bool   // mirrored left to right
	FlipY       bool   // upside down
	Mask        string // address of an image or video whose brightness becomes the element's alpha; empty: no mask
	ChromaKey   *ChromaKey
	Correction  *Correction
}

// Pan is the direction of a pan: -1, 0 or 1 on each axis; right and down are positive. The zero Pan does not move.
type Pan struct{ X, Y int }

// Rotate turns an element clockwise around its middle.
type Rotate struct {
	Angle float64 // angle in degrees, -360 to 360
	Speed Seconds // duration of a turn through the angle; 0: the element is rotated from the start
}

// ChromaKey makes a colour transparent.
type ChromaKey struct {
	Color     Color
	Tolerance float64 // range of the colours that become transparent: 1 (nearly this colour only) to 100 (every colour)
}

// Correction changes colours, with the value ranges of ffmpeg's eq filter.
type Correction struct {
	Brightness float64 // -1 to 1; neutral: 0
	Contrast   float64 // -1000 to 1000; neutral: 1
	Gamma      float64 // 0.1 to 10; neutral: 1
	Saturation float64 // 0 to 3; neutral: 1
}

// Transition is the transition into a scene from the scene before, or from black into the first scene.
type Transition struct {
	Style    string  // one of TransitionStyles
	Duration Seconds // requested duration; shortened when a scene is too short for it
}

// TransitionStyles are the styles of transitions, named as in ffmpeg's xfade filter. Movie-schema §2.1.
var TransitionStyles = strings.Fields(`fade wipeleft wiperight wipeup wipedown slideleft slideright slideup slidedown circlecrop
	rectcrop distance fadeblack fadewhite radial smoothleft smoothright smoothup smoothdown circleopen circleclose vertopen
	vertclose horzopen horzclose dissolve pixelize diagtl diagtr diagbl diagbr hlslice hrslice vuslice vdslice hblur fadegrays
	wipetl wipetr wipebl wipebr squeezeh squeezev zoomin`)

package document

import (
	"strconv"

	"moviola/domain/expand"
	"moviola/domain/preload"
)

// Movie is a movie as its document describes it, with defaults filled in.
type Movie struct {
	Width, Height int // canvas in pixels, even
	FPS           Rate
	Quality       Quality
	Draft         bool
	Held          bool // pictures that rest may be written without an encoder
	Cache         bool
	ID            string // the client's own; empty: none
	Template      string // id of a saved template, empty: none
	Project       string // id of a movie to render again, empty: none
	Background    Color  // below everything
	Thumbnail     Thumbnail
	Scenes        []Scene
	Elements      []Element        // shown over the whole movie
	Preload       []preload.Wanted // made ready before everything else
	Subtitles     *Subtitles       // nil: none; also what a scene holds of them, for they belong to the movie
	// Warnings are what was changed or left out silently, for the client to read.
	Warnings []string

	exports  any
	notes    []Note
	repeated []string                        // warnings of keys that are given twice
	source   map[string]any                  // with its variables, when it has any
	grown    int64                           // bytes of memory that it takes filled in; 0: it has no variables
	open     map[expand.Place]bool           // what lacks a property that is not known yet
	from     map[expand.Place]map[string]any // what of source a scene or element was made of
}

// Scene is one part of the movie; the scenes follow each other.
type Scene struct {
	Number     int // from 1
	ID         string
	Length     Length // Fixed, or Own: long enough for its elements
	Background Color
	Cache      bool
	Transition *Transition // how the scene comes in; nil: it is simply there
	Elements   []Element
}

// Element is one picture, text or sound.
type Element struct {
	Ref       Ref
	ID        string
	Src       string            // address of the image, video or audio; of what is made, its key (see Source)
	Prompt    *Prompt           // of an image that is made; nil: it has an address
	Text      string            // of a text, or what a voice says
	Settings  map[string]string // of a text or an html: CSS-like names in lower case with dashes, values as written
	Style     string            // of a text: one of TextStyles
	Page      *Page             // of an html
	Component *Component        // of a component
	Voice     *Voice            // of a voice
	Audiogram *Audiogram        // of an audiogram
	Start     Seconds
	AtEnd     bool // begins at the end of what is already on the timeline; Start is 0 then
	Length    Length
	ExtraTime Seconds
	FadeIn    Seconds
	FadeOut   Seconds
	ZIndex    int
	Position  Position
	X, Y      int
	Width     int // pixels; -1: follows from the rest
	Height    int
	Resize    Resize
	Crop      *Crop
	Effects   Effects
	Volume    float64 // 0 to 10
	Muted     bool
	Seek      Seconds // negative: from the end of the source
	Loop      int     // plays of the source; -1: endless
	Cache     bool
	Keep      bool // what is made for it goes into the media library
}

// Ref names an element for messages. Scene 0 is the movie itself, Element 0 the scene itself; both count from 1.
type Ref struct {
	Scene   int
	Element int
	Type    string
}

// String is the form that messages begin with: "Scene #1 Element #2", "Movie Element #2", "Scene #1", "Movie".
func (r Ref) String() string {
	name := "Movie"
	if r.Scene > 0 {
		name = "Scene #" + strconv.Itoa(r.Scene)
	}
	if r.Element > 0 {
		name += " Element #" + strconv.Itoa(r.Element)
	}
	return name
}

// The element types that can be rendered.
const (
	TypeImage = "image"
	TypeVideo = "video"
	TypeText  = "text"
	TypeAudio = "audio"

	TypeHTML      = "html"
	TypeComponent = "component" // also the deprecated type template, when it names a component
	TypeVoice     = "voice"
	TypeAudiogram = "audiogram"
	TypeSubtitles = "subtitles" // never among the elements of a Movie: see Movie.Subtitles
)

// Quality is the wanted balance of size and looks.
type Quality string

// The qualities of the movie's quality property.
const (
	Low    Quality = "low"
	Medium Quality = "medium"
	High   Quality = "high"
)

// LengthKind says where the length of an element or scene comes from.
type LengthKind int

// The kinds of length. Unset is a length that was not written at all: the own length where there is one, else the container's.
const (
	Unset     LengthKind = iota
	Own                  // -1, "auto": that of the source, or of the animation
	Container            // -2, "container"
	Fixed                // a number of seconds
)

// Length is how long an element or scene lasts. Value is set for Fixed only.
type Length struct {
	Kind  LengthKind
	Value Seconds
}

// Position is where an element sits in the canvas.
type Position string

// The positions. Custom is the top left corner at x and y; x and y are offsets from the others (decision 26).
const (
	Custom       Position = "custom"
	TopLeft      Position = "top-left"
	TopCenter    Position = "top-center"
	TopRight     Position = "top-right"
	CenterLeft   Position = "center-left"
	Center       Position = "center-center"
	CenterRight  Position = "center-right"
	BottomLeft   Position = "bottom-left"
	BottomCenter Position = "bottom-center"
	BottomRight  Position = "bottom-right"
)

// Resize is how an element is fitted to the canvas; empty: not at all.
type Resize string

// The ways to resize.
const (
	Cover Resize = "cover" // fills the canvas, cropped
	Fit   Resize = "fit"   // wholly visible
)

// Crop is the rectangle of the source that is used, in its pixels.
type Crop struct{ X, Y, W, H int }

// Thumbnail chooses the frame of the thumbnail. Decision 26.
type Thumbnail struct {
	Set  bool    // false: the default frame
	Time Seconds // when Scene is empty
	// Scene is the number of a scene, from 1, or its id.
	Scene string
}

package document

import (
	"strconv"

	"moviola/domain/expand"
	"moviola/domain/preload"
)

// Movie is a movie as its document describes it. A missing property has its default value.
type Movie struct {
	Width, Height int // canvas in pixels, even
	FPS           Rate
	Quality       Quality
	Draft         bool
	Held          bool // a frame that equals the previous one may be written as a repeat, without the encoder
	Cache         bool
	ID            string // the client's own id; empty: the document has none
	Template      string // id of a saved template; empty: the document names none
	Project       string // id of a movie to render again; empty: the document names none
	Background    Color  // colour below all layers
	Thumbnail     Thumbnail
	Scenes        []Scene
	Elements      []Element        // elements of the movie itself, not of one of its scenes
	Preload       []preload.Wanted // items that are prepared before the movie is rendered
	Outputs       []Output         // outputs that are made beside the MP4
	Subtitles     *Subtitles       // captions, also those of a scene; nil: the movie has none
	// Warnings are texts for the client about properties that were changed or ignored.
	Warnings []string

	exports  any
	notes    []Note
	failed   bool                            // one of the notes is fatal
	repeated []string                        // warnings about repeated keys
	source   map[string]any                  // the JSON before its variables were filled in; nil: the movie has no variables
	grown    int64                           // approximate memory in bytes after variables were filled in; 0: no variables
	dropped  []string                        // pointers of members of exports whose value is not known
	open     map[expand.Place]bool           // scenes and elements that lack a property because its value is not known yet
	from     map[expand.Place]map[string]any // the object in source from which each scene or element was made
}

// Scene is one part of the movie. Scenes are shown one after the other.
type Scene struct {
	Number     int // number of the scene, from 1
	ID         string
	Length     Length // the scene's length if Length.Kind is Fixed; otherwise the scene is as long as its elements need
	Background Color
	plain      bool // no background is given: the scene has the default
	Cache      bool
	Transition *Transition // transition into the scene; nil: a hard cut
	Elements   []Element
}

// Element is one element: a picture, text, sound, ...
type Element struct {
	Ref       Ref
	ID        string
	Src       string            // address of the image, video or audio; for generated content the source's key (see Source)
	Prompt    *Prompt           // prompt of a generated image; nil: the element is no generated image
	Text      string            // text of a text element, or text that a voice speaks
	Settings  map[string]string // settings of a text or html: CSS-like names in lower case with dashes, values as written
	Style     string            // style of a text: one of TextStyles
	Page      *Page             // page of an html element
	Component *Component        // component of a component element
	Voice     *Voice            // voice of a voice element
	Audiogram *Audiogram        // waveform of an audiogram
	Start     Seconds
	AtEnd     bool // the element starts at the end of the elements before it; Start is then 0
	Length    Length
	ExtraTime Seconds
	FadeIn    Seconds
	FadeOut   Seconds
	ZIndex    int
	Position  Position
	X, Y      int
	Width     int // width in pixels; -1: it follows from the height or from the source
	Height    int
	Resize    Resize
	Crop      *Crop
	Effects   Effects
	Volume    float64 // factor for the loudness of the sound, 0 to 10
	Muted     bool
	Seek      Seconds // start position in the source; negative: counted from its end
	Loop      int     // number of times that the source is played; -1: endless
	Cache     bool
	Keep      bool // generated content is stored in the media library
}

// Ref names an element or scene in messages. Both numbers are counted from 1. Scene 0 means the movie, Element 0 the scene
// itself.
type Ref struct {
	Scene   int
	Element int
	Type    string
}

// String returns the form used in messages: "Scene #1 Element #2", "Movie Element #2", "Scene #1", "Movie".
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
	TypeComponent = "component" // also for the deprecated type template, when it names a component
	TypeVoice     = "voice"
	TypeAudiogram = "audiogram"
	TypeSubtitles = "subtitles" // such an element is read into Movie.Subtitles, not into Movie.Elements
)

// Quality is the chosen balance between file size and picture quality.
type Quality string

// The values of a movie's property quality.
const (
	Low    Quality = "low"
	Medium Quality = "medium"
	High   Quality = "high"
)

// LengthKind tells from what the length of an element or scene follows.
type LengthKind int

// The kinds of length. Unset means that no length is given: the element's own length is used if it has one, otherwise the
// length of its container.
const (
	Unset     LengthKind = iota
	Own                  // -1, "auto": the length of the source or animation
	Container            // -2, "container": the length of the scene or movie
	Fixed                // a number of seconds
	undecided            // not known yet: see shrunk
)

// Length is the requested length of an element or scene. Value is set for Fixed only.
type Length struct {
	Kind  LengthKind
	Value Seconds
}

// Position is the place of an element in the canvas.
type Position string

// The positions. With Custom, the properties x and y are the top left corner of the element; with the others, they are offsets
// from the position (decision 26).
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

// Resize is the way in which an element is scaled to the canvas; empty: it is not scaled.
type Resize string

// The ways to resize.
const (
	Cover Resize = "cover" // the element fills the canvas and is cropped
	Fit   Resize = "fit"   // the element is wholly visible
)

// Crop is the used rectangle of the source, in source pixels.
type Crop struct{ X, Y, W, H int }

// Thumbnail selects the frame of the thumbnail. Decision 26.
type Thumbnail struct {
	Set  bool    // a thumbnail is selected; false: the default frame
	Time Seconds // time of the frame; used when Scene is empty
	// Scene is the number of a scene, from 1, or its id.
	Scene string
}

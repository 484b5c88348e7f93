package document

// readElements reads the elements of a scene, or of the movie when scene is 0. Elements of unknown type are kept, so that
// Validate can report them; subtitles are moved to the movie.
func (m *Movie) readElements(scene int, items []any) []Element {
	elements := make([]Element, 0, len(items))
	for i, item := range items {
		r := reader{movie: m, ref: Ref{Scene: scene, Element: i + 1}}
		props, ok := item.(map[string]any)
		if !ok {
			r.problem(ValueType, "", "An element must be an object")
			elements = append(elements, Element{Ref: r.ref})
			continue
		}
		r.ref.Type = r.as("element", props).word("type")
		r = r.as(ElementKind(r.ref.Type), props)
		if r.ref.Type == TypeSubtitles {
			r.readSubtitles()
			continue
		}
		elements = append(elements, r.element())
	}
	return elements
}

func (r reader) element() Element {
	e := Element{Length: r.length(), Cache: r.flag("cache")}
	e.ID, _ = r.text("id")
	r.checkType()
	if r.props[embeddedMark] != nil {
		r.warn(Deprecated, "type", "The element type 'template' is deprecated, use the movie's own 'template'")
	}
	e.Ref = r.ref
	e.Start, e.AtEnd = r.start()
	e.ExtraTime, e.FadeIn, e.FadeOut = r.seconds("extra-time"), r.seconds("fade-in"), r.seconds("fade-out")
	e.ZIndex = int(r.within("z-index"))
	r.content(&e)
	if e.Seen() {
		r.readPlace(&e)
		r.readEffects(&e)
	}
	if e.Heard() {
		r.readSound(&e)
	}
	r.readKeep(&e)
	return e
}

// content reads the properties that determine what the element shows or plays.
func (r reader) content(e *Element) {
	switch r.ref.Type {
	case TypeText:
		r.readText(e)
	case TypeImage:
		r.readPrompt(e)
	case TypeVideo, TypeAudio:
		e.Src = r.src()
	case TypeHTML:
		r.readPage(e)
	case TypeComponent:
		r.readComponent(e)
	case TypeVoice:
		r.readVoice(e)
	case TypeAudiogram:
		r.readAudiogram(e)
	}
}

// seen are the types of elements with a picture, heard the types of elements with a sound.
var (
	seen = map[string]bool{
		TypeImage: true, TypeVideo: true, TypeText: true, TypeHTML: true, TypeComponent: true, TypeAudiogram: true,
	}
	heard = map[string]bool{TypeVideo: true, TypeAudio: true, TypeVoice: true}
)

// Seen reports whether the element's type has a picture.
func (e *Element) Seen() bool { return seen[e.Ref.Type] }

// Heard reports whether the element's type can have a sound.
func (e *Element) Heard() bool { return heard[e.Ref.Type] }

// checkType reports a type that is missing or unknown. It turns an element of the deprecated type template into a component.
func (r *reader) checkType() {
	switch kind := r.ref.Type; {
	case seen[kind] || heard[kind]:
	case kind == "":
		r.problem(PropertyMissing, "type", "The element requires a 'type' property.")
	case kind == "template":
		r.ref.Type = TypeComponent
		r.warn(Deprecated, "type", "The element type 'template' is deprecated, use 'component'")
	default:
		r.problem(ValueUnknown, "type", "The element type %s is unknown.", quote(kind))
	}
}

// start returns the start of the element. atEnd reports whether the start was -1: the element then starts at the end of the
// elements before it.
func (r reader) start() (at Seconds, atEnd bool) {
	at, _ = r.number("start")
	switch {
	case at.Equal(SecondsOf(-1)):
		return Seconds{}, true
	case at.Sign() < 0:
		r.problem(ValueRange, "start", "The property 'start' must be -1 or not negative")
		return Seconds{}, false
	}
	return at, false
}

// length reads duration: a number of seconds, -1 or "auto", -2 or "container".
func (r reader) length() Length {
	switch r.word("duration") {
	case "":
		return Length{}
	case "auto":
		return Length{Kind: Own}
	case "container":
		return Length{Kind: Container}
	}
	n, ok := r.number("duration")
	switch {
	case !ok:
		return Length{}
	case n.Sign() >= 0:
		return Length{Kind: Fixed, Value: n}
	case n.Equal(SecondsOf(-1)):
		return Length{Kind: Own}
	case n.Equal(SecondsOf(-2)):
		return Length{Kind: Container}
	}
	r.problem(ValueRange, "duration", "The property 'duration' must be a positive number, -1 or -2")
	return Length{}
}

func (r reader) src() string {
	src := r.address()
	if src == "" {
		r.problem(PropertyMissing, "src", "The element type '%s' requires a 'src' property.", r.ref.Type)
	}
	return src
}

func (r reader) address() string {
	src, _ := r.text("src")
	return BareAddress(src)
}

// readSound reads the properties of elements with sound. Volume is a factor of 0 to 10.
func (r reader) readSound(e *Element) {
	e.Volume = r.within("volume")
	e.Muted = r.flag("muted")
	e.Loop = 1
	if e.Ref.Type == TypeVoice {
		return
	}
	e.Seek, _ = r.number("seek")
	e.Loop = r.integer("loop")
	switch {
	case e.Loop < -1:
		r.problem(ValueRange, "loop", "The property 'loop' must be -1 or the number of plays")
	case e.Loop == 0:
		e.Loop = 1
	}
}

// readPlace reads position and size, the properties of elements with a picture.
func (r reader) readPlace(e *Element) {
	e.Position = r.position()
	e.X, e.Y = r.integer("x"), r.integer("y")
	e.Width, e.Height = r.integer("width"), r.integer("height")
	// A size of 0 would show nothing. It is treated as missing, like an empty field of a form.
	if e.Width <= 0 && e.Height <= 0 { // scale is the older name of both width and height
		if scale, ok := r.object("scale"); ok {
			e.Width, e.Height = scale.integer("width"), scale.integer("height")
		}
	}
	if e.Width <= 0 {
		e.Width = -1
	}
	if e.Height <= 0 {
		e.Height = -1
	}
	e.Resize = r.resize()
	if crop, ok := r.object("crop"); ok {
		e.Crop = &Crop{X: crop.integer("x"), Y: crop.integer("y"), W: crop.integer("width"), H: crop.integer("height")}
		if e.Crop.W <= 0 || e.Crop.H <= 0 {
			r.problem(PropertyMissing, "crop", "The property 'crop' requires a positive 'width' and 'height'")
		}
	}
}

// object returns a reader of the object under name. Mistakes in that object are reported for the same element.
func (r reader) object(name string) (reader, bool) {
	value, ok := r.get(name)
	if !ok {
		return reader{}, false
	}
	props, ok := value.(map[string]any)
	if !ok {
		if !idle(value) {
			r.problem(ValueType, name, "The property '%s' must be an object", name)
		}
		return reader{}, false
	}
	inner := r.as(r.row(name).Kind, props)
	inner.path += "/" + r.written(name)
	return inner, true
}

var positions = map[Position]bool{
	Custom: true, TopLeft: true, TopCenter: true, TopRight: true, CenterLeft: true, Center: true, CenterRight: true,
	BottomLeft: true, BottomCenter: true, BottomRight: true,
}

func (r reader) position() Position {
	p := Position(r.word("position"))
	switch {
	case p == "":
		return Custom
	case p == "center":
		return Center
	case !positions[p]:
		r.warn(ValueUnknown, "position", "The position %s is unknown, 'custom' is used", quote(string(p)))
		return Custom
	}
	return p
}

func (r reader) resize() Resize {
	switch word := r.word("resize"); word {
	case "", "none":
		return ""
	case "cover", "fill":
		return Cover
	case "fit", "contain":
		return Fit
	default:
		r.warn(ValueUnknown, "resize", "The way to resize %s is unknown", quote(word))
		return ""
	}
}

package document

// Span is a time interval, in seconds from the start of the movie. The span of an element that is never shown is empty.
type Span struct{ Start, End Seconds }

// Timing holds the times of all scenes and elements of a movie. Scenes are indexed as in the movie, SceneElements as in the
// scenes.
type Timing struct {
	Length        Seconds // length of the movie
	Scenes        []Span  // times of the scenes; consecutive scenes overlap during a transition
	SceneElements [][]Span
	// Transitions are the lengths of the transitions into the scenes, 0: no transition. The first scene's transition comes
	// from black and overlaps nothing.
	Transitions []Seconds
	Elements    []Span // times of the elements of the movie itself
}

// unlimited is the length in seconds of an element, or of an empty scene, when no rule gives a length. Decision 21.
const unlimited = 5

// NaturalFunc returns the length of the source with a key. It returns false when the length is not known.
type NaturalFunc func(key string) (length Seconds, known bool)

// Time computes when each scene and element is shown. Sources of unknown length count as 0. The rules are those of
// movie-schema §5:
//
//   - a scene without a length lasts until its last element has ended, and one with a length cuts what reaches over it;
//   - an element of length -1 lasts as long as its source or its animation, one of -2 as long as its scene or the movie;
//   - an element that starts at -1 starts where the elements before it in the same list have ended, except those that end
//     with their scene or the movie;
//   - the scenes follow each other, a transition lets a scene begin earlier, and the movie lasts until its last scene and its
//     own elements have ended;
//   - decision 21 gives the length where no other rule does.
func Time(m *Movie, natural NaturalFunc) Timing {
	var t Timing
	unknown := t.timeScenes(m, natural)
	t.Transitions = transitionLengths(m, t.Scenes)
	var at Seconds // start of the next scene, before its transition is subtracted
	for i, scene := range t.Scenes {
		start := at
		if i > 0 {
			start = at.Sub(t.Transitions[i])
		}
		t.Scenes[i] = Span{start, start.Add(scene.End)}
		for j, span := range t.SceneElements[i] {
			t.SceneElements[i][j] = Span{start.Add(span.Start), start.Add(span.End)}
		}
		at = t.Scenes[i].End
	}
	c := container{natural: natural, elements: m.Elements, given: len(m.Scenes) > 0, unknown: unknown, length: at}
	t.Elements = c.lay()
	t.Length = c.length
	return t
}

// timeScenes computes the times within every scene, counted from the scene's start. unknown reports whether a scene's length
// depends on a source of unknown length.
func (t *Timing) timeScenes(m *Movie, natural NaturalFunc) (unknown bool) {
	for i := range m.Scenes {
		scene := &m.Scenes[i]
		c := container{natural: natural, elements: scene.Elements, fixed: scene.Length.Kind == Fixed, length: scene.Length.Value}
		if len(scene.Elements) == 0 && !c.fixed {
			c.length = SecondsOf(unlimited)
		}
		t.SceneElements = append(t.SceneElements, c.lay())
		t.Scenes = append(t.Scenes, Span{End: c.length})
		unknown = unknown || c.unknown && !c.fixed
	}
	return unknown
}

// transitionLengths returns the length of the transition into each scene; `scenes` holds the lengths of the scenes. A
// transition has its requested length unless a scene beside it is too short. A scene with a transition at both ends allows
// each of them the scene's length less the requested length of the other one, but at least half of the scene's length.
func transitionLengths(m *Movie, scenes []Span) []Seconds {
	wanted := func(i int) Seconds {
		if i >= len(m.Scenes) || m.Scenes[i].Transition == nil {
			return Seconds{}
		}
		return m.Scenes[i].Transition.Duration
	}
	given := func(scene int, other Seconds) Seconds {
		length := scenes[scene].End
		return length.Half().Max(length.Sub(other))
	}
	lengths := make([]Seconds, len(scenes))
	for i := range scenes {
		lengths[i] = wanted(i).Min(given(i, wanted(i+1)))
		if i > 0 {
			lengths[i] = lengths[i].Min(given(i-1, wanted(i-1)))
		}
	}
	return lengths
}

// LeastCredits returns the movie's minimum price in credits, at least 1: the number of started seconds, as far as the JSON
// alone tells. Sources of unknown length count as 0 seconds, and so do scenes and elements whose length is not known yet.
func LeastCredits(m *Movie) int64 {
	t := Time(m.shrunk(), func(string) (Seconds, bool) { return Seconds{}, false })
	return max(1, m.FPS.Credits(m.FPS.Frame(t.Length)))
}

// container is a scene, or the movie, while its elements are laid out.
type container struct {
	natural  NaturalFunc
	elements []Element
	fixed    bool    // the scene or movie has a fixed length; its elements are cut at its end
	given    bool    // the movie's length was set before the layout began, to that of its scenes
	unknown  bool    // the container's length depends on a source of unknown length
	length   Seconds // the container's length so far; it grows during layout, unless fixed is true
}

// own returns the length of an element by its own content. has is false for an element without such a length, which gets the
// length of its container, or 5 seconds. unknown reports whether the length is not known yet.
func (c *container) own(e *Element) (length Seconds, has, unknown bool) {
	switch {
	case e.Length.Kind == Fixed:
		return e.Length.Value, true, false
	case e.Length.Kind == Container:
		return Seconds{}, false, false
	case e.Length.Kind == undecided:
		return Seconds{}, true, true
	case !e.Heard():
		length := e.animated()
		return length, e.Length.Kind == Own && length.Sign() > 0, false
	}
	length, known := e.Play(c.natural)
	if e.Loop > 1 {
		length = length.Times(int64(e.Loop))
	}
	return length, true, !known
}

// Play returns the length of one play of the element's source: from the seek position to the source's end. A negative seek
// counts from the end.
func (e *Element) Play(natural NaturalFunc) (length Seconds, known bool) {
	length, known = natural(e.Src)
	if !known {
		return Seconds{}, false
	}
	return length.Sub(e.SeekIn(length)).Max(Seconds{}), true
}

// SeekIn returns the element's start position in a source of the given length.
func (e *Element) SeekIn(length Seconds) Seconds {
	if e.Seek.Sign() < 0 {
		return length.Add(e.Seek).Max(Seconds{})
	}
	return e.Seek
}

// lay computes the spans of the elements, relative to the container, and the container's length.
func (c *container) lay() []Span {
	spans := make([]Span, len(c.elements))
	open := make([]bool, len(c.elements)) // for each element, whether it ends with the container
	anyHas := c.fixed || c.given
	for i := range c.elements {
		_, has, unknown := c.own(&c.elements[i])
		anyHas = anyHas || has
		c.unknown = c.unknown || unknown
	}
	var cursor Seconds // latest end of the elements laid out so far, without those that end with the container
	for i := range c.elements {
		e := &c.elements[i]
		start := e.Start
		if e.AtEnd {
			start = cursor
		}
		length, has, _ := c.own(e)
		if !has {
			length = SecondsOf(unlimited)
			open[i] = anyHas || e.Length.Kind == Container
		}
		spans[i] = Span{start, start.Add(length).Add(e.ExtraTime)}
		if !open[i] || !anyHas {
			cursor = cursor.Max(spans[i].End)
		}
	}
	c.grow(cursor)
	if !c.fixed && !c.unknown {
		c.extend(spans, open)
	}
	return c.cut(spans, open)
}

func (c *container) grow(end Seconds) {
	if !c.fixed {
		c.length = c.length.Max(end)
	}
}

// extend gives 5 seconds to elements that have no length, not even -2, and begin when all elements with a length have ended.
// Otherwise such an element would end when it begins, together with its container.
func (c *container) extend(spans []Span, open []bool) {
	reached := c.length
	for i := range spans {
		if !open[i] || c.elements[i].Length.Kind == Container || spans[i].Start.Cmp(reached) < 0 {
			continue
		}
		if c.elements[i].AtEnd {
			spans[i].Start = c.length
		}
		spans[i].End = spans[i].Start.Add(SecondsOf(unlimited)).Add(c.elements[i].ExtraTime)
		open[i] = false
		c.grow(spans[i].End)
	}
}

// cut limits all spans to the end of the container.
func (c *container) cut(spans []Span, open []bool) []Span {
	for i := range spans {
		if open[i] {
			spans[i].End = c.length
		}
		spans[i].End = spans[i].End.Min(c.length)
		spans[i].Start = spans[i].Start.Min(spans[i].End)
	}
	return spans
}

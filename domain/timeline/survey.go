package timeline

import (
	"math"

	"moviola/domain/document"
)

// The codes of notes about the layout. They are stable.
const (
	PropertyUnknown     = "property_unknown"
	TransitionShortened = "transition_shortened"
	ElementOffCanvas    = "element_off_canvas"
)

// Placed is a visible element and its box.
type Placed struct {
	Ref  Ref
	Box  Box
	Text *Text // text of a text element, with an animation made without the element's length; nil: no text element

	Component *document.Component // component of a component element
}

// Survey is the part of a movie's layout that follows from its JSON alone.
type Survey struct {
	Placed []Placed
	Notes  []document.Note // remarks about properties that the render does not follow as written
	Left   int             // number of visible elements that were not laid out, because the survey ended early

	Subtitles *Subtitles // source and style of the subtitles; nil: the movie has none
	// Err is the first mistake in the length of the movie or the size of an element, a *domain.Error: the movie cannot be
	// rendered; nil: none was found.
	Err error
}

// Estimate lays out the elements of a movie whose sources are not available. exact reports whether the times of elements are
// independent of the sources. Estimate stops early when more returns false.
func Estimate(m *document.Movie, exact bool, more func() bool) Survey {
	l := layout{movie: m, facts: guesses(m), plan: &Timeline{Width: m.Width, Height: m.Height, FPS: m.FPS}}
	l.timing = document.Time(m, func(string) (document.Seconds, bool) { return document.Seconds{}, false })
	var s Survey
	if exact {
		l.plan.Frames = m.FPS.Frame(l.timing.Length)
		s.Err = checkLength(l.timing.Length, l.plan.Frames)
		l.warnTransitions()
	}
	l.plan.Frames = max(l.plan.Frames, 1)
	for e := range m.All() {
		if !e.Seen() {
			continue
		}
		if !more() {
			s.Left++
			continue
		}
		layer, err := l.layer(e, stretch{end: l.plan.Frames})
		if !sized(e) {
			continue
		}
		if s.Err == nil && err != nil {
			s.Err = err
		}
		l.noteOff(e, layer.Box)
		s.Placed = append(s.Placed, Placed{Ref: e.Ref, Box: layer.Box, Text: layer.Text, Component: layer.Component})
	}
	l.subtitles()
	s.Subtitles = l.plan.Subtitles
	l.thumbnail()
	s.Notes = l.notes
	return s
}

// sized reports whether the box of an element is independent of its source.
func sized(e *document.Element) bool {
	switch e.Ref.Type {
	case document.TypeImage, document.TypeVideo:
		return e.Width > 0 && e.Height > 0 || e.Resize == document.Cover
	}
	return true
}

// guesses returns made-up facts for sources that have not been probed.
func guesses(m *document.Movie) map[string]Facts {
	facts := map[string]Facts{}
	for _, s := range document.Sources(m) {
		facts[s.Key] = Facts{Width: m.Width, Height: m.Height, HasVideo: true, HasAudio: true}
	}
	return facts
}

// noteOff notes an element that is completely outside of the canvas, at any rotation.
func (l *layout) noteOff(e *document.Element, b Box) {
	if b.W <= 0 || b.H <= 0 {
		return
	}
	x, y := float64(b.X)+float64(b.W)/2, float64(b.Y)+float64(b.H)/2
	reachX, reachY := float64(b.W)/2, float64(b.H)/2
	if e.Effects.Rotate.Angle != 0 {
		reachX = math.Hypot(reachX, reachY)
		reachY = reachX
	}
	w, h := float64(l.plan.Width), float64(l.plan.Height)
	if x+reachX > 0 && x-reachX < w && y+reachY > 0 && y-reachY < h {
		return
	}
	n := document.Note{Ref: e.Ref, Code: ElementOffCanvas, Text: "The element lies wholly outside of the canvas: it is not seen",
		Remedy: "Change 'x', 'y' or 'position'"}
	for _, axis := range []struct {
		name string
		off  bool
	}{{"x", x+reachX <= 0 || x-reachX >= w}, {"y", y+reachY <= 0 || y-reachY >= h}} {
		if axis.off {
			n.Path = "/" + axis.name
			break
		}
	}
	l.note(n)
}

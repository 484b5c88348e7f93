package timeline

import (
	"math"

	"moviola/domain/document"
)

// The codes of what laying out finds. They are stable.
const (
	PropertyUnknown     = "property_unknown"
	TransitionShortened = "transition_shortened"
	ElementOffCanvas    = "element_off_canvas"
)

// Placed is an element of the picture and where it is.
type Placed struct {
	Ref  Ref
	Box  Box
	Text *Text // of a text; its animation is left out

	Component *document.Component // of a component
}

// Survey is what of a movie's layout follows from its JSON alone.
type Survey struct {
	Placed []Placed
	Notes  []document.Note // what is not done as it is written
	Left   int             // elements that were not laid out any more

	Subtitles *Subtitles // nil: the movie has none
	// Err is the mistake of a movie whose length is known and cannot be rendered. A *domain.Error.
	Err error
}

// Look lays the elements of a movie out whose sources are not at hand. exact says that its times do not depend on them. It ends early when more
// says so.
func Look(m *document.Movie, exact bool, more func() bool) Survey {
	l := layout{movie: m, facts: guesses(m), plan: &Plan{Width: m.Width, Height: m.Height, FPS: m.FPS}}
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

// sized says that the box of an element does not depend on its source.
func sized(e *document.Element) bool {
	switch e.Ref.Type {
	case document.TypeImage, document.TypeVideo:
		return e.Width > 0 && e.Height > 0 || e.Resize == document.Cover
	}
	return true
}

// guesses are facts about sources that nobody has looked at.
func guesses(m *document.Movie) map[string]Facts {
	facts := map[string]Facts{}
	for _, s := range document.Sources(m) {
		facts[s.Key] = Facts{Width: m.Width, Height: m.Height, HasVideo: true, HasAudio: true}
	}
	return facts
}

// noteOff notes an element of which nothing can be seen, however it is turned.
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

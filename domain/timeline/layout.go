package timeline

import (
	"cmp"
	"slices"
	"sort"

	"moviola/domain"
	"moviola/domain/document"
)

// layout is the state of making a timeline.
type layout struct {
	movie  *document.Movie
	facts  map[string]Facts
	timing document.Timing
	plan   *Timeline
	layers int
	notes  []document.Note
}

// picture is a visible element with its frames in the whole movie. Its layer is complete except for the window.
type picture struct {
	layer      Layer
	z          int
	fresh      bool  // the element must not come from a cache
	start, end int64 // first frame, and the frame after the last, in the movie
}

// level tells whether a picture is below the scenes, in a scene, or above the scenes.
type level int

const (
	below level = iota
	within
	above
)

// fill places the elements, cuts the movie into windows and gives each window its layers. From bottom to top: elements of
// the movie with a negative z-index, visible through scenes with a transparent background; the elements of the scene; the
// other elements of the movie. Within each level the order is by z-index, then by position in the document. Movie-schema §6.
func (l *layout) fill() error {
	var inScenes []picture
	for i, scene := range l.movie.Scenes {
		pictures, err := l.place(scene.Elements, l.timing.SceneElements[i])
		if err != nil {
			return err
		}
		inScenes = append(inScenes, pictures...)
	}
	ofMovie, err := l.place(l.movie.Elements, l.timing.Elements)
	if err != nil {
		return err
	}
	behind := sort.Search(len(ofMovie), func(i int) bool { return ofMovie[i].z >= 0 })

	if l.cutWindows(videosOf(inScenes, ofMovie)); len(l.plan.Windows) > maxWindows {
		return domain.Errorf(domain.Invalid, "movie_too_complex", "The movie has too many scenes. Use fewer scenes that last longer")
	}
	l.markFresh()
	if err := l.show(ofMovie[:behind], below); err != nil {
		return err
	}
	l.paintBackgrounds()
	if err := l.show(inScenes, within); err != nil {
		return err
	}
	return l.show(ofMovie[behind:], above)
}

// markFresh marks the windows of scenes that must be rendered anew, because the movie, the scene or an element of the scene
// has cache false.
func (l *layout) markFresh() {
	fresh := map[int]bool{}
	for _, scene := range l.movie.Scenes {
		uncached := func(e document.Element) bool { return !e.Cache }
		fresh[scene.Number] = !scene.Cache || slices.ContainsFunc(scene.Elements, uncached)
	}
	for i := range l.plan.Windows {
		w := &l.plan.Windows[i]
		w.Fresh = l.plan.Fresh || fresh[w.Scene] || w.Transition != nil && fresh[w.Transition.Scene]
	}
}

// place returns the pictures of a list of elements, bottom first, and adds the elements' sounds to the timeline.
func (l *layout) place(elements []document.Element, spans []document.Span) ([]picture, error) {
	var pictures []picture
	for i := range elements {
		e := &elements[i]
		s := stretch{start: l.frame(spans[i].Start), end: l.frame(spans[i].End)}
		if s.end <= s.start {
			continue
		}
		s.fadeIn = min(l.frame(spans[i].Start.Add(e.FadeIn)), s.end) - s.start
		s.fadeOut = s.end - max(l.frame(spans[i].End.Sub(e.FadeOut)), s.start)
		l.sound(e, s)
		if !e.Seen() {
			continue
		}
		layer, err := l.layer(e, s)
		if err != nil {
			return nil, err
		}
		l.noteOff(e, layer.Box)
		pictures = append(pictures, picture{layer: layer, z: e.ZIndex, fresh: !e.Cache, start: s.start, end: s.end})
	}
	slices.SortStableFunc(pictures, func(a, b picture) int { return cmp.Compare(a.z, b.z) })
	return pictures, nil
}

func (l *layout) frame(at document.Seconds) int64 { return l.movie.FPS.Frame(at) }

// stretch is the lifetime of an element in frames of the movie, and the lengths of its fades.
type stretch struct{ start, end, fadeIn, fadeOut int64 }

// play returns how a source is played for life frames: its start, the length of one play (0: the source is not repeated),
// both in seconds, and the maximum number of plays (0: no maximum).
func (l *layout) play(e *document.Element, life int64) (seek, loop float64, plays int) {
	length := document.SecondsOfFloat(l.facts[e.Src].Duration)
	from := e.SeekIn(length)
	once := length.Sub(from)
	if e.Loop == 1 || once.Sign() <= 0 || l.movie.FPS.Seconds(life).Cmp(once) <= 0 {
		return from.Float(), 0, 0
	}
	return from.Float(), once.Float(), max(e.Loop, 0)
}

// sound adds the sound of an element to the timeline, if the element has sound.
func (l *layout) sound(e *document.Element, s stretch) {
	if !e.Heard() || !l.facts[e.Src].HasAudio || e.Muted || e.Volume <= 0 {
		return
	}
	clip := Clip{Ref: e.Ref, Source: e.Src, From: s.start, To: s.end, Volume: e.Volume, FadeIn: s.fadeIn, FadeOut: s.fadeOut}
	clip.Seek, clip.Loop, clip.Plays = l.play(e, s.end-s.start)
	l.plan.Audio = append(l.plan.Audio, clip)
}

// show adds pictures to the windows in which they are visible.
func (l *layout) show(pictures []picture, at level) error {
	for _, p := range pictures {
		for i := range l.plan.windowsIn(p.start, p.end) {
			w := &l.plan.Windows[i]
			layer := p.layer.in(w, p.start, p.end)
			for _, layers := range seenIn(w, p, at) {
				if l.layers++; l.layers > maxLayers {
					return domain.Errorf(domain.Invalid, "movie_too_complex",
						"The movie shows too many elements in too many scenes. Use fewer elements that last over all scenes")
				}
				*layers = append(*layers, layer)
				w.Fresh = w.Fresh || p.fresh
			}
		}
	}
	return nil
}

const opaque = 255

// seenIn returns the lists of layers of a window to which a picture has to be added. An element of a scene is added to its
// scene. An element below the scenes is added to each scene whose background is not opaque. An element above the scenes is
// added above all scenes of the window.
func seenIn(w *Window, p picture, at level) []*[]Layer {
	if at == above {
		return []*[]Layer{w.top()}
	}
	var lists []*[]Layer
	for _, s := range w.sides() {
		if at == below && s.background.A < opaque || at == within && s.scene == p.layer.Ref.Scene {
			lists = append(lists, s.layers)
		}
	}
	return lists
}

// paintBackgrounds makes every background opaque after the elements below the scenes are placed: the movie's background
// becomes the base, and a scene's translucent background becomes a layer above those elements, if there are any.
func (l *layout) paintBackgrounds() {
	dark, light := over(document.Black, l.movie.Background), over(white, l.movie.Background)
	for i := range l.plan.Windows {
		w := &l.plan.Windows[i]
		clear := &Clear{}
		for n, s := range w.sides() {
			over := l.paintSide(s, w.Frames, dark, light)
			if n == 0 {
				clear.Scene = over
			} else {
				clear.Leaving = over
			}
			if over != *s.background {
				w.Clear = clear
			}
		}
	}
}

// paintSide makes the background of a scene opaque, as seen over the colour dark. If no layers are below the scene, it
// changes the background's colour. Otherwise it adds a layer with the scene's background above those layers, unless this
// background is invisible. The result is the opaque background that the scene would have over the colour light. dark and
// light are the movie's background over black and over white.
func (l *layout) paintSide(s side, frames int64, dark, light Color) Color {
	given := *s.background
	switch {
	case s.before: // the black picture before the first scene is as transparent as the movie's background
		return over(white, Color{A: l.movie.Background.A})
	case given.A == opaque:
		return given
	case len(*s.layers) == 0:
		*s.background = over(dark, given)
		return over(light, given)
	}
	if given.A > 0 {
		*s.layers = append(*s.layers, l.paint(s, frames))
	}
	*s.background = dark
	return light
}

// paint returns a layer that fills the canvas with the background of a scene.
func (l *layout) paint(s side, frames int64) Layer {
	canvas := Box{W: l.plan.Width, H: l.plan.Height}
	return Layer{Ref: Ref{Scene: s.scene}, Kind: ColorLayer, Color: *s.background, Box: canvas, To: frames, Life: frames}
}

// over composites a colour over an opaque base colour.
func over(base, c Color) Color {
	mix := func(below, above uint8) uint8 {
		return uint8((uint32(below)*(opaque-uint32(c.A)) + uint32(above)*uint32(c.A) + opaque/2) / opaque)
	}
	return Color{R: mix(base.R, c.R), G: mix(base.G, c.G), B: mix(base.B, c.B), A: opaque}
}

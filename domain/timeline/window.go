package timeline

import (
	"iter"
	"slices"
	"sort"

	"moviola/domain/document"
)

// windowSeconds is about how long a window is: long enough to be worth a process of its own, short enough for several to
// run side by side and for little to be lost when one is interrupted.
const windowSeconds = 10

// interval is a run of frames of the movie.
type interval struct{ start, end int64 }

// cutWindows makes the windows of the plan: for each scene its transition and its body, and one for what lasts longer than the
// scenes, or for a movie without any. Bodies that are long are cut about every 10 seconds. Transitions are never cut.
func (l *layout) cutWindows(videos []interval) {
	end := int64(0)
	for i := range l.movie.Scenes {
		scene := &l.movie.Scenes[i]
		w := Window{Scene: scene.Number, Start: end, Background: scene.Background}
		end = l.frame(l.timing.Scenes[i].End)
		if i+1 < len(l.movie.Scenes) {
			end = l.frame(l.timing.Scenes[i+1].Start) // earlier, when there is a transition
		}
		w.Start = l.addTransition(i, w)
		l.addWindows(w, end, videos)
	}
	// Nothing of the movie's is hidden where there is no scene.
	l.addWindows(Window{Start: end}, l.plan.Frames, videos)
}

// addTransition adds the window in which scene i comes in, like w, and returns where the scene's body begins.
func (l *layout) addTransition(i int, w Window) int64 {
	length := l.timing.Transitions[i]
	body := l.frame(l.timing.Scenes[i].Start.Add(length))
	if w.Frames = body - w.Start; w.Frames <= 0 {
		return w.Start
	}
	w.Transition = &Transition{Style: l.movie.Scenes[i].Transition.Style, Background: document.Black}
	if i > 0 {
		before := &l.movie.Scenes[i-1]
		w.Transition.Scene, w.Transition.Background = before.Number, before.Background
	}
	l.plan.Windows = append(l.plan.Windows, w)
	return body
}

// addWindows adds a window like w that ends at end, in pieces if it is long.
func (l *layout) addWindows(w Window, end int64, videos []interval) {
	length := max(1, l.frame(document.SecondsOf(windowSeconds)))
	for w.Start < end {
		next := end
		if end-w.Start > length+length/2 {
			next = clearest(w.Start+length, interval{w.Start + length/2, min(w.Start+length+length/2, end-length/2)}, videos)
		}
		w.Frames = next - w.Start
		l.plan.Windows = append(l.plan.Windows, w)
		w.Start = next
	}
}

// clearest is the frame nearest to at, from within.start to within.end, that is not inside a video: opening a video in its middle
// is exact, but costs decoding what lies before it. When there is no such frame it is at itself.
func clearest(at int64, within interval, videos []interval) int64 {
	i := sort.Search(len(videos), func(i int) bool { return videos[i].end > at })
	if i == len(videos) || videos[i].start >= at {
		return at
	}
	before, after := videos[i].start, videos[i].end // those that overlap are one: nothing plays there
	switch beforeFits, afterFits := before >= within.start, after <= within.end; {
	case beforeFits && (!afterFits || at-before <= after-at):
		return before
	case afterFits:
		return after
	}
	return at
}

// videosOf returns the stretches in which a video plays, in order, those that overlap as one. Two that only touch stay apart.
func videosOf(groups ...[]picture) []interval {
	var all []interval
	for _, group := range groups {
		for _, p := range group {
			if p.layer.Kind == VideoLayer {
				all = append(all, interval{p.start, p.end})
			}
		}
	}
	slices.SortFunc(all, func(a, b interval) int { return int(a.start - b.start) })
	var merged []interval
	for _, v := range all {
		if last := len(merged) - 1; last >= 0 && v.start < merged[last].end {
			merged[last].end = max(merged[last].end, v.end)
		} else {
			merged = append(merged, v)
		}
	}
	return merged
}

// windowsIn yields the indexes of the windows that show something of the movie's frames from start to before end.
func (p *Plan) windowsIn(start, end int64) iter.Seq[int] {
	return func(yield func(int) bool) {
		first := sort.Search(len(p.Windows), func(i int) bool { return p.Windows[i].Start+p.Windows[i].Frames > start })
		for i := first; i < len(p.Windows) && p.Windows[i].Start < end && start < end; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// in is the part of a layer, seen from one frame of the movie to another, that falls into a window.
func (l Layer) in(w *Window, start, end int64) Layer {
	l.From = max(start-w.Start, 0)
	l.To = min(end-w.Start, w.Frames)
	l.Phase = max(w.Start-start, 0)
	return l
}

// side is one of the pictures that a window is composed of: the scene itself, or the one that leaves.
type side struct {
	scene      int
	background *Color
	layers     *[]Layer
}

// sides are the entering scene, or the only one, and the leaving one if there is any.
func (w *Window) sides() []side {
	all := []side{{w.Scene, &w.Background, &w.Layers}}
	if t := w.Transition; t != nil {
		all = append(all, side{t.Scene, &t.Background, &t.Layers})
	}
	return all
}

// top is where the layers above all scenes go.
func (w *Window) top() *[]Layer {
	if w.Transition != nil {
		return &w.Transition.Over
	}
	return &w.Layers
}

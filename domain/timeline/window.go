package timeline

import (
	"iter"
	"slices"
	"sort"

	"moviola/domain/document"
)

// windowSeconds is the approximate length of a window: long enough to be worth a process of its own, and short enough to
// render several windows in parallel and to lose little work in an interruption.
const windowSeconds = 10

// interval is a range of frames of the movie from start up to, but not including, end.
type interval struct{ start, end int64 }

// cutWindows makes the windows of the timeline: for each scene a transition, if it has one, and a body. A movie that is
// longer than its scenes, or has none, has a body without a scene at the end. Long bodies are cut about every 10 seconds.
// Transitions are never cut.
func (l *layout) cutWindows(videos []interval) {
	end := int64(0)
	for i := range l.movie.Scenes {
		scene := &l.movie.Scenes[i]
		w := Window{Scene: scene.Number, Start: end, Background: scene.Background}
		end = l.frame(l.timing.Scenes[i].End)
		if i+1 < len(l.movie.Scenes) {
			end = l.frame(l.timing.Scenes[i+1].Start) // the body ends before the end of the scene when a transition follows
		}
		w.Start = l.addTransition(i, w)
		l.addWindows(w, end, videos)
	}
	// After the last scene, and in a movie without scenes, only the elements that belong to the movie itself are shown.
	l.addWindows(Window{Start: end}, l.plan.Frames, videos)
}

// addTransition adds the window of the transition into scene i, if that scene has a transition. The window's other fields
// are those of w, whose Start is the first frame of the transition. addTransition returns the first frame of the scene's
// body, which follows the transition.
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

// addWindows adds the window that begins at w.Start and ends before the frame given by end; its other fields are those of w.
// It cuts a long window into several.
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

// clearest returns a frame for a cut: of the frames from within.start to within.end that are not inside a video, the one
// nearest to the frame given by at. A cut inside a video is correct, but the frames before the cut have to be decoded too.
// When every one of these frames is inside a video, it returns the frame given by at.
func clearest(at int64, within interval, videos []interval) int64 {
	i := sort.Search(len(videos), func(i int) bool { return videos[i].end > at })
	if i == len(videos) || videos[i].start >= at {
		return at
	}
	before, after := videos[i].start, videos[i].end // videosOf has merged overlapping videos, so no video is cut here
	switch beforeFits, afterFits := before >= within.start, after <= within.end; {
	case beforeFits && (!afterFits || at-before <= after-at):
		return before
	case afterFits:
		return after
	}
	return at
}

// videosOf returns the intervals in which a video plays, in order. Overlapping intervals are merged, adjacent intervals are
// not.
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

// windowsIn yields the indexes of the windows that overlap the frames from start to end (not included) of the movie.
func (p *Timeline) windowsIn(start, end int64) iter.Seq[int] {
	return func(yield func(int) bool) {
		first := sort.Search(len(p.Windows), func(i int) bool { return p.Windows[i].Start+p.Windows[i].Frames > start })
		for i := first; i < len(p.Windows) && p.Windows[i].Start < end && start < end; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

// in returns the part of a layer that falls into a window. start and end are the layer's frames in the movie.
func (l Layer) in(w *Window, start, end int64) Layer {
	l.From = max(start-w.Start, 0)
	l.To = min(end-w.Start, w.Frames)
	l.Phase = max(w.Start-start, 0)
	return l
}

// side is what a window shows of one scene: the entering (or only) one, or the leaving one.
type side struct {
	scene      int
	background *Color
	layers     *[]Layer
	before     bool // the side is the black picture before the first scene
}

// sides returns the entering and the leaving scene of a transition, in this order. For any other window it returns its only
// scene.
func (w *Window) sides() []side {
	all := []side{{scene: w.Scene, background: &w.Background, layers: &w.Layers}}
	if t := w.Transition; t != nil {
		all = append(all, side{scene: t.Scene, background: &t.Background, layers: &t.Layers, before: t.Scene == 0})
	}
	return all
}

// top returns the list of the layers above all scenes.
func (w *Window) top() *[]Layer {
	if w.Transition != nil {
		return &w.Transition.Over
	}
	return &w.Layers
}

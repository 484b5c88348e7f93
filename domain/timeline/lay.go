package timeline

import (
	"fmt"
	"strconv"

	"moviola/domain"
	"moviola/domain/document"
)

// The bounds of a timeline. They limit the memory for a hostile document. The account's plan determines which lengths and sizes
// the account may render.
const (
	longestHours = 6
	maxLayers    = 200_000
	maxWindows   = 10_000 // maximum number of windows in a timeline, because each window needs a process for encoding
	maxWarnings  = 50
	maxNotes     = 2000
)

// Lay makes the timeline of a movie. facts holds the results of probing each of document.Sources, by the source's key, except for
// fonts and captions. The error is a *domain.Error for a mistake of the movie, and an error of another type for a source without
// facts and for a silent voice.
func Lay(m *document.Movie, facts map[string]Facts) (*Timeline, error) {
	if err := document.Validate(m); err != nil {
		return nil, err
	}
	if err := checkSources(m, facts); err != nil {
		return nil, err
	}
	timing := document.Time(m, func(key string) (document.Seconds, bool) {
		return document.SecondsOfFloat(facts[key].Duration), true
	})
	p := &Timeline{
		Width: m.Width, Height: m.Height, FPS: m.FPS, Quality: m.Quality, Draft: m.Draft, Held: m.Held, Fresh: !m.Cache,
		Frames: m.FPS.Frame(timing.Length),
	}
	p.Warnings = append(p.Warnings, m.Warnings...)
	if err := checkLength(timing.Length, p.Frames); err != nil {
		return nil, err
	}
	l := layout{movie: m, facts: facts, timing: timing, plan: p}
	l.warnTransitions()
	if err := l.fill(); err != nil {
		return nil, err
	}
	l.subtitles()
	p.ThumbnailFrame = l.thumbnail()
	return p, nil
}

// Credits is what the movie costs: 1 credit for each started second of its planned frames, in exact arithmetic. Decision 28.
func (p *Timeline) Credits() int64 { return p.FPS.Credits(p.Frames) }

// Seconds returns the length of the movie in seconds: planned frames ÷ fps, rounded to a float64. Decision 28.
func (p *Timeline) Seconds() float64 { return p.FPS.Seconds(p.Frames).Float() }

func checkLength(length document.Seconds, frames int64) error {
	if length.Times(10).Cmp(document.SecondsOf(1)) < 0 || frames == 0 { // decision 21: under 0.1 s counts as zero
		return domain.Errorf(domain.Invalid, "movie_duration_zero", "Movie duration cannot be zero")
	}
	if length.Cmp(document.SecondsOf(longestHours*3600)) > 0 {
		return domain.Errorf(domain.Invalid, "movie_too_long", "Movie duration cannot be longer than %d hours", longestHours)
	}
	return nil
}

// checkSources returns the first mistake of an element with a file: a source or mask of an unsuitable type or without facts,
// a seek beyond the end of the source, or a crop that leaves nothing.
func checkSources(m *document.Movie, facts map[string]Facts) error {
	for e := range m.All() {
		if err := checkSource(e, facts); err != nil {
			return err
		}
		if err := checkMask(e, facts); err != nil {
			return err
		}
	}
	return nil
}

func checkSource(e *document.Element, facts map[string]Facts) error {
	if e.Src == "" {
		return nil
	}
	f, ok := facts[e.Src]
	if !ok {
		return fmt.Errorf("lay out %s: nothing is known about its source", e.Ref)
	}
	kind := e.Ref.Type
	if fits := suitable[kind]; fits != nil && !fits(f) {
		if kind == document.TypeVoice {
			return fmt.Errorf("lay out %s: its voice is silent", e.Ref)
		}
		return elementError(e.Ref, "The URL provided is not a %s file and cannot be used as a source for a %[1]s element", kind)
	}
	if length := document.SecondsOfFloat(f.Duration); e.Seek.Sign() > 0 && e.SeekIn(length).Cmp(length) >= 0 {
		return elementError(e.Ref, "The property 'seek' lies behind the end of the source, which lasts %s seconds",
			strconv.FormatFloat(f.Duration, 'f', -1, 64))
	}
	if c, ok := usedPart(e, f); !ok {
		return elementError(e.Ref, "The property 'crop' lies outside of the picture of %dx%d", c.W, c.H)
	}
	return nil
}

// suitable has, for types of elements with a source, a function that reports whether a file can be the source of such an
// element. A type that is not listed accepts any file.
var suitable = map[string]func(Facts) bool{
	document.TypeImage: isPicture,
	document.TypeVideo: func(f Facts) bool { return isPicture(f) && f.HasVideo && f.Duration > 0 },
	document.TypeAudio: isSound,
	document.TypeVoice: isSound,
}

func isPicture(f Facts) bool { return f.Width > 0 && f.Height > 0 }
func isSound(f Facts) bool   { return f.HasAudio && f.Duration > 0 }

func checkMask(e *document.Element, facts map[string]Facts) error {
	if e.Effects.Mask == "" {
		return nil
	}
	f, ok := facts[e.Effects.Mask]
	if !ok {
		return fmt.Errorf("lay out %s: nothing is known about its mask", e.Ref)
	}
	if f.Width <= 0 || f.Height <= 0 {
		return elementError(e.Ref, "The URL provided is not an image or video file and cannot be used as a mask")
	}
	return nil
}

// warnTransitions warns of transitions that were shortened because a scene is too short.
func (l *layout) warnTransitions() {
	for i, scene := range l.movie.Scenes {
		if length := l.timing.Transitions[i]; scene.Transition != nil && length.Cmp(scene.Transition.Duration) < 0 {
			l.note(document.Note{Ref: Ref{Scene: scene.Number}, Path: "/transition", Code: TransitionShortened, Text: fmt.Sprintf(
				"The transition lasts %s instead of %s seconds, because the scenes are too short for it", short(length),
				short(scene.Transition.Duration))})
		}
	}
}

// short formats seconds for messages.
func short(s document.Seconds) string { return strconv.FormatFloat(s.Float(), 'g', 6, 64) }

func elementError(ref Ref, format string, args ...any) error {
	return document.ElementError(ref, fmt.Sprintf(format, args...))
}

// thumbnail returns the frame for the movie's thumbnail. Decision 26: a point of time, or the middle of a scene; by default
// the frame at one second, or the middle of a shorter movie.
func (l *layout) thumbnail() int64 {
	frame := l.movie.FPS.Frame(document.SecondsOf(1))
	if l.plan.Seconds() <= 1 {
		frame = l.plan.Frames / 2
	}
	if choice := l.movie.Thumbnail; choice.Scene != "" {
		if scene, ok := l.scene(choice.Scene); ok {
			span := l.timing.Scenes[scene]
			frame = (l.movie.FPS.Frame(span.Start) + l.movie.FPS.Frame(span.End)) / 2
		} else {
			l.note(document.Note{Path: "/thumbnail", Code: document.ValueUnknown, Text: "The thumbnail's scene was not found"})
		}
	} else if choice.Set {
		frame = l.movie.FPS.Frame(choice.Time)
	}
	return min(max(frame, 0), l.plan.Frames-1)
}

// scene finds a scene by its id or number.
func (l *layout) scene(name string) (index int, ok bool) {
	for i, scene := range l.movie.Scenes {
		if scene.ID == name {
			return i, true
		}
	}
	n, err := strconv.Atoi(name)
	return n - 1, err == nil && n >= 1 && n <= len(l.movie.Scenes)
}

// note records a property that the render does not follow as written: as a warning of the timeline, and as a note for the movie's
// author.
func (l *layout) note(n document.Note) {
	if len(l.plan.Warnings) < maxWarnings {
		l.plan.Warnings = append(l.plan.Warnings, n.String())
	}
	if len(l.notes) < maxNotes {
		l.notes = append(l.notes, n)
	}
}

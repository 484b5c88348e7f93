package timeline

import (
	"maps"
	"slices"
	"time"

	"moviola/domain/caption"
	"moviola/domain/document"
)

// subtitles sets the field Subtitles of the timeline from the movie's subtitles, with settings in pixels.
func (l *layout) subtitles() {
	given := l.movie.Subtitles
	if given == nil {
		return
	}
	s := &Subtitles{
		Ref: given.Ref, Captions: given.Captions, Source: given.Source, Language: given.Language, Model: given.Model,
		Connection: given.Connection,
	}
	var warnings []caption.Warning
	s.Style, warnings = caption.ReadStyle(given.Settings, l.plan.Width, l.plan.Height)
	for _, w := range warnings {
		l.note(document.Note{Ref: given.Ref, Path: "/settings/" + w.Setting, Code: document.ValueType, Text: w.Text})
	}
	l.plan.Subtitles = s
}

// Caption adds the captions, in order of time, above everything else: each window with captions gets one more layer, the topmost.
// Captions outside of the movie are dropped. A timeline without subtitles stays unchanged.
func (p *Timeline) Caption(states []caption.State) {
	if p.Subtitles == nil {
		return
	}
	shown := map[int][]ShownCaption{} // captions of each window, by the window's index
	for _, state := range states {
		start, end := p.frameAt(state.From), p.frameAt(state.To)
		for i := range p.windowsIn(start, end) {
			w := &p.Windows[i]
			shown[i] = append(shown[i], ShownCaption{
				Rows: state.Rows, From: max(start-w.Start, 0), To: min(end-w.Start, w.Frames),
			})
		}
	}
	canvas := Box{W: p.Width, H: p.Height}
	for _, i := range slices.Sorted(maps.Keys(shown)) {
		w := &p.Windows[i]
		*w.top() = append(*w.top(), Layer{
			Ref: p.Subtitles.Ref, Kind: CaptionLayer, Box: canvas, To: w.Frames, Life: w.Frames,
			Captions: &Captions{Style: p.Subtitles.Style, Shown: shown[i]},
		})
	}
}

// frameAt returns the movie's frame at a time, limited to the range from 0 to the number of frames.
func (p *Timeline) frameAt(at time.Duration) int64 {
	return min(max(p.FPS.Frame(document.SecondsOfFloat(at.Seconds())), 0), p.Frames)
}

package render

import (
	"reflect"
	"testing"

	"moviola/adapters/render/artwork"
	"moviola/commands"
	"moviola/domain/timeline"
)

// Which windows are encoded together follows from the plan: short ones that follow one another by cuts, in which a video moves all the time.
func TestRun_grouped(t *testing.T) {
	t.Parallel()
	clip := func(frames int64) timeline.Window {
		return timeline.Window{Frames: frames, Layers: []timeline.Layer{{Kind: timeline.VideoLayer, Source: "clip", To: frames}}}
	}
	with := func(w timeline.Window, change func(*timeline.Window)) timeline.Window {
		change(&w)
		return w
	}
	still := timeline.Window{Frames: 10, Layers: []timeline.Layer{{Kind: timeline.TextLayer, To: 10}}}
	part := with(clip(10), func(w *timeline.Window) { w.Layers[0].To = 9 })
	fresh := with(clip(10), func(w *timeline.Window) { w.Fresh = true })
	page := with(clip(10), func(w *timeline.Window) { w.Layers = append(w.Layers, timeline.Layer{Kind: timeline.HTMLLayer}) })
	transition := with(clip(10), func(w *timeline.Window) { w.Transition = &timeline.Transition{} })
	clear := with(clip(10), func(w *timeline.Window) { w.Clear = &timeline.Clear{} })
	many := make([]timeline.Window, 20)
	for i := range many {
		many[i] = clip(1)
	}
	for name, tt := range map[string]struct {
		windows []timeline.Window
		width   int
		want    []int // windows that each result holds
	}{
		"none":                  {nil, 1920, nil},
		"one":                   {[]timeline.Window{clip(10)}, 1920, []int{1}},
		"short ones":            {[]timeline.Window{clip(16), clip(10), clip(1)}, 1920, []int{3}},
		"not a longer one":      {[]timeline.Window{clip(10), clip(17), clip(10), clip(10)}, 1920, []int{1, 1, 2}},
		"four seconds":          {[]timeline.Window{clip(16), clip(16), clip(16), clip(16), clip(16), clip(16), clip(16), clip(16)}, 1920, []int{6, 2}},
		"no more than sixteen":  {many, 1920, []int{16, 4}},
		"not what rests":        {[]timeline.Window{clip(10), still, part, clip(10), clip(10)}, 1920, []int{1, 1, 1, 2}},
		"not with a transition": {[]timeline.Window{clip(10), transition, clip(10)}, 1920, []int{1, 1, 1}},
		"not what is clear":     {[]timeline.Window{clip(10), clear}, 1920, []int{1, 1}},
		"not with pages":        {[]timeline.Window{clip(10), page}, 1920, []int{1, 1}},
		"cached ones apart":     {[]timeline.Window{clip(10), clip(10), fresh, fresh}, 1920, []int{2, 2}},
		"no large frames":       {[]timeline.Window{clip(10), clip(10)}, 3840, []int{1, 1}},
	} {
		r := &run{
			plan:    &timeline.Timeline{Width: tt.width, Height: 1080, FPS: timeline.Rate{Num: 25, Den: 1}},
			sources: map[string]artwork.Source{"clip": {Asset: commands.Asset{Media: &commands.Media{Video: &commands.VideoStream{}}}}},
		}
		var got []int
		frames, was := int64(0), int64(0)
		for _, w := range r.grouped(tt.windows) {
			got, frames = append(got, max(1, len(w.Pieces))), frames+w.Frames
		}
		for _, w := range tt.windows {
			was += w.Frames
		}
		if !reflect.DeepEqual(got, tt.want) || frames != was {
			t.Errorf("%s: %v with %d frames of %d", name, got, frames, was)
		}
	}
}

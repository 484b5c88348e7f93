package library_test

import (
	"encoding/json"
	"testing"

	"moviola/domain/document"
	"moviola/domain/template/library"
	"moviola/domain/timeline"
)

// TestAll_rates: every template has a sound plan at every frame rate that people use: windows follow each other, each layer lies in its window,
// and what fills the movie or a scene is there in its last frame.
func TestAll_rates(t *testing.T) {
	t.Parallel()
	all, err := library.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		for _, fps := range []float64{1, 4, 10, 12, 24, 29.97, 60} {
			m := atRate(t, one.Movie, fps)
			facts := map[string]timeline.Facts{}
			for _, s := range document.Sources(m) {
				facts[s.Key] = timeline.Facts{Width: 640, Height: 360, Duration: 3.21, HasVideo: true, HasAudio: true}
			}
			plan, err := timeline.Lay(m, facts)
			if err != nil {
				t.Errorf("%s at %g fps: %v", one.Slug, fps, err)
				continue
			}
			if want := m.FPS.Frame(document.Time(m, func(string) (document.Seconds, bool) { return document.SecondsOfFloat(3.21), true }).Length); plan.Frames != want {
				t.Errorf("%s at %g fps: %d frames, want %d", one.Slug, fps, plan.Frames, want)
			}
			checkPlan(t, one.Slug, fps, m, plan)
		}
	}
}

func atRate(t *testing.T, movie []byte, fps float64) *document.Movie {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(movie, &doc); err != nil {
		t.Fatal(err)
	}
	doc["fps"] = fps
	raw, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	m, err := document.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func checkPlan(t *testing.T, name string, fps float64, m *document.Movie, plan *timeline.Timeline) {
	t.Helper()
	at := int64(0)
	for i, w := range plan.Windows {
		if w.Start != at || w.Frames <= 0 {
			t.Errorf("%s at %g fps: window %d has %d frames from %d on, want them from %d on", name, fps, i, w.Frames, w.Start, at)
		}
		at = w.Start + w.Frames
		for _, l := range w.Layers {
			if l.From < 0 || l.To <= l.From || l.To > w.Frames || l.Phase+l.To-l.From > l.Life {
				t.Errorf("%s at %g fps: window %d of %d frames shows %s from %d to %d, %d of its %d frames in", name, fps, i, w.Frames, l.Ref, l.From, l.To, l.Phase, l.Life)
			}
		}
	}
	if at != plan.Frames {
		t.Errorf("%s at %g fps: the windows end at %d of %d frames", name, fps, at, plan.Frames)
	}
	last := plan.Windows[len(plan.Windows)-1]
	elements := m.Elements
	if len(m.Scenes) > 0 {
		elements = append(elements, m.Scenes[len(m.Scenes)-1].Elements...)
	}
	for _, e := range elements {
		if e.Length.Kind != document.Container || !e.Seen() || e.Start.Sign() != 0 {
			continue
		}
		shown := false
		for _, l := range last.Layers {
			shown = shown || l.Ref == e.Ref && l.To == last.Frames
		}
		if !shown {
			t.Errorf("%s at %g fps: %s is not there at the end", name, fps, e.Ref)
		}
	}
}

package render

import (
	"reflect"
	"strings"
	"testing"

	"moviola/domain/movie"
	"moviola/internal/h264"
)

// marked makes the changes of a window from a row of characters: . is same, x altered, ~ redrawn, | replaced.
func marked(row string) changed {
	c := make(changed, len(row))
	for i, r := range row {
		c[i] = map[rune]change{'x': altered, '~': redrawn, '|': replaced}[r]
	}
	return c
}

// Which frames of a window are encoded, and where the others go.
func TestRestsOf(t *testing.T) {
	t.Parallel()
	rest := func(n int) string { return strings.Repeat(".", n) }
	tests := map[string]struct {
		row    string
		calm   bool
		frames int64
		keys   []int64
		holds  []h264.Hold
	}{
		"a still window is one frame":            {"x" + rest(49), false, 1, nil, []h264.Hold{{More: 49}}},
		"and one for each key frame":             {"x" + rest(249), false, 3, []int64{1, 2}, []h264.Hold{{More: 99}, {First: 1, Last: 1, More: 99}, {First: 2, Last: 2, More: 49}}},
		"a rest before motion is four frames":    {"x" + rest(29) + "~~~" + rest(17), false, 7, nil, []h264.Hold{{Last: 3, More: 26}, {First: 6, Last: 6, More: 17}}},
		"so is one behind little motion":         {"x" + rest(29) + "xxx" + rest(17), false, 10, nil, []h264.Hold{{Last: 3, More: 26}, {First: 6, Last: 9, More: 14}}},
		"a cut is a key frame":                   {"x" + rest(29) + "|" + rest(120), false, 3, []int64{1, 2}, []h264.Hold{{More: 29}, {First: 1, Last: 1, More: 99}, {First: 2, Last: 2, More: 20}}},
		"but one, where nothing moves":           {"x" + rest(29) + "x" + rest(19), true, 2, nil, []h264.Hold{{More: 29}, {First: 1, Last: 1, More: 19}}},
		"what moves is encoded":                  {strings.Repeat("x", 50), false, 50, nil, nil},
		"so is a window that rests for a moment": {strings.Repeat("x", 47) + "...", false, 50, nil, nil},
	}
	for name, tt := range tests {
		r := restsOf(marked(tt.row), 100, tt.calm)
		if r.frames != tt.frames || !reflect.DeepEqual(r.keys, tt.keys) || !reflect.DeepEqual(r.holds, tt.holds) {
			t.Errorf("%s: %d frames, keys %v, holds %v", name, r.frames, r.keys, r.holds)
		}
		picked, shown := int64(0), r.frames
		for _, s := range r.pick {
			picked += s.to - s.from
		}
		for _, h := range r.holds {
			shown += int64(h.More)
		}
		if picked != r.frames || shown != int64(len(tt.row)) || r.shown(r.frames) != shown {
			t.Errorf("%s: %d frames picked, %d shown", name, picked, shown)
		}
	}
}

// Large frames are encoded with less memory, few of them with one thread.
func TestRests_encoder(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		rests rests
		spare bool
		want  string
	}{
		"usual":            {everything(50), false, ""},
		"large":            {everything(50), true, "-threads 2 -x264-params sync-lookahead=0"},
		"large and calm":   {rests{frames: 50, calm: true}, true, "-threads 2 -x264-params sync-lookahead=0:b-bias=-90"},
		"few":              {everything(fewFrames), false, "-threads 1"},
		"few that are big": {everything(fewFrames), true, "-threads 1"},
	}
	for name, tt := range tests {
		if got := strings.Join(tt.rests.encoder(tt.spare), " "); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}

// A run that is repeated with one thread has no later option that says otherwise.
func TestSingleThreaded(t *testing.T) {
	t.Parallel()
	got := singleThreaded([]string{"-map", "[v]", "-threads", "2", windowFile, "-map", "[t]", "-threads", "1", thumbnailFile})
	if want := "-map [v] -threads 2 -threads 1 window.mp4 -map [t] -threads 1 thumbnail.jpg"; strings.Join(got, " ") != want {
		t.Errorf("the arguments are %q, want %q", strings.Join(got, " "), want)
	}
}

// A sound that is still too loud after the last encoding is a warning.
func TestTooLoud(t *testing.T) {
	t.Parallel()
	for peak, want := range map[float64]int{-20: 0, -1.1: 0, -1: 0, -0.9: 1, 2: 1} {
		if got := tooLoud(&movie.Loudness{TruePeak: peak}); len(got) != want {
			t.Errorf("a peak of %g: warnings %q", peak, got)
		}
	}
	if got := tooLoud(nil); got != nil {
		t.Errorf("silence: warnings %q", got)
	}
}

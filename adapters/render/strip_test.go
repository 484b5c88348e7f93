package render

import (
	"reflect"
	"testing"

	"moviola/internal/h264"
)

// What a strip encodes is what its windows encode, each from a key frame on.
func TestStrip_rests(t *testing.T) {
	t.Parallel()
	holds := []h264.Hold{{More: 90}}
	s := strip{shots: []shot{
		{frames: rests{frames: 2, keys: []int64{1}, holds: holds, calm: true}},
		{frames: rests{frames: 1, holds: holds, calm: true}},
		{frames: rests{frames: 9, keys: []int64{4, 8}, holds: holds, calm: true}},
	}}
	want := rests{frames: 12, keys: []int64{1, 2, 3, 7, 11}, holds: holds, calm: true}
	if got := s.rests(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

// Windows share an encoder when its settings are the same for both.
func TestStrip_suits(t *testing.T) {
	t.Parallel()
	moving, resting := rests{frames: 9}, rests{frames: 9, holds: []h264.Hold{{More: 90}}}
	calm := resting
	calm.calm = true
	for _, a := range []rests{moving, resting, calm} {
		for _, b := range []rests{moving, resting, calm} {
			if got := (strip{shots: []shot{{frames: a}}}).suits(shot{frames: b}); got != reflect.DeepEqual(a, b) {
				t.Errorf("%+v and %+v: %v", a, b, got)
			}
		}
	}
}

// A window that follows another one is not made better than the first of a strip.
func TestRests_after(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		before, window rests
		want           []favour
	}{
		"what moves":               {rests{frames: 15}, rests{frames: 15}, []favour{{span{0, 1}, -keySteps}}},
		"what rests":               {rests{frames: 15}, rests{frames: 15, favour: []favour{{span{0, 1}, 4}, {span{7, 9}, 2}}}, []favour{{span{0, 1}, 4 - keySteps}, {span{7, 9}, 2}}},
		"what rests later":         {rests{frames: 15, keys: []int64{4}}, rests{frames: 15, favour: []favour{{span{7, 9}, 2}}}, []favour{{span{0, 1}, -keySteps}, {span{7, 9}, 2}}},
		"behind one picture":       {rests{frames: 1}, rests{frames: 15}, nil},
		"behind another key frame": {rests{frames: 9, keys: []int64{8}}, rests{frames: 1, favour: []favour{{span{0, 1}, 4}}}, []favour{{span{0, 1}, 4}}},
	}
	for name, tt := range tests {
		if got := tt.window.after(tt.before).favour; !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Progress counts the windows of a strip one after the other.
func TestStrip_encoded(t *testing.T) {
	t.Parallel()
	p := &progress{total: 200}
	counted := func(frames int64) *ticket { return &ticket{count: &counter{to: p, frames: frames}} }
	s := strip{shots: []shot{
		{ticket: counted(15), frames: everything(15)},
		{ticket: counted(91), frames: rests{frames: 1, holds: []h264.Hold{{More: 90}}}},
		{ticket: counted(94), frames: rests{frames: 4, holds: []h264.Hold{{Last: 3, More: 90}}}},
	}}
	for _, step := range []struct{ encoded, done int64 }{{3, 3}, {15, 15}, {16, 106}, {18, 108}, {20, 200}} {
		if s.encoded(step.encoded); p.done != step.done {
			t.Errorf("%d encoded: %d done, want %d", step.encoded, p.done, step.done)
		}
	}
}

package render

import (
	"slices"
	"strings"
	"testing"
)

// Where key frames are: as few as the distance allows, where motion begins before other places.
func TestKeysOf(t *testing.T) {
	t.Parallel()
	rest := func(n int) string { return strings.Repeat(".", n) }
	moves := func(n int) string { return strings.Repeat("~", n) }
	fade := []dissolve{{span: span{130, 160}}}
	tests := map[string]struct {
		row   string
		fades []dissolve
		want  []int64
	}{
		"none after a short window":                         {"x" + rest(99), nil, []int64{0}},
		"a rest, as far apart as they may be":               {"x" + rest(249), nil, []int64{0, 100, 200}},
		"where motion begins":                               {"x" + rest(59) + moves(20) + rest(60), nil, []int64{0, 60}},
		"where motion begins after the longest rest":        {"x" + rest(40) + moves(9) + rest(5) + moves(20) + rest(60), nil, []int64{0, 41}},
		"not where motion begins, if another is needed":     {"x" + rest(29) + moves(20) + rest(120), nil, []int64{0, 100}},
		"in a rest, if motion is short and far":             {"x" + rest(5) + moves(5) + rest(199), nil, []int64{0, 100, 200}},
		"in motion":                                         {moves(150), nil, []int64{0, 100}},
		"at a cut, counted from there":                      {"x" + rest(49) + "|" + rest(99), nil, []int64{0, 50}},
		"at each cut":                                       {"x" + rest(19) + "|" + rest(19) + "|" + rest(60), nil, []int64{0, 20, 40}},
		"not at a cut right after another":                  {"x" + rest(49) + "|...|" + rest(60), nil, []int64{0, 50}},
		"at a cut that is no tenth too early":               {"x" + rest(49) + "|.........|" + rest(60), nil, []int64{0, 50, 60}},
		"before a fade, not in it, and after it":            {"x" + rest(99) + rest(99) + rest(11), fade, []int64{0, 100, 160}},
		"after a fade, however near another":                {"x" + rest(152) + "|" + rest(60), fade, []int64{0, 100, 153, 160}},
		"near the end of a rest, where it is seen a little": {"x" + rest(94) + "|" + rest(108), nil, []int64{0, 95, 194}},
	}
	for name, tt := range tests {
		var got []int64
		for n, key := range keysOf(marked(tt.row), 100, tt.fades)[:len(tt.row)] {
			if key {
				got = append(got, int64(n))
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
}

// No two key frames of any plan are farther apart than they may be, and none is in a fade.
func FuzzKeysOf(f *testing.F) {
	f.Add([]byte("x..~~|.."), uint8(3), uint8(4), uint8(2))
	f.Fuzz(func(t *testing.T, row []byte, every, fade, length uint8) {
		if len(row) == 0 || len(row) > 2000 || every == 0 {
			return
		}
		c := make(changed, len(row))
		for i, b := range row {
			c[i] = change(b % 4)
		}
		var fades []dissolve
		if d := (dissolve{span: span{int64(fade), int64(fade) + int64(length)}}); length > 0 && length < every && d.from > 0 && d.to <= int64(len(row)) {
			fades = []dissolve{d}
			for n := d.from; n < d.to; n++ {
				c[n] = same
			}
		}
		last := 0
		for n, key := range keysOf(c, int64(every), fades) {
			if key && len(fades) > 0 && int64(n) >= fades[0].from && int64(n) < fades[0].to {
				t.Fatalf("a key frame in a fade, at %d", n)
			}
			if n-last > int(every) {
				t.Fatalf("no key frame from %d to %d", last, n)
			}
			if key {
				last = n
			}
		}
	})
}

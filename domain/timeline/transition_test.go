package timeline_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/timeline"
)

// fullOutline is like outline, with what a transition leaves and what is over it: "… <style scene[leaving]over[…]>".
func fullOutline(p *timeline.Timeline) string {
	layers := func(list []timeline.Layer) string {
		var all []string
		for _, l := range list {
			all = append(all, fmt.Sprintf("%s#%d.%d %d-%d/%d", l.Kind, l.Ref.Scene, l.Ref.Element, l.From, l.To, l.Phase))
		}
		return "[" + strings.Join(all, " ") + "]"
	}
	var windows []string
	for _, w := range p.Windows {
		text := fmt.Sprintf("%d:%d+%d%s", w.Scene, w.Start, w.Frames, layers(w.Layers))
		if tr := w.Transition; tr != nil {
			text += fmt.Sprintf("<%s %d%sover%s>", tr.Style, tr.Scene, layers(tr.Layers), layers(tr.Over))
		}
		windows = append(windows, text)
	}
	return strings.Join(windows, " ")
}

func TestLay_Transitions(t *testing.T) {
	t.Parallel()
	const text = `{"type":"text","text":"x"}`
	tests := []struct{ name, movie, want string }{
		{"between two scenes", `{"scenes":[{"duration":2},{"duration":2,"transition":{"style":"wipeup","duration":1}}]}`,
			"1:0+25[] 2:25+25[]<wipeup 1[]over[]> 2:50+25[]"},
		{"with tail and head", `{"scenes":[{"duration":2,"elements":[` + text + `]},{"duration":2,"elements":[{"type":"video","src":"clip"}],"transition":{"duration":1}}]}`,
			"1:0+25[text#1.1 0-25/0] 2:25+25[video#2.1 0-25/0]<fade 1[text#1.1 0-25/25]over[]> 2:50+25[video#2.1 0-25/25]"},
		{"from black", `{"scenes":[{"duration":2,"elements":[` + text + `],"transition":{"style":"circleopen","duration":0.8}}]}`,
			"1:0+20[text#1.1 0-20/0]<circleopen 0[]over[]> 1:20+30[text#1.1 0-30/20]"},
		{"all of a scene", `{"scenes":[{"duration":2},{"duration":1,"transition":{"duration":1}}]}`, "1:0+25[] 2:25+25[]<fade 1[]over[]>"},
		{"one after the other", `{"scenes":[{"duration":1},{"duration":1,"transition":{"duration":2}},{"duration":1,"transition":{"duration":2}}]}`,
			"1:0+13[] 2:13+12[]<fade 1[]over[]> 3:25+13[]<fade 2[]over[]> 3:38+12[]"},
		{"under elements of the movie", `{"scenes":[{"duration":1},{"duration":1,"transition":{"duration":0.4}}],"elements":[` + text + `]}`,
			"1:0+15[text#0.1 0-15/0] 2:15+10[]<fade 1[]over[text#0.1 0-10/15]> 2:25+15[text#0.1 0-15/25]"},
		{"over elements of the movie", `{"scenes":[{"duration":1,"background-color":"transparent","elements":[` + text + `]},
			{"duration":1,"transition":{"duration":0.4},"background-color":"#fff8"}],"elements":[{"type":"image","src":"photo","z-index":-1}]}`,
			"1:0+15[image#0.1 0-15/0 text#1.1 0-15/0] 2:15+10[image#0.1 0-10/15 color#2.0 0-10/0]<fade 1[image#0.1 0-10/15 text#1.1 0-10/15]over[]> " +
				"2:25+15[image#0.1 0-15/25 color#2.0 0-15/0]"},
		{"from a scene that hides them", `{"scenes":[{"duration":1},{"duration":1,"transition":{"duration":0.4},"background-color":"transparent"}],
			"elements":[{"type":"image","src":"photo","z-index":-1}]}`,
			"1:0+15[] 2:15+10[image#0.1 0-10/15]<fade 1[]over[]> 2:25+15[image#0.1 0-15/25]"},
		{"long ones are not cut", `{"scenes":[{"duration":30},{"duration":30,"transition":{"duration":30}}]}`, "2:0+750[]<fade 1[]over[]>"},
		{"shorter than a frame", `{"scenes":[{"duration":1},{"duration":1,"transition":{"duration":0.001}}]}`, "1:0+25[] 2:25+25[]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := mustLay(t, tt.movie)
			if got := fullOutline(p); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			requireSound(t, p)
		})
	}
}

func TestLay_TransitionBackgrounds(t *testing.T) {
	t.Parallel()
	red, blue, black := timeline.Color{R: 255, A: 255}, timeline.Color{B: 255, A: 255}, timeline.Color{A: 255}
	p := mustLay(t, `{"background-color":"blue","scenes":[{"duration":1,"background-color":"red","transition":{"duration":0.4}},
		{"duration":1,"background-color":"transparent","transition":{"duration":0.4}}]}`)
	type pair struct{ leaving, entering timeline.Color }
	var got []pair
	for _, w := range p.Windows {
		if w.Transition != nil {
			got = append(got, pair{w.Transition.Background, w.Background})
		}
	}
	if want := []pair{{black, red}, {red, blue}}; !cmp.Equal(want, got, cmp.AllowUnexported(pair{})) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestLay_TransitionSound: what overlaps is heard together.
func TestLay_TransitionSound(t *testing.T) {
	t.Parallel()
	p := mustLay(t, `{"scenes":[{"elements":[{"type":"video","src":"clip","duration":4}]},
		{"elements":[{"type":"audio","src":"music","duration":3}],"transition":{"duration":1}}]}`)
	if len(p.Audio) != 2 || p.Audio[0].To != 100 || p.Audio[1].From != 75 || p.Audio[1].To != 150 || p.Frames != 150 {
		t.Errorf("got %+v in %d frames", p.Audio, p.Frames)
	}
}

func TestLay_TransitionTooLong(t *testing.T) {
	t.Parallel()
	p := mustLay(t, `{"scenes":[{"duration":1},{"duration":2,"transition":{"duration":1.5}},{"duration":2,"transition":{"duration":0.5}}]}`)
	want := []string{"Scene #2: The transition lasts 1 instead of 1.5 seconds, because the scenes are too short for it"}
	if diff := cmp.Diff(want, p.Warnings); diff != "" || p.Frames != 88 { // 3.5 s
		t.Errorf("%d frames, warnings (-want +got):\n%s", p.Frames, diff)
	}
}

// TestLay_Fresh: what a cache property forbids, and no more.
func TestLay_Fresh(t *testing.T) {
	t.Parallel()
	const image = `{"type":"image","src":"photo"%s}`
	tests := []struct {
		name, movie string
		want        string // one digit for each window
		movieFresh  bool
	}{
		{"nothing", `{"scenes":[{"duration":1},{"duration":1}]}`, "00", false},
		{"movie", `{"cache":false,"scenes":[{"duration":1},{"duration":1}]}`, "11", true},
		{"scene", `{"scenes":[{"duration":1},{"duration":1,"cache":false},{"duration":1}]}`, "010", false},
		{"scene with transitions", `{"scenes":[{"duration":1},{"duration":1,"cache":"false","transition":{"duration":0.2}},{"duration":1,"transition":{"duration":0.2}}]}`,
			"01110", false},
		{"element of a scene", `{"scenes":[{"duration":1},{"duration":12,"elements":[` + fmt.Sprintf(image, `,"cache":false,"duration":1`) + `]},{"duration":1}]}`,
			"010", false},
		{"sound of a scene", `{"scenes":[{"duration":1},{"duration":1,"elements":[{"type":"audio","src":"music","cache":false}]}]}`, "01", false},
		{"element of the movie", `{"scenes":[{"duration":1},{"duration":1},{"duration":1}],"elements":[` + fmt.Sprintf(image, `,"cache":false,"start":1.5,"duration":1`) + `]}`,
			"011", false},
	}
	for _, tt := range tests {
		p := mustLay(t, tt.movie)
		got := ""
		for _, w := range p.Windows {
			got += map[bool]string{false: "0", true: "1"}[w.Fresh]
		}
		if got != tt.want || p.Fresh != tt.movieFresh {
			t.Errorf("%s: got %s, movie %v, want %s, %v", tt.name, got, p.Fresh, tt.want, tt.movieFresh)
		}
	}
}

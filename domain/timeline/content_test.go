package timeline_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/caption"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

func TestLay_Animation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		props string
		want  *timeline.Animation
	}{
		{`"text":"Hello you"`, nil},
		{`"text":"Hello you","style":"002"`, &timeline.Animation{Style: "002", Unit: "block", Units: 1, Each: 2, Intro: 50}},
		{`"text":"Hello you","style":"003"`, &timeline.Animation{Style: "003", Unit: "word", Units: 2, Step: 0.4, Each: 0.5, Intro: 23}},
		{`"text":"Hello you","style":"004"`, &timeline.Animation{Style: "004", Unit: "letter", Units: 8, Step: 0.025, Each: 0.05, Intro: 6}},
		{`"text":"Hello you","style":"005"`, &timeline.Animation{Style: "005", Unit: "letter", Units: 8, Step: 0.05, Each: 0.75, Intro: 28}},
		{`"text":"Hello you","style":"006"`,
			&timeline.Animation{Style: "006", Unit: "letter", Units: 8, Delay: 0.5, Step: 0.03, Each: 1.2, Way: 40, Intro: 48}},
		{`"text":"Hello you","style":"007"`, &timeline.Animation{Style: "007", Unit: "letter", Units: 8, Step: 0.045, Each: 1.2, Intro: 38}},
		{`"text":"Hello you","style":"008"`, &timeline.Animation{Style: "008", Unit: "letter", Units: 8, Step: 0.07, Each: 0.6, Least: 2, Intro: 50}},
		{`"text":"Hello you","style":"009"`,
			&timeline.Animation{Style: "009", Unit: "letter", Units: 8, Random: 2.5, Each: 0.4, Seed: 49818848, Intro: 73}},
		{`"text":"Hello you","style":"010"`,
			&timeline.Animation{Style: "010", Unit: "letter", Units: 8, Random: 2.5, Each: 0.4, Seed: 49818848, Intro: 73, Leaves: true}},
		{`"text":"Hello you","style":"011"`, nil},
		{`"text":"Hello you","style":"012"`, &timeline.Animation{Style: "012", Unit: "letter", Units: 8, Step: 0.055, Each: 0.75, Intro: 29}},
		{`"text":"Hello, you|there","style":"013"`, &timeline.Animation{Style: "013", Unit: "phrase", Units: 3, Step: 0.14, Each: 0.65, Intro: 24}},
		{`"text":"a\nb","style":"moviola/slide"`, &timeline.Animation{Style: "moviola/slide", Unit: "line", Units: 2, Step: 0.2, Each: 0.7, Intro: 23}},
		{`"text":"cut","style":"002","duration":1`, &timeline.Animation{Style: "002", Unit: "block", Units: 1, Each: 2, Intro: 25}},
		{`"text":"faster","style":"moviola/fade","duration":1`, &timeline.Animation{Style: "moviola/fade", Unit: "block", Units: 1, Each: 1, Intro: 25}},
		{`"text":"` + strings.Repeat("x", 141) + `","style":"005"`, // 7.75 s in 4 s
			&timeline.Animation{Style: "005", Unit: "letter", Units: 141, Step: 0.05, Each: 0.75, Intro: 100}},
		{`"text":"` + strings.Repeat("x", 141) + `","style":"moviola/jump"`,
			&timeline.Animation{Style: "moviola/jump", Unit: "letter", Units: 141, Step: 0.05 * 4 / 7.75, Each: 0.75 * 4 / 7.75, Intro: 100}},
		{`"text":"ss","style":"moviola/spring","settings":{"text-transform":"uppercase"}`,
			&timeline.Animation{Style: "moviola/spring", Unit: "letter", Units: 2, Step: 0.025, Each: 0.65, Intro: 17}},
	}
	for _, tt := range tests {
		got := mustLayer(t, `{"type":"text",`+tt.props+`}`).Text.Animation
		if diff := cmp.Diff(tt.want, got, near); diff != "" {
			t.Errorf("%.60s (-want +got):\n%s", tt.props, diff)
		}
	}
	for style, motion := range document.TextMotions {
		if !motion.Moves() {
			continue
		}
		if a := mustLayer(t, `{"type":"text","text":"a few words","style":"`+style+`"}`).Text.Animation; a == nil || a.Intro <= 0 {
			t.Errorf("style %s has no animation", style)
		}
	}
}

// TestAnimation_Done: the units come one after the other, and all have come when the intro is over.
func TestAnimation_Done(t *testing.T) {
	t.Parallel()
	rate := timeline.Rate{Num: 10, Den: 1}
	a := timeline.Animation{Units: 3, Step: 0.2, Each: 0.4, Intro: 8}
	got := ""
	for k := range int64(10) {
		for i := range 4 { // one more than there are
			got += fmt.Sprintf("%.0f ", 100*a.Done(i, k, rate))
		}
		got += "|"
	}
	want := "0 0 0 0 |25 0 0 0 |50 0 0 0 |75 25 0 0 |100 50 0 0 |100 75 25 25 |100 100 50 50 |100 100 75 75 |100 100 100 100 |100 100 100 100 |"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestAnimation_Random: each unit begins within the time, not all at once, and at the same time whenever it is asked for.
func TestAnimation_Random(t *testing.T) {
	t.Parallel()
	a := timeline.Animation{Units: 200, Delay: 1, Random: 2.5, Each: 0.4, Seed: 7}
	early, late := 0, 0
	for i := range a.Units {
		at := a.Begins(i)
		if at < 1 || at >= 3.5 || at != a.Begins(i) {
			t.Fatalf("unit %d begins at %v", i, at)
		}
		if at < 1.5 {
			early++
		} else if at > 3 {
			late++
		}
	}
	if early < 20 || late < 20 || a.Ends(200) > 3.9 || a.Ends(200) < 3.4 {
		t.Errorf("%d of 200 begin in the first half second, %d in the last; it ends at %v", early, late, a.Ends(200))
	}
	if a.Seed++; a.Begins(3) == (timeline.Animation{Units: 200, Delay: 1, Random: 2.5, Seed: 7}).Begins(3) {
		t.Error("the seed makes no difference")
	}
}

func TestLay_CanvasBoxes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		props string
		want  timeline.Box
	}{
		{``, timeline.Box{W: 1000, H: 500}},
		{`"x":30,"y":-20,`, timeline.Box{X: 30, Y: -20, W: 1000, H: 500}},
		{`"width":400,"x":260,"y":35,`, timeline.Box{X: 260, Y: 35, W: 400, H: 500}},
		{`"width":400,"height":100,"position":"bottom-right",`, timeline.Box{X: 550, Y: 375, W: 400, H: 100}},
		{`"width":400,"position":"bottom-right",`, timeline.Box{X: 550, Y: 0, W: 400, H: 500}},
		{`"height":100,"position":"bottom-right",`, timeline.Box{X: 0, Y: 375, W: 1000, H: 100}},
		{`"position":"center-center",`, timeline.Box{W: 1000, H: 500}},
		{`"width":400,"height":100,"resize":"cover",`, timeline.Box{W: 1000, H: 500}},
	}
	for _, tt := range tests {
		for _, element := range []string{`"type":"html","html":"x"`, `"type":"component","component":"basic/001"`, `"type":"audiogram"`} {
			if got := mustLayer(t, `{`+tt.props+element+`}`).Box; got != tt.want {
				t.Errorf("%s%s: got %v, want %v", tt.props, element, got, tt.want)
			}
		}
	}
}

func TestLay_Content(t *testing.T) {
	t.Parallel()
	page := mustLayer(t, `{"type":"html","html":"<b>x</b>","src":"http://a","tailwind":true,"wait":2,"dpi":2,"duration":2,"capture":{"duration":3},
		"settings":{"font-size":"20px","color":"red","opacity":1}}`).Page
	want := &timeline.Page{HTML: "<b>x</b>", Tailwind: true, Wait: 2, DPI: 2, Capture: 50,
		Settings: []timeline.Setting{{Name: "color", Value: "red"}, {Name: "font-size", Value: "20px"}}}
	if diff := cmp.Diff(want, page); diff != "" {
		t.Errorf("page (-want +got):\n%s", diff)
	}
	if got := mustLayer(t, `{"type":"html","src":"http://a"}`).Page; got.Source != "http://a" || got.Capture != 0 {
		t.Errorf("got page %+v", got)
	}
	component := mustLayer(t, `{"type":"component","component":"basic/001","settings":{"card":{"padding":2}}}`)
	settings := map[string]any{"card": map[string]any{"padding": json.Number("2")}}
	if diff := cmp.Diff(&document.Component{ID: "basic/001", Settings: settings}, component.Component); diff != "" || component.Kind != timeline.ComponentLayer {
		t.Errorf("kind %s, component (-want +got):\n%s", component.Kind, diff)
	}
	audiogram := mustLayer(t, `{"type":"audiogram","color":"red","amplitude":7}`)
	if diff := cmp.Diff(&timeline.Audiogram{Color: timeline.Color{R: 255, A: 255}, Amplitude: 7}, audiogram.Audiogram); diff != "" {
		t.Errorf("audiogram (-want +got):\n%s", diff)
	}
	gif := mustLayer(t, `{"type":"image","src":"gif"}`)
	if gif.Kind != timeline.ImageLayer || !gif.Animated || gif.Loop != 1.2 || gif.Plays != 0 || gif.Life != 100 {
		t.Errorf("got animated image %+v", gif)
	}
	if photo := mustLayer(t, `{"type":"image","src":"photo","volume":3}`); photo.Animated || photo.Loop != 0 {
		t.Errorf("got image %+v", photo)
	}
}

// voiced are the usual sources and every voice of a movie, two seconds long.
func voiced(m *document.Movie) map[string]timeline.Facts {
	facts := maps.Clone(sources)
	for _, s := range document.Sources(m) {
		if s.Kind == document.TypeVoice {
			facts[s.Key] = timeline.Facts{Duration: 2, HasAudio: true}
		}
	}
	return facts
}

func TestLay_Voice(t *testing.T) {
	t.Parallel()
	m := mustParse(t, `{"scenes":[{"elements":[{"type":"image","src":"photo"},{"type":"voice","text":"Hi","volume":2,"fade-out":1,"extra-time":1}]},
		{"elements":[{"type":"voice","text":"Hi","muted":true}]}]}`)
	p, err := timeline.Lay(m, voiced(m))
	if err != nil {
		t.Fatal(err)
	}
	want := []timeline.Clip{{Ref: timeline.Ref{Scene: 1, Element: 2, Type: "voice"}, Source: m.Scenes[0].Elements[1].Src, To: 75, Volume: 2, FadeOut: 25}}
	if diff := cmp.Diff(want, p.Audio); diff != "" || p.Frames != 125 || outline(p) != "1:0+75[image#1.1 0-75/0] 2:75+50[]" {
		t.Errorf("%s, audio (-want +got):\n%s", outline(p), diff)
	}
}

// TestLay_UnknownFacts: what has not been found out about a voice or a mask is the caller's mistake; a mask that is no picture is the
// movie's.
func TestLay_UnknownFacts(t *testing.T) {
	t.Parallel()
	for _, element := range []string{`{"type":"voice","text":"Hi"}`, `{"type":"text","text":"x","mask":"elsewhere"}`} {
		_, err := timeline.Lay(mustParse(t, `{"elements":[`+element+`]}`), sources)
		var refused *domain.Error
		if err == nil || errors.As(err, &refused) {
			t.Errorf("%s: got %v, want a plain error", element, err)
		}
	}
	_, err := timeline.Lay(mustParse(t, `{"scenes":[{"elements":[{"type":"text","text":"x","mask":"music"}]}]}`), sources)
	const message = "Scene #1 Element #1: The URL provided is not an image or video file and cannot be used as a mask (element type 'text')"
	var refused *domain.Error
	if !errors.As(err, &refused) || refused.Message != message {
		t.Errorf("got %v, want %q", err, message)
	}
}

func TestLay_Subtitles(t *testing.T) {
	t.Parallel()
	p := mustLay(t, `{"width":1000,"scenes":[{"duration":1}],"elements":[{"type":"subtitles","captions":"1\n","language":"DE",
		"settings":{"style":"boxed-word","font-size":"60","font-url":"https://f/x.ttf","sparkle":1}}]}`)
	s := p.Subtitles
	if s == nil || s.Captions != "1" || s.Language != "de" || s.Style.Name != caption.BoxedWord || s.Style.Size != 60 || s.Style.FontURL != "https://f/x.ttf" {
		t.Fatalf("got %+v", s)
	}
	if diff := cmp.Diff([]string{"Movie Element #1: The setting 'sparkle' has no effect"}, p.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
}

// TestPlan_Caption: captions are the topmost layer of each window that shows any.
func TestPlan_Caption(t *testing.T) {
	t.Parallel()
	const movie = `{"scenes":[{"duration":2},{"duration":2,"transition":{"duration":1}}],"elements":[{"type":"text","text":"x"}%s]}`
	row := func(text string) []caption.Row { return []caption.Row{{Pieces: []caption.Piece{{Text: text}}}} }
	states := []caption.State{
		{From: -time.Second, To: 400 * time.Millisecond, Rows: row("a")},
		{From: 800 * time.Millisecond, To: 1600 * time.Millisecond, Rows: row("b")},
		{From: 1700 * time.Millisecond, To: 1701 * time.Millisecond, Rows: row("too short")},
		{From: time.Hour, To: 2 * time.Hour, Rows: row("too late")},
	}
	p := mustLay(t, fmt.Sprintf(movie, `,{"type":"subtitles"}`))
	p.Caption(states)
	requireSound(t, p)
	want := "1:0+25[text#0.1 0-25/0 caption#0.2 0-25/0] 2:25+25[]<fade 1[]over[text#0.1 0-25/25 caption#0.2 0-25/0]> 2:50+25[text#0.1 0-25/50]"
	if got := fullOutline(p); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	first := p.Windows[0].Layers[1]
	shown := &timeline.Captions{Style: p.Subtitles.Style, Shown: []timeline.ShownCaption{{Rows: row("a"), To: 10}, {Rows: row("b"), From: 20, To: 25}}}
	if diff := cmp.Diff(shown, first.Captions); diff != "" || first.Box != (timeline.Box{W: 640, H: 360}) {
		t.Errorf("box %v, captions (-want +got):\n%s", first.Box, diff)
	}
	second := p.Windows[1].Transition.Over[1]
	if diff := cmp.Diff([]timeline.ShownCaption{{Rows: row("b"), To: 15}}, second.Captions.Shown); diff != "" {
		t.Errorf("captions of the transition (-want +got):\n%s", diff)
	}

	without := mustLay(t, fmt.Sprintf(movie, ""))
	before := fullOutline(without)
	if without.Caption(states); fullOutline(without) != before {
		t.Error("a movie without subtitles shows captions")
	}
}

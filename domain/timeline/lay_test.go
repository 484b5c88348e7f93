package timeline_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/document"
	"moviola/domain/timeline"
)

// sources are the facts of the files that the tests are made from.
var sources = map[string]timeline.Facts{
	"photo":  {Width: 400, Height: 200},
	"tall":   {Width: 300, Height: 900},
	"strip":  {Width: 10, Height: 20000},
	"clip":   {Width: 640, Height: 360, Duration: 4.004, HasVideo: true, HasAudio: true},
	"silent": {Width: 320, Height: 240, Duration: 12, HasVideo: true},
	"music":  {Duration: 30.5, HasAudio: true},
	"gif":    {Width: 100, Height: 50, Duration: 1.2, HasVideo: true},
}

func mustParse(t *testing.T, raw string) *document.Movie {
	t.Helper()
	m, err := document.Parse([]byte(raw))
	if err != nil {
		t.Fatalf("Parse(%.200s): %v", raw, err)
	}
	return m
}

func mustLay(t *testing.T, raw string) *timeline.Timeline {
	t.Helper()
	p, err := timeline.Lay(mustParse(t, raw), sources)
	if err != nil {
		t.Fatalf("Lay(%.200s): %v", raw, err)
	}
	return p
}

// outline is a plan's windows as text: "scene:start+frames[kind#element from-to/phase ...]".
func outline(p *timeline.Timeline) string {
	var b strings.Builder
	for _, w := range p.Windows {
		fmt.Fprintf(&b, "%d:%d+%d[", w.Scene, w.Start, w.Frames)
		for i, l := range w.Layers {
			fmt.Fprintf(&b, "%s%s#%d.%d %d-%d/%d", strings.Repeat(" ", min(i, 1)), l.Kind, l.Ref.Scene, l.Ref.Element, l.From, l.To, l.Phase)
		}
		b.WriteString("] ")
	}
	return strings.TrimSpace(b.String())
}

func TestLay_Windows(t *testing.T) {
	t.Parallel()
	const text = `{"type":"text","text":"x"}`
	tests := []struct{ name, movie, want string }{
		{"one per scene", `{"scenes":[{"duration":1},{"duration":2}]}`, "1:0+25[] 2:25+50[]"},
		{"absolute rounding", `{"scenes":[{"duration":0.3},{"duration":0.3},{"duration":0.3},{"duration":0.3}]}`,
			"1:0+8[] 2:8+7[] 3:15+8[] 4:23+7[]"},
		{"scene of no frame", `{"scenes":[{"duration":1},{"duration":0.001},{"duration":1}]}`, "1:0+25[] 3:25+25[]"},
		{"elements of a scene", `{"scenes":[{"duration":1},{"duration":2,"elements":[{"type":"image","src":"photo","start":0.5,"duration":1},` + text + `]}]}`,
			"1:0+25[] 2:25+50[image#2.1 13-38/0 text#2.2 0-50/0]"}, // 1.5 s are 37.5 frames, 2.5 s are 62.5
		{"element of the movie", `{"scenes":[{"duration":1},{"duration":2}],"elements":[{"type":"video","src":"clip","start":0.4,"duration":2}]}`,
			"1:0+25[video#0.1 10-25/0] 2:25+50[video#0.1 0-35/15]"},
		{"movie longer than its scenes", `{"scenes":[{"duration":1}],"elements":[{"type":"image","src":"photo","duration":3}]}`,
			"1:0+25[image#0.1 0-25/0] 0:25+50[image#0.1 0-50/25]"},
		{"no scenes", `{"elements":[{"type":"image","src":"photo","duration":3},` + text + `]}`, "0:0+75[image#0.1 0-75/0 text#0.2 0-75/0]"},
		{"sound is no layer", `{"scenes":[{"elements":[{"type":"audio","src":"music","duration":2}]}]}`, "1:0+50[]"},
		{"z-index within a scene", `{"scenes":[{"duration":1,"elements":[{"type":"image","src":"photo","z-index":2},` + text + `,{"type":"image","src":"photo","z-index":-1},` + text + `]}]}`,
			"1:0+25[image#1.3 0-25/0 text#1.2 0-25/0 text#1.4 0-25/0 image#1.1 0-25/0]"},
		{"movie over scene whatever its z-index", `{"scenes":[{"duration":1,"elements":[{"type":"image","src":"photo","z-index":99}]}],"elements":[` + text + `]}`,
			"1:0+25[image#1.1 0-25/0 text#0.1 0-25/0]"},
		{"behind an opaque scene", `{"scenes":[{"duration":1,"elements":[` + text + `]}],"elements":[{"type":"image","src":"photo","z-index":-1}]}`,
			"1:0+25[text#1.1 0-25/0]"},
		{"behind a transparent scene", `{"scenes":[{"duration":1,"background-color":"transparent","elements":[` + text + `]}],"elements":[` + text + `,{"type":"image","src":"photo","z-index":-1}]}`,
			"1:0+25[image#0.2 0-25/0 text#1.1 0-25/0 text#0.1 0-25/0]"},
		{"behind a half transparent scene", `{"scenes":[{"duration":1,"background-color":"#ff000080","elements":[` + text + `]}],"elements":[{"type":"image","src":"photo","z-index":-1}]}`,
			"1:0+25[image#0.1 0-25/0 color#1.0 0-25/0 text#1.1 0-25/0]"},
		{"long scene", `{"scenes":[{"duration":34}]}`, "1:0+250[] 1:250+250[] 1:500+350[]"},
		{"long scene over a fading picture", `{"scenes":[{"duration":21,"elements":[{"type":"image","src":"photo","start":1}]}]}`,
			"1:0+250[image#1.1 25-250/0] 1:250+275[image#1.1 0-275/225]"},
		{"cut where a video ends", `{"scenes":[{"duration":30,"elements":[{"type":"video","src":"silent"}]}]}`,
			"1:0+300[video#1.1 0-300/0] 1:300+250[] 1:550+200[]"},
		{"cut where a video begins", `{"scenes":[{"duration":30,"elements":[{"type":"video","src":"silent","start":8}]}]}`,
			"1:0+200[] 1:200+300[video#1.1 0-300/0] 1:500+250[]"},
		{"cut at the nearer end, the first", `{"scenes":[{"duration":30,"elements":[{"type":"video","src":"clip","start":8,"duration":5}]}]}`,
			"1:0+200[] 1:200+250[video#1.1 0-125/0] 1:450+300[]"},
		{"cut at the nearer end, the last", `{"scenes":[{"duration":30,"elements":[{"type":"video","src":"clip","start":6,"duration":5}]}]}`,
			"1:0+275[video#1.1 150-275/0] 1:275+250[] 1:525+225[]"},
		{"no last piece that is not worth it", `{"scenes":[{"duration":17,"elements":[{"type":"video","src":"silent","start":2}]}]}`,
			"1:0+250[video#1.1 50-250/0] 1:250+175[video#1.1 0-100/200]"},
		{"cut between two videos", `{"scenes":[{"elements":[{"type":"video","src":"silent"},{"type":"video","src":"silent","start":-1}]}]}`,
			"1:0+300[video#1.1 0-300/0] 1:300+300[video#1.2 0-300/0]"},
		{"cut inside a video that is too long", `{"scenes":[{"duration":40,"elements":[{"type":"video","src":"silent","start":4,"loop":2}]}]}`,
			"1:0+250[video#1.1 100-250/0] 1:250+250[video#1.1 0-250/150] 1:500+250[video#1.1 0-200/400] 1:750+250[]"},
		{"cut inside one of the movie", `{"scenes":[{"duration":30}],"elements":[{"type":"video","src":"silent","duration":-2,"loop":-1}]}`,
			"1:0+250[video#0.1 0-250/0] 1:250+250[video#0.1 0-250/250] 1:500+250[video#0.1 0-250/500]"},
		{"to the end, which extra time moves", `{"scenes":[{"elements":[{"type":"text","text":"x","duration":-2},{"type":"image","src":"photo","duration":1,"extra-time":1}]}]}`,
			"1:0+50[text#1.1 0-50/0 image#1.2 0-50/0]"},
		{"to the end, which a late element moves", `{"scenes":[{"elements":[{"type":"text","text":"x","duration":-2,"start":0.4},{"type":"image","src":"photo","duration":1,"start":1}]}]}`,
			"1:0+50[text#1.1 10-50/0 image#1.2 25-50/0]"},
		{"to the end, which a sound moves", `{"scenes":[{"elements":[{"type":"text","text":"x","duration":-2},{"type":"audio","src":"music","duration":2}]}]}`,
			"1:0+50[text#1.1 0-50/0]"},
		{"to the end of the movie, which its own elements move", `{"scenes":[{"duration":1}],"elements":[{"type":"text","text":"x","duration":-2},{"type":"image","src":"photo","duration":2}]}`,
			"1:0+25[text#0.1 0-25/0 image#0.2 0-25/0] 0:25+25[text#0.1 0-25/25 image#0.2 0-25/25]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := mustLay(t, tt.movie)
			if got := outline(p); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			requireSound(t, p)
		})
	}
}

func TestLay_Backgrounds(t *testing.T) {
	t.Parallel()
	red, black := timeline.Color{R: 255, A: 255}, timeline.Color{A: 255}
	tests := []struct {
		name, movie string
		want        timeline.Color
	}{
		{"default", `{"scenes":[{}]}`, black},
		{"scene", `{"scenes":[{"background-color":"red"}]}`, red},
		{"transparent over nothing", `{"scenes":[{"background-color":"transparent"}]}`, black},
		{"transparent over the movie's", `{"background-color":"red","scenes":[{"background-color":"transparent"}]}`, red},
		{"half over black", `{"scenes":[{"background-color":"rgba(255,0,0,0.5)"}]}`, timeline.Color{R: 128, A: 255}},
		{"half over the movie's", `{"background-color":"blue","scenes":[{"background-color":"rgba(255,0,0,0.5)"}]}`, timeline.Color{R: 128, B: 127, A: 255}},
		{"no scenes", `{"background-color":"red","elements":[{"type":"text","text":"x"}]}`, red},
		{"below an element behind", `{"background-color":"red","scenes":[{"background-color":"rgba(0,0,0,0.5)"}],"elements":[{"type":"text","text":"x","z-index":-1}]}`, red},
	}
	for _, tt := range tests {
		if got := mustLay(t, tt.movie).Windows[0].Background; got != tt.want {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestLay_Movie(t *testing.T) {
	t.Parallel()
	p := mustLay(t, `{"resolution":"hd","fps":29.97,"quality":"low","draft":true,"scenes":[{"duration":10.01}],"width":3}`)
	want := &timeline.Timeline{
		Width: 1280, Height: 720, FPS: timeline.Rate{Num: 2997, Den: 100}, Frames: 300, Quality: timeline.Low, Draft: true, Held: true, ThumbnailFrame: 30,
		Windows: []timeline.Window{{Scene: 1, Frames: 300, Background: timeline.Color{A: 255}}},
	}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("plan (-want +got):\n%s", diff)
	}
	if p.Credits() != 11 { // 300 frames are 10.01001 s
		t.Errorf("got %d credits, want 11", p.Credits())
	}
}

func TestLay_Thumbnail(t *testing.T) {
	t.Parallel()
	const scenes = `"scenes":[{"duration":2},{"id":"end","duration":4}]`
	for movie, want := range map[string]int64{
		`{` + scenes + `}`:                             25,
		`{"scenes":[{"duration":0.8}]}`:                10,
		`{"scenes":[{"duration":1}]}`:                  12,
		`{` + scenes + `,"thumbnail":2.5}`:             63, // 62.5
		`{` + scenes + `,"thumbnail":{"time":3}}`:      75,
		`{` + scenes + `,"thumbnail":{"scene":2}}`:     100,
		`{` + scenes + `,"thumbnail":{"scene":"end"}}`: 100,
		`{` + scenes + `,"thumbnail":{"scene":7}}`:     25, // and a warning
		`{` + scenes + `,"thumbnail":600}`:             149,
		`{` + scenes + `,"thumbnail":-3}`:              0,
	} {
		if got := mustLay(t, movie).ThumbnailFrame; got != want {
			t.Errorf("%s: got frame %d, want %d", movie, got, want)
		}
	}
	if w := mustLay(t, `{`+scenes+`,"thumbnail":{"scene":0}}`).Warnings; len(w) != 1 || w[0] != "Movie: The thumbnail's scene was not found" {
		t.Errorf("got warnings %q", w)
	}
}

func TestLay_Fades(t *testing.T) {
	t.Parallel()
	tests := []struct {
		element      string
		in, out, all int64
	}{
		{`"duration":2,"fade-in":0.5,"fade-out":1`, 13, 25, 50}, // 12.5 frames
		{`"duration":2,"fade-in":9,"fade-out":9`, 50, 50, 50},
		{`"duration":1,"extra-time":1,"fade-out":0.2`, 0, 5, 50},
		{`"fade-out":1`, 0, 25, 75}, // cut by the scene: it fades where it ends
	}
	for _, tt := range tests {
		l := mustLay(t, `{"scenes":[{"duration":3,"elements":[{"type":"image","src":"photo",`+tt.element+`}]}]}`).Windows[0].Layers[0]
		if l.FadeIn != tt.in || l.FadeOut != tt.out || l.Life != tt.all {
			t.Errorf("%s: got in %d, out %d, life %d, want %d, %d, %d", tt.element, l.FadeIn, l.FadeOut, l.Life, tt.in, tt.out, tt.all)
		}
	}
}

func TestLay_PlayOfVideo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		element    string
		seek, loop float64
		plays      int
	}{
		{`"src":"clip"`, 0, 0, 0},
		{`"src":"clip","seek":1.5`, 1.5, 0, 0},
		{`"src":"silent","seek":-2`, 10, 0, 0},
		{`"src":"clip","loop":2`, 0, 4.004, 2},
		{`"src":"clip","loop":-1,"duration":9,"seek":1`, 1, 3.004, 0},
		{`"src":"clip","loop":-1,"duration":3`, 0, 0, 0}, // ends before the first play does
		{`"src":"clip","duration":9`, 0, 0, 0},
	}
	for _, tt := range tests {
		p := mustLay(t, `{"scenes":[{"elements":[{"type":"video",`+tt.element+`}]}]}`)
		l := p.Windows[0].Layers[0]
		if l.Seek != tt.seek || l.Loop != tt.loop || l.Plays != tt.plays {
			t.Errorf("%s: got seek %v, loop %v × %d, want %v, %v × %d", tt.element, l.Seek, l.Loop, l.Plays, tt.seek, tt.loop, tt.plays)
		}
		for _, c := range p.Audio {
			if c.Seek != l.Seek || c.Loop != l.Loop || c.Plays != l.Plays {
				t.Errorf("%s: sound and picture differ: %+v", tt.element, c)
			}
		}
	}
}

func TestLay_Audio(t *testing.T) {
	t.Parallel()
	p := mustLay(t, `{"scenes":[{"duration":2},{"duration":3,"elements":[{"type":"video","src":"clip","volume":0.5,"fade-in":1},
		{"type":"video","src":"silent"},{"type":"video","src":"clip","muted":true},{"type":"audio","src":"music","volume":0}]}],
		"elements":[{"type":"audio","src":"music","duration":-2,"seek":3,"start":0.5,"volume":2,"fade-out":1}]}`)
	want := []timeline.Clip{
		{Ref: timeline.Ref{Scene: 2, Element: 1, Type: "video"}, Source: "clip", From: 50, To: 125, Volume: 0.5, FadeIn: 25},
		{Ref: timeline.Ref{Element: 1, Type: "audio"}, Source: "music", From: 13, To: 125, Seek: 3, Volume: 2, FadeOut: 25},
	}
	if diff := cmp.Diff(want, p.Audio); diff != "" {
		t.Errorf("audio (-want +got):\n%s", diff)
	}
}

func TestLay_Errors(t *testing.T) {
	t.Parallel()
	scene := func(element string) string { return `{"scenes":[{"elements":[` + element + `]}]}` }
	many := `{"scenes":[` + strings.Repeat(`{"duration":0.1},`, 199) + `{}],"elements":[` + strings.Repeat(`{"type":"text","text":"x"},`, 4998) + `{"type":"text","text":"x"}]}`
	tests := []struct{ name, movie, message string }{
		{"no length", `{"scenes":[]}`, "Movie duration cannot be zero"},
		{"under a tenth", `{"scenes":[{"duration":0.0999}]}`, "Movie duration cannot be zero"},
		{"no frame", `{"fps":1,"scenes":[{"duration":0.4}]}`, "Movie duration cannot be zero"},
		{"too long", `{"scenes":[{"duration":21601}]}`, "Movie duration cannot be longer than 6 hours"},
		{"reference only", `{"template":"abc"}`, "The movie only refers to a template or another movie, which was not filled in"},
		{"mistake of the document", scene(`{"type":"video"}`), "Scene #1 Element #1: The element type 'video' requires a 'src' property."},
		{"sound for a picture", scene(`{"type":"image","src":"music"}`),
			"Scene #1 Element #1: The URL provided is not a image file and cannot be used as a source for a image element"},
		{"still for a video", scene(`{"type":"video","src":"photo"}`),
			"Scene #1 Element #1: The URL provided is not a video file and cannot be used as a source for a video element"},
		{"silence for sound", scene(`{"type":"audio","src":"silent"}`),
			"Scene #1 Element #1: The URL provided is not a audio file and cannot be used as a source for a audio element"},
		{"sought behind the end", scene(`{"type":"video","src":"clip","seek":5,"duration":2}`),
			"Scene #1 Element #1: The property 'seek' lies behind the end of the source, which lasts 4.004 seconds (element type 'video')"},
		{"cropped to nothing", scene(`{"type":"image","src":"photo","crop":{"x":400,"width":9,"height":9}}`),
			"Scene #1 Element #1: The property 'crop' lies outside of the picture of 400x200 (element type 'image')"},
		{"too large", scene(`{"type":"image","src":"strip","width":9}`),
			"Scene #1 Element #1: The element is 9x18000 pixels large, more than the 16384 allowed. Make 'width' or 'height' smaller (element type 'image')"},
		{"too many windows", `{"scenes":[{"iterate":6000,"duration":0.04},{"iterate":6000,"duration":0.04}]}`,
			"The movie has too many scenes. Use fewer scenes that last longer"},
		{"too many layers", many, "The movie shows too many elements in too many scenes. Use fewer elements that last over all scenes"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := timeline.Lay(mustParse(t, tt.movie), sources)
			var refused *domain.Error
			if !errors.As(err, &refused) || refused.Message != tt.message || refused.Kind != domain.Invalid {
				t.Errorf("got %v, want %q", err, tt.message)
			}
		})
	}
}

// TestLay_MissingFacts: that is the caller's mistake, not the movie's.
func TestLay_MissingFacts(t *testing.T) {
	t.Parallel()
	_, err := timeline.Lay(mustParse(t, `{"elements":[{"type":"image","src":"elsewhere"}]}`), sources)
	var refused *domain.Error
	if err == nil || errors.As(err, &refused) {
		t.Errorf("got %v, want a plain error", err)
	}
}

func TestLay_TenthOfASecond(t *testing.T) {
	t.Parallel()
	if p := mustLay(t, `{"scenes":[{"duration":0.1}]}`); p.Frames != 3 || p.Credits() != 1 {
		t.Errorf("got %d frames, %d credits, want 3 and 1", p.Frames, p.Credits())
	}
}

// TestLay_ManyElements: the largest number of elements that is accepted is laid out in a fraction of a second; the limit leaves much room
// for a busy machine.
func TestLay_ManyElements(t *testing.T) {
	t.Parallel()
	m := mustParse(t, `{"scenes":[{"duration":60}],"elements":[`+strings.Repeat(`{"type":"text","text":"x","start":-1,"duration":0.033},`, 2500)+
		strings.Repeat(`{"type":"image","src":"photo","z-index":3},`, 2498)+`{"type":"audio","src":"music"}]}`)
	began := time.Now()
	p, err := timeline.Lay(m, sources)
	if err != nil {
		t.Fatal(err)
	}
	requireSound(t, p)
	if took := time.Since(began); took > 5*time.Minute {
		t.Errorf("took %v", took)
	}
}

// TestLay_Clear: windows whose background is not opaque say how they look over white.
func TestLay_Clear(t *testing.T) {
	t.Parallel()
	white := timeline.Color{R: 255, G: 255, B: 255, A: 255}
	const behind = `"elements":[{"type":"text","text":"x","z-index":-1}]`
	tests := []struct {
		name, movie string
		want        []*timeline.Clear // of the windows
	}{
		{"opaque", `{"scenes":[{"background-color":"transparent","duration":1}]}`, []*timeline.Clear{nil}},
		{"opaque scene", `{"background-color":"transparent","scenes":[{"duration":1}]}`, []*timeline.Clear{nil}},
		{"transparent", `{"background-color":"transparent","scenes":[{"background-color":"transparent","duration":1}]}`,
			[]*timeline.Clear{{Scene: white}}},
		{"half transparent scene", `{"background-color":"transparent","scenes":[{"background-color":"rgba(255,0,0,0.5)","duration":1}]}`,
			[]*timeline.Clear{{Scene: timeline.Color{R: 255, G: 127, B: 127, A: 255}}}},
		{"half transparent scene over an element", `{"background-color":"transparent",` + behind + `,"scenes":[{"background-color":"rgba(255,0,0,0.5)","duration":1}]}`,
			[]*timeline.Clear{{Scene: white}}},
		{"no scenes", `{"background-color":"transparent","elements":[{"type":"text","text":"x","duration":1}]}`, []*timeline.Clear{{Scene: white}}},
		{"from the black before", `{"background-color":"transparent","scenes":[{"background-color":"transparent","duration":2,"transition":{"style":"fade","duration":1}}]}`,
			[]*timeline.Clear{{Scene: white, Leaving: white}, {Scene: white}}},
		{"leaving scene only", `{"background-color":"transparent","scenes":[{"background-color":"transparent","duration":2},` +
			`{"background-color":"red","duration":2,"transition":{"style":"fade","duration":1}}]}`,
			[]*timeline.Clear{{Scene: white}, {Scene: timeline.Color{R: 255, A: 255}, Leaving: white}, nil}},
	}
	for _, tt := range tests {
		var got []*timeline.Clear
		for _, w := range mustLay(t, tt.movie).Windows {
			got = append(got, w.Clear)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

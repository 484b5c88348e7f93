package document_test

import (
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"moviola/domain/document"
)

// lengths answers for sources whose address is their length: "4.5" lasts 4.5 s; others are unknown.
func lengths(url string) (document.Seconds, bool) {
	var f float64
	if _, err := fmt.Sscanf(url, "%g", &f); err != nil {
		return document.Seconds{}, false
	}
	return document.SecondsOfFloat(f), true
}

func spans(list []document.Span) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%g-%g ", s.Start.Float(), s.End.Float())
	}
	return strings.TrimSpace(b.String())
}

// TestTime_Scene has one row per timing rule inside a scene. Movie-schema §5 and decision 21.
func TestTime_Scene(t *testing.T) {
	t.Parallel()
	const text, image = `{"type":"text","text":"x"%s}`, `{"type":"image","src":"i"%s}`
	video := func(length, more string) string { return `{"type":"video","src":"` + length + `"` + more + `}` }
	tests := []struct {
		name, scene, elements string
		length                float64
		want                  string
	}{
		{"nothing in it", ``, ``, 5, ""},
		{"nothing in it, fixed", `"duration":2.5,`, ``, 2.5, ""},
		{"text without a length", ``, fmt.Sprintf(text, ""), 5, "0-5"},
		{"image without a length, later", ``, fmt.Sprintf(image, `,"start":2`), 7, "2-7"},
		{"container without a length", ``, fmt.Sprintf(image, `,"duration":-2`), 5, "0-5"},
		{"two without a length", ``, fmt.Sprintf(image, "") + "," + fmt.Sprintf(text, `,"start":3`), 8, "0-5 3-8"},
		{"slides", ``, fmt.Sprintf(image, "") + "," + fmt.Sprintf(image, `,"start":-1`) + "," + fmt.Sprintf(image, `,"start":-1`), 15, "0-5 5-10 10-15"},
		{"longest element", ``, fmt.Sprintf(image, `,"duration":3`) + "," + fmt.Sprintf(text, `,"duration":2,"start":2`), 4, "0-3 2-4"},
		{"extra time", ``, fmt.Sprintf(image, `,"duration":3,"extra-time":1.5`), 4.5, "0-4.5"},
		{"own length", ``, video("4.2", ""), 4.2, "0-4.2"},
		{"own length, said", ``, video("4.2", `,"duration":-1`), 4.2, "0-4.2"},
		{"shorter than its source", ``, video("4.2", `,"duration":3`), 3, "0-3"},
		{"longer than its source", ``, video("4.2", `,"duration":6`), 6, "0-6"},
		{"sought", ``, video("4.2", `,"seek":1.2`), 3, "0-3"},
		{"sought from the end", ``, video("4.2", `,"seek":-1.5`), 1.5, "0-1.5"},
		{"sought too far back", ``, video("4.2", `,"seek":-9`), 4.2, "0-4.2"},
		{"looped", ``, video("2", `,"loop":3`), 6, "0-6"},
		{"sought and looped", ``, video("2", `,"loop":3,"seek":0.5`), 4.5, "0-4.5"},
		{"endless without a container", ``, video("2", `,"loop":-1`), 2, "0-2"},
		{"text fills", ``, video("4", "") + "," + fmt.Sprintf(text, `,"start":1`), 4, "0-4 1-4"},
		{"image fills", ``, fmt.Sprintf(image, "") + "," + video("4", ""), 4, "0-4 0-4"},
		{"container is left out of the sum", ``, video("9", `,"duration":-2`) + "," + fmt.Sprintf(image, `,"duration":3`), 3, "0-3 0-3"},
		{"at the end", ``, video("4", "") + "," + fmt.Sprintf(image, `,"duration":2,"start":-1`), 6, "0-4 4-6"},
		{"at the end of what comes before", ``, fmt.Sprintf(image, `,"duration":2,"start":-1`) + "," + video("4", ""), 4, "0-2 0-4"},
		{"at the end, past a filling one", ``, fmt.Sprintf(image, "") + "," + video("4", `,"start":-1`), 4, "0-4 0-4"},
		{"at the end, without a length", ``, video("4", "") + "," + fmt.Sprintf(image, `,"start":-1`) + "," + fmt.Sprintf(image, `,"start":-1`), 14, "0-4 4-9 9-14"},
		{"cut", `"duration":2,`, video("4", "") + "," + fmt.Sprintf(text, "") + "," + fmt.Sprintf(image, `,"start":3`), 2, "0-2 0-2 2-2"},
		{"not stretched", `"duration":7,`, video("4", ""), 7, "0-4"},
		{"-1 of a scene", `"duration":-1,`, video("4", ""), 4, "0-4"},
		{"nothing to fill after the cut", `"duration":4,`, video("4", "") + "," + fmt.Sprintf(image, `,"start":-1`), 4, "0-4 4-4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := mustParse(t, `{"scenes":[{`+tt.scene+`"elements":[`+tt.elements+`]}]}`)
			if err := document.Validate(m); err != nil {
				t.Fatal(err)
			}
			got := document.Time(m, lengths)
			if got.Length.Float() != tt.length || spans(got.SceneElements[0]) != tt.want {
				t.Errorf("got length %v, elements %s, want %v, %s", got.Length.Float(), spans(got.SceneElements[0]), tt.length, tt.want)
			}
		})
	}
}

func TestTime_Movie(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, movie      string
		length           float64
		scenes, elements string
	}{
		{"scenes follow each other", `{"scenes":[{"duration":1.1},{"duration":2.2},{}]}`, 8.3, "0-1.1 1.1-3.3 3.3-8.3", ""},
		{"nothing at all", `{"scenes":[]}`, 0, "", ""},
		{"elements only", `{"scenes":[],"elements":[{"type":"video","src":"4"},{"type":"text","text":"x"}]}`, 4, "", "0-4 0-4"},
		{"element without a length", `{"elements":[{"type":"text","text":"x"}]}`, 5, "", "0-5"},
		{"text over scenes", `{"scenes":[{"duration":2}],"elements":[{"type":"text","text":"x"}]}`, 2, "0-2", "0-2"},
		{"music longer than the scenes", `{"scenes":[{"duration":2}],"elements":[{"type":"audio","src":"9"}]}`, 9, "0-2", "0-9"},
		{"music cut to the scenes", `{"scenes":[{"duration":2}],"elements":[{"type":"audio","src":"9","duration":-2}]}`, 2, "0-2", "0-2"},
		{"one track after the other", `{"scenes":[{"duration":9}],"elements":[{"type":"audio","src":"3"},{"type":"audio","src":"4","start":-1}]}`,
			9, "0-9", "0-3 3-7"},
		{"picture after the scenes", `{"scenes":[{"duration":2}],"elements":[{"type":"image","src":"i","start":2}]}`, 7, "0-2", "2-7"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := document.Time(mustParse(t, tt.movie), lengths)
			if got.Length.Float() != tt.length || spans(got.Scenes) != tt.scenes || spans(got.Elements) != tt.elements {
				t.Errorf("got %v, scenes %s, elements %s, want %v, %s, %s",
					got.Length.Float(), spans(got.Scenes), spans(got.Elements), tt.length, tt.scenes, tt.elements)
			}
		})
	}
}

// TestTime_Transitions: a transition lets its scene begin before the one before has ended, as far as both are long enough.
func TestTime_Transitions(t *testing.T) {
	t.Parallel()
	scene := func(length, transition string) string {
		return `{"duration":` + length + `,"transition":{"duration":` + transition + `}}`
	}
	tests := []struct {
		name        string
		scenes      []string
		length      float64
		spans       string
		transitions string
	}{
		{"one", []string{scene("4", "0"), scene("4", "1")}, 7, "0-4 3-7", "0 1"},
		{"two", []string{scene("4", "0"), scene("4", "1"), scene("2", "0.5")}, 8.5, "0-4 3-7 6.5-8.5", "0 1 0.5"},
		{"into the first scene", []string{scene("4", "1.5"), scene("4", "0")}, 8, "0-4 4-8", "1.5 0"},
		{"longer than the first scene", []string{scene("1", "1.5")}, 1, "0-1", "1"},
		{"longer than the scene before", []string{scene("1", "0"), scene("4", "3")}, 4, "0-1 0-4", "0 1"},
		{"longer than the scene itself", []string{scene("4", "0"), scene("1", "3")}, 4, "0-4 3-4", "0 1"},
		{"a scene shared by two", []string{scene("4", "0"), scene("1", "2"), scene("4", "2")}, 8, "0-4 3.5-4.5 4-8", "0 0.5 0.5"},
		{"what one leaves is the other's", []string{scene("4", "0"), scene("1", "2"), scene("4", "0.2")}, 8, "0-4 3.2-4.2 4-8", "0 0.8 0.2"},
		{"from black and into the next", []string{scene("1", "0.9"), scene("4", "0.9")}, 4.5, "0-1 0.5-4.5", "0.5 0.5"},
		{"a scene of nothing", []string{scene("4", "0"), scene("0", "1"), scene("4", "1")}, 8, "0-4 4-4 4-8", "0 0 0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := document.Time(mustParse(t, `{"scenes":[`+strings.Join(tt.scenes, ",")+`]}`), lengths)
			var transitions []string
			for _, s := range got.Transitions {
				transitions = append(transitions, fmt.Sprintf("%g", s.Float()))
			}
			if joined := strings.Join(transitions, " "); got.Length.Float() != tt.length || spans(got.Scenes) != tt.spans || joined != tt.transitions {
				t.Errorf("got %v, %s, transitions %s, want %v, %s, %s", got.Length.Float(), spans(got.Scenes), joined, tt.length, tt.spans, tt.transitions)
			}
		})
	}
}

// TestTime_Animations: -1 is the length of what moves by itself, and nothing for what does not.
func TestTime_Animations(t *testing.T) {
	t.Parallel()
	const clip = `,{"type":"video","src":"9"}`
	tests := []struct{ name, elements, want string }{
		{"plain text", `{"type":"text","text":"x","duration":-1}` + clip, "0-9 0-9"},
		{"faded text", `{"type":"text","text":"x","style":"002","duration":-1}` + clip, "0-5 0-9"},
		{"words", `{"type":"text","text":"one two three","style":"003","duration":-1}` + clip, "0-10 0-9"},
		{"words of ours", `{"type":"text","text":"one two three","style":"moviola/settle","duration":-1}` + clip, "0-3.9 0-9"},
		{"boxed words", `{"type":"text","text":"one","style":"011","duration":-1}` + clip, "0-5 0-9"},
		{"letters", `{"type":"text","text":"one two","style":"005","duration":"auto"}` + clip, "0-5 0-9"},
		{"animated text that fills", `{"type":"text","text":"x","style":"002"}` + clip, "0-9 0-9"},
		{"page", `{"type":"html","html":"x","duration":-1}` + clip, "0-9 0-9"},
		{"captured page", `{"type":"html","html":"x","duration":-1,"capture":{"duration":2}}` + clip, "0-2 0-9"},
		{"component", `{"type":"component","component":"a/1","duration":-1,"settings":{"box":{"x":1}}}` + clip, "0-9 0-9"},
		{"animated component", `{"type":"component","component":"a/1","duration":-1,"settings":{"a":{"duration":"500"},"b":[{"duration":1500}]}}` + clip, "0-4.5 0-9"},
		{"voice", `{"type":"voice","text":"x"},{"type":"image","src":"i"}`, "0-2 0-2"},
		{"voice that goes on", `{"type":"voice","text":"x","extra-time":1},{"type":"text","text":"x","start":-1,"duration":1}`, "0-3 3-4"},
	}
	natural := func(key string) (document.Seconds, bool) {
		if strings.HasPrefix(key, "voice:") {
			return document.SecondsOf(2), true
		}
		return lengths(key)
	}
	for _, tt := range tests {
		m := mustParse(t, `{"scenes":[{"elements":[`+tt.elements+`]}]}`)
		if err := document.Validate(m); err != nil {
			t.Fatal(err)
		}
		if got := spans(document.Time(m, natural).SceneElements[0]); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

// preloaded begins a movie with variables that are not known yet.
const preloaded = `"preload":[{"id":"v","type":"video","src":"https://x.test/v.mp4"}],`

func TestLeastCredits(t *testing.T) {
	t.Parallel()
	for movie, want := range map[string]int64{
		`{"scenes":[{"elements":[]}]}`:                                                                             5,
		`{"scenes":[{"duration":10.01}]}`:                                                                          10, // 250 frames
		`{"scenes":[{"duration":10.02}]}`:                                                                          11, // 251 frames, half up
		`{"scenes":[{"duration":0}]}`:                                                                              1,
		`{"scenes":[{"elements":[{"type":"video","src":"u"}]}]}`:                                                   1,
		`{"scenes":[{"elements":[{"type":"video","src":"u"},{"type":"text","text":"x"}]}]}`:                        1,
		`{"scenes":[{"elements":[{"type":"video","src":"u","duration":7}]}]}`:                                      7,
		`{"scenes":[{"elements":[{"type":"video","src":"u"}]}],"elements":[{"type":"image","src":"i","start":3}]}`: 1,
		`{"scenes":[{"duration":1e30}]}`:                                                                           1e9,
		`{"template":"x"}`:                                                                                         1,
		// lengths and conditions that are not known yet
		`{` + preloaded + `"elements":[{"type":"image","src":"i","duration":"{{v_duration}}"}]}`:                                                   1,
		`{` + preloaded + `"elements":[{"type":"image","src":"i"},{"type":"text","text":"x","condition":"{{v_width > 2}}","duration":2}]}`:         1,
		`{` + preloaded + `"elements":[{"type":"text","text":"x","duration":3},{"type":"text","text":"{{v_url}}","duration":4}]}`:                  4,
		`{` + preloaded + `"scenes":[{"duration":3},{"duration":"{{v_duration}}"}]}`:                                                               3,
		`{` + preloaded + `"scenes":[{"elements":[{"type":"image","src":"i"},{"type":"text","text":"x","duration":"{{v_duration}}"}]}]}`:           1,
		`{` + preloaded + `"scenes":[{"duration":7,"elements":[{"type":"text","text":"x","condition":"{{v_width > 2}}"}]}]}`:                       7,
		`{` + preloaded + `"scenes":[{"duration":7},{"duration":7,"transition":{"duration":"{{v_duration}}"}}]}`:                                   7,
		`{` + preloaded + `"scenes":[{"condition":"{{v_width > 2}}","duration":9},{"duration":7}]}`:                                                7,
		`{` + preloaded + `"scenes":[{"elements":[{"type":"text","text":"x","duration":8},{"type":"text","text":"y","start":"{{v_duration}}"}]}]}`: 8,
	} {
		if got := document.LeastCredits(mustParse(t, movie)); got != want {
			t.Errorf("%s: got %d credits, want %d", movie, got, want)
		}
	}
}

// TestLeastCredits_IsLowerBound: whatever the sources turn out to be, the movie is not shorter than what was known.
func TestLeastCredits_IsLowerBound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m, err := document.Parse([]byte(drawMovie(t)))
		if err != nil {
			t.Fatal(err)
		}
		length := document.Time(m, lengths).Length
		requireNoGaps(t, document.Time(m, lengths))
		if known, cost := document.LeastCredits(m), max(1, m.FPS.Credits(m.FPS.Frame(length))); known > cost {
			t.Fatalf("%d credits are known, the movie costs %d", known, cost)
		}
	})
}

// requireNoGaps checks that each scene begins where the one before ends, but for its transition, and that no two transitions overlap.
func requireNoGaps(t *rapid.T, timing document.Timing) {
	var at, free document.Seconds // the end of the scene before, and of the transition into it
	for i, scene := range timing.Scenes {
		overlap := timing.Transitions[i]
		if i == 0 {
			overlap = document.Seconds{}
		}
		if !scene.Start.Add(overlap).Equal(at) || scene.Start.Cmp(free) < 0 || timing.Transitions[i].Sign() < 0 {
			t.Fatalf("scene %d begins at %v, %v before %v, free from %v", i, scene.Start, timing.Transitions[i], at, free)
		}
		at, free = scene.End, scene.Start.Add(timing.Transitions[i])
		if free.Cmp(at) > 0 {
			t.Fatalf("the transition into scene %d lasts longer than the scene", i)
		}
	}
}

// drawMovie makes a movie of lists of elements whose sources are as long as their address says.
func drawMovie(t *rapid.T) string {
	element := rapid.Custom(func(t *rapid.T) string {
		start := rapid.SampledFrom([]string{"0", "-1", "0.5", "3", "7.03"}).Draw(t, "start")
		duration := rapid.SampledFrom([]string{"null", "-1", "-2", "1", "2.02"}).Draw(t, "duration")
		rest := fmt.Sprintf(`"start":%s,"duration":%s,"extra-time":%d`, start, duration, rapid.IntRange(0, 1).Draw(t, "extra"))
		if rapid.Bool().Draw(t, "still") {
			return `{"type":"text","text":"x","style":"` + rapid.SampledFrom([]string{"001", "002", "010"}).Draw(t, "style") + `",` + rest + `}`
		}
		return fmt.Sprintf(`{"type":"video","src":"%d","seek":%d,"loop":%d,%s}`, rapid.IntRange(0, 9).Draw(t, "source"),
			rapid.IntRange(-2, 2).Draw(t, "seek"), rapid.IntRange(-1, 3).Draw(t, "loop"), rest)
	})
	list := func(label string) string {
		return "[" + strings.Join(rapid.SliceOfN(element, 0, 4).Draw(t, label), ",") + "]"
	}
	var scenes []string
	for range rapid.IntRange(0, 3).Draw(t, "scenes") {
		duration := rapid.SampledFrom([]string{"-1", "4.1"}).Draw(t, "scene duration")
		transition := rapid.SampledFrom([]string{"0", "0.5", "1.03", "20"}).Draw(t, "transition")
		scenes = append(scenes, `{"duration":`+duration+`,"transition":{"duration":`+transition+`},"elements":`+list("scene")+`}`)
	}
	return `{"scenes":[` + strings.Join(scenes, ",") + `],"elements":` + list("movie") + `}`
}

// TestTime_ManyScenes: the time it takes grows with the number of scenes, not with its square, which would be minutes here.
func TestTime_ManyScenes(t *testing.T) {
	t.Parallel()
	const scenes = 10_000
	m := mustParse(t, fmt.Sprintf(`{"scenes":[{"iterate":%d}]}`, scenes))
	took := onThisThread(t, func() {
		if got := document.LeastCredits(m); got != 5*scenes {
			t.Errorf("got %d credits", got)
		}
	})
	if took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}

// onThisThread runs do on a thread of its own and returns the processor time that it takes: other than the time of day, it does not
// depend on what else the machine has to do.
func onThisThread(t *testing.T, do func()) time.Duration {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	spent := func() time.Duration {
		var usage syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_THREAD, &usage); err != nil {
			t.Fatal(err)
		}
		return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	began := spent()
	do()
	return spent() - began
}

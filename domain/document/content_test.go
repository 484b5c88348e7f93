package document_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"moviola/domain/document"
)

func mustElement(t *testing.T, element string) (document.Element, []string) {
	t.Helper()
	m := mustParse(t, `{"elements":[`+element+`]}`)
	if err := document.Validate(m); err != nil {
		t.Fatal(err)
	}
	return m.Elements[0], m.Warnings
}

func TestParse_Page(t *testing.T) {
	t.Parallel()
	tests := []struct {
		props    string
		want     document.Page
		warnings int
	}{
		{`"html":"<b>x</b>"`, document.Page{HTML: "<b>x</b>", DPI: 1}, 0},
		{`"src":" https://a/b "`, document.Page{Src: "https://a/b", DPI: 1}, 0},
		{`"html":"x","tailwindcss":true`, document.Page{HTML: "x", Tailwind: true, DPI: 1}, 0},
		{`"html":"x","tailwind":"true"`, document.Page{HTML: "x", Tailwind: true, DPI: 1}, 0},
		{`"html":"x","wait":"2.5","dpi":2`, document.Page{HTML: "x", Wait: 2.5, Waits: true, DPI: 2}, 0},
		{`"html":"x","wait":60,"dpi":9`, document.Page{HTML: "x", Wait: 10, Waits: true, DPI: 4}, 2},
		{`"html":"x","capture":{"duration":3}`, document.Page{HTML: "x", DPI: 1, Capture: document.SecondsOf(3)}, 0},
		{`"html":"x","capture":{}`, document.Page{HTML: "x", DPI: 1}, 0},
	}
	for _, tt := range tests {
		got, warnings := mustElement(t, `{"type":"html",`+tt.props+`}`)
		if diff := cmp.Diff(&tt.want, got.Page); diff != "" || len(warnings) != tt.warnings {
			t.Errorf("%s: warnings %q, page (-want +got):\n%s", tt.props, warnings, diff)
		}
	}
	got, _ := mustElement(t, `{"type":"html","html":"x","settings":{"Font_Size":"20px","color":"red"}}`)
	if diff := cmp.Diff(map[string]string{"font-size": "20px", "color": "red"}, got.Settings); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
}

func TestParse_Component(t *testing.T) {
	t.Parallel()
	const settings = `"settings":{"headline":{"text":["a","b"],"font-size":"4vw"},"box":{"duration":1500}}`
	want := &document.Component{ID: "basic/001", Settings: map[string]any{
		"headline": map[string]any{"text": []any{"a", "b"}, "font-size": "4vw"},
		"box":      map[string]any{"duration": json.Number("1500")},
	}}
	for element, warnings := range map[string]int{
		`{"type":"component","component":"Basic/001",` + settings + `}`: 0,
		`{"type":"template","template":"basic/001",` + settings + `}`:   1,
		`{"type":"template","component":"basic/001",` + settings + `}`:  1,
	} {
		got, warned := mustElement(t, element)
		if diff := cmp.Diff(want, got.Component); diff != "" || len(warned) != warnings || got.Ref.Type != document.TypeComponent {
			t.Errorf("%s: type %s, warnings %q, component (-want +got):\n%s", element, got.Ref.Type, warned, diff)
		}
	}
	if got, _ := mustElement(t, `{"type":"component","component":"basic/001"}`); got.Component.Settings == nil {
		t.Error("got nil settings")
	}
}

func TestParse_Voice(t *testing.T) {
	t.Parallel()
	got, _ := mustElement(t, `{"type":"voice","text":" Hello. ","voice":"en-GB-LibbyNeural","model":"ElevenLabs","connection":"mine",
		"model-settings":{"speed":1.1},"volume":3,"muted":false,"seek":4,"loop":3}`)
	want := &document.Voice{Voice: "en-GB-LibbyNeural", Model: "elevenlabs", Connection: "mine", ModelSettings: map[string]any{"speed": json.Number("1.1")}}
	if diff := cmp.Diff(want, got.Voice); diff != "" || got.Text != "Hello." || got.Volume != 3 || got.Loop != 1 || got.Seek.Sign() != 0 {
		t.Errorf("got %+v, voice (-want +got):\n%s", got, diff)
	}
	plain, _ := mustElement(t, `{"type":"voice","text":"Hello."}`)
	if diff := cmp.Diff(&document.Voice{Model: "azure"}, plain.Voice); diff != "" {
		t.Errorf("voice (-want +got):\n%s", diff)
	}
}

// TestParse_VoiceKey: voices that sound the same have the same key, wherever they are and however loud.
func TestParse_VoiceKey(t *testing.T) {
	t.Parallel()
	key := func(props string) string {
		e, _ := mustElement(t, `{"type":"voice",`+props+`}`)
		return e.Src
	}
	first := key(`"text":"Hello"`)
	if !strings.HasPrefix(first, "voice:") || first != key(`"text":" Hello ","model":"azure","volume":2,"start":3`) {
		t.Errorf("got %q and %q", first, key(`"text":" Hello ","model":"azure","volume":2,"start":3`))
	}
	for _, other := range []string{
		`"text":"hello"`, `"text":"Hello","voice":"de"`, `"text":"Hello","model":"elevenlabs"`, `"text":"Hello","connection":"c"`,
		`"text":"Hello","model-settings":{"speed":2}`,
	} {
		if key(other) == first {
			t.Errorf("%s has the same key", other)
		}
	}
}

func TestParse_Audiogram(t *testing.T) {
	t.Parallel()
	got, warnings := mustElement(t, `{"type":"audiogram"}`)
	if diff := cmp.Diff(&document.Audiogram{Color: document.Color{R: 255, G: 255, B: 255, A: 255}, Amplitude: 5}, got.Audiogram); diff != "" || len(warnings) > 0 {
		t.Errorf("warnings %q, audiogram (-want +got):\n%s", warnings, diff)
	}
	got, _ = mustElement(t, `{"type":"audiogram","color":"red","amplitude":"7.5"}`)
	if diff := cmp.Diff(&document.Audiogram{Color: document.Color{R: 255, A: 255}, Amplitude: 7.5}, got.Audiogram); diff != "" {
		t.Errorf("audiogram (-want +got):\n%s", diff)
	}
}

func TestParse_Style(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`null`: "001", `""`: "001", `"001"`: "001", `"1"`: "001", `4`: "004", `"010"`: "010", `10`: "010",
		`"011"`: "011", `13`: "013", `"MOVIOLA/rise"`: "moviola/rise", `"014"`: "001", `0`: "001", `"bounce"`: "001", `1.5`: "001",
	} {
		if got, _ := mustElement(t, `{"type":"text","text":"x","style":`+value+`}`); got.Style != want {
			t.Errorf("%s: got %s, want %s", value, got.Style, want)
		}
	}
}

func TestParse_Subtitles(t *testing.T) {
	t.Parallel()
	const srt = "1\\n00:00:00,000 --> 00:00:01,000\\nHi"
	tests := []struct {
		name, movie string
		want        *document.Subtitles
		warnings    []string
	}{
		{"of the movie", `{"scenes":[{}],"elements":[{"type":"text","text":"x"},{"type":"Subtitles","language":"EN-us","settings":{"style":"boxed-word"}}]}`,
			&document.Subtitles{Ref: document.Ref{Element: 2, Type: "subtitles"}, Language: "en-us", Model: "default",
				Settings: map[string]any{"style": "boxed-word"}}, nil},
		{"of a scene", `{"scenes":[{"elements":[{"type":"subtitles","captions":"` + srt + `"}]}]}`,
			&document.Subtitles{Ref: document.Ref{Scene: 1, Element: 1, Type: "subtitles"}, Captions: strings.ReplaceAll(srt, "\\n", "\n"),
				Language: "auto", Model: "default", Settings: map[string]any{}},
			[]string{"Scene #1 Element #1: Subtitles belong to the movie, they are shown over all of it"}},
		{"at an address", `{"scenes":[{}],"elements":[{"type":"subtitles","captions":" https://a/b.srt ","model":"whisper","connection":" Mine "}]}`,
			&document.Subtitles{Ref: document.Ref{Element: 1, Type: "subtitles"}, Source: "https://a/b.srt", Language: "auto", Model: "whisper", Connection: "Mine",
				Settings: map[string]any{}}, nil},
		{"two of the movie", `{"scenes":[{}],"elements":[{"type":"subtitles","language":"en"},{"type":"subtitles","language":"de"}]}`,
			&document.Subtitles{Ref: document.Ref{Element: 1, Type: "subtitles"}, Language: "en", Model: "default", Settings: map[string]any{}},
			[]string{"Movie Element #2: A movie can have one set of subtitles, these are not shown"}},
		{"the movie's before a scene's", `{"scenes":[{"elements":[{"type":"subtitles"}]}],"elements":[{"type":"subtitles","language":"de"}]}`,
			&document.Subtitles{Ref: document.Ref{Element: 1, Type: "subtitles"}, Language: "de", Model: "default", Settings: map[string]any{}},
			[]string{
				"Scene #1 Element #1: Subtitles belong to the movie, they are shown over all of it",
				"Scene #1 Element #1: A movie can have one set of subtitles, these are not shown",
			}},
		{"two of scenes", `{"scenes":[{"elements":[{"type":"subtitles"}]},{"elements":[{"type":"subtitles","language":"de"}]}]}`,
			&document.Subtitles{Ref: document.Ref{Scene: 1, Element: 1, Type: "subtitles"}, Language: "auto", Model: "default", Settings: map[string]any{}},
			[]string{
				"Scene #1 Element #1: Subtitles belong to the movie, they are shown over all of it",
				"Scene #2 Element #1: Subtitles belong to the movie, they are shown over all of it",
				"Scene #2 Element #1: A movie can have one set of subtitles, these are not shown",
			}},
		{"none", `{"scenes":[{}]}`, nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := mustParse(t, tt.movie)
			if diff := cmp.Diff(tt.want, m.Subtitles); diff != "" {
				t.Errorf("subtitles (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.warnings, m.Warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			for e := range m.All() {
				if e.Ref.Type == document.TypeSubtitles {
					t.Errorf("%s is still an element", e.Ref)
				}
			}
		})
	}
}

// TestSources_All has one source of every kind, and what is used twice.
func TestSources_All(t *testing.T) {
	t.Parallel()
	m := mustParse(t, `{"scenes":[{"elements":[
		{"type":"image","src":"a","mask":"http://m"},
		{"type":"text","text":"x","settings":{"font-family":"https://f/a.ttf"}},
		{"type":"text","text":"x","settings":{"font-url":"url('https://f/b.otf')","font-family":"Inter"}},
		{"type":"component","component":"basic/120","settings":{"image":{"background-image":"url(http://i)"},"name":{"font-family":"https://f/a.ttf"},
			"data":{"rows":[["http://no"],[{"src":"http://deep"}]]},"text":"http://no"}},
		{"type":"voice","text":"Hello"},
		{"type":"voice","text":"Hello","cache":false},
		{"type":"html","src":"http://page"},
		{"type":"audiogram"}]}],
		"elements":[{"type":"video","src":"a","cache":false},{"type":"subtitles","captions":"http://c","cache":"false","settings":{"style":{"font_url":"https://f/c.ttf"}}}]}`)
	type source struct {
		key, kind string
		element   int
		fresh     bool
	}
	var got []source
	for _, s := range document.Sources(m) {
		if s.Kind == document.TypeVoice {
			if s.Text != "Hello" || s.Voice == nil || s.URL != "" || s.Key != m.Scenes[0].Elements[4].Src {
				t.Errorf("got voice %+v", s)
			}
			s.Key = "voice"
		} else if s.Key != s.URL {
			t.Errorf("got key %q of %q", s.Key, s.URL)
		}
		got = append(got, source{s.Key, s.Kind, s.Ref.Element, s.Fresh})
	}
	want := []source{
		{"a", "image", 1, false}, {"http://m", "mask", 1, false}, {"https://f/a.ttf", "font", 2, false}, {"https://f/b.otf", "font", 3, false},
		{"http://deep", "image", 4, false}, {"http://i", "image", 4, false}, {"voice", "voice", 5, true}, {"a", "video", 1, true},
		{"http://c", "captions", 2, true}, {"https://f/c.ttf", "font", 2, true},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(source{})); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

func TestAddressOf(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		"https://a/b.png": "https://a/b.png", "url(https://a/b.png)": "https://a/b.png", ` URL( "https://a/b" ) no-repeat`: "https://a/b",
		"red": "", "Inter, sans-serif": "", "linear-gradient(red, blue)": "", "see http://a": "", "": "",
	} {
		if got := document.AddressOf(setting); got != want {
			t.Errorf("AddressOf(%q) = %q, want %q", setting, got, want)
		}
	}
}

func TestTextUnit_Count(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text                 string
		letters, words, rows int
	}{
		{"Hello World", 10, 2, 1},
		{"a\nb c\n", 3, 3, 3},
		{"", 1, 1, 1},
		{"e\u0301tude", 5, 1, 1},      // a combining accent
		{"👨‍👩‍👧 👍🏽", 2, 2, 1},         // a family, a thumb with its tone
		{"🇩🇪🇫🇷", 2, 1, 1},             // two flags
		{"नमस्ते", 4, 1, 1},           // marks belong to their letters, near enough
		{"ab\u200bc", 3, 1, 1},        // a zero width space
		{"   ", 1, 1, 1},              // nothing to see
		{"\u0301", 1, 1, 1},           // a mark alone
		{"🇩", 1, 1, 1},                // half a flag
		{"x\u200dy", 1, 1, 1},         // joined
		{"مرحبا", 5, 1, 1},            // Arabic
		{"日本語", 3, 1, 1},              // no blanks
		{"one  two\tthree", 11, 3, 1}, // several blanks
	}
	for _, tt := range tests {
		if l, w, r := document.LetterUnit.Count(tt.text), document.WordUnit.Count(tt.text), document.LineUnit.Count(tt.text); l != tt.letters || w != tt.words || r != tt.rows {
			t.Errorf("%q: got %d letters, %d words, %d lines, want %d, %d, %d", tt.text, l, w, r, tt.letters, tt.words, tt.rows)
		}
		if n := document.BlockUnit.Count(tt.text); n != 1 {
			t.Errorf("%q: got %d blocks", tt.text, n)
		}
	}
}

func TestPhrases(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"Coffee, Cakes | Bread": {"Coffee", "Cakes", "Bread"}, "one two\nthree": {"one two", "three"}, "one  two": {"one", "two"}, " , |x": {"x"}, "": nil,
	} {
		if diff := cmp.Diff(want, document.Phrases(text), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
		if n := document.PhraseUnit.Count(text); n != max(len(want), 1) {
			t.Errorf("%q: %d phrases", text, n)
		}
	}
}

// TestParse_RepeatedKeys: the last one counts, and it is said. Decision 24.
func TestParse_RepeatedKeys(t *testing.T) {
	t.Parallel()
	twice := func(path string) string {
		return "The property '" + path + "' is given more than once, the last one counts"
	}
	for movie, want := range map[string][]string{
		`{"scenes":[{"comment":"a:b \\\" :"}],"id":"::"}`:                       nil,
		`{"scenes":[{"duration":1,"duration":2,"duration":3}]}`:                 {twice("scenes[0].duration")},
		`{"width":80,"scenes":[],"width":90}`:                                   {twice("width")},
		`{"client-data":{"a":{"b":1},"a":{"b":2,"b":3}},"scenes":[]}`:           {twice("client-data.a"), twice("client-data.a.b")},
		`{"scenes":[],"` + strings.Repeat("x", 99) + `":1,"a":[[{"":1,"":2}]]}`: {twice("a[0][0].")},
	} {
		m := mustParse(t, movie)
		if diff := cmp.Diff(want, m.Warnings); diff != "" {
			t.Errorf("%s: warnings (-want +got):\n%s", movie, diff)
		}
	}
	hostile := mustParse(t, `{"scenes":[],"`+strings.Repeat("x", 500_000)+`":{`+strings.Repeat(`"a":1,`, 100_000)+`"b":1}}`)
	if len(hostile.Warnings) != 1 || len(hostile.Warnings[0]) > 200 {
		t.Errorf("got warnings %.300q", hostile.Warnings)
	}
	many := mustParse(t, `{"scenes":[],`+strings.Repeat(`"a":1,"b":2,`, 10_000)+`"scenes":[{}]}`)
	if len(many.Scenes) != 1 || len(many.Warnings) != 3 {
		t.Errorf("got %d scenes, warnings %q", len(many.Scenes), many.Warnings)
	}
}

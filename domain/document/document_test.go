package document_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/document"
)

func mustParse(t *testing.T, raw string) *document.Movie {
	t.Helper()
	m, err := document.Parse([]byte(raw))
	if err != nil {
		t.Fatalf("Parse(%.200s): %v", raw, err)
	}
	return m
}

func requireError(t *testing.T, err error, code, message string) {
	t.Helper()
	var refused *domain.Error
	if !errors.As(err, &refused) {
		t.Fatalf("got %v, want a *domain.Error", err)
	}
	if refused.Code != code || refused.Message != message || refused.Kind != domain.Invalid {
		t.Errorf("got kind %d, code %s, message %q, want code %s, message %q", refused.Kind, refused.Code, refused.Message, code, message)
	}
}

func TestParse_Refusals(t *testing.T) {
	t.Parallel()
	const unreadable = "Error parsing movie JSON or the movie was empty"
	tests := []struct {
		name, raw, code, message string
	}{
		{"empty body", "", "movie_json_missing", "No movie JSON received"},
		{"blanks only", " \n\t", "movie_json_missing", "No movie JSON received"},
		{"no JSON", "{scenes:[]}", "movie_json_invalid", unreadable},
		{"cut short", `{"scenes":[`, "movie_json_invalid", unreadable},
		{"text behind", `{"scenes":[]} x`, "movie_json_invalid", unreadable},
		{"null", "null", "movie_json_not_object", "No valid movie JSON received"},
		{"array", "[]", "movie_json_not_object", "No valid movie JSON received"},
		{"number", "7", "movie_json_not_object", "No valid movie JSON received"},
		{"empty object", "{}", "movie_json_invalid", unreadable},
		{"nothing to show", `{"resolution":"hd"}`, "movie_json_invalid", unreadable},
		{"scenes no array", `{"scenes":{}}`, "movie_json_invalid", unreadable},
		{"nothing but null", `{"scenes":null,"elements":null,"template":null,"templateId":null,"project":null}`, "movie_json_invalid", unreadable},
		{"a template that is null", `{"template":null}`, "movie_json_invalid", unreadable},
		{"elements no array", `{"scenes":[],"elements":"x"}`, "movie_json_invalid", unreadable},
		{"65 levels", `{"scenes":[],"x":` + strings.Repeat("[", 64) + strings.Repeat("]", 64) + "}",
			"movie_json_too_deep", "Movie JSON is nested deeper than 64 levels"},
		{"5001 elements", `{"scenes":[{"elements":[` + strings.Repeat("{},", 2999) + `{}]}],"elements":[` + strings.Repeat("{},", 2000) + `{}]}`,
			"movie_too_many_elements", "Movie has 5001 elements, more than the 5000 allowed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := document.Parse([]byte(tt.raw))
			requireError(t, err, tt.code, tt.message)
		})
	}
}

func TestParse_Accepts(t *testing.T) {
	t.Parallel()
	for name, raw := range map[string]string{
		"empty scenes":         `{"scenes":[]}`,
		"elements only":        `{"elements":[]}`,
		"template only":        `{"template":"abc"}`,
		"project only":         `{"project":"abc"}`,
		"byte order mark":      "\xef\xbb\xbf{\"scenes\":[]}",
		"64 levels":            `{"scenes":[],"x":` + strings.Repeat("[", 63) + strings.Repeat("]", 63) + "}",
		"brackets in a text":   `{"scenes":[],"comment":"` + strings.Repeat(`[\"{`, 80) + `"}`,
		"5000 elements":        `{"scenes":[{"elements":[` + strings.Repeat("{},", 2999) + `{}]}],"elements":[` + strings.Repeat("{},", 1999) + `{}]}`,
		"a key given twice":    `{"scenes":7,"scenes":[]}`,
		"element no object":    `{"elements":[7]}`,
		"scene no object":      `{"scenes":["x"]}`,
		"video without source": `{"elements":[{"type":"video"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mustParse(t, raw)
		})
	}
}

func TestParse_MovieProperties(t *testing.T) {
	t.Parallel()
	m := mustParse(t, `{"resolution":"full-hd","width":10,"quality":"LOW","fps":"29.97","draft":"true","cache":false,"id":42,
		"client_data":{"a":[1.50]},"background-color":"#102030","scenes":[{"duration":"4.5","id":"intro","background_color":"transparent"}]}`)
	if m.Width != 1920 || m.Height != 1080 || m.Quality != document.Low || m.FPS != (document.Rate{Num: 2997, Den: 100}) {
		t.Errorf("got %dx%d, quality %s, fps %v", m.Width, m.Height, m.Quality, m.FPS)
	}
	if !m.Draft || m.Cache || m.ID != "42" || m.Background != (document.Color{R: 16, G: 32, B: 48, A: 255}) {
		t.Errorf("got draft %v, cache %v, id %q, background %v", m.Draft, m.Cache, m.ID, m.Background)
	}
	scene := m.Scenes[0]
	if scene.Length.Kind != document.Fixed || scene.Length.Value.String() != "4.500000000" || scene.ID != "intro" || scene.Background.A != 0 {
		t.Errorf("got scene %+v", scene)
	}
	if diff := cmp.Diff([]string(nil), m.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	if m := mustParse(t, `{"scenes":[]}`); !m.Cache || m.Draft || m.Quality != document.High || m.FPS != (document.Rate{Num: 25, Den: 1}) {
		t.Errorf("got defaults %+v", m)
	}
}

func TestParse_Canvas(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, props   string
		width, height int
		warning       string
		problem       string
	}{
		{"default", ``, 640, 360, "", ""},
		{"sd", `"resolution":"sd",`, 640, 360, "", ""},
		{"hd", `"resolution":"HD",`, 1280, 720, "", ""},
		{"squared", `"resolution":"squared",`, 1080, 1080, "", ""},
		{"instagram-story", `"resolution":"instagram-story",`, 1080, 1920, "", ""},
		{"instagram-feed", `"resolution":"instagram-feed",`, 1080, 1080, "", ""},
		{"twitter-landscape", `"resolution":"twitter-landscape",`, 1600, 900, "", ""},
		{"twitter-portrait", `"resolution":"twitter-portrait",`, 1080, 1350, "", ""},
		{"custom", `"resolution":"custom","width":"1080","height":1920,`, 1080, 1920, "", ""},
		{"one side", `"width":400,`, 400, 360, "", ""},
		{"odd", `"width":401,"height":301,`, 400, 300, "Movie: The width 401 is odd and was rounded down", ""},
		{"unknown with a size", `"resolution":"4k","width":400,"height":300,`, 400, 300,
			`Movie: The resolution "4k" is unknown, 'width' and 'height' are used`, ""},
		{"unknown without", `"resolution":"4k","width":400,`, 640, 360, "",
			`The resolution "4k" is unknown. Use one of the resolutions, or 'custom' with 'width' and 'height'`},
		{"too small", `"width":48,`, 48, 360, "", "The property 'width' of a movie must be between 50 and 3840"},
		{"too large", `"height":3841,`, 640, 3840, "Movie: The height 3841 is odd and was rounded down",
			"The property 'height' of a movie must be between 50 and 3840"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := mustParse(t, "{"+tt.props+`"scenes":[]}`)
			if m.Width != tt.width || m.Height != tt.height {
				t.Errorf("got %dx%d, want %dx%d", m.Width, m.Height, tt.width, tt.height)
			}
			if tt.warning != "" && (len(m.Warnings) == 0 || m.Warnings[0] != tt.warning) || tt.warning == "" && len(m.Warnings) > 0 {
				t.Errorf("got warnings %q, want %q", m.Warnings, tt.warning)
			}
			if err := document.Validate(m); tt.problem != "" {
				requireError(t, err, "movie_invalid", tt.problem)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
}

func TestParse_FPS(t *testing.T) {
	t.Parallel()
	for props, want := range map[string]document.Rate{
		`"fps":30`:           {Num: 30, Den: 1},
		`"fps":"23.976"`:     {Num: 2997, Den: 125},
		`"fps":29.97002997`:  {Num: 2997, Den: 100},
		`"fps":59.94`:        {Num: 2997, Den: 50},
		`"fps":12.5`:         {Num: 25, Den: 2},
		`"fps":1.2e2`:        {Num: 120, Den: 1},
		`"fps":null`:         {Num: 25, Den: 1},
		`"fps":""`:           {Num: 25, Den: 1},
		`"fps":1e999`:        {Num: 25, Den: 1}, // and a problem
		`"fps":"1e-9999999"`: {Num: 25, Den: 1}, // and a problem
	} {
		if m := mustParse(t, "{"+props+`,"scenes":[]}`); m.FPS != want {
			t.Errorf("%s: got %v, want %v", props, m.FPS, want)
		}
	}
	requireError(t, document.Validate(mustParse(t, `{"fps":121,"scenes":[]}`)), "movie_invalid", "The property 'fps' must be between 1 and 120")
	requireError(t, document.Validate(mustParse(t, `{"fps":"fast","scenes":[]}`)), "movie_invalid", `The property 'fps' must be a number, not "fast"`)
}

func TestParse_Thumbnail(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]document.Thumbnail{
		`2.5`:             {Set: true, Time: document.SecondsOfFloat(2.5)},
		`"3"`:             {Set: true, Time: document.SecondsOf(3)},
		`{"time":"4"}`:    {Set: true, Time: document.SecondsOf(4)},
		`{"scene":2}`:     {Set: true, Scene: "2"},
		`{"scene":"end"}`: {Set: true, Scene: "end"},
		`{}`:              {},
		`null`:            {},
		`"middle"`:        {}, // and a warning
	} {
		if diff := cmp.Diff(want, mustParse(t, `{"scenes":[],"thumbnail":`+value+`}`).Thumbnail); diff != "" {
			t.Errorf("%s (-want +got):\n%s", value, diff)
		}
	}
}

func TestParse_Element(t *testing.T) {
	t.Parallel()
	m := mustParse(t, `{"scenes":[{"elements":[{"type":"Video","id":"v","src":" http://a/b.mp4 ","start":"1.5","duration":2,"extra-time":0.5,
		"fade-in":"0.25","fade_out":1,"z-index":"-3","position":"bottom-right","x":-60,"y":"12.6","width":"300","height":-1,"resize":"contain",
		"crop":{"x":1,"y":2,"width":"30","height":40},"volume":"20","muted":"true","seek":-3,"loop":2,"cache":false}]}]}`)
	want := document.Element{
		Ref: document.Ref{Scene: 1, Element: 1, Type: "video"}, ID: "v", Src: "http://a/b.mp4",
		Start: document.SecondsOfFloat(1.5), Length: document.Length{Kind: document.Fixed, Value: document.SecondsOf(2)},
		ExtraTime: document.SecondsOfFloat(0.5), FadeIn: document.SecondsOfFloat(0.25), FadeOut: document.SecondsOf(1), ZIndex: -3,
		Position: document.BottomRight, X: -60, Y: 13, Width: 300, Height: -1, Resize: document.Fit,
		Crop:    &document.Crop{X: 1, Y: 2, W: 30, H: 40},
		Effects: document.Effects{Opacity: 1, PanDistance: 0.1, PanCrop: true}, Volume: 10, Muted: true, Seek: document.SecondsOf(-3), Loop: 2,
	}
	if diff := cmp.Diff(want, m.Scenes[0].Elements[0]); diff != "" {
		t.Errorf("element (-want +got):\n%s", diff)
	}
	if err := document.Validate(m); err != nil {
		t.Error(err)
	}
}

func TestParse_ElementDefaults(t *testing.T) {
	t.Parallel()
	m := mustParse(t, `{"elements":[{"type":"video","src":"u"},{"type":"image","src":"u","scale":{"width":50,"height":20},"width":0},
		{"type":"text","text":7,"duration":"auto","settings":{"Font-Size":48,"font_color":" red ","bold":true,"group":{"x":1}}},
		{"type":"audio","src":"u","duration":"container","start":-1,"loop":0,"position":"somewhere"}]}`)
	video, image, text, audio := m.Elements[0], m.Elements[1], m.Elements[2], m.Elements[3]
	if video.Volume != 1 || video.Loop != 1 || video.Width != -1 || video.Height != -1 || video.Position != document.Custom || !video.Cache {
		t.Errorf("got video %+v", video)
	}
	if image.Width != 50 || image.Height != 20 {
		t.Errorf("got image of scale %dx%d", image.Width, image.Height)
	}
	if diff := cmp.Diff(map[string]string{"font-size": "48", "font-color": "red", "bold": "true"}, text.Settings); diff != "" || text.Text != "7" || text.Length.Kind != document.Own {
		t.Errorf("got text %+v, settings (-want +got):\n%s", text, diff)
	}
	if audio.Length.Kind != document.Container || !audio.AtEnd || audio.Loop != 1 {
		t.Errorf("got audio %+v", audio)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, element, message string
	}{
		{"no source", `{"type":"video"}`, "The element type 'video' requires a 'src' property."},
		{"empty source", `{"type":"image","src":""}`, "The element type 'image' requires a 'src' property."},
		{"no text", `{"type":"text"}`, "The element type 'text' requires a 'text' property."},
		{"no type", `{}`, "The element requires a 'type' property."},
		{"no page", `{"type":"html","html":" "}`, "The element type 'html' requires an 'html' or a 'src' property."},
		{"no component", `{"type":"component"}`, "The element type 'component' requires a 'component' property."},
		{"saved template", `{"type":"template","template":"abc"}`, `The template "abc" cannot be shown by an element: only components can (element type 'component')`},
		{"nothing to say", `{"type":"voice","text":" "}`, "The element type 'voice' requires a 'text' property."},
		{"key without a colour", `{"type":"image","src":"x","chroma-key":{"tolerance":3}}`, "The property 'chroma-key' requires a 'color' (element type 'image')"},
		{"bad zoom", `{"type":"image","src":"x","zoom":"in"}`, `The property 'zoom' must be a number, not "in" (element type 'image')`},
		{"unknown type", `{"type":"hologram"}`, `The element type "hologram" is unknown.`},
		{"no object", `5`, "An element must be an object"},
		{"bad number", `{"type":"text","text":"","duration":"long"}`, `The property 'duration' must be a number, not "long" (element type 'text')`},
		{"bad duration", `{"type":"text","text":"","duration":-3}`, "The property 'duration' must be a positive number, -1 or -2 (element type 'text')"},
		{"bad start", `{"type":"text","text":"","start":-2}`, "The property 'start' must be -1 or not negative (element type 'text')"},
		{"bad fade", `{"type":"text","text":"","fade-in":-2}`, "The property 'fade-in' must not be negative (element type 'text')"},
		{"bad flag", `{"type":"audio","src":"x","muted":"maybe"}`, `The property 'muted' must be true or false, not "maybe" (element type 'audio')`},
		{"bad loop", `{"type":"audio","src":"x","loop":-2}`, "The property 'loop' must be -1 or the number of plays (element type 'audio')"},
		{"bad crop", `{"type":"image","src":"x","crop":{"width":5}}`, "The property 'crop' requires a positive 'width' and 'height' (element type 'image')"},
		{"crop no object", `{"type":"image","src":"x","crop":5}`, "The property 'crop' must be an object (element type 'image')"},
		{"object for text", `{"type":"text","text":{}}`, "The property 'text' must be a text (element type 'text')"},
		{"long value", `{"type":"text","text":"","start":"` + strings.Repeat("x", 500) + `"}`,
			`The property 'start' must be a number, not "` + strings.Repeat("x", 60) + `…" (element type 'text')`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			good := `{"type":"text","text":"fine"}`
			err := document.Validate(mustParse(t, `{"scenes":[{"elements":[`+good+`,`+tt.element+`]}]}`))
			requireError(t, err, "element_invalid", "Scene #1 Element #2: "+tt.message)
			err = document.Validate(mustParse(t, `{"scenes":[{"elements":[`+good+`]}],"elements":[`+tt.element+`]}`))
			requireError(t, err, "element_invalid", "Movie Element #1: "+tt.message)
		})
	}
}

func TestValidate_Scene(t *testing.T) {
	t.Parallel()
	for scene, message := range map[string]string{
		`7`:                             "Scene #1: A scene must be an object",
		`{"elements":{}}`:               "Scene #1: The property 'elements' must be an array",
		`{"duration":-2}`:               "Scene #1: The property 'duration' of a scene must be a positive number or -1",
		`{"background-color":"sky"}`:    `Scene #1: The property 'background-color' is no colour: "sky"`,
		`{"background-color":["#fff"]}`: "Scene #1: The property 'background-color' must be a text",
	} {
		requireError(t, document.Validate(mustParse(t, `{"scenes":[`+scene+`]}`)), "element_invalid", message)
	}
}

// TestParse_Warnings: what has no effect is said, and a hostile document cannot make the list long.
func TestParse_Warnings(t *testing.T) {
	t.Parallel()
	m := mustParse(t, `{"quality":"best","preload":[{}],"scenes":[{"transition":{"style":"slide_left"},"variables":{},"__x":1,"elements":[
		{"type":"image","src":"x","condition":"{{b}}1 == 1","pan":"around","zoom":12,"resize":"stretch","position":"edge","volume":3,"__thumbnail":2},
		{"type":"text","text":"x","style":"044","variables":{"a":1},"save-to-media":true},
		{"type":"template","template":"basic/001"},{"type":"audiogram","src":"x","amplitude":-1}]}]}`)
	want := []string{
		"The condition '{{b}}1 == 1' is a text and always true: put all of it between the braces",
		"The variable 'b' is not defined, it is empty",
		`Movie: The quality "best" is unknown, 'high' is used`,
		`Scene #1: The transition style "slide_left" is unknown, 'fade' is used`,
		`Scene #1 Element #1: The position "edge" is unknown, 'custom' is used`,
		`Scene #1 Element #1: The way to resize "stretch" is unknown`,
		"Scene #1 Element #1: The property 'zoom' must be between -10 and 10, 10 is used",
		`Scene #1 Element #1: The direction "around" of 'pan' is unknown`,
		`Scene #1 Element #2: The text style "044" is unknown, '001' is used`,
		"Scene #1 Element #2: The property 'save-to-media' has no effect",
		"Scene #1 Element #3: The element type 'template' is deprecated, use 'component'",
		"Scene #1 Element #4: The property 'amplitude' must be between 0 and 10, 0 is used",
		"Scene #1 Element #4: The property 'src' has no effect",
	}
	if diff := cmp.Diff(want, m.Warnings); diff != "" {
		t.Errorf("warnings (-want +got):\n%s", diff)
	}
	many := mustParse(t, `{"elements":[`+strings.Repeat(`{"type":"text","text":"x","zoom":3},`, 4999)+`{}]}`)
	if len(many.Warnings) > 50 {
		t.Errorf("got %d warnings", len(many.Warnings))
	}
}

func TestSources(t *testing.T) {
	t.Parallel()
	m := mustParse(t, `{"scenes":[{"elements":[{"type":"image","src":"a"},{"type":"text","text":"t"},{"type":"video","src":"b"}]},
		{"elements":[{"type":"image","src":"a"},{"type":"audio","src":"b"},{"type":"video"}]}],"elements":[{"type":"audio","src":"c"}]}`)
	want := []document.Source{
		{Ref: document.Ref{Scene: 1, Element: 1, Type: "image"}, Key: "a", URL: "a", Kind: "image"},
		{Ref: document.Ref{Scene: 1, Element: 3, Type: "video"}, Key: "b", URL: "b", Kind: "video"},
		{Ref: document.Ref{Scene: 2, Element: 2, Type: "audio"}, Key: "b", URL: "b", Kind: "audio"},
		{Ref: document.Ref{Scene: 0, Element: 1, Type: "audio"}, Key: "c", URL: "c", Kind: "audio"},
	}
	if diff := cmp.Diff(want, document.Sources(m)); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"scenes":[{"duration":-1,"elements":[{"type":"video","src":"u","start":-1,"seek":-2,"loop":3}]}]}`))
	f.Add([]byte(`{"elements":[{"type":"text","text":"x","settings":{"font-size":"4vw"},"crop":{"width":1e400}}],"fps":"1e9"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := document.Parse(raw)
		if err != nil {
			var refused *domain.Error
			if !errors.As(err, &refused) {
				t.Fatalf("error of type %T: %v", err, err)
			}
			return
		}
		if document.LeastCredits(m) < 1 {
			t.Error("a movie costs less than one credit")
		}
		if m.Width%2 != 0 || m.Height%2 != 0 || len(m.Warnings) > 50 {
			t.Errorf("got %dx%d and %d warnings", m.Width, m.Height, len(m.Warnings))
		}
		document.Sources(m)
		_ = document.Validate(m)
		_, _ = document.Destinations(m)
		_ = document.CheckCloudKeys(m)
	})
}

package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/document"
	"moviola/domain/lint"
)

func check(body string) lint.Report { return lint.Check(lint.Read([]byte(body))) }

func lines(r lint.Report) string {
	var all []string
	for _, p := range r.Problems {
		all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s %d:%d %s %s", p.Template, p.Pointer, p.Line, p.Column, p.Severity, p.Code)))
	}
	return strings.Join(all, "; ")
}

// One row a kind of mistake: where it is found, by pointer, line and column, how bad it is and what it is.
func TestCheck(t *testing.T) {
	t.Parallel()
	element := func(inner string) string { return `{"scenes":[{"duration":2,"elements":[` + inner + `]}]}` }
	tests := []struct{ name, body, want string }{
		{"nothing", element(`{"type":"text","text":"a"}`), ``},
		{"a sender's own", `{"__x":1,"$schema":"https://a.example/s.json","comment":"x","variables":{"x":[1]},"client-data":{"y":{}},"elements":[{"type":"text","text":"a"}]}`, ``},
		{"byte order mark", "\ufeff" + `{"elements":[{"type":"text","text":"a","colour":1}]}`, `/elements/0/colour 1:40 warning property_unknown`},
		{"syntax", "{\n\"elements\":[\n}", `3:1 error json_syntax`},
		{"not UTF-8", "{\"elements\":[\"\xff\"]}", `1:15 error json_syntax`},
		{"nothing in it", `{}`, `1:1 error movie_refused`},
		{"no object", `[]`, `1:1 error movie_refused`},
		{"unknown", `{"resolutin":"hd","elements":[]}`, `/resolutin 1:2 warning property_unknown`},
		{"unknown in a scene", `{"scenes":[{"duraton":1}]}`, `/scenes/0/duraton 1:13 warning property_unknown`},
		{"unknown in an object", element(`{"type":"text","text":"a","rotate":{"angel":3}}`), `/scenes/0/elements/0/rotate/angel 1:74 warning property_unknown`},
		{"of others", element(`{"type":"text","text":"a","blur":3}`), `/scenes/0/elements/0/blur 1:64 warning property_unsupported`},
		{"a setting beside the settings", element(`{"type":"text","text":"a","font-size":40}`), `/scenes/0/elements/0/font-size 1:64 warning property_misplaced`},
		{"unknown setting", element(`{"type":"text","text":"a","settings":{"fontsise":40}}`), `/scenes/0/elements/0/settings/fontsise 1:76 warning property_unknown`},
		{"any CSS of a page", element(`{"type":"html","html":"a","settings":{"grid-gap":"1px"}}`), ``},
		{"a type that cannot be read", element(`{"type":"text","text":"a","x":"left"}`), `/scenes/0/elements/0/x 1:68 error value_type`},
		{"types that can", element(`{"type":"text","text":5,"x":"12","cache":"true","fade-in":"0.5","settings":{"font-weight":"bold"}}`), ``},
		{"range", element(`{"type":"text","text":"a","z-index":200}`), `/scenes/0/elements/0/z-index 1:74 warning value_range`},
		{"word", element(`{"type":"text","text":"a","position":"centre"}`), `/scenes/0/elements/0/position 1:75 warning value_unknown`},
		{"missing", element(`{"type":"video"}`), `/scenes/0/elements/0 1:38 error property_missing`},
		{"no element", element(`7`), `/scenes/0/elements/0 1:38 error value_type`},
		{"type of element", element(`{"type":"movie"}`), `/scenes/0/elements/0/type 1:46 error value_unknown`},
		{"component", element(`{"type":"component","component":"basic/01"}`), `/scenes/0/elements/0/component 1:70 error component_unknown`},
		{"group", element(`{"type":"component","component":"basic/000","settings":{"headlin":{}}}`), `/scenes/0/elements/0/settings/headlin 1:94 warning group_unknown`},
		{"setting of a group", element(`{"type":"component","component":"basic/000","settings":{"headline":{"txt":"a"}}}`),
			`/scenes/0/elements/0/settings/headline/txt 1:106 warning property_unknown`},
		{"computed setting", `{"variables":{"a":"lefty"},` + element(`{"type":"text","text":"a","settings":{"text_align":"{{a}}"}}`)[1:],
			`/scenes/0/elements/0/settings/text_align 1:115 warning value_unknown`},
		{"computed setting in range", `{"variables":{"a":0.4},` + element(`{"type":"text","text":"a","settings":{"opacity":"{{a}}"}}`)[1:], ``},
		{"computed setting out of range, iterated", element(`{"type":"text","text":"a","iterate":3,"settings":{"opacity":"{{item + 2}}"}}`),
			`/scenes/0/elements/0/settings/opacity 1:98 warning value_range`},
		{"computed setting of a group", `{"variables":{"a":"odd"},` + element(`{"type":"component","component":"basic/000","settings":{"headline":{"text":"a","duration":"{{a}}","easing":"linear"}}}`)[1:],
			`/scenes/0/elements/0/settings/headline/duration 1:152 warning value_type`},
		{"source", element(`{"type":"image","src":"C:\\a.png"}`), `/scenes/0/elements/0/src 1:60 error source_unreachable`},
		{"source that is left out", element(`{"type":"image","src":"C:\\a.png","condition":"{{ false }}"}`), `/scenes/0/elements/0/src 1:60 warning source_unreachable`},
		{"an address as in CSS", element(`{"type":"image","src":"url('https://a.example/a.png')","mask":"URL( \"https://a.example/m.png\" )"}`), ``},
		{"a font as in CSS", element(`{"type":"text","text":"a","settings":{"font-url":"url(https://a.example/f.ttf)"}}`), ``},
		{"mask", element(`{"type":"text","text":"a","mask":"/m.png"}`), `/scenes/0/elements/0/mask 1:71 error source_unreachable`},
		{"font", element(`{"type":"text","text":"a","settings":{"font-url":"file:///f.ttf"}}`), `/scenes/0/elements/0/settings/font-url 1:87 error source_unreachable`},
		{"destination", `{"exports":[{"destinations":[5,{"type":"webhook","endpoint":"https://a.example/"}]}],"elements":[]}`,
			`/exports/0/destinations/0 1:30 error destination_invalid; /exports/0/destinations/0 1:30 warning value_type`},
		{"the look of captions under style", `{"scenes":[{"duration":1}],"elements":[{"type":"subtitles","captions":"1","settings":{"style":{"style":"boxed-word","font-sise":20}}}]}`,
			`/elements/0/settings/style/font-sise 1:117 warning property_unknown`},
		{"exports", `{"exports":[{"destinations":"x"}],"elements":[]}`, `/exports 1:12 error destination_invalid; /exports/0/destinations 1:29 warning value_type`},
		{"after its scene", element(`{"type":"text","text":"a","start":5}`), `/scenes/0/elements/0/start 1:72 warning element_never_shown`},
		{"expression", element(`{"type":"text","text":"{{ 1 + }}"}`), `/scenes/0/elements/0/text 1:60 error expression_invalid`},
		{"undefined", element(`{"type":"text","text":"{{ none }}"}`), `/scenes/0/elements/0/text 1:60 warning variable_undefined`},
		{"once for many", element(`{"type":"text","text":"a","iterate":"{{ [1,2,3] }}","position":"{{ 'lift' }}"}`),
			`/scenes/0/elements/0/position 1:101 warning value_unknown`},
		{"behind one that is left out", element(`{"type":"text","text":"a","condition":"{{ 0 }}"},{"type":"text","text":"a","x":"{{ 'b' }}"}`),
			`/scenes/0/elements/1/x 1:117 error value_type`},
		{"twice", "{\"elements\":[],\n\"fps\":5,\n\"fps\":6}", `/fps 3:1 warning property_repeated`},
	}
	for _, tt := range tests {
		r := check(tt.body)
		if diff := cmp.Diff(tt.want, lines(r)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		for _, p := range r.Problems {
			if p.Message == "" || p.Remedy == "" {
				t.Errorf("%s: %+v", tt.name, p)
			}
		}
	}
}

func TestCheck_Words(t *testing.T) {
	t.Parallel()
	r := check(`{"scenes":[{"duration":2,"elements":[{"type":"text","text":"a","positon":"x","font_size":3,"settings":{"font-size":4}}]}]}`)
	want := []string{
		"Scene #1 Element #1: The property 'font_size' belongs in 'settings', which have another value: that one is used",
		"Scene #1 Element #1: The property 'positon' is unknown and has no effect: did you mean 'position'?",
	}
	if diff := cmp.Diff(want, r.Warnings); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, lint.Warnings(lint.Read([]byte(`{"scenes":[{"duration":2,"elements":[{"type":"text","text":"a","positon":"x",`+
		`"font_size":3,"settings":{"font-size":4}}]}]}`)))); diff != "" {
		t.Errorf("without places (-want +got):\n%s", diff)
	}
}

// A mistake in a template names the template, and leads into its JSON.
func TestCheck_Templates(t *testing.T) {
	t.Parallel()
	const inner, shown, lost = "Abcd1234Efgh5678Ijkl", "Zbcd1234Efgh5678Ijkl", "Mbcd1234Efgh5678Ijkl"
	texts := map[string]string{
		shown: `{"elements":[{"type":"text","text":"a"},{"type":"text","text":"a","x":"b"}]}`,
		inner: "{\"fps\":\"much\",\n\"scenes\":[{\"duration\":2,\"elements\":[{\"type\":\"template\",\"template\":\"" + shown + "\"},{\"type\":\"text\",\"texxt\":\"b\"}]}]}",
		lost:  `{"template":"` + inner + `"}`,
	}
	in := lint.Read([]byte(`{"template":"` + lost + `","drift":true,"variables":{"a":1}}`))
	filled, err := document.Fill(in.Body.Raw, func(id, _ string) ([]byte, error) {
		in.Templates = append(in.Templates, lint.Text{Template: id, Raw: []byte(texts[id])})
		return []byte(texts[id]), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if in.Movie, in.Filled, in.Refused = document.ParseTree(filled); in.Refused != nil {
		t.Fatal(in.Refused)
	}
	want := strings.Join([]string{
		"/drift 1:36 warning property_unknown",
		inner + " /fps 1:8 error value_type",
		inner + " /scenes/0/elements/0/type 2:45 warning deprecated",
		inner + " /scenes/0/elements/1 2:91 error property_missing",
		inner + " /scenes/0/elements/1/texxt 2:106 warning property_unknown",
		shown + " /elements/1/x 1:71 error value_type",
	}, "; ")
	got := lines(lint.Check(in))
	if diff := cmp.Diff(strings.ReplaceAll(want, "; ", "\n"), strings.ReplaceAll(got, "; ", "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// However much is wrong, the answer stays small and is the same every time.
func TestCheck_Bounds(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(`{"elements":[{"type":"text","text":7,"x":"no"}`)
	for i := range 4000 {
		fmt.Fprintf(&b, `,{"type":"text","text":"a","positon%d":1}`, i)
	}
	b.WriteString(`]}`)
	first, again := check(b.String()), check(b.String())
	if first.Total != 4001 || len(first.Problems) != 200 || len(first.Warnings) != 50 || len(first.Errors()) != 1 {
		t.Errorf("%d in all, %d problems, %d warnings, %d errors", first.Total, len(first.Problems), len(first.Warnings), len(first.Errors()))
	}
	if diff := cmp.Diff(lines(first), lines(again)); diff != "" {
		t.Errorf("another time: %s", diff)
	}
}

// TestCheck_LongRepeatedName: a repeated name that is too long for a pointer is reported where the object around it is.
func TestCheck_LongRepeatedName(t *testing.T) {
	t.Parallel()
	name := `"` + strings.Repeat("n", 5000) + `"`
	for body, want := range map[string]string{
		`{"elements":[],` + name + `:1,` + name + `:2}`:                     "A property of the movie is given more than once, the last one counts",
		`{"elements":[],"variables":{` + name + `:1,` + name + `:2}}`:       "The property 'variables' is given more than once, the last one counts",
		`{"elements":[],"variables":{"a":{` + name + `:1,` + name + `:2}}}`: "The property 'variables.a' is given more than once, the last one counts",
	} {
		if got := lint.Warnings(lint.Read([]byte(body))); !slices.Contains(got, want) {
			t.Errorf("%.40s: %q, want %q", body, got, want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"scenes":[{"elements":[{"type":"text","text":"{{a}}","settings":{"x":1}},{"type":"component","component":"basic/000","settings":[]}]}],"exports":{}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		in := lint.Read(body)
		for _, p := range lint.Check(in).Problems {
			if p.Message == "" || p.Remedy == "" || p.Code == "" || p.Severity == "" || p.Line < 1 || p.Column < 1 {
				t.Fatalf("%q: %+v", body, p)
			}
		}
	})
}

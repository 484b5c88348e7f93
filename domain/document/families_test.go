package document_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/domain/document"
)

// Every place of a movie in which a family can be named.
func TestFontWishes(t *testing.T) {
	t.Parallel()
	type wish = document.FontWish
	tests := map[string]struct {
		element string
		want    []wish
	}{
		"text":          {`{"type":"text","text":"x","settings":{"font-family":"Lobster"}}`, []wish{{"Lobster", 400, false}}},
		"weight":        {`{"type":"text","text":"x","settings":{"font-family":"Karla, serif","font-weight":"800"}}`, []wish{{"Karla", 400, false}, {"Karla", 800, false}}},
		"shorthand":     {`{"type":"text","text":"x","settings":{"font":"italic 700 5vw/1.2 Karla"}}`, []wish{{"Karla", 400, false}, {"Karla", 700, true}}},
		"nothing named": {`{"type":"text","text":"x"}`, nil},
		"an address":    {`{"type":"text","text":"x","settings":{"font-family":"https://x.test/a.ttf"}}`, nil},
		"with its file": {`{"type":"text","text":"x","settings":{"font-family":"Brand","font-url":"https://x.test/a.ttf"}}`, nil},
		"component": {`{"type":"component","component":"basic/000","settings":{"headline":{"text":"x","font-family":"Karla","font-weight":600}}}`,
			[]wish{{"Karla", 400, false}, {"Karla", 600, false}}},
		"html": {`{"type":"html","html":"<style>p{font-family:'Open Sauce One',serif}</style><p style=\"font:12px Karla\">x"}`,
			[]wish{{"Karla", 400, false}, {"Karla", 700, false}, {"Open Sauce One", 400, false}, {"Open Sauce One", 700, false}}},
		"an attribute": {`{"type":"html","html":"<p style=\"font-family:Karla\">x <i>y</i>"}`,
			[]wish{{"Karla", 400, false}, {"Karla", 700, false}, {"Karla", 400, true}}},
		"a long list": {`{"type":"html","html":"<style>p{font-family:Karla,` + strings.Repeat("é", 400) + `}</style>"}`,
			[]wish{{"Karla", 400, false}, {"Karla", 700, false}}},
		"body of a page": {`{"type":"html","html":"x","settings":{"font-family":"Karla"}}`, []wish{{"Karla", 400, false}}},
	}
	for name, tt := range tests {
		m, err := document.Parse([]byte(`{"scenes":[{"elements":[` + tt.element + `]}]}`))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.want, document.FontWishes(m)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	m, err := document.Parse([]byte(`{"scenes":[{"elements":[{"type":"text","text":"x"}]}],"elements":[{"type":"subtitles","settings":{"style":"classic","font-family":"Karla"}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]wish{{"Karla", 400, false}}, document.FontWishes(m)); diff != "" {
		t.Errorf("subtitles (-want +got):\n%s", diff)
	}
}

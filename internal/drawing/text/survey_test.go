package text_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"moviola/commands"
	"moviola/domain/document"
	"moviola/internal/drawing/text"
)

func survey(t *testing.T, s *text.Surveyor, movie string) commands.Survey {
	t.Helper()
	m, err := document.Parse([]byte(movie))
	if err != nil {
		t.Fatal(err)
	}
	return s.Survey(t.Context(), m, true)
}

func TestSurvey(t *testing.T) {
	t.Parallel()
	with := text.NewSurveyor(func() (*text.Engine, error) { return engine(t), nil })
	without := text.NewSurveyor(func() (*text.Engine, error) { return nil, errors.New("no fonts") })
	tests := []struct {
		surveyor               *text.Surveyor
		movie, want, unchecked string
	}{
		{with, `{"elements":[{"type":"text","text":"short"}]}`, ``, ``},
		{with, `{"elements":[{"type":"text","text":"Much too long for so small a box","width":100,"height":30,"settings":{"font-size":40}}]}`,
			`/text text_overflow`, ``},
		{with, `{"elements":[{"type":"text","text":"a","x":700},{"type":"text","text":"a","y":-500},{"type":"html","html":"a","width":10,"height":10,"y":-5}]}`,
			`/x element_off_canvas /y element_off_canvas`, ``},
		{with, `{"elements":[{"type":"image","src":"https://a.example/a.png","x":700,"width":10}]}`, ``, ``},
		{with, `{"elements":[{"type":"image","src":"https://a.example/a.png","x":700,"width":10,"height":10}]}`, `/x element_off_canvas`, ``},
		{with, `{"elements":[{"type":"text","text":"a","settings":{"font-url":"https://a.example/f.ttf"}}]}`, ``,
			`Whether 1 texts fit into their boxes: their fonts are not fetched`},
		{without, `{"elements":[{"type":"text","text":"a","x":700}]}`, `/x element_off_canvas`, `Whether texts fit into their boxes: this process has no fonts`},
		{without, `{"elements":[{"type":"html","html":"a"}]}`, ``, ``},
		{with, `{"scenes":[{"duration":1,"transition":{"duration":5}},{"duration":1,"transition":{"duration":5}}]}`,
			`/transition transition_shortened /transition transition_shortened`, ``},
	}
	for _, tt := range tests {
		got := survey(t, tt.surveyor, tt.movie)
		var notes []string
		for _, n := range got.Notes {
			notes = append(notes, n.Path+" "+n.Code)
		}
		if strings.Join(notes, " ") != tt.want || strings.Join(got.Unchecked, ";") != tt.unchecked || got.Err != nil {
			t.Errorf("%s: %v, %q, %v", tt.movie, notes, got.Unchecked, got.Err)
		}
	}
}

// A movie that costs too much to lay out is laid out in part, and the answer says so.
func TestSurvey_Cost(t *testing.T) {
	t.Parallel()
	with := text.NewSurveyor(func() (*text.Engine, error) { return engine(t), nil })
	var b strings.Builder
	b.WriteString(`{"elements":[{"type":"text","text":"a"}`)
	for i := range 4000 {
		fmt.Fprintf(&b, `,{"type":"text","text":"%s %d"}`, strings.Repeat("many words and letters ", 15), i)
	}
	b.WriteString(`]}`)
	got := survey(t, with, b.String())
	if len(got.Unchecked) == 0 || !strings.Contains(strings.Join(got.Unchecked, ";"), "it takes too long") {
		t.Errorf("%q", got.Unchecked)
	}
}

package survey_test

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/domain/document"
	"moviola/domain/template/library"
	"moviola/internal/drawing/survey"
	"moviola/internal/drawing/text"
)

var cacheDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "fonts")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	cacheDir = dir
	_, _ = engine() // opened before the surveys, whose time limit would count it; tests that need it report its error
	code := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(code)
}

var engine = sync.OnceValues(func() (*text.Engine, error) {
	log := logrus.New()
	log.SetOutput(io.Discard)
	return text.NewEngine(cacheDir, log)
})

func look(t *testing.T, s *survey.Surveyor, movie string) commands.Survey {
	t.Helper()
	m, err := document.Parse([]byte(movie))
	if err != nil {
		t.Fatal(err)
	}
	return s.Survey(t.Context(), m, true)
}

func TestSurvey(t *testing.T) {
	t.Parallel()
	with := survey.New(engine)
	without := survey.New(func() (*text.Engine, error) { return nil, errors.New("no fonts") })
	tests := []struct {
		surveyor               *survey.Surveyor
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
		{with, `{"elements":[{"type":"component","component":"basic/000","settings":{"headline":"Short","body":"Fits"}}]}`, ``, ``},
		{with, `{"width":320,"height":180,"elements":[{"type":"component","component":"basic/000","settings":{"headline":{"text":"` +
			strings.Repeat("far too long ", 30) + `"}}}]}`, `/settings/headline/text text_overflow`, ``},
		{with, `{"width":320,"height":180,"elements":[{"type":"component","component":"textbox/simple","settings":{"textbox1":` +
			`{"text":"Too long for its box","width":"20%","height":"10%","fontSize":"8vw"}}}]}`, `/settings/textbox1/text text_overflow`, ``},
		{with, `{"elements":[{"type":"component","component":"basic/000","settings":{"headline":{"text":"a","font-url":"https://a.example/f.ttf"}}}]}`, ``,
			`Whether 1 texts fit into their boxes: their fonts are not fetched`},
		{without, `{"elements":[{"type":"component","component":"basic/000","settings":{"headline":"a"}}]}`, ``,
			`Whether texts fit into their boxes: this process has no fonts`},
		{with, captioned("Short", ``), ``, ``},
		{with, captioned("A line of captions that is far too long for so narrow a movie", ``), `/captions text_overflow`, ``},
		{with, captioned("Donaudampfschifffahrtsgesellschaft", ``), `/captions text_overflow`, ``},
		{with, captioned("Short", `"position":"custom","x":10,"y":20`), `/captions text_overflow`, ``},
		{with, captioned("Short", `"position":"custom","x":160,"y":170`), `/captions text_overflow`, ``},
		{with, `{"scenes":[{"duration":1}],"elements":[{"type":"subtitles","captions":"https://a.example/given.srt"}]}`, ``, ``},
		{without, captioned("Short", ``), ``, `Whether texts fit into their boxes: this process has no fonts`},
		{with, `{"scenes":[{"duration":1,"transition":{"duration":5}},{"duration":1,"transition":{"duration":5}}]}`,
			`/transition transition_shortened /transition transition_shortened`, ``},
	}
	for _, tt := range tests {
		got := look(t, tt.surveyor, tt.movie)
		var notes []string
		for _, n := range got.Notes {
			notes = append(notes, n.Path+" "+n.Code)
		}
		if strings.Join(notes, " ") != tt.want || strings.Join(got.Unchecked, ";") != tt.unchecked || got.Err != nil {
			t.Errorf("%s: %v, %q, %v", tt.movie, notes, got.Unchecked, got.Err)
		}
	}
}

// captioned is a narrow movie with one caption.
func captioned(line, settings string) string {
	return fmt.Sprintf(`{"width":320,"height":180,"scenes":[{"duration":1}],"elements":[{"type":"subtitles","captions":"1\n00:00:00,000 --> 00:00:01,000\n%s","settings":{"font-size":30,%s}}]}`,
		line, cmp.Or(settings, `"style":"classic"`))
}

// The messages say how much room is needed, and how much there is.
func TestSurvey_Messages(t *testing.T) {
	t.Parallel()
	with := survey.New(engine)
	for movie, want := range map[string]string{
		captioned("A line of captions that is far too long for so narrow a movie", ``):                                                                       "A line of the captions needs ",
		captioned("Short", `"position":"custom","x":10,"y":20`):                                                                                              "The captions need ",
		`{"width":320,"height":180,"elements":[{"type":"component","component":"basic/000","settings":{"Headline":"` + strings.Repeat("long ", 90) + `"}}]}`: "The text of 'Headline' needs ",
	} {
		got := look(t, with, movie)
		if len(got.Notes) != 1 || !strings.HasPrefix(got.Notes[0].Text, want) || got.Notes[0].Remedy == "" {
			t.Errorf("%s: %+v", movie, got.Notes)
		}
	}
}

// No component of the gallery and of the library is said not to fit.
func TestSurvey_Gallery(t *testing.T) {
	t.Parallel()
	movies, err := filepath.Glob("../../../docs/gallery/*.json")
	if err != nil || len(movies) < 50 {
		t.Fatalf("%d movies, %v", len(movies), err)
	}
	all := map[string][]byte{}
	for _, name := range movies {
		if all[filepath.Base(name)], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	templates, err := library.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range templates {
		all[one.Slug] = one.Movie
	}
	with := survey.New(engine)
	for name, raw := range all {
		m, err := document.Parse(raw)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, n := range with.Survey(t.Context(), m, true).Notes {
			if n.Code == text.TextOverflow && !overflowing[name] {
				t.Errorf("%s: %s", name, n)
			}
		}
	}
}

// overflowing are the movies that show what happens to texts that do not fit.
var overflowing = map[string]bool{"46-texts.json": true, "50-more-looks.json": true}

// A movie that costs too much to lay out is laid out in part, and the answer says so.
func TestSurvey_Cost(t *testing.T) {
	t.Parallel()
	with := survey.New(engine)
	var b strings.Builder
	b.WriteString(`{"elements":[{"type":"text","text":"a"}`)
	for i := range 4000 {
		fmt.Fprintf(&b, `,{"type":"text","text":"%s %d"}`, strings.Repeat("many words and letters ", 15), i)
	}
	b.WriteString(`]}`)
	got := look(t, with, b.String())
	if len(got.Unchecked) == 0 || !strings.Contains(strings.Join(got.Unchecked, ";"), "it takes too long") {
		t.Errorf("%q", got.Unchecked)
	}
}

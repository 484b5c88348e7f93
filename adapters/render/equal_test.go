package render_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"moviola/adapters/render"
	"moviola/commands"
	"moviola/domain"
)

var errLooked = errors.New("looked for an equal movie")

// contents renders a movie up to the look for an equal one, and returns the contents by which that is looked for; nil: none was
// looked for.
func (s *stage) contents(project domain.ProjectID, now time.Time, doc object) map[string]string {
	s.t.Helper()
	job := s.job(doc)
	job.Project, job.Now = project, now
	var got map[string]string
	job.Fetched = func(_ context.Context, contents map[string]string) error {
		got = contents
		return errLooked
	}
	out, err := s.Render(s.t.Context(), job)
	switch {
	case err == nil:
		out.Close()
	case !errors.Is(err, errLooked):
		s.t.Fatal(err)
	}
	return got
}

// TestEngine_Render_equalMovies: a movie is equal to another one only where nothing can differ that the document does not tell:
// what a page loads, fonts, and what is not to be used again.
func TestEngine_Render_equalMovies(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	drawer, err := realText()
	if err != nil {
		t.Fatal(err)
	}
	words := &fonts{Engine: drawer, set: "some"}
	if s.Engine, err = render.New(render.Config{Dir: s.dir, Tools: s.media.tools, Fetcher: s.media, Text: words, Pages: s.pages, Cores: 2,
		PageTTL: 72 * time.Hour, Log: quiet()}); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	text, page := object{"type": "text", "text": "words"}, object{"type": "html", "src": "https://a.example/page"}
	script := object{"type": "html", "html": "<script>document.body.append(new Date())</script>"}
	still := object{"type": "html", "html": "<b>x</b>"}
	fresh := func(element object) object {
		element = maps.Clone(element)
		element["cache"] = false
		return element
	}
	freshScene := movieOf(1, text)
	freshScene["scenes"].([]object)[0]["cache"] = false
	tests := []struct {
		name  string
		doc   object
		other domain.ProjectID // project of the second movie
		after time.Duration    // when it is made
		fonts string           // fonts of the second movie
		want  bool
	}{
		{name: "a text", doc: movieOf(1, text), after: 1000 * time.Hour, want: true},
		{name: "a text in other fonts", doc: movieOf(1, text), fonts: "others"},
		{name: "a page of its own", doc: movieOf(1, still), after: 1000 * time.Hour, want: true},
		{name: "a page by address", doc: movieOf(1, page), want: true},
		{name: "a page by address, later", doc: movieOf(1, page), after: 72 * time.Hour},
		{name: "a page with a script, later", doc: movieOf(1, script), after: 72 * time.Hour},
		{name: "a page that is not to be used again", doc: movieOf(1, fresh(page))},
		{name: "a scene that is not to be used again", doc: freshScene},
	}
	for _, tt := range tests {
		words.set = "some"
		first := s.contents("project000000001", now, tt.doc)
		if tt.fonts != "" {
			words.set = tt.fonts
		}
		second := s.contents("project000000002", now.Add(tt.after), tt.doc)
		if first == nil || maps.Equal(first, second) != tt.want {
			t.Errorf("%s: equal: %v, want %v (%v, %v)", tt.name, !tt.want, tt.want, first, second)
		}
	}
}

// TestEngine_Render_equalMovieKeeps: what an element generates is kept in the library also where an equal movie is used again.
// Decision 47.
func TestEngine_Render_equalMovieKeeps(t *testing.T) {
	t.Parallel()
	b := prepareBench(t)
	job := b.job(object{"width": 64, "height": 50, "fps": 10, "elements": []any{
		object{"type": "html", "id": "page", "html": "<b>x</b>", "width": 60, "height": 40, "duration": 0.4, "save-to-media": true},
	}})
	var kept []string
	job.Keep = func(_ context.Context, name string, _ int, _ commands.Prepared) error {
		kept = append(kept, name)
		return nil
	}
	job.Fetched = func(context.Context, map[string]string) error { return commands.ErrCached }
	if _, err := b.Render(t.Context(), job); !errors.Is(err, commands.ErrCached) {
		t.Fatal(err)
	}
	if !slices.Equal(kept, []string{"page"}) {
		t.Errorf("kept %v", kept)
	}
}

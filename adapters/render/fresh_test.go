package render_test

import (
	"context"
	"errors"
	"image/color"
	"path/filepath"
	"testing"
	"time"

	"moviola/adapters/render"
	"moviola/commands"
	"moviola/domain"
	"moviola/domain/timeline"
	"moviola/internal/drawing/text"
)

// fonts is a drawer whose fonts can be exchanged.
type fonts struct {
	*text.Engine
	set   string
	drawn int
}

func (f *fonts) FontsOf(timeline.Text) ([]string, error) { return []string{f.set}, nil }

func (f *fonts) Animate(t timeline.Text, w, h int) (text.Animated, error) {
	f.drawn++
	return f.Engine.Animate(t, w, h)
}

// A text is drawn anew when its fonts have another content, and only then.
func TestEngine_Render_otherFonts(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	drawer, err := realText()
	if err != nil {
		t.Fatal(err)
	}
	words := &fonts{Engine: drawer, set: "some"}
	if s.Engine, err = render.New(render.Config{Dir: s.dir, Tools: s.media.tools, Fetcher: s.media, Text: words, Cores: 2, Log: quiet()}); err != nil {
		t.Fatal(err)
	}
	doc := movieOf(1, object{"type": "text", "text": "words"})
	for _, step := range []struct {
		set   string
		drawn int
	}{{"some", 1}, {"some", 1}, {"others", 2}, {"some", 2}} {
		words.set = step.set
		s.mustRender(doc)
		if words.drawn != step.drawn {
			t.Errorf("with %s fonts %d texts have been drawn, want %d", step.set, words.drawn, step.drawn)
		}
	}
}

// A page that may have changed is drawn again when its picture is old; one that cannot change is not. The picture of a page that comes from an address is
// kept for its own time, for other movies too.
func TestEngine_Render_oldPages(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	drawer, err := realText()
	if err != nil {
		t.Fatal(err)
	}
	engine := func(ttl time.Duration) {
		t.Helper()
		if s.Engine, err = render.New(render.Config{
			Dir: s.dir, Tools: s.media.tools, Fetcher: s.media, Text: drawer, Cores: 2, Log: quiet(), Pages: s.pages, PageTTL: ttl,
		}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		page object
		want int64 // drawn in all
	}{
		{object{"type": "html", "html": "<p>words</p>"}, 2},
		{object{"type": "html", "html": "<img src=https://x.test/a.png>"}, 3},
		{object{"type": "html", "html": "<script>document.write(new Date())</script>"}, 3},
		{object{"type": "html", "html": "<body onload='document.body.textContent = new Date()'>"}, 3},
		{object{"type": "html", "src": "https://x.test/page"}, 1},
	} {
		doc := movieOf(1, tt.page)
		before := s.pages.stills.Load()
		engine(time.Hour)
		s.mustRender(doc)
		s.mustRender(doc)
		if n := s.pages.stills.Load() - before; n != 1 {
			t.Errorf("%v was drawn %d times within its time", tt.page, n)
		}
		// Another movie with the same page, kept for no time to speak of.
		engine(time.Nanosecond)
		doc["scenes"].([]object)[0]["background-color"] = "#203040"
		s.mustRender(doc)
		s.mustRender(doc)
		if n := s.pages.stills.Load() - before; n != tt.want {
			t.Errorf("%v was drawn %d times when it is old at once", tt.page, n)
		}
	}
}

// TestEngine_Render_keptPages: the picture of a page from an address is drawn once for all movies of an account, unless an element asks again.
func TestEngine_Render_keptPages(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for i, step := range []struct {
		background string
		page       object
		drawn      int64
	}{
		{"#000000", object{}, 1}, {"#111111", object{}, 0}, {"#222222", object{"cache": false}, 1}, {"#333333", object{}, 0}, {"#444444", object{"width": 40}, 1},
	} {
		page := object{"type": "html", "src": "https://x.test/page"}
		for name, value := range step.page {
			page[name] = value
		}
		doc := movieOf(1, page)
		doc["scenes"].([]object)[0]["background-color"] = step.background
		before := s.pages.stills.Load()
		s.mustRender(doc)
		if n := s.pages.stills.Load() - before; n != step.drawn {
			t.Errorf("movie %d: the page was drawn %d times, want %d", i, n, step.drawn)
		}
	}
}

// Every page of a movie reads the same time, in every attempt: that at which the movie was begun.
func TestEngine_Render_pagesShareAClock(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	began := time.Date(2031, 2, 3, 4, 5, 6, 7, time.UTC)
	for attempt := range 2 {
		job := s.job(movieOf(1, object{"type": "html", "html": "<p>a</p>"}, object{"type": "html", "html": "<p>b</p>", "capture": object{"duration": 1}}))
		job.Attempt, job.Now = attempt+1, began
		out, err := s.Render(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		out.Close()
	}
	for _, at := range s.pages.clocks() {
		if want := began.Truncate(time.Second); !at.Equal(want) {
			t.Errorf("a page reads %v, want %v", at, want)
		}
	}
	if len(s.pages.clocks()) == 0 {
		t.Error("no page was drawn")
	}
}

// A file that a component's settings name is part of what is looked for in the cache by its content, not by its address.
func TestEngine_Render_changedFileOfAComponent(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	doc := movieOf(1, object{"type": "component", "component": "shape/rectangle", "settings": object{"rectangle1": object{
		"left": "100px", "top": "60px", "width": "80px", "height": "40px", "background-image": "url(http://x.test/fill.png)"}}})
	for name, c := range map[string]color.NRGBA{"red": {255, 0, 0, 255}, "blue": {0, 0, 255, 255}} {
		s.paint("fill.png", 80, 40, c)
		out := s.mustRender(doc)
		requireColor(t, name, frame(t, out.Movie, 5), 140, 80, [3]int{int(c.R), int(c.G), int(c.B)}, 8)
	}
	if parts, err := filepath.Glob(filepath.Join(s.dir, "cache", "*", "*", "*.mp4")); err != nil || len(parts) != 4 {
		t.Errorf("the cache holds %d movies and windows (%v), want two of each", len(parts), err)
	}
}

// silent is a server that never answers.
type silent struct{}

func (silent) Fetch(ctx context.Context, _ domain.AccountID, _ string) (commands.Asset, error) {
	<-ctx.Done()
	return commands.Asset{}, ctx.Err()
}

// TestEngine_Render_sourcesTime: all sources of a movie together have a time, and a movie that exceeds it says so. Decision 54.
func TestEngine_Render_sourcesTime(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	drawer, err := realText()
	if err != nil {
		t.Fatal(err)
	}
	if s.Engine, err = render.New(render.Config{
		Dir: s.dir, Tools: s.media.tools, Fetcher: silent{}, Text: drawer, Cores: 2, Log: quiet(), SourcesTime: 30 * time.Millisecond,
	}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Render(t.Context(), s.job(movieOf(1, object{"type": "image", "src": "https://x.test/a.png"})))
	var fault *domain.Error
	if !errors.As(err, &fault) || fault.Message != "The sources of the movie took longer than 0.0005 minutes to download: serve them faster, or preload them" {
		t.Errorf("error %v", err)
	}
}

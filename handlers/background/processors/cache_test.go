package processors_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/projections"
)

// sameMovie is a movie of 4 seconds.
const sameMovie = `{"id":"%","scenes":[{"duration":4}]}`

// rendered lets a process make the movie, and remembers it under its key as the read model does.
func (w *world) rendered(pr *process) (domain.ProjectID, movie.RenderFinished) {
	w.t.Helper()
	project := w.submitBody([]byte(sameMovie))
	pr.do(render(project, 0))
	end := w.finished(project)
	if !end.Success || end.CacheKey == "" || end.CachedFrom != "" {
		w.t.Fatalf("outcome %+v", end)
	}
	w.cache.found = map[string]projections.Movie{string(alice) + "/" + end.CacheKey: {
		Project: string(project), Plan: end.Plan, File: end.File, Warnings: []string{"odd size"},
	}}
	return project, end
}

// TestRender_FromTheCache: the same movie is not rendered again; it has its own file, costs nothing and is delivered.
// Decision 20.
func TestRender_FromTheCache(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		pr.render.caption = true
		first, source := w.rendered(pr)
		second := w.submitBody([]byte(strings.Replace(sameMovie, `"%"`, `"another","exports":[{"destinations":[{"type":"webhook","endpoint":"https://a.example"}]}]`, 1)))
		pr.do(render(second, 0))
		end := w.finished(second)
		want := source
		want.At, want.CachedFrom, want.Credits, want.Warnings = end.At, first, 0, []string{"odd size"}
		file := *source.File
		file.Key, file.Thumbnail = "renders/"+string(second)+"/1.mp4", "renders/"+string(second)+"/1.jpg"
		file.Subtitles = "renders/" + string(second) + "/1.ass"
		want.File = &file
		if diff := cmp.Diff(want, end); diff != "" {
			t.Errorf("outcome (-want +got):\n%s", diff)
		}
		if end.File.Token != "" {
			t.Error("the event tells the token of the file")
		}
		if w.files.Text(end.File.Key) != "movie by one" || w.files.Text(end.File.Thumbnail) != "picture" ||
			w.files.Text(end.File.Subtitles) != "captions" {
			t.Error("the copy is not the file")
		}
		for _, project := range []domain.ProjectID{first, second} {
			pr.do(task(projections.WorkSettle, project, 0))
		}
		pr.do(task(projections.WorkDeliver, second, 0))
		if totals := w.ledger(); totals.Charged != 4 || totals.Held != 0 {
			t.Errorf("credits %+v", totals)
		}
		released, ok := w.stream(ledger.Stream(alice))[len(w.stream(ledger.Stream(alice)))-1].(ledger.CreditsReleased)
		if !ok || released.Reason != "cached" {
			t.Errorf("the hold ended with %+v", released)
		}
		if len(w.hooks.calls) != 1 || w.hooks.calls[0].payload["success"] != true {
			t.Errorf("webhooks %+v", w.hooks.calls)
		}
		if pr.render.renders != 2 { // the second stops as soon as its sources are there
			t.Errorf("%d renders", pr.render.renders)
		}
	})
}

// TestRender_NotFromTheCache renders what is not the same, is not wanted from the cache, or cannot be copied any more.
func TestRender_NotFromTheCache(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		body   string
		change func(w *world, source movie.RenderFinished)
	}{
		"another movie":     {body: `{"scenes":[{"duration":4,"comment":"x"}]}`},
		"cache false":       {body: `{"cache":false,"scenes":[{"duration":4}]}`},
		"the file has gone": {change: func(w *world, s movie.RenderFinished) { must(w.t, w.files.Delete(w.t.Context(), s.File.Key)) }},
		"the file is cut short": {change: func(w *world, s movie.RenderFinished) {
			must(w.t, w.files.Put(w.t.Context(), s.File.Key, strings.NewReader("movie")))
		}},
		"the file was changed in place": {change: func(w *world, s movie.RenderFinished) {
			must(w.t, w.files.Put(w.t.Context(), s.File.Key, strings.NewReader("Movie by one")))
		}},
		"its picture has too": {change: func(w *world, s movie.RenderFinished) { must(w.t, w.files.Delete(w.t.Context(), s.File.Thumbnail)) }},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inWorld(t, func(t *testing.T, w *world) {
				pr := w.start("one")
				defer pr.drain(time.Minute)
				_, source := w.rendered(pr)
				body := sameMovie
				if tt.body != "" {
					body = tt.body
				}
				if tt.change != nil {
					tt.change(w, source)
				}
				encoded := false
				pr.render.step = func(context.Context, commands.RenderJob, int) error { encoded = true; return nil }
				project := w.submitBody([]byte(body))
				pr.do(render(project, 0))
				end := w.finished(project)
				if !encoded || !end.Success || end.CachedFrom != "" || end.Credits != 4 {
					t.Errorf("encoded %v, outcome %+v", encoded, end)
				}
				if strings.Contains(body, "cache") != (end.CacheKey == "") {
					t.Errorf("cache key %q", end.CacheKey)
				}
				if w.files.Text(end.File.Key) != "movie by one" || w.files.Text(end.File.Thumbnail) != "picture" {
					t.Error("the files are not the render's")
				}
			})
		})
	}
}

// TestRender_FromTheCache_withoutAHash: of a movie that an earlier version has stored only the size is known; the copy's hash is recorded.
func TestRender_FromTheCache_withoutAHash(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		first, source := w.rendered(pr)
		if source.File.Hash != sha256Of("movie by one") {
			t.Errorf("hash %q", source.File.Hash)
		}
		source.File.Hash = ""
		second := w.submitBody([]byte(sameMovie))
		pr.do(render(second, 0))
		if end := w.finished(second); end.CachedFrom != first || end.File.Hash != sha256Of("movie by one") {
			t.Errorf("outcome %+v, file %+v", end, end.File)
		}
	})
}

func sha256Of(content string) string {
	sum := sha256.Sum256([]byte(content))
	return hex.EncodeToString(sum[:])
}

// TestRender_CacheAway: a render waits for the read models, and for the files, as long as it takes.
func TestRender_CacheAway(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		first, _ := w.rendered(pr)
		w.cache.set(errors.New("database away"))
		w.files.Fail(func(call, key string) error {
			if call == "put" && strings.HasPrefix(key, "renders/") {
				return errors.New("disk full")
			}
			return nil
		})
		project := w.submitBody([]byte(sameMovie))
		done := pr.send(render(project, 0))
		time.Sleep(3 * time.Minute)
		w.cache.set(nil)
		time.Sleep(3 * time.Minute)
		w.files.Fail(nil)
		<-done
		if end := w.finished(project); !end.Success || end.CachedFrom != first {
			t.Errorf("outcome %+v", end)
		}
	})
}

// TestExpire removes the files of a movie after seven days, and not a moment before.
func TestExpire(t *testing.T) {
	t.Parallel()
	inWorld(t, func(t *testing.T, w *world) {
		pr := w.start("one")
		defer pr.drain(time.Minute)
		project, end := w.rendered(pr)
		time.Sleep(fileRetention - time.Second)
		pr.do(task(projections.WorkExpire, project, 0)) // a message is only a hint
		if w.files.Text(end.File.Key) == "" {
			t.Error("the file expired too early")
		}
		time.Sleep(time.Second)
		pr.do(task(projections.WorkExpire, project, 0))
		pr.do(task(projections.WorkExpire, project, 0))
		if keys, err := w.files.List(t.Context(), blobkey.RendersOf(project)); err != nil || len(keys) > 0 {
			t.Errorf("left %v, %v", keys, err)
		}
		if got := w.types(project); got != "MovieSubmitted RenderStarted RenderFinished FileDeleted" {
			t.Errorf("events %s", got)
		}
	})
}

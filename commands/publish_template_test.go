package commands_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"moviola/commands"
	"moviola/commands/templates"
	"moviola/domain"
	"moviola/domain/blobkey"
	"moviola/domain/movie"
	"moviola/domain/template"
)

// library returns a LibraryHandler that gives LibraryAccount credits at the first publication.
func (w *world) library() templates.LibraryHandler {
	return templates.NewLibraryHandler(templates.LibraryConfig{
		Log: w.log, Files: w.files, Submit: w.submitHandler(), Now: w.clock,
		OpenAccount: func(context.Context) error {
			if totals, err := w.ledgers.State(w.t.Context(), commands.LibraryAccount); err != nil || totals.Granted > 0 {
				return err
			}
			w.grant(commands.LibraryAccount, 100)
			return nil
		},
	})
}

// examples returns the movies that were submitted for LibraryAccount.
func (w *world) examples() []domain.ProjectID {
	var projects []domain.ProjectID
	for _, recorded := range w.all() {
		if recorded.Type == "MovieSubmitted" && strings.Contains(string(recorded.Data), `"account":"library"`) {
			projects = append(projects, domain.ProjectID(strings.TrimPrefix(recorded.Stream, "movie-")))
		}
	}
	return projects
}

// rendered stores the files of an example, as a finished render does, and returns their keys.
func (w *world) rendered(project domain.ProjectID) movie.File {
	w.t.Helper()
	file := movie.File{Key: blobkey.RendersOf(project) + "1.mp4", Thumbnail: blobkey.RendersOf(project) + "1.jpg"}
	for _, key := range []string{file.Key, file.Thumbnail} {
		w.must(w.files.Put(w.t.Context(), key, strings.NewReader("file "+key)))
	}
	return file
}

// TestLibrary_Publish: a template is listed when its example is finished; the library has copies of the example's files.
// Decision 42.
func TestLibrary_Publish(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.library()
	id := w.save("", sevenSeconds)
	for range 3 { // a repeated call submits no other example
		came, err := h.Publish(t.Context(), id)
		w.must(err)
		if came.Status != templates.PublicationPending {
			t.Errorf("status %s", came.Status)
		}
	}
	projects := w.examples()
	if len(projects) != 1 {
		t.Fatalf("%d examples", len(projects))
	}
	file := w.rendered(projects[0])
	_, err := h.Exhibit(t.Context(), projects[0], file)
	w.must(err)
	if _, err := h.Exhibit(t.Context(), projects[0], file); !errors.Is(err, commands.ErrNothingToDo) {
		t.Errorf("error %v the second time", err)
	}
	example, published := w.template(id).Example()
	if !published || mustRead(t, w.files, example.Video) != "file "+file.Key || mustRead(t, w.files, example.Thumbnail) != "file "+file.Thumbnail {
		t.Errorf("published %v, %+v", published, example)
	}
	if came, err := h.Publish(t.Context(), id); err != nil || came.Status != templates.PublicationListed {
		t.Errorf("status %s, %v", came.Status, err)
	}
	if _, err := h.Unpublish(t.Context(), id); err != nil {
		t.Error(err)
	}
	// An unpublished template is not listed again by Exhibit, but by Publish.
	if _, err := h.Exhibit(t.Context(), projects[0], file); !errors.Is(err, commands.ErrNothingToDo) {
		t.Errorf("error %v of an unpublished template", err)
	}
	if came, err := h.Publish(t.Context(), id); err != nil || came.Status != templates.PublicationListed || len(w.examples()) != 1 {
		t.Errorf("status %s, %v, %d examples", came.Status, err, len(w.examples()))
	}
}

// TestLibrary_Exhibit: a movie of another account, and the example of a template that has changed since, do not publish the
// template.
func TestLibrary_Exhibit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.grant(alice, 100)
	h := w.library()
	id := w.save("", sevenSeconds)
	own, err := w.submitHandler().Handle(t.Context(), commands.SubmitMovie{Account: alice, Body: []byte(`{"template":"` + string(id) + `"}`)})
	w.must(err)
	_, err = h.Publish(t.Context(), id)
	w.must(err)
	w.save(id, `{"scenes":[{"duration":3}]}`)
	for _, project := range []domain.ProjectID{own.Project, w.examples()[0], "unknownproject01"} {
		if _, err := h.Exhibit(t.Context(), project, w.rendered(project)); !errors.Is(err, commands.ErrNothingToDo) {
			t.Errorf("%s: %v", project, err)
		}
	}
	if _, err := h.Publish(t.Context(), templateID(99)); refusalCode(err) != "template_not_found" {
		t.Errorf("error %v of an unknown template", err)
	}
}

// TestLibrary_Install: a built-in template is created once, updated to a new version, and stays unpublished or deleted when
// an operator has done that.
func TestLibrary_Install(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := w.library()
	b := templates.BuiltIn{ID: templateID(50), Name: "Title", Tags: []string{"a", "b"}, Prompt: "Write", Movie: []byte(sevenSeconds)}
	for range 2 {
		w.must(h.Install(t.Context(), b))
	}
	if got := w.template(b.ID); got.Owner() != commands.LibraryAccount || got.Revision() != 0 || len(w.examples()) != 1 {
		t.Errorf("owner %s, revision %d, %d examples", got.Owner(), got.Revision(), len(w.examples()))
	}
	first := w.examples()[0]
	_, err := h.Exhibit(t.Context(), first, w.rendered(first))
	w.must(err)
	w.must(h.Install(t.Context(), b))
	b.Movie = []byte(`{"scenes":[{"duration":3}]}`)
	for range 2 {
		w.must(h.Install(t.Context(), b))
	}
	if got := w.template(b.ID); got.Revision() != 2 || len(w.examples()) != 2 {
		t.Errorf("revision %d, %d examples", got.Revision(), len(w.examples()))
	}
	second := w.examples()[1]
	_, err = h.Exhibit(t.Context(), second, w.rendered(second))
	w.must(err)
	_, err = h.Unpublish(t.Context(), b.ID)
	w.must(err)
	w.must(h.Install(t.Context(), b))
	if _, published := w.template(b.ID).Example(); published || len(w.examples()) != 2 {
		t.Errorf("published %v, %d examples", published, len(w.examples()))
	}
	b.Movie = []byte(`{"scenes":[{"duration":4}]}`)
	for range 2 { // a new version is installed, and not published
		w.must(h.Install(t.Context(), b))
	}
	if got := w.template(b.ID); got.Revision() != 5 || len(w.examples()) != 2 {
		t.Errorf("revision %d, %d examples of an unpublished template", got.Revision(), len(w.examples()))
	}
	if came, err := h.Publish(t.Context(), b.ID); err != nil || came.Status != templates.PublicationPending || len(w.examples()) != 3 {
		t.Errorf("status %s, %v, %d examples", came.Status, err, len(w.examples()))
	}
	w.must(w.appendTo(template.Stream(b.ID), template.Deleted{At: t0}))
	w.must(h.Install(t.Context(), b))
	if w.template(b.ID).Exists() {
		t.Error("a deleted template is back")
	}
}

// TestLibrary_Unpublish_pending: an example that was requested before its template was taken out is never shown, whether the
// template had been listed before or not. One that is requested afterwards is, also of the same body.
func TestLibrary_Unpublish_pending(t *testing.T) {
	t.Parallel()
	for name, listed := range map[string]bool{"the first example": false, "the example of a new version": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			h := w.library()
			id := w.save("", sevenSeconds)
			publish := func() domain.ProjectID {
				t.Helper()
				before := len(w.examples())
				came, err := h.Publish(t.Context(), id)
				w.must(err)
				if now := w.examples(); came.Status == templates.PublicationPending && len(now) == before+1 {
					return now[before]
				}
				t.Fatalf("status %s, %d examples before, %d after", came.Status, before, len(w.examples()))
				return ""
			}
			exhibit := func(project domain.ProjectID) error {
				_, err := h.Exhibit(t.Context(), project, w.rendered(project))
				return err
			}
			if listed {
				w.must(exhibit(publish()))
				w.save(id, `{"scenes":[{"duration":3}]}`)
			}
			for range 2 { // the second time it is withdrawn already, and an example is pending again
				pending := publish()
				_, err := h.Unpublish(t.Context(), id)
				w.must(err)
				if err := exhibit(pending); !errors.Is(err, commands.ErrNothingToDo) {
					t.Errorf("error %v for an example of a template that was taken out", err)
				}
				if _, published := w.template(id).Example(); published || !w.template(id).Withdrawn() {
					t.Errorf("published %v, withdrawn %v", published, w.template(id).Withdrawn())
				}
			}
			w.must(exhibit(publish()))
			if _, published := w.template(id).Example(); !published {
				t.Error("the example that was requested last is not shown")
			}
		})
	}
}

package projections_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"moviola/domain/movie"
	"moviola/domain/template"
	"moviola/projections"
)

// madeOf is a submission of alice's that was made of templates.
func madeOf(destinations int, ids ...template.ID) movie.Submitted {
	s := movie.Submitted{Account: alice, At: minute(1), Destinations: destinations}
	for _, id := range ids {
		s.Templates = append(s.Templates, movie.TemplateUse{ID: string(id), Body: "h1"})
	}
	return s
}

// TestWorkSweep: a deleted template is due when its movies' files have gone, until it is swept.
func TestWorkSweep(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	config := w.config(w.documents(t))
	config.FileRetention = fileRetention
	models := mustOpen(t, config)
	start(t, models)
	id := templateID(1)
	sweeps := func() []projections.WorkItem {
		t.Helper()
		items, err := models.Work.Candidates(t.Context(), projections.WorkSweep, minute(100), 10)
		if err != nil {
			t.Fatal(err)
		}
		return items
	}
	waitFor(t, models, w.append(t, template.Stream(id), created(alice, "One", minute(1)), template.Unpublished{Change: 1, At: minute(2)}))
	if items := sweeps(); len(items) > 0 {
		t.Errorf("before its deletion: %+v", items)
	}
	waitFor(t, models, w.append(t, template.Stream(id), template.Deleted{At: minute(3)}))
	want := []projections.WorkItem{{ID: "template/" + string(id), Kind: "sweep", Account: string(alice), Subject: string(id), State: "ready", Due: minute(63)}}
	if diff := cmp.Diff(want, sweeps(), cmpopts.IgnoreFields(projections.WorkItem{}, "Commit", "Prepare")); diff != "" {
		t.Errorf("work (-want +got):\n%s", diff)
	}
	gone, err := models.Templates.Deleted(t.Context(), alice)
	if diff := cmp.Diff([]string{"One"}, namesOf(gone)); diff != "" || err != nil {
		t.Errorf("deleted: %v (-want +got):\n%s", err, diff)
	}
	waitFor(t, models, w.append(t, template.Stream(id), template.Swept{At: minute(64)}))
	if items := sweeps(); len(items) > 0 {
		t.Errorf("after it was swept: %+v", items)
	}
	if gone, err := models.Templates.Deleted(t.Context(), alice); len(gone) > 0 || err != nil {
		t.Errorf("deleted after it was swept: %+v, %v", gone, err)
	}
}

// TestWork_Uses: a template is in use from the submission of a movie to its outcome, or to the end of its delivery; the templates that a
// movie rests on count too.
func TestWork_Uses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	direct, base, other := templateID(1), templateID(2), templateID(3)
	for n := range projections.MaxPage { // the movie in question is not on the first page
		w.append(t, movie.Stream(project(1000+n)), plain)
	}
	uses := func(what string, want bool) {
		t.Helper()
		for _, id := range []template.ID{direct, base} {
			if got, err := models.Work.Uses(t.Context(), id); got != want || err != nil {
				t.Errorf("%s: %s in use: %v, %v", what, id, got, err)
			}
		}
		if got, err := models.Work.Uses(t.Context(), other); got || err != nil {
			t.Errorf("%s: another template in use: %v, %v", what, got, err)
		}
	}
	uses("before any movie", false)
	alone, sent := movie.Stream(project(1)), movie.Stream(project(2))
	waitFor(t, models, w.append(t, alone, madeOf(0, direct, base)))
	uses("submitted", true)
	waitFor(t, models, w.append(t, alone, started))
	uses("rendering", true)
	waitFor(t, models, w.append(t, alone, timedOut))
	uses("timed out", true)
	waitFor(t, models, w.append(t, alone, finished))
	uses("finished", false)
	waitFor(t, models, w.append(t, sent, madeOf(1, direct, base), started, finished))
	uses("to be delivered", true)
	waitFor(t, models, w.append(t, sent, onTheWay))
	uses("being delivered", true)
	waitFor(t, models, w.append(t, sent, arrived))
	uses("delivered", false)
}

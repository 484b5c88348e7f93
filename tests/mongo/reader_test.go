package mongo_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/domain/template"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/projections"
	"moviola/projections/documentstest"
)

const (
	account domain.AccountID = "aliceaccount0000"
	movies                   = 30
)

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// TestReadModels projects one log with two processes at once into one database, and asks both for everything.
func TestReadModels(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	log := eventstore.NewLog(memory.New(), eventstore.NewCodec())
	var all []*projections.ReadModels
	for range 2 {
		models, err := projections.Open(t.Context(), projections.Config{
			Documents: mustOpen(t, s.URL()+"readmodels"), Log: log, Project: true, BatchEvents: 9,
		})
		if err != nil {
			t.Fatal(err)
		}
		run(t, models)
		all = append(all, models)
	}
	last := live(t, log)
	want := seen{
		Movies: movies, Done: movies / 2, Newest: string(project(movies - 1)),
		Balance: projections.Balance{Account: string(account), Revision: movies * 3 / 2, Granted: 600, Charged: movies / 2, Held: movies / 2, Balance: 600 - movies/2, Available: 600 - movies},
		Claimed: movies / 2,
	}
	for i, models := range all {
		waitFor(t, models, last)
		if diff := cmp.Diff(want, look(t, models)); diff != "" {
			t.Errorf("process %d (-want +got):\n%s", i, diff)
		}
	}
	if err := all[0].Reader.Rebuild(t.Context(), nil); err != nil {
		t.Fatalf("rebuild: %v", err)
	}
	if diff := cmp.Diff(want, look(t, all[0])); diff != "" {
		t.Errorf("rebuilt (-want +got):\n%s", diff)
	}
}

// TestDeletedTemplates: a deleted template is work until it is swept, and a movie that was made of it is found.
func TestDeletedTemplates(t *testing.T) {
	t.Parallel()
	s := startServer(t)
	log := eventstore.NewLog(memory.New(), eventstore.NewCodec())
	models, err := projections.Open(t.Context(), projections.Config{Documents: mustOpen(t, s.URL()+"templates"), Log: log, Project: true})
	if err != nil {
		t.Fatal(err)
	}
	run(t, models)
	const id, other = template.ID("template000000000001"), template.ID("template000000000002")
	look := func(at eventstore.Appended) [4]int {
		t.Helper()
		waitFor(t, models, at)
		var out [4]int
		due, err := models.Work.Candidates(t.Context(), projections.WorkSweep, t0.Add(8*24*time.Hour), 10)
		deleted, err2 := models.Templates.Deleted(t.Context(), account)
		out[0], out[1] = len(due), len(deleted)
		for i, one := range []template.ID{id, other} {
			used, err3 := models.Work.Uses(t.Context(), one)
			if used {
				out[2+i] = 1
			}
			err = errors.Join(err, err2, err3)
		}
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	uses := []movie.TemplateUse{{ID: string(other), Body: "b"}, {ID: string(id), Body: "a"}}
	mustAppend(t, log, template.Stream(id), template.Created{Account: account, Name: "T", Body: template.Body{Hash: "a"}, At: t0})
	// Due, deleted, in use, the other one in use.
	for _, step := range []struct {
		stream string
		event  domain.Event
		want   [4]int
	}{
		{movie.Stream(project(1)), movie.Submitted{Account: account, Templates: uses, At: t0}, [4]int{0, 0, 1, 1}},
		{template.Stream(id), template.Deleted{At: t0}, [4]int{1, 1, 1, 1}},
		{movie.Stream(project(1)), movie.RenderStarted{Attempt: 1, Worker: "w", At: t0}, [4]int{1, 1, 1, 1}},
		{movie.Stream(project(1)), movie.RenderFinished{Attempt: 1, Worker: "w", At: t0}, [4]int{1, 1, 0, 0}},
		{template.Stream(id), template.Swept{At: t0}, [4]int{}},
	} {
		if got := look(mustAppend(t, log, step.stream, step.event)); got != step.want {
			t.Errorf("after %s: %v, want %v", step.event.EventType(), got, step.want)
		}
	}
}

// seen is what the queries answer.
type seen struct {
	Movies, Done int
	Newest       string
	Balance      projections.Balance
	Claimed      int
}

func look(t *testing.T, models *projections.ReadModels) seen {
	t.Helper()
	var out seen
	list := projections.MovieList{Account: account, From: t0, To: t0.Add(time.Hour), Limit: 7}
	for more := true; more; {
		page, err := models.Movies.List(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Movies {
			if out.Movies == 0 {
				out.Newest = m.Project
			}
			if out.Movies++; m.Status == projections.StatusDone {
				out.Done++
			}
			cursor := m.Cursor()
			list.MovieCursor = &cursor
		}
		more = page.More
	}
	claimed, err := models.Work.Claimed(t.Context(), projections.WorkRender)
	if err != nil {
		t.Fatal(err)
	}
	out.Claimed = len(claimed)
	if out.Balance, err = models.Balances.Get(t.Context(), account); err != nil {
		t.Fatal(err)
	}
	return out
}

// live appends movies: every second one is finished and charged, the others render on.
func live(t *testing.T, log *eventstore.Log) eventstore.Appended {
	t.Helper()
	mustAppend(t, log, ledger.Stream(account), ledger.CreditsGranted{Reference: "r", Amount: 600, At: t0})
	var last eventstore.Appended
	for n := range movies {
		id, at := project(n), t0.Add(time.Duration(n)*time.Second)
		mustAppend(t, log, ledger.Stream(account), ledger.CreditsHeld{Project: id, Amount: 1, At: at})
		last = mustAppend(t, log, movie.Stream(id), movie.Submitted{Account: account, At: at}, movie.RenderStarted{Attempt: 1, Worker: "w", At: at})
		if n%2 == 0 {
			continue
		}
		mustAppend(t, log, movie.Stream(id), movie.RenderFinished{Attempt: 1, Success: true, Credits: 1, At: at})
		last = mustAppend(t, log, ledger.Stream(account), ledger.CreditsCharged{Project: id, Amount: 1, At: at})
	}
	return last
}

func project(n int) domain.ProjectID { return domain.ProjectID(fmt.Sprintf("project%09d", n)) }

func mustAppend(t *testing.T, log *eventstore.Log, stream string, events ...domain.Event) eventstore.Appended {
	t.Helper()
	end, err := log.Last(t.Context(), stream)
	if err != nil {
		t.Fatal(err)
	}
	appended, err := log.Append(t.Context(), stream, end.Revision, eventstore.Meta{Account: account, Time: t0}, events...)
	if err != nil {
		t.Fatal(err)
	}
	return appended
}

// run keeps read models up to the log until the test ends.
func run(t *testing.T, models *projections.ReadModels) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- models.Reader.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the reader ended with %v", err)
		}
	})
}

func waitFor(t *testing.T, models *projections.ReadModels, at eventstore.Appended) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	if err := models.Reader.WaitFor(ctx, at.Position); err != nil {
		t.Fatalf("wait for the read models: %v; the reader is at %+v", err, models.Reader.Status())
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	documentstest.Filters(t, mustOpen(t, startServer(t).URL()+"filters"), 120)
}

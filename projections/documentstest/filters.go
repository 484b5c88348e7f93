package documentstest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/projections"
)

// The data for the test of filters: many movies of one account, one second apart, and for every hundredth of them one of another
// account.
const (
	filtered         domain.AccountID = "filteredaccount0"
	neighbour        domain.AccountID = "neighbouraccount"
	patience                          = 2 * time.Minute
	mostReadOfFilter                  = 3100 // maximum of documents read for a page: 1,000 movies, each by at most two terms
)

// Filters tests every filter of the list of movies on a document store, over several pages. It also tests that no page reads
// more than mostReadOfFilter documents, however many movies there are.
func Filters(t *testing.T, docs projections.Documents, movies int) {
	t.Helper()
	log := eventstore.NewLog(memory.New(), eventstore.NewCodec())
	counted := &reads{Documents: docs}
	models, err := projections.Open(t.Context(), projections.Config{Documents: counted, Log: log, Project: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- models.Reader.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the reader ended with %v", err)
		}
	})
	last := fillFiltered(t, log, movies)
	waiting, stop := context.WithTimeout(ctx, patience)
	defer stop()
	if err := models.Reader.WaitFor(waiting, last.Position); err != nil {
		t.Fatal(err)
	}
	for _, tt := range filters {
		t.Run(tt.name, func(t *testing.T) {
			want := numbers(movies, tt.in)
			tt.list.Account, tt.list.Limit = filtered, max(1, len(want)/4)
			if diff := cmp.Diff(want, walk(t, models, counted, tt.list)); diff != "" {
				t.Errorf("pages of %d (-want +got):\n%s", tt.list.Limit, diff)
			}
			tt.list.Limit = 100
			if diff := cmp.Diff(want, walk(t, models, counted, tt.list)); diff != "" {
				t.Errorf("pages of 100 (-want +got):\n%s", diff)
			}
		})
	}
}

// filters are lists of the account, with the movies that each must contain.
var filters = []struct {
	name string
	list projections.MovieList
	in   func(n int) bool
}{
	{"status", projections.MovieList{Status: projections.StatusError}, fails},
	{"a status that many have", projections.MovieList{Status: projections.StatusDone}, func(n int) bool {
		return !fails(n) && n%10 != 0
	}},
	{"template", projections.MovieList{Template: "t-rare"}, every(60)},
	{"a template inside another", projections.MovieList{Template: "t-inner"}, every(60)},
	{"own id", projections.MovieList{MovieID: "id-7"}, seventh},
	{"client-data", projections.MovieList{ClientData: map[string]string{"order": "12"}}, func(n int) bool { return n%50 == 12 }},
	{"client-data of two members", projections.MovieList{ClientData: map[string]string{"even": "true", "shop": "Zürich"}},
		every(30)},
	{"a range", projections.MovieList{From: second(20), To: second(70), ClientData: map[string]string{"order": "12"}},
		func(n int) bool {
			return n == 62
		}},
	{"status and template", projections.MovieList{Status: projections.StatusError, Template: "t-all"}, fails},
	{"template and client-data", projections.MovieList{Template: "t-rare", ClientData: map[string]string{"shop": "Zürich"}},
		every(60)},
	{"none", projections.MovieList{ClientData: map[string]string{"order": "no"}}, func(int) bool { return false }},
	{"another's", projections.MovieList{MovieID: "id-of-neighbour"}, func(int) bool { return false }},
}

func fails(n int) bool   { return n%50 == 3 }
func seventh(n int) bool { return n == 7 || n == 77 }

func every(step int) func(int) bool { return func(n int) bool { return n%step == 0 } }

func second(n int) time.Time { return epoch.Add(time.Duration(n) * time.Second) }

// numbers returns the numbers of the matching movies, newest first.
func numbers(movies int, fits func(n int) bool) []int {
	var out []int
	for n := range movies {
		if fits(n) {
			out = append(out, n)
		}
	}
	slices.Reverse(out)
	return out
}

func fillFiltered(t *testing.T, log *eventstore.Log, movies int) eventstore.Appended {
	t.Helper()
	var last eventstore.Appended
	add := func(id domain.ProjectID, account domain.AccountID, events ...domain.Event) {
		var err error
		if last, err = log.Append(t.Context(), movie.Stream(id), eventstore.NoStream,
			eventstore.Meta{Account: account, Time: epoch}, events...); err != nil {
			t.Fatal(err)
		}
	}
	for n := range movies {
		s := movie.Submitted{Account: filtered, At: second(n), Templates: []movie.TemplateUse{{ID: "t-all"}}}
		data := map[string]any{"order": n % 50, "even": n%2 == 0, "nested": map[string]int{"order": 12}}
		if n%30 == 0 {
			data["shop"] = "Zürich"
		}
		if n%60 == 0 {
			s.Templates = append(s.Templates, movie.TemplateUse{ID: "t-rare"}, movie.TemplateUse{ID: "t-inner"},
				movie.TemplateUse{ID: "t-rare"})
		}
		raw, err := json.Marshal(data)
		if err != nil {
			t.Fatal(err)
		}
		id := ""
		if seventh(n) {
			id = "id-7"
		}
		s.Terms = movie.Terms(filtered, id, raw)
		events := []domain.Event{s}
		if n%10 != 0 {
			events = append(events, movie.RenderStarted{Attempt: 1, Worker: "w", At: second(n)},
				movie.RenderFinished{Attempt: 1, Worker: "w", Success: !fails(n), Message: "why", At: second(n)})
		}
		add(domain.ProjectID(fmt.Sprintf("Filtered%08d", n)), filtered, events...)
		if n%100 == 0 {
			add(domain.ProjectID(fmt.Sprintf("Neighbou%08d", n)), neighbour,
				movie.Submitted{Account: neighbour, At: second(n),
					Terms: movie.Terms(neighbour, "id-of-neighbour", json.RawMessage(`{"order":12}`))})
		}
	}
	return last
}

// walk reads all pages and returns the numbers of the movies in the order in which they came.
func walk(t *testing.T, models *projections.ReadModels, counted *reads, list projections.MovieList) []int {
	t.Helper()
	var out []int
	for more := true; more; {
		counted.documents.Store(0)
		page, err := models.Movies.List(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		if read := counted.documents.Load(); read > mostReadOfFilter || len(page.Movies) > list.Limit {
			t.Errorf("%d documents were read for a page of %d movies of %d", read, len(page.Movies), list.Limit)
		}
		for _, m := range page.Movies {
			var n int
			if _, err := fmt.Sscanf(m.Project, "Filtered%d", &n); err != nil {
				t.Errorf("movie %s is another's", m.Project)
			}
			out = append(out, n)
		}
		if more = page.More; more {
			list.MovieCursor = page.Next
		}
	}
	return out
}

// reads counts the documents that a store returns.
type reads struct {
	projections.Documents
	documents atomic.Int64
}

func (r *reads) Page(ctx context.Context, collection string, q projections.Query) ([]projections.Stored, error) {
	found, err := r.Documents.Page(ctx, collection, q)
	r.documents.Add(int64(len(found)))
	return found, err
}

func (r *reads) Get(ctx context.Context, collection string, ids ...string) (map[string]projections.Stored, error) {
	found, err := r.Documents.Get(ctx, collection, ids...)
	r.documents.Add(int64(len(found)))
	return found, err
}

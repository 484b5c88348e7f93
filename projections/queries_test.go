package projections_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/account"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/memory"
	"moviola/projections"
)

func mustMovie(t *testing.T, models *projections.ReadModels, id domain.ProjectID) projections.Movie {
	t.Helper()
	m, ok, err := models.Movies.Get(t.Context(), id)
	if err != nil || !ok {
		t.Fatalf("movie %s: found %v, %v", id, ok, err)
	}
	return m
}

// TestMovies_Get_ReadsYourWrites never runs the reader, or stops it in between: what is missing is folded from the stream.
func TestMovies_Get_ReadsYourWrites(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	id := project(1)
	if _, ok, err := models.Movies.Get(t.Context(), id); ok || err != nil {
		t.Fatalf("a movie that nobody submitted: found %v, %v", ok, err)
	}
	first := w.append(t, movie.Stream(id), submitted(alice, t0.Add(1234567)))
	got := mustMovie(t, models, id)
	if got.Status != "pending" || got.Account != string(alice) || got.CreatedAt.Nanosecond() != 1_000_000 {
		t.Errorf("a movie without a document: %+v", got)
	}
	stop := start(t, models)
	waitFor(t, models, first)
	if diff := cmp.Diff(got, mustMovie(t, models, id)); diff != "" {
		t.Errorf("the document differs from the fold (-fold +document):\n%s", diff)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	w.append(t, movie.Stream(id), movie.RenderStarted{Attempt: 1, Worker: "w", At: minute(1)})
	if got := mustMovie(t, models, id); got.Status != "running" || got.Revision != 1 {
		t.Errorf("an open movie whose document is behind: %+v", got)
	}
	w.append(t, movie.Stream(id), movie.RenderFinished{Attempt: 1, Success: true, At: minute(2)}, movie.FileDeleted{Reason: movie.ByUser, At: minute(3)})
	if got := mustMovie(t, models, id); got.Status != "done" || !got.Gone || got.Revision != 3 {
		t.Errorf("a closed movie whose document is open: %+v", got)
	}
	w.append(t, movie.Stream(project(2)), movie.SubmissionAbandoned{Account: alice, At: t0})
	if _, ok, err := models.Movies.Get(t.Context(), project(2)); ok || err != nil {
		t.Errorf("an abandoned submission: found %v, %v", ok, err)
	}
}

// TestMovies_Get_WithoutTheLog proves that an outage of the log hides no movie that has a document, and invents none.
func TestMovies_Get_WithoutTheLog(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	stop := start(t, models)
	w.append(t, movie.Stream(project(1)), submitted(alice, t0))
	waitFor(t, models, w.append(t, movie.Stream(project(2)), submitted(alice, t0), movie.Cancelled{At: t0}))
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	w.store.Inject(memory.Faults{ReadFunc: func(context.Context) error { return eventstore.ErrUnavailable }})
	if got := mustMovie(t, models, project(1)); got.Status != "pending" {
		t.Errorf("an open movie: %+v", got)
	}
	if got := mustMovie(t, models, project(2)); !got.Closed {
		t.Errorf("a closed movie: %+v", got)
	}
	if _, _, err := models.Movies.Get(t.Context(), project(3)); !errors.Is(err, eventstore.ErrUnavailable) {
		t.Errorf("an unknown movie: %v", err)
	}
}

func TestMovies_List(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	var last eventstore.Appended
	var want []string // newest first, then by project: three movies each minute
	for n := range 12 {
		w.append(t, movie.Stream(project(n)), submitted(alice, minute(n/3)))
		last = w.append(t, movie.Stream(project(100+n)), submitted(bob, minute(n)))
		want = append(want, string(project(3*(3-n/3)+n%3)))
	}
	waitFor(t, models, last)
	for _, limit := range []int{1, 4, 12, 100} {
		var got []string
		list := projections.MovieList{Account: alice, Limit: limit}
		for more := true; more; {
			page, err := models.Movies.List(t.Context(), list)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range page.Movies {
				got = append(got, m.Project)
				cursor := m.Cursor()
				list.MovieCursor = &cursor
			}
			more = page.More
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("pages of %d (-want +got):\n%s", limit, diff)
		}
	}
	bounded, err := models.Movies.List(t.Context(), projections.MovieList{Account: alice, From: minute(1), To: minute(2), Limit: 100})
	if err != nil || len(bounded.Movies) != 6 || bounded.More {
		t.Errorf("from minute 1 to 2: %d movies, more %v, %v", len(bounded.Movies), bounded.More, err)
	}
	if none, err := models.Movies.List(t.Context(), projections.MovieList{Account: "nobody", Limit: 5}); err != nil || len(none.Movies) != 0 || none.More {
		t.Errorf("a stranger sees %+v, %v", none, err)
	}
}

func TestAccountsAndBalances(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	if b, err := models.Balances.Get(t.Context(), alice); err != nil || b != (projections.Balance{Account: string(alice)}) {
		t.Errorf("no ledger: %+v, %v", b, err)
	}
	if _, ok, err := models.Accounts.Get(t.Context(), alice); ok || err != nil {
		t.Errorf("no account: found %v, %v", ok, err)
	}
	w.append(t, account.Stream(alice), account.Opened{Name: "Alice", Plan: "paid", At: t0})
	last := w.append(t, ledger.Stream(alice), ledger.CreditsGranted{Reference: "r", Amount: 600, At: t0}, ledger.CreditsHeld{Project: "p", Amount: 5, At: t0})
	want := projections.Account{Account: string(alice), Name: "Alice", Plan: "paid", OpenedAt: t0}
	for _, what := range []string{"from the stream", "from the document"} {
		if a, ok, err := models.Accounts.Get(t.Context(), alice); err != nil || !ok || a != want {
			t.Errorf("%s: %+v, found %v, %v", what, a, ok, err)
		}
		if what == "from the stream" {
			start(t, models)
			waitFor(t, models, last)
		}
	}
	if b, err := models.Balances.Get(t.Context(), alice); err != nil || b.Available != 595 || b.Held != 5 || b.Revision != 1 {
		t.Errorf("balance %+v, %v", b, err)
	}
}

// backlog submits movies of several accounts: as many of each as its count says, a minute apart.
func backlog(t *testing.T, w *world, counts ...int) eventstore.Appended {
	t.Helper()
	var last eventstore.Appended
	for a, count := range counts {
		for n := range count {
			id := domain.ProjectID(fmt.Sprintf("a%02dmovie%09d", a, n))
			last = w.append(t, movie.Stream(id), submitted(domain.AccountID(fmt.Sprintf("account%02d", a)), minute(n)))
		}
	}
	return last
}

func TestWork_Candidates(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pages := &counting{Documents: w.documents(t)}
	models := mustOpen(t, w.config(pages))
	stop := start(t, models)
	waitFor(t, models, backlog(t, w, 120, 1, 3, 2))
	if err := stop(); err != nil { // its own reads are not counted
		t.Fatal(err)
	}
	tests := []struct {
		perAccount int
		now        time.Time
		want       []int // items of each account
	}{
		{1, minute(500), []int{1, 1, 1, 1}},
		{2, minute(500), []int{2, 1, 2, 2}},
		{3, minute(500), []int{3, 1, 3, 2}},
		{100, minute(500), []int{100, 1, 3, 2}},
		{5000, minute(500), []int{120, 1, 3, 2}},
		{100, minute(1), []int{2, 1, 2, 2}},
		{100, t0.Add(-1), []int{0, 0, 0, 0}},
	}
	for _, tt := range tests {
		pages.reset()
		items, err := models.Work.Candidates(t.Context(), projections.WorkRender, tt.now, tt.perAccount)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int, 4)
		for _, item := range items {
			var a, n int
			if _, err := fmt.Sscanf(item.Subject, "a%02dmovie%09d", &a, &n); err != nil {
				t.Fatal(err)
			}
			if n != got[a] {
				t.Errorf("%d per account: %s is not the next oldest", tt.perAccount, item.Subject)
			}
			got[a]++
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%d per account at %v (-want +got):\n%s", tt.perAccount, tt.now, diff)
		}
		if n := pages.count(); n > 6 {
			t.Errorf("%d per account: %d pages for 4 accounts", tt.perAccount, n)
		}
	}
	if items, err := models.Work.Candidates(t.Context(), projections.WorkDeliver, minute(500), 5); err != nil || len(items) != 0 {
		t.Errorf("deliveries: %+v, %v", items, err)
	}
}

// TestWork_Candidates_ManyAccounts: one look costs the same however many accounts wait, and every account comes to be seen.
func TestWork_Candidates_ManyAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	pages := &counting{Documents: w.documents(t)}
	models := mustOpen(t, w.config(pages))
	stop := start(t, models)
	var last eventstore.Appended
	for n := range 300 { // one account's long queue, the oldest
		last = w.append(t, movie.Stream(domain.ProjectID(fmt.Sprintf("long%012d", n))), submitted(alice, t0))
	}
	const accounts = 200
	for n := range accounts {
		account := domain.AccountID(fmt.Sprintf("account%09d", n))
		last = w.append(t, movie.Stream(project(n)), submitted(account, minute(1)))
	}
	waitFor(t, models, last)
	if err := stop(); err != nil { // its own reads are not counted
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for look := range 4 {
		pages.reset()
		items, err := models.Work.Candidates(t.Context(), projections.WorkRender, minute(500), 2)
		if err != nil {
			t.Fatal(err)
		}
		ids, ofAlice := map[string]bool{}, 0
		for _, item := range items {
			if ids[item.ID] {
				t.Errorf("look %d: %s twice", look, item.ID)
			}
			ids[item.ID] = true
			seen[item.Account] = true
			if item.Account == string(alice) {
				ofAlice++
			}
		}
		if ofAlice != 2 {
			t.Errorf("look %d: %d items of the account that has waited longest", look, ofAlice)
		}
		if n := pages.count(); n > 70 {
			t.Errorf("look %d: %d pages", look, n)
		}
	}
	if len(seen) != accounts+1 {
		t.Errorf("%d of %d accounts were seen in 4 looks", len(seen), accounts+1)
	}
}

func TestWork_ClaimsAndDueTimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	models := w.open(t)
	start(t, models)
	waitFor(t, models, backlog(t, w, 3))
	at := func(n int) string { return movie.Stream(domain.ProjectID(fmt.Sprintf("a00movie%09d", n))) }
	w.append(t, at(0), movie.RenderStarted{Attempt: 1, Worker: "w1", At: minute(5)})
	last := w.append(t, at(1), movie.RenderStarted{Attempt: 1, Worker: "w1", At: minute(6)}, movie.RenderTimedOut{At: minute(21)})
	waitFor(t, models, last)
	due := func(kind string) string {
		next, ok, err := models.Work.NextDue(t.Context(), kind)
		if err != nil {
			t.Fatal(err)
		}
		if !ok {
			return "never"
		}
		return next.Sub(t0).String()
	}
	for kind, want := range map[string]string{
		projections.WorkRender: "2m0s", projections.WorkTimeout: "20m0s", projections.WorkStop: "36m0s", projections.WorkSettle: "never",
	} {
		if got := due(kind); got != want {
			t.Errorf("%s is due at %s, not %s", kind, got, want)
		}
	}
	for kind, want := range map[string]int{projections.WorkRender: 1, projections.WorkStop: 1, projections.WorkTimeout: 0} {
		claimed, err := models.Work.Claimed(t.Context(), kind)
		if err != nil || len(claimed) != want {
			t.Errorf("%s: %d claims, %v", kind, len(claimed), err)
		}
		for _, item := range claimed {
			if item.Worker != "w1" || item.Attempt != 1 || !strings.HasPrefix(item.ID, "render/") {
				t.Errorf("%s: claim %+v", kind, item)
			}
		}
	}
	for now, want := range map[int]int{35: 0, 36: 1} {
		items, err := models.Work.Candidates(t.Context(), projections.WorkStop, minute(now), 1)
		if err != nil || len(items) != want {
			t.Errorf("to be stopped at minute %d: %+v, %v", now, items, err)
		}
	}
}

func TestPresenceBoard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one, two := w.open(t).Presence, w.open(t).Presence
	beat := func(board *projections.PresenceBoard, attempt int, percent float64) {
		t.Helper()
		if err := board.Beat(t.Context(), projections.Presence{Work: "render/p", Attempt: attempt, Worker: fmt.Sprint("w", attempt), Percent: percent}); err != nil {
			t.Fatal(err)
		}
	}
	row := func() string {
		t.Helper()
		p, ok, err := one.Of(t.Context(), "render/p")
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%v %s %v %d", ok, p.Worker, p.Percent, p.Beat)
	}
	steps := []struct {
		what string
		do   func()
		want string
	}{
		{"nobody", func() {}, "false  0 0"},
		{"the first beat", func() { beat(one, 1, 10) }, "true w1 10 1"},
		{"the next", func() { beat(one, 1, 20) }, "true w1 20 2"},
		{"a later attempt takes over", func() { beat(two, 2, 5) }, "true w2 5 3"},
		{"the earlier one is not heard", func() { beat(one, 1, 99) }, "true w2 5 3"},
		{"nor can it take the row down", func() { mustRemove(t, one, 1) }, "true w2 5 3"},
		{"taken down", func() { mustRemove(t, two, 2) }, "false  0 0"},
		{"up again: no beat is repeated", func() { beat(one, 3, 0) }, "true w3 0 4"},
	}
	for _, s := range steps {
		s.do()
		if got := row(); got != s.want {
			t.Errorf("%s: %q, not %q", s.what, got, s.want)
		}
	}
	if rows, err := two.List(t.Context()); err != nil || len(rows) != 1 || rows[0].Worker != "w3" || !rows[0].At.Equal(t0) {
		t.Errorf("list: %+v, %v", rows, err)
	}
}

func mustRemove(t *testing.T, board *projections.PresenceBoard, attempt int) {
	t.Helper()
	if err := board.Remove(t.Context(), "render/p", attempt); err != nil {
		t.Fatal(err)
	}
}

package projections_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/projections"
)

// fold applies events of one stream.
func fold[T any](step func(T, projections.Event) T, id string, events ...domain.Event) T {
	var doc T
	for i, data := range events {
		doc = step(doc, projections.Event{ID: id, Revision: eventstore.Revision(i), Account: alice, Data: data})
	}
	return doc
}

func TestFoldMovie(t *testing.T) {
	t.Parallel()
	at := func(n int) *time.Time { m := minute(n); return &m }
	file, plan := &movie.File{Key: "k"}, &movie.Dimensions{Frames: 50}
	first := movie.Submitted{Account: alice, At: t0.Add(1234), DocumentHash: "h", DocumentSize: 9, Draft: true, Destinations: 2}
	begun := []domain.Event{first, movie.RenderStarted{Attempt: 1, Worker: "w1", At: minute(1)}}
	success := movie.RenderFinished{Attempt: 1, At: minute(5), Success: true, Plan: plan, File: file, Credits: 2, Warnings: []string{"odd"}}
	failure := movie.RenderFinished{
		Attempt: 1, At: minute(5), Message: "Scene 1, element 2: no such file", Code: "source_not_found", Family: "movie",
		Spent: &movie.Spent{TookMS: 900, StagesMS: map[string]int64{"wait": 1, "sources": 800, "layout": 2}, Cached: 3},
	}
	spent := &projections.MovieSpent{TookMS: 900, FramesCached: 3, Stages: []projections.StageTime{{"layout", 2}, {"sources", 800}, {"wait", 1}}}
	base := projections.Movie{Project: "p", Account: string(alice), Status: "pending", Draft: true, DocumentHash: "h", DocumentSize: 9, Destinations: 2, CreatedAt: t0}
	running := func(m *projections.Movie) {
		m.Status, m.StartedAt, m.Attempt, m.Worker = "running", at(1), 1, "w1"
	}
	succeeded := func(m *projections.Movie) {
		running(m)
		m.Status, m.Closed, m.EndedAt, m.Plan, m.File, m.Credits, m.Warnings = "done", true, at(5), plan, file, 2, []string{"odd"}
	}
	failed := func(m *projections.Movie) {
		running(m)
		m.Status, m.Closed, m.EndedAt, m.Message = "error", true, at(5), failure.Message
		m.FailureCode, m.FailureFamily, m.Spent = "source_not_found", "movie", spent
	}
	timedOut := func(m *projections.Movie) {
		running(m)
		m.Status, m.EndedAt, m.Message = "timeout", at(4), "Movie took too long to render"
		m.FailureCode, m.FailureFamily = "render_timeout", "timeout"
	}
	result := func(index, try int, status movie.DeliveryStatus, final bool) movie.DeliveryAttempted {
		return movie.DeliveryAttempted{Run: 1, Index: index, Try: try, Final: final, Type: "webhook", Status: status, HTTPStatus: 200 + try, Message: "m", DurationMS: 5, At: minute(6)}
	}
	shown := func(index, try int, status string) projections.DeliveryResult {
		return projections.DeliveryResult{Index: index, Type: "webhook", Status: status, HTTPStatus: 200 + try, Attempts: try, Message: "m", DurationMS: 5, At: minute(6)}
	}
	tests := []struct {
		name  string
		given []domain.Event
		want  func(m *projections.Movie)
	}{
		{"submitted", []domain.Event{first}, func(*projections.Movie) {}},
		{"of templates", []domain.Event{movie.Submitted{Account: alice, At: t0.Add(1234), DocumentHash: "h", DocumentSize: 9, Draft: true, Destinations: 2,
			Templates: []movie.TemplateUse{{ID: "intro", Revision: 2, Body: "b"}, {ID: "outro"}}}}, func(m *projections.Movie) {
			m.Templates = []string{"intro", "outro"}
		}},
		{"started", begun, running},
		{"started again", append(begun, movie.RenderStarted{Attempt: 2, Worker: "w2", At: minute(2)}), func(m *projections.Movie) {
			running(m)
			m.Attempt, m.Worker = 2, "w2"
		}},
		{"released: the status stays running", append(begun, movie.RenderReleased{Attempt: 1, Worker: "w1", At: minute(2)}), running},
		{"done", append(begun, success), succeeded},
		{"failed", append(begun, failure), failed},
		{"timed out", append(begun, movie.RenderTimedOut{At: minute(4)}), timedOut},
		{"timed out, started again by mistake", append(begun, movie.RenderTimedOut{At: minute(4)}, movie.RenderStarted{Attempt: 2, Worker: "w1", At: minute(4)}), func(m *projections.Movie) {
			timedOut(m)
			m.Attempt = 2
		}},
		{"late success is a success", append(begun, movie.RenderTimedOut{At: minute(4)}, success), succeeded},
		{"late failure stays a timeout", append(begun, movie.RenderTimedOut{At: minute(4)}, failure), func(m *projections.Movie) {
			timedOut(m)
			m.Closed, m.EndedAt, m.Spent = true, at(5), spent
		}},
		{"cancelled", append(begun, movie.Cancelled{At: minute(3)}), func(m *projections.Movie) {
			running(m)
			m.Status, m.Closed, m.EndedAt, m.Message = "error", true, at(3), "Movie was cancelled"
			m.FailureCode, m.FailureFamily = "movie_cancelled", "cancelled"
		}},
		{"deleted twice: the first counts", append(begun, success, movie.FileDeleted{Reason: movie.ByUser, At: minute(7)}, movie.FileDeleted{Reason: movie.ByUser, At: minute(8)}), func(m *projections.Movie) {
			succeeded(m)
			m.Gone, m.DeletedAt = true, at(7)
		}},
		{"expired: not deleted by anybody", append(begun, success, movie.FileDeleted{Reason: movie.Expired, At: minute(7)}), func(m *projections.Movie) {
			succeeded(m)
			m.Gone = true
		}},
		{"deleted before a late success: the file stays gone", append(begun, movie.RenderTimedOut{At: minute(4)}, movie.FileDeleted{Reason: movie.ByUser, At: minute(4)}, success), func(m *projections.Movie) {
			succeeded(m)
			m.Gone, m.DeletedAt = true, at(4)
		}},
		{"tries that are not final are not shown", append(begun, failure, result(0, 1, movie.DeliveryError, false)), failed},
		{"results by index, the last replaces", append(begun, failure, result(1, 1, movie.DeliverySkipped, true), result(0, 3, movie.DeliveryError, true), result(1, 2, movie.DeliveryOK, true)), func(m *projections.Movie) {
			failed(m)
			m.Deliveries = []projections.DeliveryResult{shown(0, 3, "error"), shown(1, 2, "ok")}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := base
			tt.want(&want)
			if diff := cmp.Diff(want, fold(projections.FoldMovie, "p", tt.given...)); diff != "" {
				t.Errorf("movie (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFoldMovie_LeavesItsInputAlone(t *testing.T) {
	t.Parallel()
	event := func(index int, status movie.DeliveryStatus) projections.Event {
		return projections.Event{ID: "p", Data: movie.DeliveryAttempted{Index: index, Final: true, Status: status}}
	}
	before := projections.FoldMovie(projections.Movie{}, event(0, movie.DeliveryError))
	projections.FoldMovie(before, event(0, movie.DeliveryOK))
	if before.Deliveries[0].Status != "error" {
		t.Errorf("a fold changed the document it was given: %+v", before.Deliveries)
	}
}

func TestFoldBalance(t *testing.T) {
	t.Parallel()
	granted := ledger.CreditsGranted{Reference: "first", Amount: 600}
	held := ledger.CreditsHeld{Project: "p", Amount: 1}
	changed := ledger.CreditsHoldChanged{Project: "p", Before: 1, Amount: 9}
	counted := func(period string, draft bool) domain.Event {
		if draft {
			return ledger.DraftCounted{Period: period}
		}
		return ledger.MovieCounted{Period: period}
	}
	givenBack := func(period string, draft bool) domain.Event {
		return ledger.CountReleased{Period: period, Draft: draft}
	}
	tests := []struct {
		name  string
		given []domain.Event
		want  projections.Balance
	}{
		{"granted", []domain.Event{granted}, projections.Balance{Granted: 600, Balance: 600, Available: 600}},
		{"held", []domain.Event{granted, held}, projections.Balance{Granted: 600, Held: 1, Balance: 600, Available: 599}},
		{"changed", []domain.Event{granted, held, changed}, projections.Balance{Granted: 600, Held: 9, Balance: 600, Available: 591}},
		{"charged", []domain.Event{granted, held, changed, ledger.CreditsCharged{Project: "p", Amount: 9}}, projections.Balance{Granted: 600, Charged: 9, Balance: 591, Available: 591}},
		{"released", []domain.Event{granted, held, changed, ledger.CreditsReleased{Project: "p", Amount: 9}}, projections.Balance{Granted: 600, Balance: 600, Available: 600}},
		{"counted", []domain.Event{counted("2026-03", false), counted("2026-03", true), counted("2026-03", false), ledger.CountKept{}},
			projections.Balance{Period: "2026-03", Movies: 2, Drafts: 1}},
		{"given back", []domain.Event{counted("2026-03", false), counted("2026-03", true), givenBack("2026-03", true), givenBack("2026-03", false)},
			projections.Balance{Period: "2026-03"}},
		{"another month", []domain.Event{counted("2026-12", false), counted("2027-01", true), givenBack("2026-12", false)},
			projections.Balance{Period: "2027-01", Drafts: 1}},
		{"granted again", []domain.Event{granted, ledger.CreditsGranted{Reference: "second", Amount: 5}}, projections.Balance{Granted: 605, Balance: 605, Available: 605}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.Account = "a"
			if diff := cmp.Diff(tt.want, fold(projections.FoldBalance, "a", tt.given...)); diff != "" {
				t.Errorf("balance (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBalance_UsedIn(t *testing.T) {
	t.Parallel()
	b := projections.Balance{Period: "2026-12", Movies: 2, Drafts: 3}
	for at, want := range map[time.Time][2]int64{
		time.Date(2026, 12, 31, 23, 59, 59, 0, time.UTC):                                  {2, 3},
		time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC):                                       {},
		time.Date(2027, 1, 1, 0, 30, 0, 0, time.FixedZone("an hour ahead of UTC", 60*60)): {2, 3},
	} {
		if movies, drafts := b.UsedIn(at); movies != want[0] || drafts != want[1] {
			t.Errorf("%v: %d movies, %d drafts", at, movies, drafts)
		}
	}
}

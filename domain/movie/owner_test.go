package movie_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/movie"
)

var unknownMovie = domain.Errorf(domain.NotFound, "movie_not_found", "Movie Abcd1234Efgh5678 not found")

// TestMovie_Cancel: pending and running movies end, all others refuse. Decision 32.
func TestMovie_Cancel(t *testing.T) {
	t.Parallel()
	now := after(3)
	ended := domain.Errorf(domain.Conflict, "movie_already_finished", "Movie Abcd1234Efgh5678 has already finished")
	end := history(movie.Cancelled{At: now})
	tests := []struct {
		name  string
		given []domain.Event
		by    domain.AccountID
		want  []domain.Event
		err   error
	}{
		{name: "unknown", by: alice, err: unknownMovie},
		{name: "abandoned", given: history(abandoned), by: alice, err: unknownMovie},
		{name: "of another account", given: history(submitted), by: mallory, err: unknownMovie},
		{name: "pending", given: history(submitted), by: alice, want: end},
		{name: "running", given: history(submitted, started(1)), by: alice, want: end},
		{name: "handed back", given: history(submitted, started(1), released(1)), by: alice, want: end},
		{name: "done", given: history(submitted, started(1), succeeded(1)), by: alice, err: ended},
		{name: "failed", given: history(submitted, started(1), failed(1)), by: alice, err: ended},
		{name: "timed out, still rendering", given: history(submitted, started(1), timedOut), by: alice, err: ended},
		{name: "cancelled", given: history(submitted, cancelled), by: alice, err: ended},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).Cancel(tt.by, now)
			check(t, tt.want, tt.err, got, err)
		})
	}
}

func TestMovie_ExpireFile(t *testing.T) {
	t.Parallel()
	const week = 7 * 24 * time.Hour
	due := after(10).Add(week) // succeeded ends ten minutes after t0
	gone := history(movie.FileDeleted{Reason: movie.Expired, At: due})
	late := succeeded(1)
	late.File = &movie.File{Size: 99}
	tests := []struct {
		name  string
		given []domain.Event
		early time.Duration
		want  []domain.Event
	}{
		{name: "unknown"},
		{name: "rendering", given: history(submitted, started(1))},
		{name: "failed", given: history(submitted, started(1), failed(1))},
		{name: "cancelled", given: history(submitted, cancelled)},
		{name: "due", given: history(submitted, started(1), succeeded(1)), want: gone},
		{name: "not due yet", given: history(submitted, started(1), succeeded(1)), early: time.Millisecond},
		{name: "due after a timeout", given: history(submitted, started(1), timedOut, succeeded(1)), want: gone},
		{name: "expired", given: history(submitted, started(1), succeeded(1), expired)},
		{name: "deleted", given: history(submitted, started(1), succeeded(1), deleted)},
		{name: "never kept", given: history(submitted, started(1), timedOut, deleted, late)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := given(tt.given...).ExpireFile(due.Add(-tt.early), week)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMovie_RequestRedelivery: decisions 32 and 33.
func TestMovie_RequestRedelivery(t *testing.T) {
	t.Parallel()
	now := after(60)
	one, three := 1, 3
	delivered := toDeliver(run(1), try(1, 0, 1, true), try(1, 1, 1, true), finished(1))
	request := func(n int, index *int) movie.RedeliveryRequested {
		return movie.RedeliveryRequested{Request: n, Index: index, At: now}
	}
	busy := domain.Errorf(domain.Conflict, "delivery_in_progress", "Movie Abcd1234Efgh5678 is being delivered. Wait until that has ended.")
	tests := []struct {
		name  string
		given []domain.Event
		by    domain.AccountID
		index *int
		want  []domain.Event
		err   error
	}{
		{name: "unknown", by: alice, err: unknownMovie},
		{name: "of another account", given: delivered, by: mallory, err: unknownMovie},
		{name: "without destinations", given: history(silent, started(1), succeeded(1)), by: alice,
			err: domain.Errorf(domain.Invalid, "no_destinations", "Movie Abcd1234Efgh5678 has no destinations")},
		{name: "no such destination", given: delivered, by: alice, index: &three,
			err: domain.Errorf(domain.Invalid, "index_invalid", "index must be from 0 to 1")},
		{name: "still rendering", given: history(submitted, started(1)), by: alice,
			err: domain.Errorf(domain.Conflict, "movie_still_rendering",
				"Movie Abcd1234Efgh5678 is still rendering. Its destinations are served when it ends.")},
		{name: "delivery not begun", given: toDeliver(), by: alice, err: busy},
		{name: "delivery under way", given: toDeliver(run(1)), by: alice, err: busy},
		{name: "delivery handed back", given: toDeliver(run(1), handedBack(1)), by: alice, err: busy},
		{name: "all", given: delivered, by: alice, want: history(request(1, nil))},
		{name: "one", given: delivered, by: alice, index: &one, want: history(request(1, &one))},
		{name: "requested already", given: append(delivered[:len(delivered):len(delivered)], request(1, nil)), by: alice, err: busy},
		{name: "once more", given: append(delivered[:len(delivered):len(delivered)],
			request(1, &one), run(2), try(2, 1, 1, true), finished(2)), by: alice, want: history(request(2, nil))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).RequestRedelivery(tt.by, tt.index, now)
			check(t, tt.want, tt.err, got, err)
		})
	}
}

// TestMovie_Redelivery: the destination that was asked for begins anew, in the next run, with all its tries and runs; the
// other is left alone.
func TestMovie_Redelivery(t *testing.T) {
	t.Parallel()
	one := 1
	m := given(toDeliver(
		run(1), run(2), // the first run crashed
		try(2, 0, 1, true), try(2, 1, 1, false), try(2, 1, 2, false), try(2, 1, 3, true), finished(2),
		movie.RedeliveryRequested{Request: 1, Index: &one, At: after(60)})...)
	destinations := m.Destinations()
	if !destinations[0].Final || destinations[0].Tries != 1 {
		t.Errorf("the first destination: %+v", destinations[0])
	}
	if diff := cmp.Diff(movie.DestinationState{}, destinations[1]); diff != "" {
		t.Errorf("the second destination (-want +got):\n%s", diff)
	}
	for n := 3; n <= 5; n++ { // three runs may crash again before it is given up
		death := domain.Crashed
		if n == 3 {
			death = domain.Unexplained
		}
		events := m.StartDelivery("d", n-1, death, after(60))
		if diff := cmp.Diff(history(movie.DeliveryStarted{Run: n, Worker: "d", At: after(60), Death: death}), events); diff != "" {
			t.Fatalf("run %d (-want +got):\n%s", n, diff)
		}
		m.Apply(events[0])
	}
	if events := m.StartDelivery("d", 5, domain.Crashed, after(60)); len(events) != 3 {
		t.Errorf("after three crashes: %+v", events)
	}
}

// TestMovie_FinishRender_free: what comes from the cache, or on a counted plan, costs no credits. Decisions 20 and 36.
func TestMovie_FinishRender_free(t *testing.T) {
	t.Parallel()
	counted := submitted
	counted.Counted = true
	result := movie.Result{Success: true, Plan: &plan, File: &file, CacheKey: "key"}
	copied := result
	copied.CachedFrom = "another"
	tests := []struct {
		name    string
		first   movie.Submitted
		result  movie.Result
		credits int64
		cached  bool
	}{
		{"rendered", submitted, result, 11, false},
		{"from the cache", submitted, copied, 0, true},
		{"on a counted plan", counted, result, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := given(tt.first, started(1))
			events, err := m.FinishRender(claim(1), tt.result, after(10))
			if err != nil {
				t.Fatal(err)
			}
			want := succeeded(1)
			want.Credits, want.CacheKey, want.CachedFrom = tt.credits, "key", tt.result.CachedFrom
			if diff := cmp.Diff(history(want), events); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			m.Apply(events[0])
			if c, _ := m.Closing(); c.Cached != tt.cached {
				t.Errorf("cached %v", c.Cached)
			}
		})
	}
}

// TestRedeliveryRequested_EventKey: requests for different destinations at the same time are different events, so that the second is
// not taken for a repetition of the first.
func TestRedeliveryRequested_EventKey(t *testing.T) {
	t.Parallel()
	first, second := 0, 1
	keys := map[string]bool{}
	for _, index := range []*int{nil, &first, &second} {
		keys[movie.RedeliveryRequested{Request: 1, Index: index}.EventKey()] = true
	}
	if len(keys) != 3 {
		t.Errorf("keys %v", keys)
	}
}

package movie_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/movie"
)

func runner(n int) movie.Claim { return movie.Claim{Number: n, Worker: "d" + string(rune('0'+n))} }

func run(n int) movie.DeliveryStarted {
	return movie.DeliveryStarted{Run: n, Worker: runner(n).Worker, At: after(20 + n)}
}

func handedBack(n int) movie.DeliveryReleased {
	return movie.DeliveryReleased{Run: n, Worker: runner(n).Worker, At: after(20 + n)}
}

func finished(n int) movie.DeliveryFinished { return movie.DeliveryFinished{Run: n, At: after(30)} }

// try is one try at a destination in a run; final means that it succeeded.
func try(run, index, number int, final bool) movie.DeliveryAttempted {
	e := movie.DeliveryAttempted{Run: run, Index: index, Try: number, Final: final, Type: "webhook",
		Status: movie.DeliveryError, HTTPStatus: 503, DurationMS: 250, At: after(20 + run)}
	if final {
		e.Status, e.HTTPStatus = movie.DeliveryOK, 200
	}
	return e
}

// toDeliver is a finished movie with two destinations, and what follows.
func toDeliver(events ...domain.Event) []domain.Event {
	return append(history(submitted, started(1), succeeded(1)), events...)
}

func TestMovie_StartDelivery(t *testing.T) {
	t.Parallel()
	now := after(25)
	claimed := func(n int) []domain.Event {
		return history(movie.DeliveryStarted{Run: n, Worker: "k", At: now})
	}
	crashed := func(n int) movie.DeliveryStarted {
		e := run(n)
		e.Death = domain.Crashed
		return e
	}
	noted := func(n int) movie.DeliveryStarted {
		return movie.DeliveryStarted{Run: n, Worker: "k", At: now, Death: domain.Crashed}
	}
	gaveUp := func(index, number int, target movie.Target) movie.DeliveryAttempted {
		return movie.DeliveryAttempted{Run: 4, Index: index, Try: number, Final: true, Type: target.Type, ID: target.ID,
			Status: movie.DeliveryError, Message: "The delivery stopped unexpectedly three times", At: now}
	}
	tests := []struct {
		name  string
		given []domain.Event
		dead  int
		death domain.Death
		want  []domain.Event
	}{
		{name: "unknown"},
		{name: "abandoned", given: history(abandoned)},
		{name: "still rendering", given: history(submitted, started(1))},
		{name: "timed out, not closed", given: history(submitted, started(1), timedOut)},
		{name: "done", given: toDeliver(), want: claimed(1)},
		{name: "failed", given: history(submitted, started(1), failed(1)), want: claimed(1)},
		{name: "timed out and closed", given: history(submitted, started(1), timedOut, failed(1)), want: claimed(1)},
		{name: "cancelled", given: history(submitted, cancelled), want: claimed(1)},
		{name: "without destinations", given: history(silent, started(1), succeeded(1))},
		{name: "claimed by another", given: toDeliver(run(1))},
		{name: "claim is dead", given: toDeliver(run(1)), dead: 1, want: claimed(2)},
		{name: "an earlier claim is dead", given: toDeliver(run(1), run(2)), dead: 1},
		{name: "handed back", given: toDeliver(run(1), handedBack(1)), want: claimed(2)},
		{name: "finished", given: toDeliver(run(1), try(1, 0, 1, true), try(1, 1, 1, true), finished(1))},
		{name: "three died for reasons that nobody knows", given: toDeliver(run(1), run(2), run(3)), dead: 3, want: claimed(4)},
		{name: "a crash is noted", given: toDeliver(run(1)), dead: 1, death: domain.Crashed, want: history(noted(2))},
		{name: "handed back runs do not count", given: toDeliver(run(1), handedBack(1), crashed(2), crashed(3)), dead: 3, death: domain.Crashed,
			want: history(noted(4))},
		{name: "the third crash of the last open destination ends the delivery",
			given: toDeliver(run(1), try(1, 0, 1, true), crashed(2), try(2, 1, 1, false), crashed(3)), dead: 3, death: domain.Crashed,
			want: history(noted(4), gaveUp(1, 4, submitted.Targets[1]), movie.DeliveryFinished{Run: 4, At: now})},
		{name: "each destination is charged in its turn", given: toDeliver(run(1), crashed(2), crashed(3)), dead: 3, death: domain.Crashed,
			want: history(noted(4))},
		{name: "one that crashes three runs is given up, the other goes on",
			given: toDeliver(run(1), crashed(2), try(2, 1, 1, false), run(3), handedBack(3), crashed(4)), dead: 4, death: domain.Crashed,
			want: history(movie.DeliveryStarted{Run: 5, Worker: "k", At: now, Death: domain.Crashed})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			check(t, tt.want, nil, given(tt.given...).StartDelivery("k", tt.dead, tt.death, now), nil)
		})
	}
}

func TestMovie_RecordDelivery(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		given  []domain.Event
		worker string
		try    movie.DeliveryAttempted
		want   []domain.Event
		err    error
	}{
		{name: "first try", given: toDeliver(run(1)), worker: "d1", try: try(1, 0, 1, false), want: history(try(1, 0, 1, false))},
		{name: "second try", given: toDeliver(run(1), try(1, 0, 1, false)), worker: "d1", try: try(1, 0, 2, true), want: history(try(1, 0, 2, true))},
		{name: "second try in a later run", given: toDeliver(run(1), try(1, 0, 1, false), run(2)), worker: "d2", try: try(2, 0, 2, true),
			want: history(try(2, 0, 2, true))},
		{name: "recorded before", given: toDeliver(run(1), try(1, 0, 1, false)), worker: "d1", try: try(1, 0, 1, false)},
		{name: "the last one closes the delivery", given: toDeliver(run(1), try(1, 0, 1, true)), worker: "d1", try: try(1, 1, 1, true),
			want: history(try(1, 1, 1, true), movie.DeliveryFinished{Run: 1, At: try(1, 1, 1, true).At})},
		{name: "the last one recorded before", given: toDeliver(run(1), try(1, 0, 1, true), try(1, 1, 1, true), finished(1)), worker: "d1", try: try(1, 1, 1, true)},
		{name: "a later run has begun", given: toDeliver(run(1), run(2)), worker: "d1", try: try(1, 0, 1, false), err: movie.ErrLost},
		{name: "of another worker", given: toDeliver(run(1)), worker: "x", try: try(1, 0, 1, false), err: movie.ErrLost},
		{name: "handed back", given: toDeliver(run(1), handedBack(1)), worker: "d1", try: try(1, 0, 1, false), err: movie.ErrLost},
		{name: "finished", given: toDeliver(run(1), finished(1)), worker: "d1", try: try(1, 0, 1, false), err: movie.ErrLost},
		{name: "never started", given: toDeliver(), worker: "d1", try: try(1, 0, 1, false), err: movie.ErrLost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).RecordDelivery(tt.worker, tt.try)
			check(t, tt.want, tt.err, got, err)
		})
	}
}

// TestMovie_RecordDelivery_mistakes has the tries that no caller may make.
func TestMovie_RecordDelivery_mistakes(t *testing.T) {
	t.Parallel()
	tests := map[string]movie.DeliveryAttempted{
		"no such destination":       try(1, 2, 1, false),
		"negative destination":      try(1, -1, 1, false),
		"skips a try":               try(1, 1, 2, false),
		"after the final one":       try(1, 0, 2, false),
		"an earlier one once again": try(1, 1, 0, false),
	}
	for name, attempt := range tests {
		got, err := given(toDeliver(run(1), try(1, 0, 1, true))...).RecordDelivery("d1", attempt)
		if err == nil || errors.Is(err, movie.ErrLost) || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestMovie_ReleaseDelivery(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		given []domain.Event
		want  []domain.Event
		err   error
	}{
		{name: "mine", given: toDeliver(run(1)), want: history(movie.DeliveryReleased{Run: 1, Worker: "d1", At: after(25), Spent: movie.SpentOf(time.Minute)})},
		{name: "handed back before", given: toDeliver(run(1), handedBack(1))},
		{name: "a later run has begun", given: toDeliver(run(1), run(2)), err: movie.ErrLost},
		{name: "finished", given: toDeliver(run(1), finished(1)), err: movie.ErrLost},
		{name: "never started", given: toDeliver(), err: movie.ErrLost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).ReleaseDelivery(runner(1), time.Minute, after(25))
			check(t, tt.want, tt.err, got, err)
		})
	}
}

func TestMovie_FinishDelivery(t *testing.T) {
	t.Parallel()
	served := history(try(1, 0, 1, true), try(1, 1, 1, true))
	tests := []struct {
		name  string
		given []domain.Event
		want  []domain.Event
		err   error
	}{
		{name: "all served", given: append(toDeliver(run(1)), served...), want: history(movie.DeliveryFinished{Run: 1, At: after(25)})},
		{name: "finished before", given: append(append(toDeliver(run(1)), served...), finished(1))},
		{name: "a later run has begun", given: append(append(toDeliver(run(1)), served...), run(2)), err: movie.ErrLost},
		{name: "handed back", given: append(append(toDeliver(run(1)), served...), handedBack(1)), err: movie.ErrLost},
		{name: "never started", given: toDeliver(), err: movie.ErrLost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := given(tt.given...).FinishDelivery(runner(1), after(25))
			check(t, tt.want, tt.err, got, err)
		})
	}
	if _, err := given(toDeliver(run(1), try(1, 0, 1, true))...).FinishDelivery(runner(1), after(25)); err == nil || errors.Is(err, movie.ErrLost) {
		t.Errorf("one destination has no result: error %v", err)
	}
}

// TestMovie_DeliveryOrder: destinations are served in their own order, those that were open when a run was cut short after those that were
// not, and those with a final result no more. Decision 56.
func TestMovie_DeliveryOrder(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		events []domain.Event
		want   []int
	}{
		"none was tried":                      {toDeliver(), []int{0, 1}},
		"the first is being tried":            {toDeliver(run(1), try(1, 0, 1, false)), []int{0, 1}},
		"the run was handed back":             {toDeliver(run(1), handedBack(1), run(2)), []int{0, 1}},
		"the first was open in a run cut off": {toDeliver(run(1), run(2)), []int{1, 0}},
		"both were":                           {toDeliver(run(1), run(2), run(3)), []int{0, 1}},
		"the first once more than the other":  {toDeliver(run(1), run(2), run(3), run(4)), []int{1, 0}},
		"one has its result":                  {toDeliver(run(1), run(2), try(2, 1, 1, true)), []int{0}},
	} {
		if diff := cmp.Diff(tt.want, given(tt.events...).DeliveryOrder()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestMovie_DeliverySpent: the time of a run counts from its start to its last word, pauses included; time between runs does not, and a
// redelivery begins anew. Decision 55.
func TestMovie_DeliverySpent(t *testing.T) {
	t.Parallel()
	at := func(minute int, e movie.DeliveryAttempted) movie.DeliveryAttempted {
		e.At = after(minute)
		return e
	}
	began := func(n, minute int) movie.DeliveryStarted {
		e := run(n)
		e.At = after(minute)
		return e
	}
	released := handedBack(2)
	released.At = after(43)
	m := given(toDeliver(began(1, 21), at(22, try(1, 0, 1, false)), at(23, try(1, 0, 2, false)), began(2, 40), at(41, try(2, 0, 3, true)), released)...)
	if got := m.DeliverySpent(); got != 5*time.Minute {
		t.Errorf("two runs have spent %v", got)
	}
	m = given(toDeliver(began(1, 21), at(24, try(1, 0, 1, true)), at(25, try(1, 1, 1, true)), finished(1), movie.RedeliveryRequested{Request: 1, At: after(50)},
		began(2, 60), at(61, try(2, 0, 1, true)))...)
	if got := m.DeliverySpent(); got != time.Minute {
		t.Errorf("a redelivery has spent %v", got)
	}
	waited := at(30, try(1, 0, 1, false))
	waited.Spent = movie.SpentOf(time.Second)
	released = handedBack(1)
	released.At, released.Spent = after(50), movie.SpentOf(2*time.Second)
	if got := given(toDeliver(began(1, 21), waited, released, began(2, 51), at(52, try(2, 0, 2, true)))...).DeliverySpent(); got != time.Minute+3*time.Second {
		t.Errorf("waits for own stores count: %v", got)
	}
}

// TestMovie_Destinations: tries and their last result add up over runs.
func TestMovie_Destinations(t *testing.T) {
	t.Parallel()
	m := given(toDeliver(run(1), try(1, 0, 1, false), run(2), try(2, 0, 2, false))...)
	want := []movie.DestinationState{
		{Tries: 2, Last: try(2, 0, 2, false), Cut: 1},
		{},
	}
	if diff := cmp.Diff(want, m.Destinations()); diff != "" {
		t.Errorf("destinations (-want +got):\n%s", diff)
	}
	m.Destinations()[1].Tries = 9
	if m.Destinations()[1].Tries != 0 {
		t.Error("a caller can change what the movie knows")
	}
	if m.DeliveryClaim() != runner(2) {
		t.Errorf("claim %v", m.DeliveryClaim())
	}
}

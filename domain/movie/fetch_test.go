package movie_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/movie"
)

func fetches(n int) movie.SourcesFetchStarted {
	return movie.SourcesFetchStarted{Attempt: n, Worker: claim(n).Worker, At: after(n - 1)}
}

func fetchReleased(n int) movie.SourcesFetchReleased {
	return movie.SourcesFetchReleased{Attempt: n, Worker: claim(n).Worker, At: after(n)}
}

var fetched = movie.SourcesFetched{Attempt: 1, Worker: "w1", At: after(3)}

func TestMovie_StartFetch(t *testing.T) {
	t.Parallel()
	claimed := func(n int) []domain.Event {
		return history(movie.SourcesFetchStarted{Attempt: n, Worker: "k", At: after(5)})
	}
	alone := func(n int, death domain.Death) movie.SourcesFetchStarted {
		e := fetches(n)
		e.Alone, e.Death = true, death
		return e
	}
	for name, tt := range map[string]struct {
		given []domain.Event
		dead  int
		death domain.Death
		want  []domain.Event
	}{
		"unknown":                        {},
		"abandoned":                      {given: history(abandoned)},
		"submitted":                      {given: history(submitted), want: claimed(1)},
		"claimed by another":             {given: history(submitted, fetches(1))},
		"the claim is dead":              {given: history(submitted, fetches(1)), dead: 1, want: claimed(2)},
		"handed back":                    {given: history(submitted, fetches(1), fetchReleased(1)), want: claimed(2)},
		"nobody died when it was handed": {given: history(submitted, fetches(1), fetchReleased(1)), death: domain.Crashed, want: claimed(2)},
		"fetched":                        {given: history(submitted, fetches(1), fetched)},
		"rendered without":               {given: history(submitted, started(1))},
		"cancelled":                      {given: history(submitted, cancelled)},
		"a crash is noted": {given: history(submitted, fetches(1)), dead: 1, death: domain.Crashed,
			want: history(movie.SourcesFetchStarted{Attempt: 2, Worker: "k", At: after(5), Death: domain.Crashed})},
		"the third that counts ends the movie": {
			given: history(submitted, fetches(1), alone(2, domain.Crashed), alone(3, domain.Crashed), alone(4, domain.Crashed)), dead: 4,
			death: domain.Crashed, want: history(closedBy(0, after(5), crashed))},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := given(tt.given...).StartFetch(domain.FetchStart{Worker: "k", Dead: tt.dead, Death: tt.death}, after(5))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMovie_EndsOfAFetch(t *testing.T) {
	t.Parallel()
	c := domain.FetchClaim{Attempt: 1, Worker: "w1"}
	none := domain.FetchClaim{}
	suspect := fetches(1)
	suspect.Alone = true
	const memory = "Rendering this movie takes more memory than there is. Use fewer or smaller sources, or a lower resolution, and submit it again."
	release := func(m *movie.Movie) ([]domain.Event, error) { return m.ReleaseFetch(c, false, after(2)) }
	exhausted := func(m *movie.Movie) ([]domain.Event, error) { return m.ReleaseFetch(c, true, after(2)) }
	finish := func(c domain.FetchClaim, worker, message string) func(m *movie.Movie) ([]domain.Event, error) {
		return func(m *movie.Movie) ([]domain.Event, error) { return m.FinishFetch(c, worker, message, after(2)) }
	}
	for name, tt := range map[string]struct {
		given []domain.Event
		do    func(m *movie.Movie) ([]domain.Event, error)
		want  []domain.Event
		lost  bool
	}{
		"handed back": {history(submitted, fetches(1)), release,
			history(movie.SourcesFetchReleased{Attempt: 1, Worker: "w1", At: after(2)}), false},
		"handed back again":     {history(submitted, fetches(1), fetchReleased(1)), release, nil, false},
		"handed back too late":  {history(submitted, fetches(1), fetches(2)), release, nil, true},
		"handed back cancelled": {history(submitted, fetches(1), cancelled), release, nil, true},
		"out of memory beside others": {history(submitted, fetches(1)), exhausted,
			history(movie.SourcesFetchReleased{Attempt: 1, Worker: "w1", At: after(2), Memory: true}), false},
		"out of memory alone": {history(submitted, suspect), exhausted, history(movie.RenderFinished{Worker: "w1", At: after(2), Message: memory}), false},
		"fetched": {history(submitted, fetches(1)), finish(c, "w1", ""),
			history(movie.SourcesFetched{Attempt: 1, Worker: "w1", At: after(2)}), false},
		"failed": {history(submitted, fetches(1)), finish(c, "w1", "no such picture"),
			history(movie.RenderFinished{Worker: "w1", At: after(2), Message: "no such picture"}), false},
		"all at hand":                        {history(submitted), finish(none, "w1", ""), history(movie.SourcesFetched{Worker: "w1", At: after(2)}), false},
		"all at hand, while another fetches": {history(submitted, fetches(1)), finish(none, "w1", ""), nil, true},
		"fetched, handed back before":        {history(submitted, fetches(1), fetchReleased(1)), finish(c, "w1", ""), nil, true},
		"fetched, too late":                  {history(submitted, fetches(1), fetches(2)), finish(c, "w1", ""), nil, true},
		"fetched twice":                      {history(submitted, fetches(1), fetched), finish(c, "w1", ""), nil, true},
		"failed, rendered meanwhile":         {history(submitted, fetches(1), started(1)), finish(c, "w1", "why"), nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := given(tt.given...)
			if got := m.Status(); got != movie.Pending && !tt.lost {
				t.Errorf("status %s", got)
			}
			got, err := tt.do(m)
			if diff := cmp.Diff(tt.want, got); diff != "" || errors.Is(err, movie.ErrLost) != tt.lost {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestMovie_FetchTime: the time of fetching holds over attempts. Nobody knows when one ended that died: a minute of it counts.
func TestMovie_FetchTime(t *testing.T) {
	t.Parallel()
	again := func(n, minute int) movie.SourcesFetchStarted {
		return movie.SourcesFetchStarted{Attempt: n, Worker: claim(n).Worker, At: after(minute)}
	}
	back := func(n, minute int) movie.SourcesFetchReleased {
		return movie.SourcesFetchReleased{Attempt: n, Worker: claim(n).Worker, At: after(minute)}
	}
	for name, tt := range map[string]struct {
		given []domain.Event
		spent time.Duration
	}{
		"none":                     {history(submitted), 0},
		"the first":                {history(submitted, again(1, 2)), 0},
		"handed back after four":   {history(submitted, again(1, 2), back(1, 6), again(2, 60)), 4 * time.Minute},
		"handed back twice":        {history(submitted, again(1, 2), back(1, 6), again(2, 60), back(2, 63)), 7 * time.Minute},
		"died, taken over later":   {history(submitted, again(1, 2), again(2, 60)), time.Minute},
		"died and taken over soon": {history(submitted, again(1, 2), movie.SourcesFetchStarted{Attempt: 2, At: after(2).Add(time.Second)}), time.Second},
	} {
		f := given(tt.given...).Fetching()
		if got := f.Spent(); got != tt.spent {
			t.Errorf("%s: %s", name, got)
		}
		if len(tt.given) > 1 && !f.First().Equal(after(2)) {
			t.Errorf("%s: first %s", name, f.First())
		}
	}
}

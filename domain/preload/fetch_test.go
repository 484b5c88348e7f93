package preload_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/preload"
)

// TestBatch_Fetch: the files of an item are claimed, handed back, at hand or its end; the other items do not matter.
func TestBatch_Fetch(t *testing.T) {
	t.Parallel()
	later := t0.Add(time.Minute)
	fetching := preload.ItemFetchStarted{Index: 1, Attempt: 1, Worker: "w", At: t0}
	suspect := fetching
	suspect.Alone = true
	c := domain.FetchClaim{Attempt: 1, Worker: "w"}
	start := func(dead int) func(*preload.Preload) ([]domain.Event, error) {
		return func(b *preload.Preload) ([]domain.Event, error) {
			return b.StartFetch(1, domain.FetchStart{Worker: "k", Dead: dead}, later), nil
		}
	}
	release := func(memory bool) func(*preload.Preload) ([]domain.Event, error) {
		return func(b *preload.Preload) ([]domain.Event, error) { return b.ReleaseFetch(1, c, memory, later) }
	}
	finish := func(c domain.FetchClaim, message string) func(*preload.Preload) ([]domain.Event, error) {
		return func(b *preload.Preload) ([]domain.Event, error) { return b.FinishFetch(1, c, "w", message, later) }
	}
	back := preload.ItemFetchReleased{Index: 1, Attempt: 1, Worker: "w", At: later}
	for name, tt := range map[string]struct {
		given []domain.Event
		do    func(*preload.Preload) ([]domain.Event, error)
		want  []domain.Event
		lost  bool
	}{
		"no batch":           {nil, start(0), nil, false},
		"claimed":            {history(requested), start(0), history(preload.ItemFetchStarted{Index: 1, Attempt: 1, Worker: "k", At: later}), false},
		"claimed by another": {history(requested, fetching), start(0), nil, false},
		"taken over":         {history(requested, fetching), start(1), history(preload.ItemFetchStarted{Index: 1, Attempt: 2, Worker: "k", At: later}), false},
		"already prepared":   {history(requested, started(1, 1, "p")), start(0), nil, false},
		"handed back":        {history(requested, fetching), release(false), history(back), false},
		"handed back twice":  {history(requested, fetching, back), release(false), nil, false},
		"out of memory": {history(requested, suspect), release(true),
			history(finished(1, 0, "w", memory)), false},
		"fetched":       {history(requested, fetching), finish(c, ""), history(preload.ItemFetched{Index: 1, Attempt: 1, Worker: "w", At: later}), false},
		"fetched twice": {history(requested, fetching, preload.ItemFetched{Index: 1}), finish(c, ""), nil, true},
		"at hand":       {history(requested), finish(domain.FetchClaim{}, ""), history(preload.ItemFetched{Index: 1, Worker: "w", At: later}), false},
		"not there":     {history(requested, fetching), finish(c, "no such file"), history(finished(1, 0, "w", "no such file")), false},
		"too late":      {history(requested, fetching, finished(1, 0, "op", "given up")), finish(c, ""), nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.do(given(tt.given...))
			for i, event := range got {
				if f, ok := event.(preload.ItemFinished); ok {
					f.At = t0
					got[i] = f
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || errors.Is(err, preload.ErrLost) != tt.lost {
				t.Errorf("error %v (-want +got):\n%s", err, diff)
			}
		})
	}
}

// TestParseItems_sources: an item that names an address somewhere has files to be fetched.
func TestParseItems_sources(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{"preload":[{"id":"a","type":"image","src":"https://a.example/a.png"}]}`:                                              true,
		`{"preload":[{"id":"a","type":"component","component":"x","settings":{"card":[{"logo":"url(http://a.example/a)"}]}}]}`: true,
		`{"preload":[{"id":"a","type":"voice","text":"Hello"}]}`:                                                               false,
	} {
		items, err := preload.ParseRequest([]byte(body))
		if err != nil || items[0].Sources != want {
			t.Errorf("%s: %v, %v", body, items, err)
		}
	}
}

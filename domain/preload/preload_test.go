package preload_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/preload"
)

var t0 = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

var requested = preload.Requested{Account: "alice", Items: []preload.Item{{ID: "a", Type: preload.Image}, {ID: "b", Type: preload.Voice}}, At: t0}

func started(index, attempt int, worker string) preload.ItemStarted {
	return preload.ItemStarted{Index: index, Attempt: attempt, Worker: worker, At: t0}
}

func released(index, attempt int, worker string) preload.ItemReleased {
	return preload.ItemReleased{Index: index, Attempt: attempt, Worker: worker, At: t0}
}

func finished(index, attempt int, worker, problem string) preload.ItemFinished {
	return preload.ItemFinished{Index: index, Attempt: attempt, Worker: worker, Result: preload.Result{Error: problem}, At: t0}
}

func given(events ...domain.Event) *preload.Preload {
	b := preload.New()
	for _, e := range events {
		b.Apply(e)
	}
	return b
}

func history(events ...domain.Event) []domain.Event { return events }

const memory = "Preparing this item takes more memory than there is. Use a smaller source and request it again."

// alone is the start of an attempt that has its process for itself, after a death.
func alone(e preload.ItemStarted, death domain.Death) preload.ItemStarted {
	e.Alone, e.Death = true, death
	return e
}

func TestBatch_Start(t *testing.T) {
	t.Parallel()
	const crashed = "The preparation stopped unexpectedly three times. Simplify the item and request it again."
	three := history(requested, started(0, 1, "w1"), alone(started(0, 2, "w2"), ""), alone(started(0, 3, "w3"), domain.Crashed), alone(started(0, 4, "w4"), domain.Crashed))
	tests := []struct {
		name  string
		given []domain.Event
		index int
		dead  int
		death domain.Death
		want  []domain.Event
	}{
		{name: "unknown batch"},
		{name: "unknown item", given: history(requested), index: 2},
		{name: "below the first", given: history(requested), index: -1},
		{name: "nobody's", given: history(requested), want: history(started(0, 1, "me"))},
		{name: "another's", given: history(requested, started(0, 1, "w1"))},
		{name: "of a dead worker", given: history(requested, started(0, 1, "w1")), dead: 1, want: history(started(0, 2, "me"))},
		{name: "of another attempt than the dead one", given: history(requested, started(0, 1, "w1"), started(0, 2, "w2")), dead: 1},
		{name: "handed back", given: history(requested, started(0, 1, "w1"), released(0, 1, "w1")), want: history(started(0, 2, "me"))},
		{name: "done", given: history(requested, started(0, 1, "w1"), finished(0, 1, "w1", ""))},
		{name: "the third crash", given: three, dead: 4, death: domain.Crashed, want: history(finished(0, 4, "me", crashed))},
		{name: "the third crash, by memory", given: three, dead: 4, death: domain.OutOfMemory, want: history(finished(0, 4, "me", memory))},
		{name: "deaths that nobody can explain", given: three, dead: 4, want: history(started(0, 5, "me"))},
		{name: "the third crash of the last item", given: append(three, started(1, 1, "w"), finished(1, 1, "w", "")), dead: 4, death: domain.Crashed,
			want: history(finished(0, 4, "me", crashed), preload.Finished{At: t0})},
		{name: "handed back does not count", given: append(three[:5:5], released(0, 4, "w4")), death: domain.Crashed, want: history(started(0, 5, "me"))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			start := preload.Start{Worker: "me", Dead: tt.dead, Death: tt.death}
			if diff := cmp.Diff(tt.want, given(tt.given...).Start(tt.index, start, t0)); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBatch_ends(t *testing.T) {
	t.Parallel()
	mine := preload.Claim{Index: 0, Attempt: 1, Worker: "me"}
	ready := preload.Result{}
	finish := func(b *preload.Preload) ([]domain.Event, error) { return b.Finish(mine, ready, t0) }
	release := func(b *preload.Preload) ([]domain.Event, error) { return b.Release(mine, false, t0) }
	outOfMemory := func(b *preload.Preload) ([]domain.Event, error) { return b.Release(mine, true, t0) }
	full := released(0, 1, "me")
	full.Memory = true
	own := history(requested, started(0, 1, "me"))
	tests := []struct {
		name   string
		given  []domain.Event
		decide func(*preload.Preload) ([]domain.Event, error)
		want   []domain.Event
		err    error
	}{
		{"finish", own, finish, history(finished(0, 1, "me", "")), nil},
		{"finish the last", append(own, started(1, 1, "w"), finished(1, 1, "w", "no")), finish, history(finished(0, 1, "me", ""), preload.Finished{At: t0}), nil},
		{"finish twice", append(own, finished(0, 1, "me", "")), finish, nil, nil},
		{"finish what another has", append(own, started(0, 2, "w2")), finish, nil, preload.ErrLost},
		{"finish what was handed back", append(own, released(0, 1, "me")), finish, nil, preload.ErrLost},
		{"finish what nobody requested", nil, finish, nil, preload.ErrLost},
		{"release", own, release, history(released(0, 1, "me")), nil},
		{"release out of memory", own, outOfMemory, history(full), nil},
		{"release out of memory, alone", history(requested, alone(started(0, 1, "me"), "")), outOfMemory, history(finished(0, 1, "me", memory)), nil},
		{"release twice", append(own, released(0, 1, "me")), release, nil, nil},
		{"release what is done", append(own, finished(0, 1, "me", "")), release, nil, preload.ErrLost},
		{"release what another has", append(own, started(0, 2, "w2")), release, nil, preload.ErrLost},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.decide(given(tt.given...))
			if diff := cmp.Diff(tt.want, got); diff != "" || !errors.Is(err, tt.err) {
				t.Errorf("error %v; events (-want +got):\n%s", err, diff)
			}
		})
	}
}

// A batch whose request died after its credits were held is closed, and cannot come any more.
func TestBatch_Abandon(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(history(preload.Finished{At: t0}), given().Abandon(t0)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if got := given(requested).Abandon(t0); got != nil {
		t.Errorf("a batch that has come: %v", got)
	}
	if got, err := given(preload.Finished{At: t0}).Request(requested); err == nil {
		t.Errorf("it comes late: %v", got)
	}
	if got, err := given().Request(requested); err != nil || len(got) != 1 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestParseRequest(t *testing.T) {
	t.Parallel()
	items, err := preload.ParseRequest([]byte(`{"preload":[{"id":"a","type":"voice","text":"x","save-to-media":"true"},{"id":"b","type":"image"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []preload.Wanted{
		{Item: preload.Item{ID: "a", Type: preload.Voice, Save: true}, Properties: map[string]any{"id": "a", "type": "voice", "text": "x", "save-to-media": "true"}},
		{Item: preload.Item{ID: "b", Type: preload.Image}, Properties: map[string]any{"id": "b", "type": "image"}},
	}
	if diff := cmp.Diff(want, items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	for id, ok := range map[string]bool{strings.Repeat("é", 16): true, "short": false, strings.Repeat("x", 17): false} {
		if _, got := preload.ParseID(id); got != ok {
			t.Errorf("%q is well formed: %v", id, got)
		}
	}
}

// TestParseItems_longType: a message stays short, because that about an item of a movie becomes a part of an event.
func TestParseItems_longType(t *testing.T) {
	t.Parallel()
	_, err := preload.ParseItems([]any{map[string]any{"id": "a", "type": strings.Repeat("n", 5000)}})
	if err == nil || len(err.Error()) > 200 {
		t.Errorf("error %.100v", err)
	}
}

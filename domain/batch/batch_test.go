package batch_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/domain"
	"moviola/domain/batch"
)

const id = batch.ID("Batch00000000001")

var t0 = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

func given(events ...domain.Event) *batch.Batch {
	b := batch.New()
	for _, e := range events {
		b.Apply(e)
	}
	return b
}

// TestBatch: which event may follow which, and which step is next then.
func TestBatch(t *testing.T) {
	t.Parallel()
	requested := batch.Requested{Account: "alice", Rows: []batch.Row{{Number: 1, Held: 3}}, At: t0}
	accepted, refused, submitted := batch.Accepted{At: t0}, batch.Refused{Code: "c", Message: "m", At: t0}, batch.Submitted{Movies: 1, At: t0}
	cancelled, closed, refusedClosed := batch.Cancelled{At: t0}, batch.Closed{Cancelled: true, At: t0}, batch.Closed{At: t0}
	all := map[string]func(*batch.Batch) []domain.Event{
		"request": func(b *batch.Batch) []domain.Event { events, _ := b.Request(requested); return events },
		"accept":  func(b *batch.Batch) []domain.Event { return b.Accept(t0) },
		"refuse": func(b *batch.Batch) []domain.Event {
			return b.Refuse(&domain.Error{Code: "c", Message: "m"}, t0)
		},
		"submit": func(b *batch.Batch) []domain.Event { return b.Submit(t0) },
		"cancel": func(b *batch.Batch) []domain.Event { events, _ := b.Cancel(id, "alice", t0); return events },
		"close":  func(b *batch.Batch) []domain.Event { return b.Close(t0) },
	}
	for name, tt := range map[string]struct {
		given []domain.Event
		next  batch.Step
		may   map[string]domain.Event
	}{
		"nothing":             {nil, batch.Nothing, map[string]domain.Event{"request": requested}},
		"requested":           {[]domain.Event{requested}, batch.Hold, map[string]domain.Event{"accept": accepted, "refuse": refused, "cancel": cancelled}},
		"accepted":            {[]domain.Event{requested, accepted}, batch.Submit, map[string]domain.Event{"submit": submitted, "cancel": cancelled}},
		"refused":             {[]domain.Event{requested, refused}, batch.WindDown, map[string]domain.Event{"close": refusedClosed}},
		"submitted":           {[]domain.Event{requested, accepted, submitted}, batch.Nothing, map[string]domain.Event{"cancel": cancelled}},
		"cancelled early":     {[]domain.Event{requested, cancelled}, batch.WindDown, map[string]domain.Event{"close": closed}},
		"cancelled":           {[]domain.Event{requested, accepted, cancelled}, batch.WindDown, map[string]domain.Event{"close": closed}},
		"closed":              {[]domain.Event{requested, accepted, cancelled, closed}, batch.Nothing, nil},
		"closed when refused": {[]domain.Event{requested, refused, refusedClosed}, batch.Nothing, nil},
		"finished":            {[]domain.Event{requested, accepted, submitted, batch.Finished{Worker: "w", At: t0}}, batch.Nothing, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := given(tt.given...)
			if b.Next() != tt.next {
				t.Errorf("next %v, want %v", b.Next(), tt.next)
			}
			for what, do := range all {
				var want []domain.Event
				if one, may := tt.may[what]; may {
					want = []domain.Event{one}
				}
				if diff := cmp.Diff(want, do(b)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
			if _, err := b.Cancel(id, "mallory", t0); codeOf(err) != "batch_not_found" {
				t.Errorf("a stranger: %v", err)
			}
			if _, err := b.Cancel(id, "alice", t0); (codeOf(err) == "batch_already_finished") != (name == "finished") {
				t.Errorf("the owner: %v", err)
			}
		})
	}
}

// TestProject: the movie of a row is always the same, is no other row's, and sorts with its batch.
func TestProject(t *testing.T) {
	t.Parallel()
	seen := map[domain.ProjectID]int{}
	for row := 1; row <= batch.MaxRows; row++ {
		for _, of := range []batch.ID{id, "Batch00000000002"} {
			p := batch.Project(of, row)
			if len(p) != 16 || !domain.IsBase62(string(p)) || p[:5] != "Batch" || p != batch.Project(of, row) {
				t.Fatalf("row %d: %q", row, p)
			}
			seen[p]++
		}
	}
	if len(seen) != 2*batch.MaxRows {
		t.Errorf("%d projects for %d rows", len(seen), 2*batch.MaxRows)
	}
	const pinned = "BatchLxnLY50FzwA" // of what is stored already
	if got := batch.Project(id, 1); got != pinned {
		t.Errorf("row 1 has become %s", got)
	}
}

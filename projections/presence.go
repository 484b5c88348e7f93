package projections

import (
	"context"
	"time"
)

// presences is the collection of the presence board. It belongs to no generation: it is not made from events.
var presences = Collection{Name: "presence"}

// PresenceBoard is where workers show that they live, and how far they are. There is a row for each piece of work at most.
type PresenceBoard struct {
	rows board[Presence]
	now  func() time.Time
}

func newPresenceBoard(docs Documents, now func() time.Time) *PresenceBoard {
	return &PresenceBoard{rows: board[Presence]{docs: docs, collection: presences.Name, what: "presence"}, now: now}
}

// Beat writes the row of a piece of work and counts its Beat up; the caller's Beat and At do not matter. The row of a later
// attempt is left alone: whoever beats for an earlier one has lost his claim.
func (b *PresenceBoard) Beat(ctx context.Context, p Presence) error {
	return b.rows.change(ctx, p.Work, func(row Presence, exists bool) (Presence, time.Time, bool) {
		if exists && row.Attempt > p.Attempt {
			return row, time.Time{}, false
		}
		p.Beat = row.Beat + 1
		p.At = millis(b.now())
		return p, time.Time{}, true
	})
}

// Remove takes the row of a claim down, unless it is another claim's by now.
func (b *PresenceBoard) Remove(ctx context.Context, work string, attempt int) error {
	return b.rows.change(ctx, work, func(row Presence, exists bool) (Presence, time.Time, bool) {
		return row, millis(b.now()), exists && row.Attempt == attempt
	})
}

// Of returns the row of a piece of work, and false when nobody shows himself.
func (b *PresenceBoard) Of(ctx context.Context, work string) (Presence, bool, error) {
	row, stored, err := b.rows.load(ctx, work)
	if err != nil || stored.Version == 0 || stored.Gone {
		return Presence{}, false, err
	}
	return row, true, nil
}

// List returns every row, by work.
func (b *PresenceBoard) List(ctx context.Context) ([]Presence, error) {
	return b.rows.all(ctx, Query{Index: IDIndex, Limit: MaxPage}, func(row Presence) []any { return []any{row.Work} })
}

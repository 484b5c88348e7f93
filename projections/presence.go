package projections

import (
	"context"
	"time"
)

// presences is the collection of the presence board. It belongs to no generation, since it is not folded from events.
var presences = Collection{Name: "presence"}

// PresenceBoard shows which workers are alive, and their progress. It has at most one row for each work item.
type PresenceBoard struct {
	rows board[Presence]
	now  func() time.Time
}

func newPresenceBoard(docs Documents, now func() time.Time) *PresenceBoard {
	return &PresenceBoard{rows: board[Presence]{docs: docs, collection: presences.Name, what: "presence"}, now: now}
}

// Beat writes the row of a work item and increments its Beat; the caller's Beat and At are ignored. It does not replace the row
// of a later attempt: the caller has then lost its claim.
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

// Remove removes the row of a claim, unless another claim has replaced it.
func (b *PresenceBoard) Remove(ctx context.Context, work string, attempt int) error {
	return b.rows.change(ctx, work, func(row Presence, exists bool) (Presence, time.Time, bool) {
		return row, millis(b.now()), exists && row.Attempt == attempt
	})
}

// Of returns the row of a work item, and false when no worker shows one.
func (b *PresenceBoard) Of(ctx context.Context, work string) (Presence, bool, error) {
	row, stored, err := b.rows.load(ctx, work)
	if err != nil || stored.Version == 0 || stored.Gone {
		return Presence{}, false, err
	}
	return row, true, nil
}

// List returns every row, sorted by the id of the work item.
func (b *PresenceBoard) List(ctx context.Context) ([]Presence, error) {
	return b.rows.all(ctx, Query{Index: IDIndex, Limit: MaxPage}, func(row Presence) []any { return []any{row.Work} })
}

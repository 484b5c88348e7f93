package projections

import (
	"context"
	"fmt"
	"time"
)

// StuckAfter is how many times a work item has to fail for its own reasons to be stuck. Design §6.
const StuckAfter = 10

// troubles is the collection with a row for each work item that fails. Like presence, it is not folded from events.
var troubles = Collection{Name: "trouble", Indexes: []Index{{Name: indexStuck, Fields: []Field{{Name: "stuck"}, {Name: "work"}}}}}

const indexStuck = "stuck"

// Trouble is the row of a work item that fails, with the reason. The item is retried nevertheless, also when it is stuck.
type Trouble struct {
	Work     string    `json:"work"` // id of the WorkItem
	Kind     string    `json:"kind"`
	Account  string    `json:"account"`
	Subject  string    `json:"subject"`
	Message  string    `json:"message"`  // message of the last failure, for operators only
	Failures int       `json:"failures"` // number of consecutive failures
	Stuck    bool      `json:"stuck"`    // the item has failed at least StuckAfter times in a row
	First    time.Time `json:"first"`    // time of the first of the item's consecutive failures
	Last     time.Time `json:"last"`
}

// TroubleBoard holds the rows of failing work items, so that operators see which work is stuck. It is safe for concurrent use.
type TroubleBoard struct {
	rows board[Trouble]
	at   *catalogue
	now  func() time.Time
}

func newTroubleBoard(at *catalogue, now func() time.Time) *TroubleBoard {
	return &TroubleBoard{rows: board[Trouble]{docs: at.docs, collection: troubles.Name, what: "trouble"}, at: at, now: now}
}

// Failed records another failure of a work item and returns the item's row.
func (b *TroubleBoard) Failed(ctx context.Context, item WorkItem, message string) (Trouble, error) {
	var noted Trouble
	err := b.rows.change(ctx, item.ID, func(row Trouble, exists bool) (Trouble, time.Time, bool) {
		now := millis(b.now())
		noted = Trouble{
			Work: item.ID, Kind: item.Kind, Account: item.Account, Subject: item.Subject, Message: message, Failures: 1,
			First: now, Last: now,
		}
		if exists && row.Kind == item.Kind {
			noted.Failures, noted.First = row.Failures+1, row.First
		}
		noted.Stuck = noted.Failures >= StuckAfter
		return noted, time.Time{}, true
	})
	return noted, err
}

// Clear removes the row of a work item: the item is done, or an operator has resumed it and its failures are counted from zero.
func (b *TroubleBoard) Clear(ctx context.Context, work string) error {
	return b.rows.change(ctx, work, func(row Trouble, exists bool) (Trouble, time.Time, bool) {
		return row, millis(b.now()), exists
	})
}

// Stuck returns the rows of work items that are stuck and still open, sorted by the id of the item. It removes the rows of items
// that another process has done since.
func (b *TroubleBoard) Stuck(ctx context.Context) ([]Trouble, error) {
	rows, err := b.list(ctx, true)
	if err != nil {
		return nil, err
	}
	var stuck []Trouble
	for _, row := range rows {
		open, err := b.open(ctx, row)
		if err != nil {
			return nil, err
		}
		if open {
			stuck = append(stuck, row)
		} else if err := b.Clear(ctx, row.Work); err != nil {
			return nil, err
		}
	}
	return stuck, nil
}

func (b *TroubleBoard) list(ctx context.Context, stuck bool) ([]Trouble, error) {
	return b.rows.all(ctx, Query{Index: indexStuck, Equal: []any{stuck}, Limit: MaxPage}, func(row Trouble) []any {
		return []any{row.Work, row.Work}
	})
}

// forget removes the rows of items that are not stuck and last failed before a time: another process has done these items since.
func (b *TroubleBoard) forget(ctx context.Context, before time.Time) error {
	rows, err := b.list(ctx, false)
	for _, row := range rows {
		if err == nil && row.Last.Before(before) {
			err = b.Clear(ctx, row.Work)
		}
	}
	return err
}

// open reports whether a row's item is still on the work list, as work of the same kind that can be done.
func (b *TroubleBoard) open(ctx context.Context, row Trouble) (bool, error) {
	found, err := b.at.docs.Get(ctx, b.at.collection(workModel{}.name()), row.Work)
	if err != nil {
		return false, fmt.Errorf("look for the work %s: %w", row.Work, err)
	}
	stored, ok := found[row.Work]
	if !ok || stored.Gone {
		return false, nil
	}
	item, err := decodeAs[WorkItem](stored.Body)
	if err != nil {
		return false, fmt.Errorf("decode the work %s: %w", row.Work, err)
	}
	return item.Kind == row.Kind && item.State != workWaiting, nil
}

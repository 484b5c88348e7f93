package projections

import (
	"context"
	"fmt"
	"time"
)

// StuckAfter is how often a piece of work fails for its own reasons before it counts as stuck. Design §6.
const StuckAfter = 10

// troubles is the collection of the trouble board. Like presence, it is not made from events.
var troubles = Collection{Name: "trouble", Indexes: []Index{{Name: indexStuck, Fields: []Field{{Name: "stuck"}, {Name: "work"}}}}}

const indexStuck = "stuck"

// Trouble is what keeps a piece of work from being done. It is tried again all the same.
type Trouble struct {
	Work     string    `json:"work"` // id of the WorkItem
	Kind     string    `json:"kind"`
	Account  string    `json:"account"`
	Subject  string    `json:"subject"`
	Message  string    `json:"message"`  // of the last failure, for operators only
	Failures int       `json:"failures"` // in a row
	Stuck    bool      `json:"stuck"`    // it has failed StuckAfter times
	First    time.Time `json:"first"`    // of the failures
	Last     time.Time `json:"last"`
}

// TroubleBoard is where workers say what they could not do, so that operators see what is stuck. It is safe for concurrent use.
type TroubleBoard struct {
	rows board[Trouble]
	at   *catalogue
	now  func() time.Time
}

func newTroubleBoard(at *catalogue, now func() time.Time) *TroubleBoard {
	return &TroubleBoard{rows: board[Trouble]{docs: at.docs, collection: troubles.Name, what: "trouble"}, at: at, now: now}
}

// Failed notes another failure of a piece of work and returns what is known of its trouble.
func (b *TroubleBoard) Failed(ctx context.Context, item WorkItem, message string) (Trouble, error) {
	var noted Trouble
	err := b.rows.change(ctx, item.ID, func(row Trouble, exists bool) (Trouble, time.Time, bool) {
		now := millis(b.now())
		noted = Trouble{
			Work: item.ID, Kind: item.Kind, Account: item.Account, Subject: item.Subject, Message: message, Failures: 1, First: now, Last: now,
		}
		if exists && row.Kind == item.Kind {
			noted.Failures, noted.First = row.Failures+1, row.First
		}
		noted.Stuck = noted.Failures >= StuckAfter
		return noted, time.Time{}, true
	})
	return noted, err
}

// Clear takes a trouble down: the work is done, or an operator has looked into it and its failures are counted anew.
func (b *TroubleBoard) Clear(ctx context.Context, work string) error {
	return b.rows.change(ctx, work, func(row Trouble, exists bool) (Trouble, time.Time, bool) {
		return row, millis(b.now()), exists
	})
}

// Stuck returns the troubles of work that is stuck and is still to be done, by work. What has been done since by another
// process is taken down.
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

// forget takes troubles down that were few and long ago: the work has been done by another process since.
func (b *TroubleBoard) forget(ctx context.Context, before time.Time) error {
	rows, err := b.list(ctx, false)
	for _, row := range rows {
		if err == nil && row.Last.Before(before) {
			err = b.Clear(ctx, row.Work)
		}
	}
	return err
}

// open says whether a trouble's work is still on the work list.
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

package projections

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// board is a notice board: a collection of rows that are not folded from events. Any process may write rows. Most
// boards belong to no generation. But each generation has a board that names the streams which are no longer folded
// into it: see Unread.
type board[T any] struct {
	docs       Documents
	collection string
	what       string // name of a row in error messages
}

// change updates one row, with retries while other processes write it too. A removed row keeps its content as a tombstone.
func (b board[T]) change(
	ctx context.Context, id string, step func(row T, exists bool) (next T, gone time.Time, write bool),
) error {
	for {
		row, stored, err := b.load(ctx, id)
		if err != nil {
			return err
		}
		next, gone, write := step(row, stored.Version > 0 && !stored.Gone)
		if !write {
			return nil
		}
		err = b.docs.Commit(ctx, Changes{Writes: []Write{{
			Collection: b.collection, ID: id, Loaded: stored.Version, Document: next, Gone: gone,
		}}})
		switch {
		case err == nil:
			return nil
		case !errors.Is(err, ErrStale) || ctx.Err() != nil:
			return fmt.Errorf("write the %s of %s: %w", b.what, id, err)
		}
	}
}

// load reads one row. Version 0 means that the store has neither the row nor its tombstone.
func (b board[T]) load(ctx context.Context, id string) (T, Stored, error) {
	var none T
	found, err := b.docs.Get(ctx, b.collection, id)
	if err != nil {
		return none, Stored{}, fmt.Errorf("read the %s of %s: %w", b.what, id, err)
	}
	stored, ok := found[id]
	if !ok {
		return none, Stored{}, nil
	}
	row, err := decodeAs[T](stored.Body)
	if err != nil {
		return none, Stored{}, fmt.Errorf("decode the %s of %s: %w", b.what, id, err)
	}
	return row, stored, nil
}

// all reads all rows of a query in pages. after returns a row's place in the query's order, with its id last.
func (b board[T]) all(ctx context.Context, q Query, after func(T) []any) ([]T, error) {
	var out []T
	for {
		stored, err := b.docs.Page(ctx, b.collection, q)
		if err != nil {
			return nil, fmt.Errorf("list the %s board: %w", b.what, err)
		}
		for _, s := range stored {
			row, err := decodeAs[T](s.Body)
			if err != nil {
				return nil, fmt.Errorf("decode the %s of %s: %w", b.what, s.ID, err)
			}
			out = append(out, row)
		}
		if len(stored) < q.Limit {
			return out, nil
		}
		q.After = after(out[len(out)-1])
	}
}

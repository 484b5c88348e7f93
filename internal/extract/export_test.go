package extract

import (
	"context"

	"moviola/projections"
)

// CutShort returns the table t, whose reading calls end after its first row and then fails with the error of its context.
func CutShort(t Table, end context.CancelFunc) Table {
	whole := t.read
	t.read = func(ctx context.Context, from *projections.Extract, after string, visit func(Row) error) error {
		return whole(ctx, from, after, func(row Row) error {
			if err := visit(row); err != nil {
				return err
			}
			end()
			return ctx.Err()
		})
	}
	return t
}

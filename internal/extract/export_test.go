package extract

import (
	"context"

	"moviola/projections"
)

// CutShort is the table whose reading ends with a context, behind its first row.
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

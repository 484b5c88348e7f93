package sqlite

import (
	"context"

	"zombiezen.com/go/sqlite"

	"moviola/projections"
)

// Explain says how SQLite finds a page: the lines of its query plan.
func (d *Documents) Explain(ctx context.Context, collection string, q projections.Query) (plan []string, err error) {
	t, err := d.table(collection)
	if err != nil {
		return nil, err
	}
	statement, args, err := t.selectPage(q)
	if err != nil {
		return nil, err
	}
	err = d.read(ctx, 1, func(conn *sqlite.Conn) error {
		return run(conn, "EXPLAIN QUERY PLAN "+statement, func(stmt *sqlite.Stmt) error {
			plan = append(plan, stmt.GetText("detail"))
			return nil
		}, args...)
	})
	return plan, err
}

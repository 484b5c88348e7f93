package sqlite

import (
	"context"
	"errors"
	"fmt"

	"zombiezen.com/go/sqlite"

	"moviola/projections"
)

// Get implements projections.Documents. It reads all documents in one transaction.
func (d *Documents) Get(ctx context.Context, collection string, ids ...string) (map[string]projections.Stored, error) {
	return d.getBy(ctx, d.read, collection, ids)
}

// reading runs a step on a connection for reads, as Documents.read does. statements is the number of SQL statements in the step.
type reading func(ctx context.Context, statements int, step func(*sqlite.Conn) error) error

func (d *Documents) getBy(
	ctx context.Context, read reading, collection string, ids []string,
) (map[string]projections.Stored, error) {
	t, err := d.table(collection)
	if err != nil {
		return nil, err
	}
	found := make(map[string]projections.Stored, len(ids))
	visit := func(stmt *sqlite.Stmt) error {
		stored := storedIn(stmt)
		found[stored.ID] = stored
		return nil
	}
	err = read(ctx, len(ids), func(conn *sqlite.Conn) error {
		for _, id := range ids {
			if err := run(conn, t.get, visit, id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("get %d documents of %s: %w", len(ids), collection, err)
	}
	return found, nil
}

// Page implements projections.Documents.
func (d *Documents) Page(ctx context.Context, collection string, q projections.Query) ([]projections.Stored, error) {
	return d.pageBy(ctx, d.read, collection, q)
}

func (d *Documents) pageBy(
	ctx context.Context, read reading, collection string, q projections.Query,
) ([]projections.Stored, error) {
	t, err := d.table(collection)
	if err != nil {
		return nil, err
	}
	if q.Limit < 1 || q.Limit > projections.MaxPage {
		return nil, fmt.Errorf("page %s: a limit of %d", collection, q.Limit)
	}
	statement, args, err := t.selectPage(q)
	if err != nil {
		return nil, fmt.Errorf("page %s by %q: %w", collection, q.Index, err)
	}
	var page []projections.Stored
	err = read(ctx, 1, func(conn *sqlite.Conn) error {
		return run(conn, statement, func(stmt *sqlite.Stmt) error {
			page = append(page, storedIn(stmt))
			return nil
		}, args...)
	})
	if err != nil {
		return nil, fmt.Errorf("page %s by %q: %w", collection, q.Index, err)
	}
	return page, nil
}

// selectPage returns the statement, with its arguments, for a page of a query: a range of index keys, joined with their
// documents.
func (t *table) selectPage(q projections.Query) (string, []any, error) {
	if q.Index == projections.IDIndex {
		after := ""
		if len(q.After) > 0 {
			after, _ = q.After[0].(string)
		}
		return t.byID, []any{after, int64(q.Limit)}, nil
	}
	for _, index := range t.Indexes {
		if index.Name != q.Index {
			continue
		}
		from, to, err := stretch(index, q)
		if err != nil {
			return "", nil, err
		}
		return t.byKey, []any{index.Name, from, to, int64(q.Limit)}, nil
	}
	return "", nil, errors.New("no such index")
}

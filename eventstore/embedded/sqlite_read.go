package embedded

import (
	"context"
	"math"

	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"
)

// read calls do with a connection for reading; queries on it end when the context does.
func (l *sqliteLog) read(ctx context.Context, do func(*sqlite.Conn) error) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case conn := <-l.readers:
		defer func() { l.readers <- conn }()
		conn.SetInterrupt(ctx.Done())
		defer conn.SetInterrupt(nil)
		err := do(conn)
		if err != nil && ctx.Err() != nil {
			return ctx.Err()
		}
		return readError(l.path, err)
	}
}

// LastPosition implements storage.
func (l *sqliteLog) LastPosition(ctx context.Context) (last int64, err error) {
	err = l.read(ctx, func(conn *sqlite.Conn) error {
		last, _, err = queryInt(conn, "SELECT max(position) FROM events")
		return err
	})
	return last, err
}

// LastRevision implements storage.
func (l *sqliteLog) LastRevision(ctx context.Context, stream string) (last int64, err error) {
	err = l.read(ctx, func(conn *sqlite.Conn) error {
		var found bool
		last, found, err = queryInt(conn,
			"SELECT max(revision) FROM events WHERE stream = (SELECT id FROM streams WHERE name = ?)", stream)
		if !found {
			last = -1
		}
		return err
	})
	return last, err
}

// Find implements storage.
func (l *sqliteLog) Find(ctx context.Context, stream string, id uuid.UUID) (*record, error) {
	page, err := l.page(ctx, pageQuery{
		from: streamFirst, where: "s.name = ? AND e.id = ?", order: "e.revision", args: []any{stream, id[:]}, limit: 1,
	})
	if err != nil || len(page) == 0 {
		return nil, err
	}
	return page[0], nil
}

// ReadStream implements storage.
func (l *sqliteLog) ReadStream(ctx context.Context, stream string, page streamPage) ([]*record, error) {
	return l.page(ctx, pageQuery{
		from:  streamFirst,
		where: "s.name = ? AND e.revision BETWEEN ? AND ? AND +e.position <= ?",
		order: direction("e.revision", page.backwards),
		args:  []any{stream, page.low, page.high, page.until},
		limit: page.limit,
	})
}

// ReadAll implements storage.
func (l *sqliteLog) ReadAll(ctx context.Context, page allPage) ([]*record, error) {
	return l.page(ctx, pageQuery{
		from:     eventsFirst,
		where:    "e.position BETWEEN ? AND ?",
		order:    direction("e.position", page.backwards),
		args:     []any{page.low, page.high},
		limit:    page.limit,
		wantFunc: page.wantFunc,
	})
}

func direction(column string, backwards bool) string {
	if backwards {
		return column + " DESC"
	}
	return column
}

// noLimit is an upper bound above every position and revision.
const noLimit = math.MaxInt64

package logfile

import (
	"context"
	"math"

	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"
)

// read calls do with a connection for reading; queries on it end when the context does.
func (l *Log) read(ctx context.Context, do func(*sqlite.Conn) error) error {
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

// LastPosition implements Storage.
func (l *Log) LastPosition(ctx context.Context) (last int64, err error) {
	err = l.read(ctx, func(conn *sqlite.Conn) error {
		last, _, err = queryInt(conn, "SELECT max(position) FROM events")
		return err
	})
	return last, err
}

// LastRevision implements Storage.
func (l *Log) LastRevision(ctx context.Context, stream string) (last int64, err error) {
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

// Find implements Storage.
func (l *Log) Find(ctx context.Context, stream string, id uuid.UUID) (*Record, error) {
	page, err := l.page(ctx, pageQuery{
		from: streamFirst, where: "s.name = ? AND e.id = ?", order: "e.revision", args: []any{stream, id[:]}, limit: 1,
	})
	if err != nil || len(page) == 0 {
		return nil, err
	}
	return page[0], nil
}

// ReadStream implements Storage.
func (l *Log) ReadStream(ctx context.Context, stream string, page StreamPage) ([]*Record, error) {
	return l.page(ctx, pageQuery{
		from:  streamFirst,
		where: "s.name = ? AND e.revision BETWEEN ? AND ? AND +e.position <= ?",
		order: direction("e.revision", page.Backwards),
		args:  []any{stream, page.Low, page.High, page.Until},
		limit: page.Limit,
	})
}

// ReadAll implements Storage.
func (l *Log) ReadAll(ctx context.Context, page AllPage) ([]*Record, error) {
	return l.page(ctx, pageQuery{
		from:     eventsFirst,
		where:    "e.position BETWEEN ? AND ?",
		order:    direction("e.position", page.Backwards),
		args:     []any{page.Low, page.High},
		limit:    page.Limit,
		wantFunc: page.WantFunc,
	})
}

func direction(column string, backwards bool) string {
	if backwards {
		return column + " DESC"
	}
	return column
}

// NoLimit is an upper bound above every position and revision.
const NoLimit = math.MaxInt64

package logfile

import (
	"context"
	"math"
	"strings"

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
		if err != nil || found {
			return err
		}
		last = -1
		if l.collapses.Load() {
			last, err = collapsedEnd(conn, stream)
			last--
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
	if err != nil || len(page) > 0 {
		return firstOf(page), err
	}
	known, err := l.Collapsed(ctx, stream)
	if err != nil || known == nil || known.ID != id {
		return nil, err
	}
	return known, nil
}

func firstOf(page []*Record) *Record {
	if len(page) == 0 {
		return nil
	}
	return page[0]
}

// ReadStream implements Storage.
func (l *Log) ReadStream(ctx context.Context, stream string, page StreamPage) ([]*Record, error) {
	found, err := l.readStream(ctx, stream, page)
	if err != nil || len(found) > 0 || !l.collapses.Load() || !strings.HasPrefix(stream, MetaPrefix) {
		return found, err
	}
	err = l.read(ctx, func(conn *sqlite.Conn) error {
		meta, err := collapsedMetadata(conn, stream)
		if meta != nil && page.Low <= meta.Revision && meta.Revision <= page.High && meta.Position <= page.Until && page.Limit > 0 {
			found = []*Record{meta}
		}
		return err
	})
	return found, err
}

func (l *Log) readStream(ctx context.Context, stream string, page StreamPage) ([]*Record, error) {
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

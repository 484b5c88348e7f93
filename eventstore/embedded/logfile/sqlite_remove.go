package logfile

import (
	"context"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Remove implements Storage.
func (l *Log) Remove(stream string, below int64, limit int) (removed int, err error) {
	err = l.transaction(func() error {
		id, found, err := queryInt(l.writer, "SELECT id FROM streams WHERE name = ?", stream)
		if err != nil || !found {
			return err
		}
		err = sqlitex.Execute(l.writer, `DELETE FROM events WHERE position IN
			(SELECT position FROM events WHERE stream = ? AND revision < ? ORDER BY revision LIMIT ?)`,
			&sqlitex.ExecOptions{Args: []any{id, below, limit}})
		if err != nil {
			return err
		}
		removed = l.writer.Changes()
		return sqlitex.Execute(l.writer, "UPDATE streams SET removed = removed + ? WHERE id = ?",
			&sqlitex.ExecOptions{Args: []any{removed, id}})
	})
	if err != nil {
		return 0, err
	}
	return removed, nil
}

// nameless is the name in the one row of the table of streams that stands for no stream. The column removed of this row
// counts the removed records of discarded and collapsed streams, which have no row any more. So Verify does not report the
// positions of these records as missing. A stream always has a name that is not empty.
const nameless = ""

// Discard implements Storage.
func (l *Log) Discard(stream string, before int64) (removed int, err error) {
	err = l.transaction(func() error {
		names := []any{stream, MetaPrefix + stream}
		late, found, err := queryInt(l.writer, `SELECT count(*) FROM events WHERE position >= ? AND
			stream IN (SELECT id FROM streams WHERE name IN (?, ?))`, append([]any{before}, names...)...)
		if err != nil || found && late > 0 {
			return err
		}
		if removed, err = l.drop(names); err != nil || !l.collapses.Load() {
			return err
		}
		return sqlitex.Execute(l.writer, "DELETE FROM collapsed WHERE name = ?", &sqlitex.ExecOptions{Args: []any{stream}})
	})
	delete(l.ids, stream)
	delete(l.ids, MetaPrefix+stream)
	if err != nil {
		return 0, err
	}
	return removed, nil
}

// FirstRevision implements Storage.
func (l *Log) FirstRevision(ctx context.Context, stream string) (first int64, err error) {
	err = l.read(ctx, func(conn *sqlite.Conn) error {
		var found bool
		first, found, err = queryInt(conn, "SELECT removed FROM streams WHERE name = ?", stream)
		if err == nil && !found && l.collapses.Load() {
			first, err = collapsedEnd(conn, stream)
		}
		return err
	})
	return first, err
}

// MetaStreams implements Storage. The range "$$" to "$%" covers their names: in ASCII "%" follows "$".
func (l *Log) MetaStreams(ctx context.Context, after string, limit int) (names []string, err error) {
	err = l.read(ctx, func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, "SELECT name FROM streams WHERE name > max(?, '$$') AND name < '$%' ORDER BY name LIMIT ?",
			&sqlitex.ExecOptions{
				Args:       []any{after, limit},
				ResultFunc: func(stmt *sqlite.Stmt) error { names = append(names, stmt.ColumnText(0)); return nil },
			})
	})
	return names, err
}

// Buried implements Storage: it looks for streams that have a tombstone and older records. For each stream it reads only
// the lowest and the highest revision, from the two ends of the index (stream, revision).
func (l *Log) Buried(ctx context.Context, after int64, limit int) (names []string, next int64, err error) {
	seen := 0
	err = l.read(ctx, func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, `SELECT s.id, s.name, (SELECT max(revision) FROM events WHERE stream = s.id) = ?1 AND
			(SELECT min(revision) FROM events WHERE stream = s.id) < ?1 FROM streams s WHERE s.id > ?2 ORDER BY s.id LIMIT ?3`,
			&sqlitex.ExecOptions{
				Args: []any{int64(Tombstoned), after, limit},
				ResultFunc: func(stmt *sqlite.Stmt) error {
					seen++
					next = stmt.ColumnInt64(0)
					if stmt.ColumnBool(2) {
						names = append(names, stmt.ColumnText(1))
					}
					return nil
				},
			})
	})
	if seen < limit {
		next = 0
	}
	return names, next, err
}

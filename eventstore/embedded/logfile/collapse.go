package logfile

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// collapsedVersion is the user_version of a file that has the tables of collapsedSchema. Earlier versions of the program
// refuse such a file: to them a collapsed stream would be one that has never existed.
const collapsedVersion = 3

// collapsedSchema adds the tables of collapsed streams. A row of the table collapsed has what is left of a stream and of
// its metadata: the revision, position and id of its newest event, and its metadata. The metadata of many streams is the
// same, and is stored once. While a stream, or its metadata, is collapsed, it has no row in the table streams, and the row
// with the name nameless counts its removed events.
//
// A stream that gets another event has a row in the table streams again, and so has metadata that is written again. The row in
// the table collapsed stays, so that the id of the newest event before it is still known.
const collapsedSchema = `
CREATE TABLE collapsed_metadata (
  id      INTEGER PRIMARY KEY,
  data    BLOB    NOT NULL UNIQUE,
  created INTEGER NOT NULL
);
CREATE TABLE collapsed (
  name          TEXT    PRIMARY KEY,
  revision      INTEGER NOT NULL,
  position      INTEGER NOT NULL,
  id            BLOB    NOT NULL,
  metadata      INTEGER NOT NULL REFERENCES collapsed_metadata(id),
  meta_revision INTEGER NOT NULL,
  meta_position INTEGER NOT NULL
) WITHOUT ROWID;
PRAGMA user_version = 3;
`

// onlyCollapsed is a condition on a row c of the table collapsed: its stream has got no event since it was collapsed.
const onlyCollapsed = "NOT EXISTS (SELECT 1 FROM streams WHERE name = c.name)"

// Collapse implements Storage.
func (l *Log) Collapse(streams []string, before int64) (removed int, late []string, err error) {
	if !l.collapses.Load() {
		// A transaction of its own: from when a reader may find a stream collapsed, it knows that there are such streams.
		if err := l.transaction(func() error { return l.script(collapsedSchema) }); err != nil {
			return 0, nil, err
		}
		l.collapses.Store(true)
	}
	err = l.transaction(func() error {
		for _, stream := range streams {
			count, isLate, err := l.collapse(stream, before)
			if err != nil {
				return err
			}
			if removed += count; isLate {
				late = append(late, stream)
			}
		}
		return nil
	})
	for _, stream := range streams {
		delete(l.ids, stream)
		delete(l.ids, MetaPrefix+stream)
	}
	if err != nil {
		return 0, nil, err
	}
	return removed, late, nil
}

// script runs statements that return no rows, in the writer's transaction.
func (l *Log) script(statements string) error {
	for statement := range strings.SplitSeq(statements, ";") {
		if strings.TrimSpace(statement) == "" {
			continue
		}
		if err := sqlitex.ExecuteTransient(l.writer, statement, nil); err != nil {
			return err
		}
	}
	return nil
}

// collapse collapses one stream in the writer's transaction, and returns how many records it has removed. When the stream or its
// metadata has a record at or after the position before, it does nothing but return late.
func (l *Log) collapse(stream string, before int64) (count int, late bool, err error) {
	names := []any{stream, MetaPrefix + stream}
	newest, err := l.newestOf(stream)
	if err == nil && newest == nil {
		newest, err = collapsedEvent(l.writer, stream) // only the metadata of a collapsed stream was written again
	}
	if err != nil || newest == nil {
		return 0, false, err
	}
	meta, err := l.newestOf(MetaPrefix + stream)
	if err != nil || meta == nil || meta.Kind != MetaType || !meta.JSON || len(meta.Metadata) > 0 {
		return 0, false, err // collapsed already, or its metadata is not what a row of collapsed can hold
	}
	if newest.Position >= before || meta.Position >= before {
		return 0, true, nil
	}
	if count, err = l.drop(names); err != nil {
		return 0, false, err
	}
	for _, step := range []struct {
		statement string
		args      []any
	}{
		{"INSERT OR IGNORE INTO collapsed_metadata (data, created) VALUES (?, ?)", []any{meta.Data, meta.Created}},
		{`INSERT OR REPLACE INTO collapsed (name, revision, position, id, metadata, meta_revision, meta_position)
			VALUES (?, ?, ?, ?, (SELECT id FROM collapsed_metadata WHERE data = ?), ?, ?)`,
			[]any{stream, newest.Revision, newest.Position, newest.ID[:], meta.Data, meta.Revision, meta.Position}},
	} {
		if err := sqlitex.Execute(l.writer, step.statement, &sqlitex.ExecOptions{Args: step.args}); err != nil {
			return 0, false, err
		}
	}
	return count, false, nil
}

// drop removes streams with all their records, in the writer's transaction. The row with the name nameless counts the
// records. drop returns how many it has removed.
func (l *Log) drop(names []any) (int, error) {
	earlier, _, err := queryInt(l.writer, "SELECT sum(removed) FROM streams WHERE name IN (?, ?)", names...)
	if err != nil {
		return 0, err
	}
	if err := sqlitex.Execute(l.writer, "DELETE FROM events WHERE stream IN (SELECT id FROM streams WHERE name IN (?, ?))",
		&sqlitex.ExecOptions{Args: names}); err != nil {
		return 0, err
	}
	removed := l.writer.Changes()
	if err := sqlitex.Execute(l.writer, "DELETE FROM streams WHERE name IN (?, ?)", &sqlitex.ExecOptions{Args: names}); err != nil {
		return 0, err
	}
	return removed, l.countRemoved(int64(removed) + earlier)
}

// countRemoved adds a number to the removed records of streams that have no row any more.
func (l *Log) countRemoved(count int64) error {
	id, err := l.streamID(nameless)
	if err != nil {
		return err
	}
	return sqlitex.Execute(l.writer, "UPDATE streams SET removed = removed + ? WHERE id = ?",
		&sqlitex.ExecOptions{Args: []any{count, id}})
}

// newestOf returns a stream's newest record, as the writer's transaction sees it; nil when there is none.
func (l *Log) newestOf(stream string) (newest *Record, err error) {
	err = sqlitex.Execute(l.writer, selectRecords+` FROM `+streamFirst+` WHERE s.name = ? ORDER BY e.revision DESC LIMIT 1`,
		&sqlitex.ExecOptions{Args: []any{stream}, ResultFunc: func(stmt *sqlite.Stmt) error {
			newest, err = l.scan(stmt, nil)
			return err
		}})
	return newest, err
}

// collapsedEnd returns the revision after the last one that a stream, or the metadata of a stream, had when it was
// collapsed; 0: it never was.
func collapsedEnd(conn *sqlite.Conn, stream string) (int64, error) {
	query, name := "SELECT revision + 1 FROM collapsed WHERE name = ?", stream
	if described, isMeta := strings.CutPrefix(stream, MetaPrefix); isMeta {
		query, name = "SELECT meta_revision + 1 FROM collapsed WHERE name = ?", described
	}
	end, _, err := queryInt(conn, query, name)
	return end, err
}

// collapsedEvent returns the newest event that a stream had when it was collapsed: its revision, position and id alone. It
// returns nil for a stream that was never collapsed.
func collapsedEvent(conn *sqlite.Conn, stream string) (found *Record, err error) {
	err = sqlitex.Execute(conn, "SELECT revision, position, id FROM collapsed WHERE name = ?",
		&sqlitex.ExecOptions{Args: []any{stream}, ResultFunc: func(stmt *sqlite.Stmt) error {
			id, err := uuid.FromBytes(columnBytes(stmt, 2))
			found = &Record{Stream: stream, Revision: stmt.ColumnInt64(0), Position: stmt.ColumnInt64(1), ID: id}
			return err
		}})
	return found, err
}

// collapsedMetadata returns the metadata that a stream had when it was collapsed, as an event of its metadata stream; nil when
// it was never collapsed. Later metadata may be in the log: a reader that has begun before them still finds this one. Streams
// with the same metadata share its creation time: that of the first one that was collapsed.
func collapsedMetadata(conn *sqlite.Conn, metaStream string) (found *Record, err error) {
	err = sqlitex.Execute(conn, `SELECT c.meta_revision, c.meta_position, m.created, m.data
		FROM collapsed c JOIN collapsed_metadata m ON m.id = c.metadata
		WHERE c.name = ?`,
		&sqlitex.ExecOptions{
			Args: []any{strings.TrimPrefix(metaStream, MetaPrefix)},
			ResultFunc: func(stmt *sqlite.Stmt) error {
				found = &Record{
					Stream: metaStream, Revision: stmt.ColumnInt64(0), Position: stmt.ColumnInt64(1), Created: stmt.ColumnInt64(2),
					Kind: MetaType, JSON: true, Data: columnBytes(stmt, 3), Metadata: []byte{},
				}
				found.ID = uuid.NewSHA1(uuid.NameSpaceOID, fmt.Appendf(nil, "moviola collapsed\x00%s\x00%d", metaStream, found.Revision))
				return nil
			},
		})
	return found, err
}

// Collapsed implements Storage.
func (l *Log) Collapsed(ctx context.Context, stream string) (found *Record, err error) {
	if !l.collapses.Load() {
		return nil, nil
	}
	err = l.read(ctx, func(conn *sqlite.Conn) error {
		found, err = collapsedEvent(conn, stream)
		return err
	})
	return found, err
}

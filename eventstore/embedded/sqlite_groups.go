package embedded

import (
	"context"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// groupsSchema adds the table of persistent subscriptions to a file that has none. Older programs ignore the table, so the file's
// version stays the same.
const groupsSchema = `CREATE TABLE IF NOT EXISTS groups (
  stream     TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  settings   BLOB    NOT NULL,
  checkpoint INTEGER NOT NULL,
  PRIMARY KEY (stream, name)
) WITHOUT ROWID`

// groupRow is a persistent subscription as stored in the log, or a change of one.
type groupRow struct {
	key        groupKey
	settings   []byte // JSON; nil in a change of the checkpoint only
	checkpoint int64  // place in the stream or the log up to which all events are finished; noCheckpoint before the first
	removed    bool   // a change: delete the subscription
}

// noCheckpoint means that a persistent subscription has not finished an event yet.
const noCheckpoint = -1

// saveGroups stores changes of groups, in the writer's transaction.
func (l *sqliteLog) saveGroups(groups []*groupRow) error {
	for _, g := range groups {
		query, args := "UPDATE groups SET checkpoint = ? WHERE stream = ? AND name = ?", []any{g.checkpoint, g.key.stream, g.key.name}
		switch {
		case g.removed:
			query, args = "DELETE FROM groups WHERE stream = ? AND name = ?", args[1:]
		case g.settings != nil:
			query = "INSERT OR REPLACE INTO groups (checkpoint, stream, name, settings) VALUES (?, ?, ?, ?)"
			args = append(args, g.settings)
		}
		if err := sqlitex.Execute(l.writer, query, &sqlitex.ExecOptions{Args: args}); err != nil {
			return err
		}
	}
	return nil
}

// Groups implements storage.
func (l *sqliteLog) Groups(ctx context.Context) (groups []*groupRow, err error) {
	err = l.read(ctx, func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, "SELECT stream, name, settings, checkpoint FROM groups ORDER BY stream, name",
			&sqlitex.ExecOptions{
				ResultFunc: func(stmt *sqlite.Stmt) error {
					groups = append(groups, &groupRow{
						key:      groupKey{stream: stmt.ColumnText(0), name: stmt.ColumnText(1)},
						settings: columnBytes(stmt, 2), checkpoint: stmt.ColumnInt64(3),
					})
					return nil
				},
			})
	})
	return groups, err
}

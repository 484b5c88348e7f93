package logfile

import (
	"context"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// groupsSchema adds the table of persistent subscriptions to a file that has none. Earlier versions of the program ignore the
// table, so schemaVersion stays the same.
const groupsSchema = `CREATE TABLE IF NOT EXISTS groups (
  stream     TEXT    NOT NULL,
  name       TEXT    NOT NULL,
  settings   BLOB    NOT NULL,
  checkpoint INTEGER NOT NULL,
  PRIMARY KEY (stream, name)
) WITHOUT ROWID`

// groupTables counts the tables of persistent subscriptions: 0 in a file that only earlier versions of the program have opened.
const groupTables = "SELECT count(*) FROM sqlite_schema WHERE name = 'groups'"

// AllStream is the name that requests use for the whole log.
const AllStream = "$all"

// GroupKey names a persistent subscription: a group of consumers that share the events of a stream, or of the log ("$all").
type GroupKey struct{ Stream, Name string }

// All reports whether the group follows the whole log.
func (k GroupKey) All() bool { return k.Stream == AllStream }

// ParkedStream is the name of the stream with links to the events that the group's consumers could not handle.
func (k GroupKey) ParkedStream() string { return GroupStreams + k.Stream + "::" + k.Name + "-parked" }

// GroupStreams is the prefix of parked streams, which persistent subscriptions write. Groups of the whole log do not get
// the events of these streams: otherwise a group would be given the messages that it has parked.
const GroupStreams = "$persistentsubscription-"

// GroupRow is a persistent subscription as stored in the log, or a change to a stored one.
type GroupRow struct {
	Key      GroupKey
	Settings []byte // settings as JSON; nil: only the checkpoint changes
	// revision, or position in the log, up to which all events are finished; NoCheckpoint: no event is finished
	Checkpoint int64
	Removed    bool // true in a change that deletes the subscription; false in a stored subscription
}

// NoCheckpoint means that a persistent subscription has not finished an event yet.
const NoCheckpoint = -1

// saveGroups stores changes of groups, in the writer's transaction.
func (l *Log) saveGroups(groups []*GroupRow) error {
	for _, g := range groups {
		query, args := "UPDATE groups SET checkpoint = ? WHERE stream = ? AND name = ?", []any{g.Checkpoint, g.Key.Stream, g.Key.Name}
		switch {
		case g.Removed:
			query, args = "DELETE FROM groups WHERE stream = ? AND name = ?", args[1:]
		case g.Settings != nil:
			query = "INSERT OR REPLACE INTO groups (checkpoint, stream, name, settings) VALUES (?, ?, ?, ?)"
			args = append(args, g.Settings)
		}
		if err := sqlitex.Execute(l.writer, query, &sqlitex.ExecOptions{Args: args}); err != nil {
			return err
		}
	}
	return nil
}

// Groups implements Storage.
func (l *Log) Groups(ctx context.Context) (groups []*GroupRow, err error) {
	err = l.read(ctx, func(conn *sqlite.Conn) error {
		return sqlitex.Execute(conn, "SELECT stream, name, settings, checkpoint FROM groups ORDER BY stream, name",
			&sqlitex.ExecOptions{
				ResultFunc: func(stmt *sqlite.Stmt) error {
					groups = append(groups, &GroupRow{
						Key:      GroupKey{Stream: stmt.ColumnText(0), Name: stmt.ColumnText(1)},
						Settings: columnBytes(stmt, 2), Checkpoint: stmt.ColumnInt64(3),
					})
					return nil
				},
			})
	})
	return groups, err
}

package logfile

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// StreamInfo describes a stream.
type StreamInfo struct {
	Name   string    `json:"name"`
	Events int64     `json:"events"`
	First  int64     `json:"first"` // revision of the oldest event that retention has not removed
	Last   int64     `json:"last"`  // revision of the stream's newest event
	Newest time.Time `json:"newest"`
	// a tombstone has deleted the stream for good: Events is 1, and First and Last are the tombstone's revision
	Deleted bool `json:"deleted,omitempty"`
	// the stream is collapsed: Events is 0, First is the revision of the next event, and Newest is not known
	Collapsed bool `json:"collapsed,omitempty"`
}

// Streams lists the streams of a data folder or backup whose names begin with a prefix, in the order of their names: at most
// limit streams, beginning with the first name that is greater than the parameter after. It works while a server runs on the
// folder.
func Streams(ctx context.Context, path, prefix, after string, limit int) (streams []StreamInfo, err error) {
	err = lookInto(ctx, path, func(i *inspection) error {
		query := `SELECT s.name AS name, s.removed, e.revision, e.created FROM streams s
			JOIN events e ON e.stream = s.id AND e.revision = (SELECT max(revision) FROM events WHERE stream = s.id)
			WHERE s.name >= ?1 AND substr(s.name, 1, length(?1)) = ?1 AND s.name > ?2`
		if i.collapses {
			query += ` UNION ALL SELECT c.name, c.revision + 1, c.revision, NULL FROM collapsed c
				WHERE c.name >= ?1 AND substr(c.name, 1, length(?1)) = ?1 AND c.name > ?2 AND ` + onlyCollapsed
		}
		return sqlitex.Execute(i.conn, query+" ORDER BY name LIMIT ?3",
			&sqlitex.ExecOptions{
				Args: []any{prefix, after, limit},
				ResultFunc: func(stmt *sqlite.Stmt) error {
					one := StreamInfo{Name: stmt.ColumnText(0), First: stmt.ColumnInt64(1), Last: stmt.ColumnInt64(2)}
					if one.Collapsed = stmt.ColumnIsNull(3); !one.Collapsed {
						one.Newest = fromTicks(stmt.ColumnInt64(3))
					}
					if one.Events = one.Last - one.First + 1; one.Last == Tombstoned {
						one.Deleted, one.Events, one.First = true, 1, Tombstoned
					}
					streams = append(streams, one)
					return nil
				},
			})
	})
	return streams, err
}

// Stats describes a log as a whole.
type Stats struct {
	Events     int64      `json:"events"`
	Streams    int64      `json:"streams"`
	Collapsed  int64      `json:"collapsed"` // number of further streams, of which no event is left
	Removed    int64      `json:"removed"`   // number of events that retention has removed
	Last       int64      `json:"last"`      // position of the log's newest event
	Oldest     time.Time  `json:"oldest"`
	Newest     time.Time  `json:"newest"`
	FileBytes  int64      `json:"fileBytes"`
	FreeBytes  int64      `json:"freeBytes"` // unused bytes of the file, which later events fill
	WALBytes   int64      `json:"walBytes"`
	Groups     int64      `json:"groups"` // number of persistent subscriptions
	Categories []Category `json:"categories"`
}

// Category counts the streams whose names are equal up to the first dash, and their events.
type Category struct {
	Name    string `json:"name"`
	Streams int64  `json:"streams"`
	Events  int64  `json:"events"`
}

// LogStats counts the contents of the log of a data folder or backup, also while a server runs there. Of the events it
// reads only indexes, and the oldest and the newest event.
func LogStats(ctx context.Context, path string) (stats Stats, err error) {
	err = lookInto(ctx, path, func(i *inspection) error {
		for _, size := range []struct {
			file string
			of   *int64
		}{{i.path, &stats.FileBytes}, {i.path + "-wal", &stats.WALBytes}} {
			info, err := os.Stat(size.file)
			if err == nil {
				*size.of = info.Size()
			} else if !errors.Is(err, os.ErrNotExist) {
				return err
			}
		}
		var oldest, newest int64
		for _, one := range []struct {
			query string
			of    *int64
		}{
			{"SELECT count(*) FROM events", &stats.Events},
			{"SELECT count(*) FROM streams WHERE name > ''", &stats.Streams},
			{"SELECT sum(removed) FROM streams", &stats.Removed},
			{"SELECT max(position) FROM events", &stats.Last},
			{"SELECT created FROM events ORDER BY position LIMIT 1", &oldest},
			{"SELECT created FROM events ORDER BY position DESC LIMIT 1", &newest},
			{"SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size", &stats.FreeBytes},
			{groupTables, &stats.Groups},
		} {
			value, _, err := queryInt(i.conn, one.query)
			if err != nil {
				return err
			}
			*one.of = value
		}
		if i.collapses {
			var err error
			if stats.Collapsed, _, err = queryInt(i.conn, "SELECT count(*) FROM collapsed c WHERE "+onlyCollapsed); err != nil {
				return err
			}
		}
		if stats.Groups > 0 {
			var err error
			if stats.Groups, _, err = queryInt(i.conn, "SELECT count(*) FROM groups"); err != nil {
				return err
			}
		}
		if stats.Events > 0 {
			stats.Oldest, stats.Newest = fromTicks(oldest), fromTicks(newest)
		}
		return stats.count(i.conn)
	})
	return stats, err
}

// count fills the field Categories with the categories of streams, those with the most events first.
func (s *Stats) count(conn *sqlite.Conn) error {
	return sqlitex.Execute(conn, `SELECT category, count(*), sum(events) AS total FROM (
			SELECT CASE instr(s.name, '-') WHEN 0 THEN s.name ELSE substr(s.name, 1, instr(s.name, '-') - 1) END AS category,
				(SELECT count(*) FROM events WHERE stream = s.id) AS events FROM streams s WHERE s.name > ''
		) GROUP BY category ORDER BY total DESC, category`,
		&sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
			s.Categories = append(s.Categories, Category{Name: stmt.ColumnText(0), Streams: stmt.ColumnInt64(1),
				Events: stmt.ColumnInt64(2)})
			return nil
		}})
}

// GroupInfo is the stored state of a persistent subscription.
type GroupInfo struct {
	Stream   string `json:"stream"`
	Name     string `json:"name"`
	Strategy string `json:"strategy"`
	// revision, or position in the log, up to which all events are finished; -1: no event is finished
	Checkpoint int64 `json:"checkpoint"`
	// revision of the newest event of the group's stream, or position of the newest event of the log; -1: there is no event
	Known  int64 `json:"known"`
	Parked int64 `json:"parked"`
}

// Groups returns the persistent subscriptions of a data folder or backup, also while a server runs there.
func Groups(ctx context.Context, path string) (groups []GroupInfo, err error) {
	err = lookInto(ctx, path, func(i *inspection) error {
		known, _, err := queryInt(i.conn, groupTables)
		if err != nil || known == 0 {
			return err
		}
		err = sqlitex.Execute(i.conn, `SELECT g.stream, g.name, g.settings, g.checkpoint, CASE g.stream WHEN '$all'
				THEN (SELECT max(position) FROM events)
				ELSE (SELECT max(revision) FROM events WHERE stream = (SELECT id FROM streams WHERE name = g.stream)) END
			FROM groups g ORDER BY g.stream, g.name`,
			&sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
				one := GroupInfo{Stream: stmt.ColumnText(0), Name: stmt.ColumnText(1), Checkpoint: stmt.ColumnInt64(3), Known: NoCheckpoint}
				var settings struct {
					Strategy string `json:"strategy"`
				}
				if err := json.Unmarshal(columnBytes(stmt, 2), &settings); err != nil {
					return fmt.Errorf("the settings of the persistent subscription %s of %s: %w", one.Name, one.Stream, err)
				}
				one.Strategy = settings.Strategy
				if !stmt.ColumnIsNull(4) {
					one.Known = stmt.ColumnInt64(4)
				}
				groups = append(groups, one)
				return nil
			}})
		if err != nil {
			return err
		}
		for n := range groups {
			g := &groups[n]
			if g.Parked, err = parkedOf(i.conn, GroupKey{g.Stream, g.Name}.ParkedStream()); err != nil {
				return err
			}
		}
		return nil
	})
	return groups, err
}

// parkedOf counts the events in a parked stream that were not replayed yet.
func parkedOf(conn *sqlite.Conn, stream string) (int64, error) {
	h := Head{Last: -1}
	last, found, err := queryInt(conn,
		"SELECT max(revision) FROM events WHERE stream = (SELECT id FROM streams WHERE name = ?)", stream)
	if err != nil || !found {
		return 0, err
	}
	h.Last = last
	err = sqlitex.Execute(conn,
		`SELECT data FROM events WHERE stream = (SELECT id FROM streams WHERE name = ?) ORDER BY revision DESC LIMIT 1`,
		&sqlitex.ExecOptions{Args: []any{MetaPrefix + stream}, ResultFunc: func(stmt *sqlite.Stmt) error {
			h.Meta = ParseMeta(columnBytes(stmt, 0))
			return nil
		}})
	return max(h.Last+1-h.FirstVisible(), 0), err
}

func lookInto(ctx context.Context, path string, look func(*inspection) error) (err error) {
	i, err := inspect(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.close()) }()
	return readError(i.path, look(i))
}

func fromTicks(t int64) time.Time { return time.Unix(0, t*100).UTC() }

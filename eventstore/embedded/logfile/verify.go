package logfile

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// maxProblems is how many problems a report names at most.
const maxProblems = 20

// Report is the result of Verify.
type Report struct {
	Events  int64 // number of events in the log
	Streams int64
	Removed int64 // number of events that retention has removed
	Last    int64 // position of the newest event; Verify accounts for every position up to it

	Problems []string // the first problems found, each with its place; empty: the log is undamaged
	More     int      // number of problems that Problems leaves out
}

func (r *Report) add(problem string) {
	if slices.Contains(r.Problems, problem) { // another check has found the same damaged page
		return
	}
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, problem)
		return
	}
	r.More++
}

// Verify checks a whole log: the log of a data folder, even while a server runs there, or the file of a backup. It compares
// every page in use and every event with its checksum, and the tables with their indexes. It also looks for gaps and
// disorder in the revisions of every stream, and for missing positions of the log. Verify does not change the log, with one
// exception: when no server runs and a crash has left a write-ahead log, Verify moves its content into the log's file. The
// error says that the check could not be done; damage of the log is in the report.
func Verify(ctx context.Context, path string) (report Report, err error) {
	i, err := inspect(ctx, path)
	var corrupt *CorruptError
	if errors.As(err, &corrupt) {
		report.add(corrupt.Error())
		return report, nil
	}
	if err != nil {
		return report, err
	}
	defer func() { err = errors.Join(err, i.close()) }()
	for _, check := range []func(*Report) error{i.structure, i.events, i.revisions, i.collapsed, i.positions} {
		err := check(&report)
		if ctx.Err() != nil {
			return report, ctx.Err()
		}
		if err = readError(i.path, err); errors.As(err, &corrupt) {
			report.add(err.Error())
		} else if err != nil {
			return report, fmt.Errorf("verify %s: %w", i.path, err)
		}
	}
	return report, nil
}

// structure runs SQLite's integrity check of trees, tables and indexes. That reads every page in use, and so verifies its
// checksum.
func (i *inspection) structure(report *Report) error {
	return sqlitex.ExecuteTransient(i.conn, fmt.Sprintf("PRAGMA integrity_check(%d)", maxProblems), &sqlitex.ExecOptions{
		ResultFunc: func(stmt *sqlite.Stmt) error {
			if text := stmt.ColumnText(0); text != "ok" {
				report.add(fmt.Sprintf("%s: %s", i.path, text))
			}
			return nil
		},
	})
}

// events compares every event with its checksum, in the order of positions.
func (i *inspection) events(report *Report) error {
	log := &Log{path: i.path}
	return sqlitex.ExecuteTransient(i.conn, selectRecords+
		` FROM events e LEFT JOIN streams s ON s.id = e.stream ORDER BY e.position`,
		&sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
			report.Events++
			report.Last = stmt.ColumnInt64(colPosition)
			_, err := log.scan(stmt, nil)
			var corrupt *CorruptError
			if errors.As(err, &corrupt) {
				report.add(corrupt.Error())
				return nil
			}
			return err
		}})
}

// revisions checks that every stream has all revisions from that of its oldest stored event on, and that the positions of its
// events ascend.
func (i *inspection) revisions(report *Report) error {
	var id, next, position int64
	return sqlitex.ExecuteTransient(i.conn, `SELECT s.id, s.name, s.removed, e.revision, e.position
		FROM streams s LEFT JOIN events e ON e.stream = s.id ORDER BY s.id, e.revision`,
		&sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
			if stmt.ColumnText(1) == nameless {
				report.Removed += stmt.ColumnInt64(2)
				return nil
			}
			if stream := stmt.ColumnInt64(0); stream != id || report.Streams == 0 {
				id, next, position = stream, stmt.ColumnInt64(2), 0
				report.Streams++
				report.Removed += next
			}
			name, revision, at := stmt.ColumnText(1), stmt.ColumnInt64(3), stmt.ColumnInt64(4)
			switch {
			case stmt.ColumnIsNull(3):
				report.add(fmt.Sprintf("stream %s has no events", name))
			case revision == Tombstoned: // the revision of a tombstone may follow any other
				revision = next - 1
			case revision > next:
				report.add(fmt.Sprintf("stream %s lacks the revisions %d to %d, before position %d", name, next, revision-1, at))
			case revision < next:
				report.add(fmt.Sprintf("stream %s has revision %d at position %d, where revision %d should be", name, revision, at, next))
			case at <= position:
				report.add(fmt.Sprintf("stream %s has revision %d at position %d, before the revision that precedes it", name, revision, at))
			}
			next, position = revision+1, at
			return nil
		}})
}

// collapsed counts the collapsed streams, and checks that the metadata of each is there.
func (i *inspection) collapsed(report *Report) error {
	if !i.collapses {
		return nil
	}
	return sqlitex.ExecuteTransient(i.conn, `SELECT c.name, m.id FROM collapsed c LEFT JOIN collapsed_metadata m ON m.id = c.metadata
		WHERE `+onlyCollapsed, &sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
		report.Streams++
		if stmt.ColumnIsNull(1) {
			report.add(fmt.Sprintf("the metadata of the collapsed stream %s is missing", stmt.ColumnText(0)))
		}
		return nil
	}})
}

// positions checks that as many events are stored, or were removed by retention, as there are positions up to the newest.
func (i *inspection) positions(report *Report) error {
	if missing := report.Last - report.Events - report.Removed; missing != 0 {
		report.add(fmt.Sprintf("%s: of %d positions, %d hold events and %d were removed: %d events are missing",
			i.path, report.Last, report.Events, report.Removed, missing))
	}
	return nil
}

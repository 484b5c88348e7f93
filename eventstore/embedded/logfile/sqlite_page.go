package logfile

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"zombiezen.com/go/sqlite"
)

// pageQuery is the part of a query that differs between reads.
type pageQuery struct {
	from, where, order string
	args               []any
	limit              int
	wantFunc           func(stream, kind string) bool
}

// CROSS JOIN fixes which table SQLite reads first; otherwise it might visit every stream for one page of the log.
const (
	streamFirst = "streams s CROSS JOIN events e ON e.stream = s.id"
	eventsFirst = "events e CROSS JOIN streams s ON s.id = e.stream"
)

// The columns of a record. Large ones come last, since SQLite reads a column from the page only when it is asked for.
const (
	colPosition = iota
	colStream
	colRevision
	colType
	colID
	colJSON
	colCreated
	colChecksum
	colMetadata
	colData
)

const selectRecords = `SELECT e.position, s.name, e.revision, e.type, e.id, e.json, e.created, e.checksum, e.metadata, e.data`

// page runs a query and verifies the checksum of every record whose payload it returns.
func (l *Log) page(ctx context.Context, q pageQuery) (page []*Record, err error) {
	// SQLite prepares the query anew for each value of a bound LIMIT, but not when the LIMIT is a sum.
	query := selectRecords + ` FROM ` + q.from + ` WHERE ` + q.where + ` ORDER BY ` + q.order + ` LIMIT ? + 0`
	var bytes int64
	err = l.read(ctx, func(conn *sqlite.Conn) error {
		stmt, err := conn.Prepare(query)
		if err != nil {
			return err
		}
		defer func() { _ = stmt.Reset() }() // Step has returned the error already, and Reset returns it again
		bind(stmt, append(q.args, int64(q.limit)))
		for bytes < maxPageBytes {
			more, err := stmt.Step()
			if err != nil || !more {
				return err
			}
			r, err := l.scan(stmt, q.wantFunc)
			if err != nil {
				return err
			}
			page = append(page, r)
			bytes += r.Size()
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the log: %w", err)
	}
	return page, nil
}

func bind(stmt *sqlite.Stmt, args []any) {
	for i, arg := range args {
		switch value := arg.(type) {
		case int64:
			stmt.BindInt64(i+1, value)
		case string:
			stmt.BindText(i+1, value)
		case []byte:
			stmt.BindBytes(i+1, value)
		}
	}
}

// scan copies the current row. It leaves out the payload of a record that wantFunc does not want.
func (l *Log) scan(stmt *sqlite.Stmt, wantFunc func(stream, kind string) bool) (*Record, error) {
	r := &Record{
		Position: stmt.ColumnInt64(colPosition),
		Stream:   stmt.ColumnText(colStream),
		Revision: stmt.ColumnInt64(colRevision),
		Kind:     stmt.ColumnText(colType),
	}
	if wantFunc != nil && !wantFunc(r.Stream, r.Kind) {
		return r, nil
	}
	id, err := uuid.FromBytes(columnBytes(stmt, colID))
	r.ID = id
	r.JSON = stmt.ColumnBool(colJSON)
	r.Created = stmt.ColumnInt64(colCreated)
	r.Metadata = columnBytes(stmt, colMetadata)
	r.Data = columnBytes(stmt, colData)
	if err != nil || stmt.ColumnInt64(colChecksum) != int64(r.checksum()) {
		return nil, &CorruptError{File: l.path, Stream: r.Stream, Revision: r.Revision, Position: r.Position}
	}
	return r, nil
}

func columnBytes(stmt *sqlite.Stmt, col int) []byte {
	value := make([]byte, stmt.ColumnLen(col))
	stmt.ColumnBytes(col, value)
	return value
}

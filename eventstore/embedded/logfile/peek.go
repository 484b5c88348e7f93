package logfile

import (
	"context"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Peek reads single events of a log, as of one moment. It is used by one goroutine.
type Peek struct{ i *inspection }

// OpenPeek opens the log of a data folder, or the file of a backup, so that single events can be read from it.
func OpenPeek(ctx context.Context, path string) (*Peek, error) {
	i, err := inspect(ctx, path)
	if err != nil {
		return nil, err
	}
	return &Peek{i}, nil
}

// Metadata returns the metadata of a stream's oldest and newest event, which may be the same; none for a stream that does not
// exist. Of a collapsed stream, which has no events, it returns the metadata of the stream itself.
func (p *Peek) Metadata(stream string) (metadata [][]byte, err error) {
	const of = `SELECT metadata FROM events WHERE stream = (SELECT id FROM streams WHERE name = ?) ORDER BY revision `
	for _, order := range []string{"ASC LIMIT 1", "DESC LIMIT 1"} {
		err := sqlitex.Execute(p.i.conn, of+order, &sqlitex.ExecOptions{
			Args: []any{stream}, ResultFunc: func(stmt *sqlite.Stmt) error {
				metadata = append(metadata, column(stmt, 0))
				return nil
			},
		})
		if err != nil {
			return nil, readError(p.i.path, err)
		}
	}
	if len(metadata) > 0 || !p.i.collapses {
		return metadata, nil
	}
	found, err := collapsedMetadata(p.i.conn, MetaPrefix+stream)
	if err != nil || found == nil {
		return nil, readError(p.i.path, err)
	}
	return [][]byte{found.Data}, nil
}

// Close ends the reading.
func (p *Peek) Close() error { return p.i.close() }

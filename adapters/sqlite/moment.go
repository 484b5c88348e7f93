package sqlite

import (
	"context"
	"errors"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/projections"
)

var _ projections.Moments = (*Documents)(nil)

// Moment implements projections.Moments. Everything that do reads with Get and Page of the documents it is called with, is
// read in one transaction. While do runs, other connections can write, and the write-ahead log grows.
func (d *Documents) Moment(ctx context.Context, do func(projections.Documents) error) (err error) {
	conn, err := d.pool.Take(ctx)
	if err != nil {
		return err
	}
	defer d.pool.Put(conn)
	defer func() { err = causeOf(ctx, d.noticed(err)) }()
	end := sqlitex.Transaction(conn)
	defer end(&err)
	return do(moment{d, conn})
}

// moment is the Documents for the function do of Moment: it reads in the transaction of one connection.
type moment struct {
	*Documents
	conn *sqlite.Conn
}

var errMoment = errors.New("the documents of one moment cannot be written")

func (m moment) read(_ context.Context, _ int, step func(*sqlite.Conn) error) error {
	return step(m.conn)
}

// Get implements projections.Documents.
func (m moment) Get(ctx context.Context, collection string, ids ...string) (map[string]projections.Stored, error) {
	return m.getBy(ctx, m.read, collection, ids)
}

// Page implements projections.Documents.
func (m moment) Page(ctx context.Context, collection string, q projections.Query) ([]projections.Stored, error) {
	return m.pageBy(ctx, m.read, collection, q)
}

// Commit implements projections.Documents.
func (moment) Commit(context.Context, projections.Changes) error { return errMoment }

package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// dropTogether is the number of rows that Drop deletes in one transaction, so that a commit waits for milliseconds only.
const dropTogether = 1000

// Drop implements projections.Documents. It deletes the rows in many transactions, between which commits are possible. Dropping a
// large table in one transaction would delay commits by seconds.
func (d *Documents) Drop(ctx context.Context, collection string) error {
	if !nameRule.MatchString(collection) {
		return fmt.Errorf("drop %q: not a name of a collection", collection)
	}
	for _, table := range []struct{ name, key string }{{collection + ".keys", "(name, key)"}, {collection, "row"}} {
		if err := d.empty(ctx, table.name, table.key); err != nil {
			return fmt.Errorf("drop %s: %w", collection, err)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.tables, collection)
	return nil
}

// empty deletes the rows of a table by its primary key, and then drops the table. It does nothing if the table does not exist.
func (d *Documents) empty(ctx context.Context, table, key string) error {
	some := fmt.Sprintf(`DELETE FROM "%[1]s" WHERE %[2]s IN (SELECT %[3]s FROM "%[1]s" LIMIT %[4]d)`,
		table, key, strings.Trim(key, "()"), dropTogether)
	for removed := dropTogether; removed == dropTogether; {
		err := d.write(ctx, func(conn *sqlite.Conn) error {
			there, err := exists(conn, table)
			if err != nil || !there {
				removed = 0
				return err
			}
			if err := sqlitex.ExecuteTransient(conn, some, nil); err != nil {
				return err
			}
			if removed = conn.Changes(); removed == dropTogether {
				return nil
			}
			return sqlitex.ExecuteTransient(conn, `DROP TABLE "`+table+`"`, nil)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func exists(conn *sqlite.Conn, table string) (bool, error) {
	found := false
	err := run(conn, `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`, func(*sqlite.Stmt) error {
		found = true
		return nil
	}, table)
	return found, err
}

// begin makes it possible for a new file to return unused database pages to the disk: once the file has a table, SQLite
// changes this setting only together with a VACUUM. For every file it turns on the write-ahead log.
func begin(uri string) error {
	conn, err := sqlite.OpenConn(uri, sqlite.OpenReadWrite, sqlite.OpenCreate, sqlite.OpenURI)
	if err != nil {
		return err
	}
	// the statement changes nothing in a file with content
	err = sqlitex.ExecuteTransient(conn, "PRAGMA auto_vacuum = INCREMENTAL", nil)
	if err == nil {
		err = sqlitex.ExecuteTransient(conn, "PRAGMA journal_mode = WAL", nil)
	}
	return errors.Join(err, conn.Close())
}

const (
	// shrinkTogether is the number of pages that one transaction of Shrink returns to the disk.
	shrinkTogether = 500
	// keptFree is the number of free pages that Shrink leaves for the next documents: 4 MiB.
	keptFree = 1000
)

// Shrink implements projections.Documents. It returns free database pages to the disk, except for the last keptFree. It
// does so in several transactions, between which commits are possible. A file that was created by an earlier version of
// this program, without this possibility, keeps its size until Scrub rewrites it: its free pages are only used for new
// documents.
func (d *Documents) Shrink(ctx context.Context) error {
	if err := d.giveBack(ctx, keptFree); err != nil {
		return fmt.Errorf("shrink the file of the read models: %w", err)
	}
	return nil
}

// giveBack returns free database pages to the disk, until at most kept of them are left.
func (d *Documents) giveBack(ctx context.Context, kept int64) error {
	for free := int64(0); ; {
		before := free
		err := d.write(ctx, func(conn *sqlite.Conn) (err error) {
			form, err := number(conn, "PRAGMA auto_vacuum")
			if err == nil {
				free, err = number(conn, "PRAGMA freelist_count")
			}
			if err != nil || form == 0 || free <= kept {
				free = 0
				return err
			}
			return sqlitex.ExecuteTransient(conn, fmt.Sprintf("PRAGMA incremental_vacuum(%d)", shrinkTogether), nil)
		})
		if err != nil {
			return err
		}
		// all free pages are returned, or other processes free pages as fast as this loop returns them
		if free == 0 || before > 0 && free >= before {
			return nil
		}
	}
}

// number returns the number that a statement selects.
func number(conn *sqlite.Conn, statement string) (found int64, err error) {
	err = sqlitex.ExecuteTransient(conn, statement, &sqlitex.ExecOptions{
		ResultFunc: func(stmt *sqlite.Stmt) error { found = stmt.ColumnInt64(0); return nil },
	})
	return found, err
}

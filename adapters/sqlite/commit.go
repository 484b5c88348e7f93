package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/projections"
)

// Atomic implements projections.Documents.
func (*Documents) Atomic() bool { return true }

// Commit implements projections.Documents. It is atomic.
func (d *Documents) Commit(ctx context.Context, batch projections.Changes) error {
	writes := batch.Writes
	if batch.Checkpoint != nil {
		writes = append(writes[:len(writes):len(writes)], *batch.Checkpoint)
	}
	prepared := make([]change, len(writes))
	for i, w := range writes {
		var err error
		if prepared[i], err = d.prepareWrite(w); err != nil {
			return fmt.Errorf("write %s of %s: %w", w.ID, w.Collection, err)
		}
	}
	return d.write(ctx, func(conn *sqlite.Conn) error {
		for _, c := range prepared {
			if err := c.apply(conn); err != nil {
				return fmt.Errorf("write %s of %s: %w", c.ID, c.Collection, err)
			}
		}
		return nil
	})
}

// change is one write of a commit, encoded, with its index keys.
type change struct {
	projections.Write
	table *table
	body  projections.Body
	keys  [][]byte // one key for each index; nil: the document is removed, or there is no index
}

func (d *Documents) prepareWrite(w projections.Write) (change, error) {
	t, err := d.table(w.Collection)
	if err != nil {
		return change{}, err
	}
	content, err := t.form.encode(w.Document)
	if err != nil {
		return change{}, err
	}
	ch := change{Write: w, table: t, body: content}
	if w.Gone.IsZero() {
		ch.keys, err = t.form.keys(t.Indexes, content, w.ID, w.Document)
	}
	return ch, err
}

// apply writes the document and its keys, if the stored version is still the loaded one.
func (c change) apply(conn *sqlite.Conn) error {
	var gone any
	if !c.Gone.IsZero() {
		gone = c.Gone.UnixMilli()
	}
	if c.Loaded == 0 {
		if err := run(conn, c.table.insert, nil, c.ID, int64(1), gone, c.body); err != nil {
			return err
		}
		if conn.Changes() == 0 { // nothing was inserted: the document exists
			return projections.ErrStale
		}
		return c.moveKeys(conn, conn.LastInsertRowID(), nil)
	}
	var old projections.Stored
	var row int64
	err := run(conn, c.table.replaced, func(stmt *sqlite.Stmt) error {
		old, row = storedIn(stmt), stmt.ColumnInt64(4)
		return nil
	}, c.ID)
	if err == nil && old.Version != c.Loaded {
		err = projections.ErrStale
	}
	if err != nil {
		return err
	}
	var oldKeys [][]byte
	if !old.Gone {
		if oldKeys, err = c.table.form.keys(c.table.Indexes, old.Body, c.ID, c.Document); err != nil {
			return err
		}
	}
	if err := run(conn, c.table.update, nil, row, c.Loaded+1, gone, c.body); err != nil {
		return err
	}
	return c.moveKeys(conn, row, oldKeys)
}

// moveKeys replaces those index keys of a row that have changed since old.
func (c change) moveKeys(conn *sqlite.Conn, row int64, old [][]byte) error {
	for i, index := range c.table.Indexes {
		before, after := keyAt(old, i), keyAt(c.keys, i)
		if bytes.Equal(before, after) {
			continue
		}
		if before != nil {
			if err := run(conn, c.table.dropKey, nil, index.Name, before); err != nil {
				return err
			}
		}
		if after != nil {
			if err := run(conn, c.table.addKey, nil, index.Name, after, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// keyAt returns the key for an index; nil when there are no keys.
func keyAt(keys [][]byte, index int) []byte {
	if keys == nil {
		return nil
	}
	return keys[index]
}

// Sweep implements projections.Documents.
func (d *Documents) Sweep(ctx context.Context, collection string, before time.Time, limit int) (int, error) {
	if _, err := d.table(collection); err != nil {
		return 0, err
	}
	removed := 0
	err := d.write(ctx, func(conn *sqlite.Conn) error {
		err := sqlitex.Execute(conn, `DELETE FROM "`+collection+`" WHERE id IN
			(SELECT id FROM "`+collection+`" WHERE gone < ? LIMIT ? + 0)`,
			&sqlitex.ExecOptions{Args: []any{before.UnixMilli(), limit}})
		removed = conn.Changes()
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("sweep %s: %w", collection, err)
	}
	return removed, nil
}

package sqlite

import (
	"fmt"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/projections"
)

// table is a declared collection with its statements. The names in the statements are checked, and need no escaping.
type table struct {
	projections.Collection
	form
	get, replaced, insert, update, addKey, dropKey string
	byID, byKey                                    string // statements for pages: ordered by id, and ordered by an index key
}

// SQLite plans a statement anew when a bound LIMIT has another value. It does not when the limit is an expression.
const limit = " LIMIT ? + 0"

func newTable(c projections.Collection, f form) *table {
	fill := func(text string) string { return fmt.Sprintf(text, c.Name) }
	return &table{
		Collection: c,
		form:       f,
		get:        fill(`SELECT id, version, gone, body FROM "%[1]s" WHERE id = ?`),
		replaced:   fill(`SELECT id, version, gone, body, row FROM "%[1]s" WHERE id = ?`),
		insert:     fill(`INSERT INTO "%[1]s" (id, version, gone, body) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`),
		update:     fill(`UPDATE "%[1]s" SET version = ?2, gone = ?3, body = ?4 WHERE row = ?1`),
		addKey:     fill(`INSERT INTO "%[1]s.keys" (name, key, row) VALUES (?, ?, ?)`),
		dropKey:    fill(`DELETE FROM "%[1]s.keys" WHERE name = ? AND key = ?`),
		byID:       fill(`SELECT id, version, gone, body FROM "%[1]s" WHERE id > ? AND gone IS NULL ORDER BY id`) + limit,
		byKey: fill(`SELECT d.id, d.version, d.gone, d.body FROM "%[1]s.keys" k JOIN "%[1]s" d ON d.row = k.row
			WHERE k.name = ? AND k.key >= ? AND k.key < ? ORDER BY k.key`) + limit,
	}
}

// create returns the statements that create a collection. Keys refer to rows, which are numbered in the order of insertion:
// documents of the same time are therefore close together in the file.
func create(name string) []string {
	return []string{
		fmt.Sprintf(`CREATE TABLE IF NOT EXISTS "%[1]s"
			(row INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, version INTEGER NOT NULL, gone INTEGER, body TEXT NOT NULL)`, name),
		fmt.Sprintf(`CREATE INDEX IF NOT EXISTS "%[1]s.gone" ON "%[1]s" (gone) WHERE gone IS NOT NULL`, name),
		fmt.Sprintf(`CREATE TABLE IF NOT EXISTS "%[1]s.keys" (name TEXT, key BLOB, row INTEGER NOT NULL, `+
			`PRIMARY KEY (name, key)) WITHOUT ROWID`, name),
	}
}

// formOf returns the encoding of a table's documents, which follows from the type of the column body.
func formOf(conn *sqlite.Conn, name string) (form, error) {
	var found form = inJSON{}
	err := run(conn, `SELECT type FROM pragma_table_info(?) WHERE name = 'body'`, func(stmt *sqlite.Stmt) error {
		if stmt.ColumnText(0) == "BLOB" {
			found = inBSON{}
		}
		return nil
	}, name)
	return found, err
}

// layout is the version of the tables, stored in the file's user_version.
const layout = 1

// settle gives a file this layout. If the file has another layout, settle drops all of its tables: Declare creates the
// tables, and the read models are rebuilt from the log.
func settle(conn *sqlite.Conn) (err error) {
	end, err := sqlitex.ImmediateTransaction(conn)
	if err != nil {
		return err
	}
	defer end(&err)
	found := int64(-1)
	if err := sqlitex.ExecuteTransient(conn, "PRAGMA user_version", &sqlitex.ExecOptions{
		ResultFunc: func(stmt *sqlite.Stmt) error { found = stmt.ColumnInt64(0); return nil },
	}); err != nil || found == layout {
		return err
	}
	var tables []string
	err = sqlitex.ExecuteTransient(conn, "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
		&sqlitex.ExecOptions{
			ResultFunc: func(stmt *sqlite.Stmt) error { tables = append(tables, stmt.ColumnText(0)); return nil },
		})
	for _, name := range tables {
		if err == nil {
			err = sqlitex.ExecuteTransient(conn, `DROP TABLE "`+name+`"`, nil)
		}
	}
	if err != nil {
		return err
	}
	return sqlitex.ExecuteTransient(conn, fmt.Sprintf("PRAGMA user_version = %d", layout), nil)
}

// run executes a cached statement with args, and calls visit for each row of its result. visit is nil for statements without a
// result.
func run(conn *sqlite.Conn, statement string, visit func(*sqlite.Stmt) error, args ...any) error {
	stmt, err := conn.Prepare(statement)
	if err != nil {
		return err
	}
	defer func() { _ = stmt.Reset() }() // Reset returns the same error as Step, which was checked
	for i, arg := range args {
		switch value := arg.(type) {
		case string:
			stmt.BindText(i+1, value)
		case int64:
			stmt.BindInt64(i+1, value)
		case []byte:
			stmt.BindBytes(i+1, value)
		case body:
			stmt.BindText(i+1, string(value))
		case formerBody:
			stmt.BindBytes(i+1, value)
		case nil:
			stmt.BindNull(i + 1)
		default:
			return fmt.Errorf("a %T cannot be bound", arg)
		}
	}
	for {
		row, err := stmt.Step()
		if err != nil || !row {
			return err
		}
		if err := visit(stmt); err != nil {
			return err
		}
	}
}

// storedIn reads the present row of a result that has the columns id, version, gone and body.
func storedIn(stmt *sqlite.Stmt) projections.Stored {
	kept := make([]byte, stmt.ColumnLen(3))
	stmt.ColumnBytes(3, kept)
	stored := projections.Stored{ID: stmt.ColumnText(0), Version: stmt.ColumnInt64(1), Gone: !stmt.ColumnIsNull(2), Body: body(kept)}
	if stmt.ColumnType(3) == sqlite.TypeBlob {
		stored.Body = formerBody(kept)
	}
	return stored
}

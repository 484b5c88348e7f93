// Package damage changes the stored data of an installation without its knowledge.
package damage

import (
	"errors"
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/tests/harness"
)

// Replace changes a text in all documents of an installation without its knowledge.
func Replace(t testing.TB, service *harness.Service, old, text string) {
	t.Helper()
	conn, err := sqlite.OpenConn(filepath.Join(service.Data, "files", "documents.db"), sqlite.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetBlockOnBusy()
	err = sqlitex.Execute(conn, "UPDATE documents SET body = CAST(replace(CAST(body AS TEXT), ?, ?) AS BLOB)",
		&sqlitex.ExecOptions{Args: []any{old, text}})
	if err := errors.Join(err, conn.Close()); err != nil {
		t.Fatal(err)
	}
}

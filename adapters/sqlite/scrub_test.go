package sqlite_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	lite "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/adapters/sqlite"
	"moviola/projections"
)

// planted writes documents, every other of which says a secret.
func planted(t *testing.T, docs *sqlite.Documents, collection projections.Collection) {
	t.Helper()
	if err := docs.Declare(t.Context(), collection); err != nil {
		t.Fatal(err)
	}
	var batch projections.Changes
	for i := range 2000 {
		text := strings.Repeat("z", i%700)
		if i%2 == 0 {
			text = "secret" + text
		}
		batch.Writes = append(batch.Writes, projections.Write{
			Collection: collection.Name, ID: fmt.Sprint(i), Document: map[string]any{"text": text},
		})
	}
	if err := docs.Commit(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
}

// saying counts the secrets in the files of a database.
func saying(t *testing.T, path string) (n int) {
	t.Helper()
	for _, name := range []string{path, path + "-wal"} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n += strings.Count(string(content), "secret")
	}
	return n
}

// TestDocuments_scrub: after a collection was dropped and the file scrubbed, the file and its write-ahead log have nothing of what
// it said, although other connections are open; also where an earlier version has created the file.
func TestDocuments_scrub(t *testing.T) {
	t.Parallel()
	for _, former := range []bool{false, true} {
		t.Run(fmt.Sprint(former), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "read.db")
			if former {
				conn, err := lite.OpenConn(path)
				if err == nil {
					err = sqlitex.ExecuteTransient(conn, "CREATE TABLE former (a TEXT)", nil)
				}
				if err != nil || conn.Close() != nil {
					t.Fatal(err)
				}
			}
			docs, other := mustOpen(t, path), mustOpen(t, path)
			planted(t, docs, things)
			if err := docs.Drop(t.Context(), things.Name); err != nil {
				t.Fatal(err)
			}
			if saying(t, path) == 0 {
				t.Fatal("nothing is there to be scrubbed")
			}
			if err := docs.Scrub(t.Context()); err != nil {
				t.Fatal(err)
			}
			if n := saying(t, path); n != 0 {
				t.Errorf("%d times the files say what was dropped", n)
			}
			fill(t, other, 1)
			if n, err := readAll(t, docs); n != 1 || err != nil {
				t.Errorf("%d documents afterwards, %v", n, err)
			}
		})
	}
}

package sqlite_test

import (
	"path/filepath"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/projections"
)

type kept struct {
	Rank int64 `json:"rank"`
}

// A file of another layout begins anew, a file of this one does not.
func TestOpen_DropsAnotherLayout(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "read.db")
	old, err := sqlite.OpenConn(path)
	if err != nil {
		t.Fatal(err)
	}
	err = sqlitex.ExecuteScript(old, `CREATE TABLE "things" (id TEXT PRIMARY KEY, version INTEGER NOT NULL, gone INTEGER, body TEXT NOT NULL);
		CREATE TABLE "things.keys" (name TEXT, key BLOB, id TEXT NOT NULL, PRIMARY KEY (name, key)) WITHOUT ROWID;
		INSERT INTO things VALUES ('a', 7, NULL, '{"rank":1}');`, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	collection := projections.Collection{Name: "things", Indexes: []projections.Index{{Name: "rank", Fields: []projections.Field{{Name: "rank"}}}}}
	for opened := range 3 {
		docs := mustOpen(t, path)
		if err := docs.Declare(t.Context(), collection); err != nil {
			t.Fatal(err)
		}
		found, err := docs.Page(t.Context(), "things", projections.Query{Index: "rank", Limit: 10})
		if err != nil || len(found) != min(opened, 1) {
			t.Fatalf("opened for the %d. time: %d documents, %v", opened+1, len(found), err)
		}
		write := projections.Write{Collection: "things", ID: "a", Loaded: int64(opened), Document: kept{Rank: int64(opened)}}
		if err := docs.Commit(t.Context(), projections.Changes{Writes: []projections.Write{write}}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestClose_Twice(t *testing.T) {
	t.Parallel()
	docs := mustOpen(t, filepath.Join(t.TempDir(), "read.db")) // closes it once more
	if err := docs.Close(); err != nil {
		t.Error(err)
	}
	if err := docs.Commit(t.Context(), projections.Changes{}); err == nil {
		t.Error("wrote into a closed store")
	}
}

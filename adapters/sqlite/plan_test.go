package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"moviola/projections"
)

type shelved struct {
	Folder string    `json:"folder"`
	Name   string    `json:"name"`
	At     time.Time `json:"at"`
}

// Every page is found by its place in an index, however far back it is: nothing is scanned, skipped or sorted.
func TestPage_Seeks(t *testing.T) {
	t.Parallel()
	docs := mustOpen(t, filepath.Join(t.TempDir(), "read.db"))
	err := docs.Declare(t.Context(), projections.Collection{Name: "files", Indexes: []projections.Index{
		{Name: "names", Fields: []projections.Field{{Name: "folder"}, {Name: "name"}}},
		{Name: "newest", Fields: []projections.Field{{Name: "folder"}, {Name: "at", Descending: true}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	const files = 3000
	begin := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	batch := projections.Changes{}
	for n := range files {
		doc := shelved{Folder: fmt.Sprint(n % 2), Name: fmt.Sprintf("%06d", n), At: begin.Add(time.Duration(n) * time.Second)}
		batch.Writes = append(batch.Writes, projections.Write{Collection: "files", ID: fmt.Sprintf("id%06d", n), Document: doc})
	}
	if err := docs.Commit(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
	byKey := []string{"SEARCH k USING PRIMARY KEY (name=? AND key>? AND key<?)", "SEARCH d USING INTEGER PRIMARY KEY (rowid=?)"}
	pages := []struct {
		q    projections.Query
		plan []string
	}{
		{projections.Query{Index: "names", Equal: []any{"1"}, Limit: 100}, byKey},
		{projections.Query{Index: "names", Equal: []any{"1"}, After: []any{"002899"}, Limit: 100}, byKey},
		{projections.Query{Index: "names", After: []any{"1", "002899", "id002899"}, Limit: 1000}, byKey},
		{projections.Query{Index: "newest", Equal: []any{"1"}, After: []any{begin.Add(time.Minute)}, Limit: 1}, byKey},
		{projections.Query{Index: projections.IDIndex, After: []any{"id002899"}, Limit: 100}, nil},
	}
	for _, page := range pages {
		plan, err := docs.Explain(t.Context(), "files", page.q)
		if err != nil {
			t.Fatal(err)
		}
		if page.plan == nil {
			page.plan = []string{`SEARCH files USING INDEX sqlite_autoindex_files_1 (id>?)`}
		}
		if diff := cmp.Diff(page.plan, plan); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", page.q, diff)
		}
		found, err := docs.Page(t.Context(), "files", page.q)
		if err != nil || len(found) == 0 || len(page.q.After) > 0 && len(found) > 100 {
			t.Errorf("%+v: %d documents, %v", page.q, len(found), err)
		}
	}
}

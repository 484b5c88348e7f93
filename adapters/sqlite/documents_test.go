package sqlite_test

import (
	"path/filepath"
	"testing"

	"moviola/adapters/sqlite"
	"moviola/projections"
	"moviola/projections/documentstest"
)

func TestDocuments(t *testing.T) {
	t.Parallel()
	documentstest.Run(t, func(t *testing.T) documentstest.Open {
		path := filepath.Join(t.TempDir(), "read models?#%.db")
		return func(t *testing.T) projections.Documents { return mustOpen(t, path) }
	})
}

func mustOpen(t *testing.T, path string) *sqlite.Documents {
	t.Helper()
	docs, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := docs.Close(); err != nil {
			t.Error(err)
		}
	})
	return docs
}

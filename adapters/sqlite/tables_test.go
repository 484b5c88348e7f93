package sqlite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moviola/adapters/sqlite"
)

// TestWritePlain_twice: of two that write a file at the same time, the second is refused, and the file of the first is whole. What
// an interrupted one has left is in nobody's way.
func TestWritePlain_twice(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "snapshot.db")
	if err := os.WriteFile(path+".part", []byte(strings.Repeat("left over", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	table := func(rows func(insert func([]any) error) error) []sqlite.PlainTable {
		return []sqlite.PlainTable{{Name: "t", Columns: []string{`"n" INTEGER`}, Rows: rows}}
	}
	one := func(insert func([]any) error) error { return insert([]any{int64(1)}) }
	err := sqlite.WritePlain(t.Context(), path, table(func(insert func([]any) error) error {
		second := sqlite.WritePlain(t.Context(), path, table(one))
		if second == nil || !strings.Contains(second.Error(), "another process") {
			t.Errorf("the second: %v", second)
		}
		return one(insert)
	}))
	if err != nil {
		t.Errorf("the first: %v", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("left are %v, %v", entries, err)
	}
	if err := sqlite.WritePlain(t.Context(), path, table(one)); err == nil || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("over a file: %v", err)
	}
}

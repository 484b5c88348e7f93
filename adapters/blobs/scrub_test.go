package blobs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"moviola/adapters/blobs"
)

// TestTruncateShelf: after many documents of all sizes were removed between others, neither the database nor its write-ahead log
// has anything of them, although a service has them open.
func TestTruncateShelf(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	bucket := mustOpen(t, dir, "movies/")
	for i := range 1500 {
		mustPut(t, bucket, fmt.Sprintf("movies/%d.json", i), strings.Repeat("secret ", 1+i*37%400))
	}
	for i := range 1500 {
		key := fmt.Sprintf("movies/%d.json", i*7%1500)
		if i%3 == 0 {
			mustPut(t, bucket, key, "kept")
			continue
		}
		if err := bucket.Delete(t.Context(), key); err != nil {
			t.Fatal(err)
		}
	}
	if err := blobs.TruncateShelf(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"documents.db", "documents.db-wal"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(content), "secret"); n != 0 {
			t.Errorf("%s has %d words of what was removed", name, n)
		}
	}
	if err := blobs.TruncateShelf(t.Context(), t.TempDir()); err != nil {
		t.Errorf("where there is no shelf: %v", err)
	}
}

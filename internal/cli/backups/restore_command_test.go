package backups

import (
	"bytes"
	"strings"
	"testing"

	"moviola/internal/backup"
)

// TestRestore_report: the printed command line names the MongoDB that has got the keys of accounts.
func TestRestore_report(t *testing.T) {
	t.Parallel()
	r := bringingBack{data: t.TempDir(), mongo: "mongodb://me:hush@db.example/moviola"}
	var out bytes.Buffer
	err := r.report(&out, backup.Manifest{ID: "one"})
	if err != nil || !strings.Contains(out.String(), "--mongo='mongodb://me:***@db.example/moviola'") {
		t.Errorf("%s, %v", out.String(), err)
	}
}

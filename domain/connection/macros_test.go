package connection_test

import (
	"strings"
	"testing"
	"time"

	"moviola/domain/connection"
)

// TestKind_Fill_paths: every kind that keeps files by a path fills in each macro, in the folder and in the file name.
func TestKind_Fill_paths(t *testing.T) {
	t.Parallel()
	facts := connection.Facts{At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Random: "00042", Source: "Abcd1234Efgh5678.mp4"}
	macros := map[string]string{"yyyy": "2026", "mm": "01", "dd": "02", "hh": "03", "nn": "04", "ss": "05", "random": "00042",
		"filename": "Abcd1234Efgh5678.mp4", "filename_without_extension": "Abcd1234Efgh5678", "filename_extension": "mp4"}
	var kinds []string
	for _, name := range connection.DestinationKinds() {
		kind := connection.Kind(name)
		if !kind.HasPath() {
			continue
		}
		kinds = append(kinds, name)
		for macro, want := range macros {
			got := kind.Fill(connection.Settings{"remote-path": "a/__" + macro + "__", "file": "__" + macro + "__-b"}, facts)
			if got["remote-path"] != "a/"+want || got["file"] != want+"-b" {
				t.Errorf("%s, %s: %q and %q", name, macro, got["remote-path"], got["file"])
			}
		}
	}
	if got := strings.Join(kinds, " "); got != "ftp sftp aws-s3 gcs azure-blob folder" {
		t.Errorf("kinds with paths: %s", got)
	}
}

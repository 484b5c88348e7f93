package workspace_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"moviola/adapters/render/workspace"
)

// TestExamine finds what is wrong in a folder of rendered parts, and nothing in one that is well.
func TestExamine(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte("part"))
	notes := `{"sum":"` + hex.EncodeToString(sum[:]) + `","frames":1}`
	for title, tt := range map[string]struct {
		part, notes string // empty: there is none
		quick       bool
		ofPart      string
		ofNotes     string
	}{
		"well":                      {part: "part", notes: notes},
		"changed in place":          {part: "Part", notes: notes, ofPart: "damaged"},
		"changed, and not read":     {part: "Part", notes: notes, quick: true},
		"notes that cannot be read": {part: "part", notes: "{", ofNotes: "damaged"},
		"no part":                   {notes: notes, ofNotes: "missing"},
		"no notes":                  {part: "part", ofPart: "orphaned"},
	} {
		dir := t.TempDir()
		for name, content := range map[string]string{"ab.mp4": tt.part, "ab.json": tt.notes} {
			if content == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for name, want := range map[string]string{"ab.mp4": tt.ofPart, "ab.json": tt.ofNotes} {
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				continue
			}
			if flaw, err := workspace.Examine(filepath.Join(dir, name), tt.quick); err != nil || flaw.Kind != want {
				t.Errorf("%s: %s: %+v, %v", title, name, flaw, err)
			}
		}
	}
}

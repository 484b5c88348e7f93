package workspace_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"moviola/adapters/render/workspace"
)

// TestSpace_folderWithPatterns: a folder whose name reads like a pattern is swept and examined as any other.
func TestSpace_folderWithPatterns(t *testing.T) {
	t.Parallel()
	s, err := workspace.Open(filepath.Join(t.TempDir(), "films [a-c]*"), workspace.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(s.Dir, "jobs", "somebody", "000001-x")
	if err := os.MkdirAll(dead, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.Sweep(t.Context(), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dead); err == nil {
		t.Error("the folder of a dead attempt is still there")
	}
	made := filepath.Join(t.TempDir(), "part.mp4")
	key, err := workspace.Key("a part")
	if err == nil {
		err = os.WriteFile(made, []byte("frames"), 0o600)
	}
	if err == nil {
		err = s.Parts("account").Keep(key, ".mp4", made, workspace.Part{Frames: 1})
	}
	if err != nil {
		t.Fatal(err)
	}
	notes := filepath.Join(workspace.Folder(s.Dir, "account"), key[:2], key+".json")
	raw, err := os.ReadFile(notes)
	if err != nil || !json.Valid(raw) {
		t.Fatalf("notes %q, %v", raw, err)
	}
	if flaw, err := workspace.Examine(notes, false); err != nil || flaw.Kind != "" {
		t.Errorf("the notes of a part are said to be %+v, %v", flaw, err)
	}
}

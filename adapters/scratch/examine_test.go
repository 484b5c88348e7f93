package scratch_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"moviola/adapters/scratch"
)

// TestExamine tells files that are what their names say from those that are not.
func TestExamine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sum := sha256.Sum256([]byte("voice"))
	name := hex.EncodeToString(sum[:])
	for _, tt := range []struct {
		name, content string
		quick         bool
		want          string
	}{
		{name, "voice", false, ""},
		{name + ".wav", "voice", false, ""},
		{name + ".mp3", "Voice", false, "damaged"},
		{name + ".ogg", "Voice", true, ""},
		{"notes.json", `{"a":1}`, false, ""},
		{"voice.json", `{"file":"` + name + `.wav","hash":"` + name + `"}`, true, ""},
		{"silent.json", `{"file":"` + name + `.flac","hash":"` + name + `"}`, true, "missing"},
		{"picture.json", `{"Hash":"` + name + `","Format":"png"}`, false, ""},
		{"blank.json", `{"Hash":"` + name[1:] + `0","Format":"png"}`, false, "missing"},
		{"words.json", `[{"text":"Hello"}]`, false, ""},
		{"cut.json", `{"a":`, true, "damaged"},
		{".new-1", "voi", true, "orphaned"},
		{"other", "x", false, ""},
	} {
		path := filepath.Join(dir, tt.name)
		if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
			t.Fatal(err)
		}
		flaw, err := scratch.Examine(path, tt.quick)
		if err != nil || flaw.Kind != tt.want || (flaw.Kind != "") != (len(flaw.Remove) == 1) {
			t.Errorf("%s: %+v, %v", tt.name, flaw, err)
		}
	}
	named, err := scratch.Named(dir)
	want := map[string]bool{name + ".wav": true, name + ".flac": true, name: true, name[1:] + "0": true}
	if diff := cmp.Diff(want, named); diff != "" || err != nil {
		t.Errorf("files that notes name (-want +got):\n%s%v", diff, err)
	}
	if flaw, err := scratch.Examine(filepath.Join(dir, name+".gone"), false); err != nil || flaw.Kind != "" {
		t.Errorf("a file that has gone: %+v, %v", flaw, err)
	}
}

package assets_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"moviola/adapters/assets"
)

// TestExamine finds what is wrong in an account's folder, and nothing on one that is well.
func TestExamine(t *testing.T) {
	t.Parallel()
	sum := sha256.Sum256([]byte("source"))
	name := hex.EncodeToString(sum[:])
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	broken := bytes.Clone(picture.Bytes())
	broken[len(broken)-15] ^= 1
	well := map[string]string{
		"files/" + name: "source", "files/" + name + ".json": `{"Hash":"` + name + `","Converted":true}`, "files/" + name + ".png": picture.String(),
		"visits/a.json": `{"hash":"` + name + `"}`,
	}
	notes := "files/" + name + ".json"
	for title, tt := range map[string]struct {
		change map[string]string // empty: the file goes
		quick  bool
		want   map[string]string
	}{
		"well":                       {},
		"changed in place":           {change: map[string]string{"files/" + name: "Source"}, want: map[string]string{"files/" + name: "damaged"}},
		"changed, and not read":      {change: map[string]string{"files/" + name: "Source"}, quick: true},
		"a broken picture":           {change: map[string]string{"files/" + name + ".png": string(broken)}, want: map[string]string{"files/" + name + ".png": "damaged"}},
		"notes that cannot be read":  {change: map[string]string{notes: "{"}, want: map[string]string{notes: "damaged"}},
		"visits that cannot be read": {change: map[string]string{"visits/a.json": "x"}, want: map[string]string{"visits/a.json": "damaged"}},
		"no picture":                 {change: map[string]string{"files/" + name + ".png": ""}, want: map[string]string{notes: "missing"}},
		"no notes": {change: map[string]string{notes: ""}, want: map[string]string{
			"files/" + name: "orphaned", "files/" + name + ".png": "orphaned",
		}},
		"a download that ended early": {change: map[string]string{"files/.new-1": "sou"}, want: map[string]string{"files/.new-1": "orphaned"}},
	} {
		dir := t.TempDir()
		files := make(map[string]string)
		for _, set := range []map[string]string{well, tt.change} {
			for path, content := range set {
				files[path] = content
			}
		}
		for path, content := range files {
			if content == "" {
				continue
			}
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, path), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for path := range files {
			flaw, err := assets.Examine(filepath.Join(dir, path), tt.quick)
			if err != nil || flaw.Kind != tt.want[path] {
				t.Errorf("%s: %s: %+v, %v", title, path, flaw, err)
			}
		}
	}
}

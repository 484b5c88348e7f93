package images_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"moviola/adapters/images"
	"moviola/commands"
	"moviola/internal/quota"
)

// TestGenerate_room: pictures that are kept are bounded as they are written; those in use stay, others make room.
func TestGenerate_room(t *testing.T) {
	t.Parallel()
	p := newProvider(t, numbered(t))
	dir := t.TempDir()
	g := p.generator(t, func(c *images.Config) {
		c.Dir, c.Room = dir, quota.Limits{Account: quota.Amount{Files: 3}}
	})
	cat := commands.ImageRequest{Account: "a", Prompt: "a cat"}
	first := mustGenerate(t, g, cat) // it, and the note of it
	paid := len(p.requests)
	_, err := g.Generate(t.Context(), commands.ImageRequest{Account: "a", Prompt: "a dog"})
	requireFault(t, err, "come to 3 files, as much as they may")
	if len(p.requests) != paid {
		t.Error("a picture is paid for that cannot be kept")
	}
	mustGenerate(t, g, commands.ImageRequest{Account: "b", Prompt: "a dog"})

	all, err := filepath.Glob(filepath.Join(filepath.Dir(first.Asset.Path), "*"))
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	for _, path := range all {
		if err := os.Chtimes(path, long, long); err != nil {
			t.Fatal(err)
		}
	}
	mustGenerate(t, g, commands.ImageRequest{Account: "a", Prompt: "a bird"})
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(first.Asset.Path), "*")); err != nil || len(left) > 3 {
		t.Errorf("%d files are kept (%v)", len(left), err)
	}
	if status := g.Room().Status(); status.Refused.Account == 0 {
		t.Errorf("refusals are not counted: %+v", status)
	}
}

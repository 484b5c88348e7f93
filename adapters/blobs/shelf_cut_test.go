//go:build !race

package blobs_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite/sqlitex"

	"moviola/tests/disk"
)

// TestShelf_PowerCut cuts the power under many hands, again and again. What was said to be stored is there and whole, what was said to
// be removed is gone, and the file is sound, without any help.
func TestShelf_PowerCut(t *testing.T) {
	t.Parallel()
	d := disk.New(t, 256)
	dir := filepath.Join(d.Path, "files")
	// What is heard after the cut has begun may come from its very moment: such a change is there or not.
	inDoubt := strings.NewReplacer("stored ", "storing ", "removed ", "removing ")
	var all []string
	for round := range 12 {
		lines := 40 + rand.IntN(200)
		if round%3 == 2 {
			lines += 1500 // the write-ahead log is moved into the file meanwhile
		}
		said := ended(t, dir, lines, func(child *os.Process) {
			d.CutPower()
			kill(child)
		})
		d.PowerUp()
		for i := lines; i < len(said); i++ {
			said[i] = inDoubt.Replace(said[i])
		}
		all = append(all, said...)
		t.Run(fmt.Sprint(round), func(t *testing.T) { requireSound(t, dir, said) })
	}
	t.Run("all", func(t *testing.T) { requireSound(t, dir, all) })
}

// requireSound opens a folder, for as long as a test, and compares it with what processes have said.
func requireSound(t *testing.T, dir string, said []string) {
	t.Helper()
	requireKept(t, mustOpen(t, dir, "movies/"), said)
	found, err := sqlitex.ResultText(openShelf(t, dir).Prep("PRAGMA integrity_check"))
	if err != nil || found != "ok" {
		t.Errorf("the file is not sound: %s, %v", found, err)
	}
}

package scratch

import (
	"crypto/sha256"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"moviola/commands"
)

// Examine looks at a file of a cache whose files are named by the SHA-256 of their content, with or without an extension, and whose notes are
// JSON. Quick leaves the content unread.
func Examine(path string, quick bool) (commands.Flaw, error) {
	name := filepath.Base(path)
	stem, _, _ := strings.Cut(name, ".")
	switch {
	case strings.HasPrefix(name, unfinished):
		return commands.Flaw{Kind: commands.FlawOrphaned, Detail: "it was never finished", Remove: []string{path}}, nil
	case filepath.Ext(name) == ".json":
		raw, err := os.ReadFile(path)
		if err == nil && !json.Valid(raw) {
			return commands.Flaw{Kind: commands.FlawDamaged, Detail: "it is no JSON", Remove: []string{path}}, nil
		}
		return commands.Flaw{}, missing(err)
	case quick || len(stem) != 2*sha256.Size:
		return commands.Flaw{}, nil
	}
	sum, err := commands.HashOfFile(path)
	if err != nil || sum == stem {
		return commands.Flaw{}, missing(err)
	}
	return commands.Flaw{Kind: commands.FlawDamaged, Detail: "it does not have the hash that it is named by", Remove: []string{path}}, nil
}

// unfinished begins the names of files that are being written.
const unfinished = ".new-"

package workspace

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"moviola/commands"
	"moviola/commands/storage"
)

// Examine checks a file of the cache of rendered parts and whole movies: a part must have the hash that its notes (a JSON file
// beside it) record, and neither the part nor its notes may exist without the other. quick skips reading the parts.
func Examine(path string, quick bool) (storage.Flaw, error) {
	notes := notesOf(path)
	if path == notes {
		return examineNotes(path)
	}
	raw, err := os.ReadFile(notes)
	if errors.Is(err, fs.ErrNotExist) {
		return storage.Flaw{Kind: storage.FlawOrphaned, Detail: "nothing is noted about it", Remove: []string{path}}, nil
	}
	var known Part
	// Notes of the file that are no valid JSON are not reported here, but when Examine is called with the path of the
	// notes.
	if err != nil || quick || json.Unmarshal(raw, &known) != nil {
		return storage.Flaw{}, err
	}
	sum, err := commands.HashOfFile(path)
	if err == nil && sum != known.Sum {
		return storage.Flaw{Kind: storage.FlawDamaged, Detail: "it does not have the recorded hash",
			Remove: []string{notes, path}}, nil
	}
	return storage.Flaw{}, unlessGone(err)
}

func examineNotes(path string) (storage.Flaw, error) {
	var known Part
	raw, err := os.ReadFile(path)
	if err != nil {
		return storage.Flaw{}, unlessGone(err)
	}
	folder, name := filepath.Split(path)
	names, err := fs.Glob(os.DirFS(folder), strings.TrimSuffix(name, filepath.Ext(name))+".*")
	if err != nil {
		return storage.Flaw{}, err
	}
	parts := slices.DeleteFunc(names, func(part string) bool { return part == name })
	remove := []string{path}
	for _, part := range parts {
		remove = append(remove, filepath.Join(folder, part))
	}
	if json.Unmarshal(raw, &known) != nil {
		return storage.Flaw{Kind: storage.FlawDamaged, Detail: "it cannot be read", Remove: remove}, nil
	}
	if _, again := os.Stat(path); len(parts) == 0 && again == nil {
		return storage.Flaw{Kind: storage.FlawMissing, Detail: "its part has gone", Remove: remove}, nil
	}
	return storage.Flaw{}, nil
}

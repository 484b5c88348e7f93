package scratch

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"moviola/commands"
	"moviola/commands/storage"
)

// Examine checks a file in a cache whose files are named by the SHA-256 of their content, with or without an extension. JSON
// files are notes. A note may name another file, in its JSON property "file" or, if that is empty, "Hash". The note is flawed
// if the folder does not contain that file. With quick the content of files other than notes is not read.
func Examine(path string, quick bool) (storage.Flaw, error) {
	name := filepath.Base(path)
	stem, _, _ := strings.Cut(name, ".")
	switch {
	case strings.HasPrefix(name, unfinished):
		return storage.Flaw{Kind: storage.FlawOrphaned, Detail: "it was never finished", Remove: []string{path}}, nil
	case filepath.Ext(name) == ".json":
		return examineNote(path)
	case quick || len(stem) != 2*sha256.Size:
		return storage.Flaw{}, nil
	}
	sum, err := commands.HashOfFile(path)
	if err != nil || sum == stem {
		return storage.Flaw{}, missing(err)
	}
	return storage.Flaw{Kind: storage.FlawDamaged, Detail: "it does not have the hash that it is named by",
		Remove: []string{path}}, nil
}

func examineNote(path string) (storage.Flaw, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return storage.Flaw{}, missing(err)
	}
	if !json.Valid(raw) {
		return storage.Flaw{Kind: storage.FlawDamaged, Detail: "it is no JSON", Remove: []string{path}}, nil
	}
	name := namedBy(raw)
	if name == "" {
		return storage.Flaw{}, nil
	}
	_, err = os.Stat(filepath.Join(filepath.Dir(path), name))
	// A sweep may be removing the file and its note at this moment. Only if the note still exists is the file reported as missing.
	if _, again := os.Stat(path); errors.Is(err, fs.ErrNotExist) && again == nil {
		return storage.Flaw{Kind: storage.FlawMissing, Detail: "the file that it names has gone", Remove: []string{path}}, nil
	}
	return storage.Flaw{}, missing(err)
}

// namedBy returns the name of the file that a note names; empty: the note names none, for instance because it is a list of words.
func namedBy(note []byte) string {
	var names struct{ File, Hash string }
	if json.Unmarshal(note, &names) != nil {
		return ""
	}
	if name := cmp.Or(names.File, names.Hash); name != "" {
		return filepath.Base(name)
	}
	return ""
}

// Named returns the files that the notes in a cache folder name.
func Named(folder string) (map[string]bool, error) {
	notes, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	named := make(map[string]bool, len(notes))
	for _, path := range notes {
		raw, err := os.ReadFile(path)
		if missing(err) != nil {
			return nil, err
		}
		if name := namedBy(raw); name != "" {
			named[name] = true
		}
	}
	return named, nil
}

// unfinished is the prefix of the names of files that are being written.
const unfinished = ".new-"

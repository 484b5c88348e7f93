package assets

import (
	"errors"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"moviola/adapters/assets/examine"
	"moviola/commands"
	"moviola/commands/storage"
)

// Examine checks a file of the cache. A source must have the hash in its name, and a converted picture must be decodable;
// with quick, neither is read. Both must have their notes (a JSON file), and the notes must have their file. Notes and
// records of downloads must be readable. A download that was never finished is a flaw, too.
func Examine(path string, quick bool) (storage.Flaw, error) {
	name, folder := filepath.Base(path), filepath.Base(filepath.Dir(path))
	stem, _, _ := strings.Cut(name, ".")
	file := filepath.Join(filepath.Dir(path), stem)
	// The notes (the .json file) come first, because the files are removed in this order: without its notes, a source is
	// not used any more.
	whole := []string{file + ".json", file, file + examine.ConvertedExtension}
	switch {
	case strings.HasPrefix(name, ".new-"):
		return storage.Flaw{Kind: storage.FlawOrphaned, Detail: "its download was never finished", Remove: []string{path}}, nil
	case folder == "visits":
		var v visit
		return unlessRead(readJSON(path, &v), storage.Flaw{Kind: storage.FlawDamaged, Detail: "it cannot be read",
			Remove: []string{path}})
	case folder != "files":
		return storage.Flaw{}, nil
	case filepath.Ext(name) == ".json":
		return examineNotes(path, file, whole)
	}
	if _, err := os.Stat(file + ".json"); errors.Is(err, fs.ErrNotExist) {
		return storage.Flaw{Kind: storage.FlawOrphaned, Detail: "nothing is noted about it", Remove: []string{path}}, nil
	}
	damaged := storage.Flaw{Kind: storage.FlawDamaged, Detail: "it is not what was downloaded", Remove: whole}
	switch {
	case quick:
		return storage.Flaw{}, nil
	case filepath.Ext(name) == examine.ConvertedExtension:
		damaged.Detail = "it cannot be decoded"
		return unlessRead(decodes(path), damaged)
	}
	sum, err := commands.HashOfFile(path)
	if err == nil && sum != stem {
		return damaged, nil
	}
	return storage.Flaw{}, passOver(err)
}

func examineNotes(path, file string, whole []string) (storage.Flaw, error) {
	var a commands.Asset
	if err := readJSON(path, &a); err != nil {
		return unlessRead(err, storage.Flaw{Kind: storage.FlawDamaged, Detail: "it cannot be read", Remove: whole})
	}
	if a.Converted {
		file += examine.ConvertedExtension
	}
	_, err := os.Stat(file)
	if _, again := os.Stat(path); errors.Is(err, fs.ErrNotExist) && again == nil {
		return storage.Flaw{Kind: storage.FlawMissing, Detail: "its file has gone", Remove: whole}, nil
	}
	return storage.Flaw{}, passOver(err)
}

// unlessRead returns the parameter flaw if err was caused by the content of a file. It returns no flaw if err is nil or the file
// is gone, and err itself if the file could not be read from the disk.
func unlessRead(err error, flaw storage.Flaw) (storage.Flaw, error) {
	var path *fs.PathError
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return storage.Flaw{}, nil
	case errors.As(err, &path):
		return storage.Flaw{}, err
	}
	return flaw, nil
}

func decodes(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = png.Decode(f)
	return err
}

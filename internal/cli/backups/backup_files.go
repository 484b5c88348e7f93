package backups

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"moviola/commands"
	"moviola/domain/blobkey"
	"moviola/internal/backup"
)

// plansFile is the name of the plans file in a backup and in a restored data folder.
const plansFile = "plans.yaml"

// source reads the files of an installation.
type source interface {
	Walk(ctx context.Context, prefix string, visit func(key string, written time.Time) error) error
	Open(ctx context.Context, key string) (commands.File, error)
}

// saveFiles adds documents and files to a backup, oldest first. Files that an earlier backup has are thus added in the
// same order as then, and need little or no new space. The documents and files of accounts with a key are encrypted. Those
// of erased accounts are not copied; caches are left out. If stay is true, the files stay in their bucket and the backup
// only lists them; documents are small and are copied all the same. If whole is true, the backup has the whole log, so the
// archive files are left out, which hold events that were moved out of the log.
func saveFiles(ctx context.Context, w *backup.Writer, files source, keys *fileKeys, stay, whole bool) error {
	type found struct {
		key     string
		written time.Time
	}
	var all []found
	err := files.Walk(ctx, "", func(key string, written time.Time) error {
		skip := blobkey.Sources.Is(key) || blobkey.Fonts.Is(key) || // caches, which can be filled again
			whole && blobkey.History.Is(key)
		if !skip {
			all = append(all, found{key, written})
		}
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b found) int {
		if order := a.written.Compare(b.written); order != 0 {
			return order
		}
		return strings.Compare(a.key, b.key)
	})
	seen := make(map[string]bool, len(all))
	for _, one := range all {
		if seen[one.key] {
			continue // the document was replaced during the walk, which has therefore listed it twice
		}
		seen[one.key] = true
		part := backup.Files
		if blobkey.IsDocument(one.key) {
			part = backup.Documents
		} else if stay {
			account, err := keys.owner(one.key)
			if err != nil {
				return err
			}
			w.Manifest.Elsewhere = append(w.Manifest.Elsewhere, backup.Elsewhere{Name: one.key, Written: one.written, Account: account})
			continue
		}
		err := saveFile(ctx, w, files, keys, part, one.key, one.written)
		if errors.Is(err, commands.ErrFileNotFound) || errors.Is(err, errErased) {
			w.Manifest.Gone++ // the file was deleted after it was listed, or its account was erased
			continue
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// saveFile adds the file with a key to a part of a backup.
func saveFile(
	ctx context.Context, w *backup.Writer, files source, keys *fileKeys, part, key string, written time.Time,
) error {
	file, err := files.Open(ctx, key)
	if err != nil {
		return err
	}
	return errors.Join(keys.add(ctx, w, part, key, written, file), file.Close())
}

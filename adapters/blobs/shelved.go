package blobs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"moviola/commands"
)

// shelves reports whether the file of a key belongs on the shelf.
func (b *Bucket) shelves(key string) bool {
	return b.shelf != nil && slices.ContainsFunc(b.shelved, func(prefix string) bool { return strings.HasPrefix(key, prefix) })
}

// putOnShelf stores a file on the shelf. If an earlier version of this program has stored a file of the folder under the same
// key, it removes that file.
func (b *Bucket) putOnShelf(ctx context.Context, key string, r io.Reader) error {
	body, err := readAll(ctx, r)
	if err != nil {
		return err
	}
	// A file of the folder with this key, stored by an earlier version of this program, must be removed: otherwise it would reappear
	// after a Delete. So an error of looking for such a file is reported before anything is stored.
	_, err = os.Lstat(b.path(key))
	replaces := err == nil
	if ignoreMissing(err) != nil {
		return err
	}
	if err := b.shelf.put(ctx, key, body); err != nil || !replaces {
		return err
	}
	if err := ignoreMissing(os.Remove(b.path(key))); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(b.path(key)))
}

// readAll returns all bytes of r. If the length of r is known, the memory for them is allocated at once.
func readAll(ctx context.Context, r io.Reader) ([]byte, error) {
	if sized, ok := r.(interface{ Len() int }); ok {
		body := make([]byte, sized.Len())
		_, err := io.ReadFull(contextReader{ctx, r}, body)
		return body, err
	}
	return io.ReadAll(contextReader{ctx, r})
}

// openOnShelf opens a file on the shelf, or a file of the folder that an earlier version of this program has stored.
func (b *Bucket) openOnShelf(ctx context.Context, key string) (commands.File, error) {
	for again := false; ; again = true {
		found, err := b.shelf.get(ctx, key)
		if err != nil {
			return nil, fmt.Errorf("open file %s: %w", key, err)
		}
		if found != nil {
			return found, nil
		}
		file, err := b.open(ctx, key)
		if err == nil || again || !errors.Is(err, commands.ErrFileNotFound) {
			return file, err
		}
		// Another process may have moved the file to the shelf between the two look-ups: look once more.
	}
}

// listShelf returns the keys on the shelf that begin with a prefix, in order.
func (b *Bucket) listShelf(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	if b.shelf == nil {
		return nil, nil
	}
	err := b.shelf.walk(ctx, prefix, func(key string, _ time.Time) error {
		keys = append(keys, key)
		return nil
	})
	return keys, err
}

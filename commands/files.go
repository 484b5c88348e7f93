package commands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"moviola/domain"
)

// readFile reads a whole stored file.
func readFile(ctx context.Context, files Files, key string) ([]byte, error) {
	f, err := files.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// readHashed reads a whole stored file, which is ErrDamaged when it has not the hash, SHA-256 in hex, that the log has for it.
func readHashed(ctx context.Context, files Files, key, hash string) ([]byte, error) {
	body, err := readFile(ctx, files, key)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != hash {
		return nil, fmt.Errorf("read %s: %w: it does not have the recorded hash", key, ErrDamaged)
	}
	return body, nil
}

// ErrFileDamaged says that a stored file is not as long as the one that was stored. Trying again changes nothing; a backup may.
var ErrFileDamaged = errors.New("the stored file is damaged")

// CheckSize closes a file that is not as long as the log says, in bytes, and returns ErrFileDamaged. A size of 0 is not known.
func CheckSize(file File, key string, size int64) error {
	if size == 0 || file.Size() == size {
		return nil
	}
	return errors.Join(fmt.Errorf("open %s: %w: it has %d bytes instead of %d", key, ErrFileDamaged, file.Size(), size), file.Close())
}

// deleteAll removes the files under the keys that are not empty.
func deleteAll(ctx context.Context, files Files, keys ...string) error {
	for _, key := range keys {
		if key == "" {
			continue
		}
		if err := files.Delete(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// deleteBelow removes every file whose key begins with a prefix.
func deleteBelow(ctx context.Context, files Files, prefix string) error {
	keys, err := files.List(ctx, prefix)
	if err != nil {
		return err
	}
	return deleteAll(ctx, files, keys...)
}

// removeRendered removes every rendered file of a movie, those of attempts that lost included.
func removeRendered(ctx context.Context, files Files, project domain.ProjectID) error {
	return deleteBelow(ctx, files, RenderPrefix(project))
}

package archived

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// Examine reads every archive file that the catalogue names, and calls visit with the key of the file and the fault found
// in it: nil, ErrDamaged, or the error of the storage. Examine ends with the first error of visit.
func (s *Store) Examine(ctx context.Context, visit func(key string, flaw error) error) error {
	entries, err := s.catalog.refresh(ctx)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if err := visit(entry.Key, s.compare(ctx, entry)); err != nil {
			return err
		}
	}
	return nil
}

// compare reads an archive file and compares it with its entry in the catalogue.
func (s *Store) compare(ctx context.Context, entry Entry) (err error) {
	file, err := s.files.Open(ctx, entry.Key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return fmt.Errorf("read archive file %s: %w", entry.Key, err)
	}
	if hex.EncodeToString(hash.Sum(nil)) != entry.Hash {
		return ErrDamaged
	}
	return nil
}

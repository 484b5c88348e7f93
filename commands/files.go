package commands

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"

	"moviola/domain"
	"moviola/domain/blobkey"
)

// ReadFile reads a whole stored file.
func ReadFile(ctx context.Context, files Files, key string) ([]byte, error) {
	f, err := files.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// readHashed reads a whole stored document. When its hash is not the hex SHA-256 in the log, hash, the error is ErrDamaged.
func readHashed(ctx context.Context, files Files, key, hash string) ([]byte, error) {
	body, err := ReadFile(ctx, files, key)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != hash {
		return nil, fmt.Errorf("read %s: %w: it does not have the recorded hash", key, ErrDamaged)
	}
	return body, nil
}

// ErrFileDamaged says that the content of a stored file has changed since it was stored. A retry
// does not help; a backup may.
var ErrFileDamaged = errors.New("the stored file is damaged")

// CheckSize compares a file's length with size, the number of bytes that the log names. When they differ, it closes the file and
// returns ErrFileDamaged. A size of 0 is not compared.
func CheckSize(file File, key string, size int64) error {
	if size == 0 || file.Size() == size {
		return nil
	}
	return errors.Join(fmt.Errorf("open %s: %w: it has %d bytes instead of %d", key, ErrFileDamaged, file.Size(), size),
		file.Close())
}

// CheckFile compares a stored file with what the log says about it: size is its length in bytes, hash its hex SHA-256. If
// one of them differs, the error is ErrFileDamaged. A size of 0 means that the length is not compared; an empty hash
// means that the content is not read. After reading the content CheckFile seeks back to the file's beginning. When it
// returns an error, it has closed the file.
func CheckFile(ctx context.Context, file File, key string, size int64, hash string) error {
	if err := CheckSize(file, key, size); err != nil || hash == "" {
		return err
	}
	found, err := HashOf(untilEnd{ctx, file})
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if err == nil {
		err = sameHash(key, found, hash)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("check %s: %w", key, err), file.Close())
	}
	return nil
}

// HashOf reads r to the end and returns the hex SHA-256 of what it has read.
func HashOf(r io.Reader) (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, r); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// HashOfFile returns the hex SHA-256 of a local file.
func HashOfFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	return HashOf(f)
}

// untilEnd is a reader that fails when its context has ended.
type untilEnd struct {
	ctx context.Context
	io.Reader
}

func (u untilEnd) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, context.Cause(u.ctx)
	}
	return u.Reader.Read(p)
}

func sameHash(key, hash, want string) error {
	if want != "" && hash != want {
		return fmt.Errorf("%s: %w: it does not have the recorded hash", key, ErrFileDamaged)
	}
	return nil
}

// PutHashed stores the bytes of r under a key and returns their hex SHA-256.
func PutHashed(ctx context.Context, files Files, key string, r io.Reader) (string, error) {
	sum := sha256.New()
	if err := files.Put(ctx, key, io.TeeReader(r, sum)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// CopyFile copies a file and returns the hex SHA-256 of its content. The parameter from is the key of the original, the
// parameter to is the key of the copy. When the content differs from size (in bytes) or hash, as the log names them, the
// error is ErrFileDamaged. A size of 0 and an empty hash are not compared. After an error the caller has to remove or
// replace the copy.
func CopyFile(ctx context.Context, files Files, to, from string, size int64, hash string) (string, error) {
	f, err := files.Open(ctx, from)
	if err != nil {
		return "", err
	}
	if err := CheckSize(f, from, size); err != nil {
		return "", err
	}
	copied, err := PutHashed(ctx, files, to, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("copy %s: %w", from, err)
	}
	return copied, sameHash(from, copied, hash)
}

// deleteAll deletes the files under the given keys, and skips empty keys.
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

// DeleteBelow deletes every file whose key begins with a prefix.
func DeleteBelow(ctx context.Context, files Files, prefix string) error {
	keys, err := files.List(ctx, prefix)
	if err != nil {
		return err
	}
	return deleteAll(ctx, files, keys...)
}

// removeRendered deletes every rendered file of a movie, also the files of attempts that have lost their claim.
func removeRendered(ctx context.Context, files Files, project domain.ProjectID) error {
	return DeleteBelow(ctx, files, blobkey.RendersOf(project))
}

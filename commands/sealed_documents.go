package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"moviola/domain/blobkey"
	"moviola/domain/connection"
	"moviola/domain/document"
)

// sealedMark begins a stored document that is encrypted. No JSON begins like that.
const sealedMark = "moviola sealed document\n"

// maxSealedBytes bounds what is read of an encrypted document.
const maxSealedBytes = 16 << 20

// ErrDamaged says that a stored document is not what was stored, or that nobody can decrypt it any more. Trying again changes
// nothing; a backup may.
var ErrDamaged = errors.New("the stored document is damaged")

// sealedDocuments is a Files in which documents that carry secrets are encrypted. Decision 30.
type sealedDocuments struct {
	Files
	vault Vault
}

// SealDocuments returns files in which the documents of movies that carry secrets of their destinations lie encrypted. Who opens
// one reads what was posted. All other files are what they were.
func SealDocuments(files Files, vault Vault) Files { return sealedDocuments{files, vault} }

// Put implements Files.
func (d sealedDocuments) Put(ctx context.Context, key string, r io.Reader) error {
	if !blobkey.IsDocument(key) {
		return d.Files.Put(ctx, key, r)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("read %s: %w", key, err)
	}
	if document.CarriesSecrets(content) {
		if content, err = sealFile(d.vault, key, content); err != nil {
			return err
		}
	}
	return d.Files.Put(ctx, key, bytes.NewReader(content))
}

// Open implements Files.
func (d sealedDocuments) Open(ctx context.Context, key string) (File, error) {
	file, err := d.Files.Open(ctx, key)
	if err != nil || !blobkey.IsDocument(key) {
		return file, err
	}
	content, sealed, err := unsealFile(d.vault, key, file)
	if err != nil || sealed.Key == "" {
		return file, err
	}
	return &openDocument{Reader: bytes.NewReader(content), at: file.ModTime()}, file.Close()
}

// openDocument is a decrypted document.
type openDocument struct {
	*bytes.Reader
	at time.Time
}

func (o *openDocument) Close() error       { return nil }
func (o *openDocument) ModTime() time.Time { return o.at }

func sealFile(vault Vault, key string, content []byte) ([]byte, error) {
	sealed, err := vault.Seal(key, content)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(sealed)
	if err != nil {
		return nil, fmt.Errorf("seal %s: %w", key, err)
	}
	return append([]byte(sealedMark), data...), nil
}

// unsealFile reads a file that is encrypted. Another is left at its beginning, and the zero Sealed is returned. When it fails,
// the file is closed; one that cannot be decrypted is ErrDamaged, beside what the Vault says.
func unsealFile(vault Vault, key string, file File) (content []byte, sealed connection.Sealed, err error) {
	defer func() {
		if err != nil {
			_ = file.Close() // the first error tells more
		}
	}()
	mark := make([]byte, len(sealedMark))
	n, err := io.ReadFull(file, mark)
	if err != nil && n == len(mark) || string(mark[:n]) != sealedMark {
		_, err = file.Seek(0, io.SeekStart)
		return nil, sealed, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxSealedBytes))
	if err != nil {
		return nil, sealed, fmt.Errorf("read %s: %w", key, err)
	}
	if err = json.Unmarshal(data, &sealed); err == nil {
		content, err = vault.Open(key, sealed)
	}
	if err != nil {
		return nil, sealed, fmt.Errorf("read %s: %w: %w", key, ErrDamaged, err)
	}
	return content, sealed, nil
}

// ResealDocument encrypts a stored document anew when another key than the vault's has encrypted it, and says whether it had to.
func ResealDocument(ctx context.Context, files Files, vault Vault, key string) (bool, error) {
	file, err := files.Open(ctx, key)
	if err != nil {
		return false, err
	}
	content, sealed, err := unsealFile(vault, key, file)
	if err != nil {
		return false, err
	}
	if err := file.Close(); err != nil || sealed.Key == "" || sealed.Key == vault.Key() {
		return false, err
	}
	data, err := sealFile(vault, key, content)
	if err != nil {
		return false, err
	}
	return true, files.Put(ctx, key, bytes.NewReader(data))
}

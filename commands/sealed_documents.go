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

// sealedMark is the prefix of an encrypted stored document. No JSON text begins with it.
const sealedMark = "moviola sealed document\n"

// maxSealedBytes is the largest size, in bytes, of an encrypted document that is read.
const maxSealedBytes = 16 << 20

// ErrDamaged says that a stored document has changed since it was stored, or can no longer be decrypted. A retry does not
// help; a backup may.
var ErrDamaged = errors.New("the stored document is damaged")

// sealedDocuments is a Files that encrypts a movie document if it contains secrets. Decision 30.
type sealedDocuments struct {
	Files
	vault Vault
}

// SealDocuments returns a Files that encrypts a movie document if it contains secrets of destinations, and the rows of a
// batch if they may. Opening such a file decrypts it. All other files pass unchanged.
func SealDocuments(files Files, vault Vault) Files { return sealedDocuments{files, vault} }

// secretsKey is the key of a context's value of type secrets.
type secretsKey struct{}

// secrets tells what is secret in a file although the file alone does not say so.
type secrets struct {
	variables []string // names of the secret variables of a document whose templates have destinations
	all       bool     // any value may be secret
}

// withSecrets returns a context in which a Files of SealDocuments takes s into account.
func withSecrets(ctx context.Context, s secrets) context.Context {
	return context.WithValue(ctx, secretsKey{}, s)
}

// putDocument stores the JSON of a movie. full is the same document with its templates filled in: with its destinations,
// which tell what is secret in the document. Decision 100.
func putDocument(ctx context.Context, files Files, key string, body, full []byte) error {
	return files.Put(withSecrets(ctx, secrets{variables: hiddenVariables(body, full)}), key, bytes.NewReader(body))
}

// hiddenVariables returns the secret variables of a document that only full tells, the document with its templates filled
// in. A document without a template tells them itself.
func hiddenVariables(body, full []byte) []string {
	if document.Reference(body) == "" {
		return nil
	}
	return document.SecretVariables(full)
}

// mayBeSealed reports whether a file may be encrypted by Put of sealedDocuments.
func mayBeSealed(key string) bool { return blobkey.IsDocument(key) || blobkey.Rows.Is(key) }

// Put implements Files.
func (d sealedDocuments) Put(ctx context.Context, key string, r io.Reader) error {
	if !mayBeSealed(key) {
		return d.Files.Put(ctx, key, r)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return fmt.Errorf("read %s: %w", key, err)
	}
	known, told := ctx.Value(secretsKey{}).(secrets)
	if !told && blobkey.IsDocument(key) {
		known.variables = hiddenVariables(content, content)
	}
	if known.all || blobkey.IsDocument(key) && document.CarriesSecrets(content, known.variables...) {
		if content, err = sealFile(d.vault, key, content, known.variables...); err != nil {
			return err
		}
	}
	return d.Files.Put(ctx, key, bytes.NewReader(content))
}

// Open implements Files.
func (d sealedDocuments) Open(ctx context.Context, key string) (File, error) {
	file, err := d.Files.Open(ctx, key)
	if err != nil || !mayBeSealed(key) {
		return file, err
	}
	content, sealed, err := unsealFile(d.vault, key, file)
	if err != nil || sealed.Key == "" {
		return file, err
	}
	return &openDocument{Reader: bytes.NewReader(content), at: file.ModTime(), variables: sealed.Variables}, file.Close()
}

// openDocument is a decrypted document.
type openDocument struct {
	*bytes.Reader
	at        time.Time
	variables []string
}

// SecretVariables returns the names of the secret variables of an open movie document that the document alone does not tell:
// destinations of its templates use them. Documents from before decision 100 have none.
func SecretVariables(file File) []string {
	if d, sealed := file.(*openDocument); sealed {
		return d.variables
	}
	return nil
}

func (o *openDocument) Close() error       { return nil }
func (o *openDocument) ModTime() time.Time { return o.at }

// sealedFile is an encrypted file, as it is stored after sealedMark.
type sealedFile struct {
	connection.Sealed
	Variables []string `json:"variables,omitempty"` // of a document: what SecretVariables returns
}

func sealFile(vault Vault, key string, content []byte, variables ...string) ([]byte, error) {
	sealed, err := vault.Seal(key, content)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(sealedFile{sealed, variables})
	if err != nil {
		return nil, fmt.Errorf("seal %s: %w", key, err)
	}
	return append([]byte(sealedMark), data...), nil
}

// unsealFile reads an encrypted file and returns its decrypted content. If the file is not encrypted, unsealFile returns
// no content and a zero sealedFile, and the file is at its beginning. The file stays open, unless unsealFile returns an
// error: then it has closed the file. When the content cannot be decrypted, the error contains both ErrDamaged and the
// error of the Vault.
func unsealFile(vault Vault, key string, file File) (content []byte, sealed sealedFile, err error) {
	defer func() {
		if err != nil {
			_ = file.Close() // the error of reading is returned, because it tells more than an error of closing
		}
	}()
	mark := make([]byte, len(sealedMark))
	_, err = io.ReadFull(file, mark)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, sealed, fmt.Errorf("read %s: %w", key, err)
	}
	if string(mark) != sealedMark {
		_, err = file.Seek(0, io.SeekStart)
		return nil, sealed, err
	}
	data, err := io.ReadAll(io.LimitReader(file, maxSealedBytes))
	if err != nil {
		return nil, sealed, fmt.Errorf("read %s: %w", key, err)
	}
	if err = json.Unmarshal(data, &sealed); err == nil {
		content, err = vault.Open(key, sealed.Sealed)
	}
	if err != nil {
		return nil, sealed, fmt.Errorf("read %s: %w: %w", key, ErrDamaged, err)
	}
	return content, sealed, nil
}

// PutSealed encrypts content and stores it under a key.
func PutSealed(ctx context.Context, files Files, vault Vault, key string, content []byte) error {
	data, err := sealFile(vault, key, content)
	if err != nil {
		return err
	}
	return files.Put(ctx, key, bytes.NewReader(data))
}

// OpenSealed returns the content of a file that PutSealed has stored. For a key without a file the error is ErrFileNotFound;
// for content that is not encrypted, or cannot be decrypted, it is ErrDamaged.
func OpenSealed(ctx context.Context, files Files, vault Vault, key string) ([]byte, error) {
	file, err := files.Open(ctx, key)
	if err != nil {
		return nil, err
	}
	content, sealed, err := unsealFile(vault, key, file)
	if err != nil {
		return nil, err
	}
	if sealed.Key == "" {
		err = fmt.Errorf("read %s: %w: it is not encrypted", key, ErrDamaged)
	}
	return content, errors.Join(err, file.Close())
}

// ResealDocument encrypts a stored document again if it is encrypted, but not with the key that the vault uses now. It reports
// whether it did.
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
	data, err := sealFile(vault, key, content, sealed.Variables...)
	if err != nil {
		return false, err
	}
	return true, files.Put(ctx, key, bytes.NewReader(data))
}

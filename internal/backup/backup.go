// Package backup implements the format of backups. An archive stores chunks, named by a hash of their content, and for
// every backup a manifest of its items. A chunk that an earlier backup has written is not written again: a backup lists
// all of its items, and mostly costs what is new. This package does not interpret the content of the parts.
//
// docs/backup.md describes the layout of an archive and its guarantees.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"

	"moviola/domain"
)

// The parts of a backup. Each has a folder of its own in an archive, so that it can be kept in another place.
const (
	Log       = "log"
	Documents = "documents"
	Files     = "files"
	Secrets   = "secrets"
	Settings  = "settings"
)

// Parts returns all parts.
func Parts() []string { return []string{Log, Documents, Files, Secrets, Settings} }

const (
	// format is the format version in the header of every archive. It is also the version of a backup, unless the backup
	// has items that are encrypted under keys of accounts. The version of such a backup is formatSealed, which older
	// programs refuse.
	format        = 1
	formatSealed  = 2
	formatFile    = "moviola-backup.json"
	readmeFile    = "README.txt"
	keyFile       = "key.age"
	listFolder    = "backups/"
	sealedSuffix  = ".age"
	listSuffix    = ".json"
	idLayout      = "20060102T150405.000Z"
	chunkBytes    = 4 << 20 // maximum size of a chunk that is written, in bytes
	packedBytes   = 1 << 20 // items up to this size, in bytes, share chunks
	saltBytes     = 32
	maxChunkBytes = 64 << 20 // maximum size of a chunk that is read, in bytes: limits the cost of a damaged archive
)

// Place stores the files of an archive. Names are slash-separated. It is used by one goroutine.
type Place interface {
	// Put stores content under a name, atomically and durably.
	Put(ctx context.Context, name string, content io.Reader) error
	// Open opens the file with a name; fs.ErrNotExist if there is none.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// List returns the names with a prefix, which ends with a slash.
	List(ctx context.Context, prefix string) ([]string, error)
}

// Manifest lists the content of one backup.
type Manifest struct {
	Format  int       `json:"format"`
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Version string    `json:"version"` // version of the program that wrote the backup

	Events   int64 `json:"events"`   // number of events in the log
	Position int64 `json:"position"` // position of the log's last event
	Gone     int   `json:"gone"`     // number of files that were deleted while the backup ran, or belong to erased accounts

	Elsewhere []Elsewhere `json:"elsewhere,omitempty"` // files that are not in the backup, because they stay in a bucket
	// names of environment variables whose values, by their names, are secrets; the values are not in the backup
	Environment []string          `json:"environment,omitempty"`
	Parts       map[string][]Item `json:"parts"`

	// Keyed are the accounts under whose keys data in the backup may be encrypted, and Erased the accounts that were erased. No
	// backup holds a key of an account.
	Keyed  []domain.AccountID `json:"keyed,omitempty"`
	Erased []domain.AccountID `json:"erased,omitempty"`
}

// Elsewhere is a file that the backup only lists.
type Elsewhere struct {
	Name    string    `json:"name"`
	Written time.Time `json:"written"`

	// Account is the account to which the file belongs; empty: it belongs to none, or the account is not known. When the
	// account was erased, the file may be missing from the bucket.
	Account domain.AccountID `json:"account,omitempty"`
}

// Item is one file in a backup. It belongs to one of the parts of the backup: Log, Documents, Files, Secrets or Settings.
type Item struct {
	Name    string    `json:"name"`
	Size    int64     `json:"size"` // size of the item in bytes
	Written time.Time `json:"written"`
	Pieces  []Piece   `json:"pieces,omitempty"` // the pieces whose contents, joined in this order, are the item

	// Account is the account under whose key the content of the item is encrypted; empty: the content is not encrypted under a
	// key of an account. Size and pieces are those of the encrypted content.
	Account domain.AccountID `json:"account,omitempty"`
}

// Piece says where a piece of an item's content is stored: it is a range of bytes in a chunk.
type Piece struct {
	Chunk  string `json:"chunk"`
	Offset int    `json:"offset,omitempty"`
	Size   int    `json:"size"`
}

// Config is the location of an archive and its encryption.
type Config struct {
	Place Place // where the archive is stored
	// Apart says where the parts of a backup (such as Secrets) are stored that are not stored at Place, by the name of
	// the part.
	Apart map[string]Place

	Passphrase string
	// WorkFactor is the cost of deriving a key from Passphrase with scrypt, as an exponent of 2: 18 stands for 2^18. It
	// is used when an archive is created, and by the method Close. 0 stands for the default of the package age, which
	// takes about a second.
	WorkFactor int
	Recipients []string // public keys of age (age1…), to which the archive is encrypted
	Identities string   // content of an age identity file; needed to read an archive that is encrypted to recipients
}

// Archive holds backups that are encrypted in the same way.
type Archive struct {
	cfg  Config
	seal sealing
}

// place returns where the archive stores the given part of its backups (Log, Documents, Files, Secrets or Settings): at
// Config.Place, unless Config.Apart names another place for the part.
func (a *Archive) place(part string) Place {
	if apart, ok := a.cfg.Apart[part]; ok {
		return apart
	}
	return a.cfg.Place
}

// List returns the ids of the backups, oldest first.
func (a *Archive) List(ctx context.Context) ([]string, error) {
	names, err := a.cfg.Place.List(ctx, listFolder)
	if err != nil {
		return nil, fmt.Errorf("look for backups: %w", err)
	}
	var ids []string
	for _, name := range names {
		id := strings.TrimSuffix(strings.TrimPrefix(name, listFolder), sealedSuffix)
		if id, ok := strings.CutSuffix(id, listSuffix); ok {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

// chunkName returns the name of a chunk's file.
func (a *Archive) chunkName(part, chunk string) string {
	return part + "/" + chunk[:2] + "/" + chunk + a.seal.suffix()
}

// content reads and decrypts a file.
func (a *Archive) content(ctx context.Context, place Place, name string) ([]byte, error) {
	stored, err := readAll(ctx, place, name, a.limit(name))
	if err != nil {
		return nil, err
	}
	plain, err := a.seal.open(stored)
	if err != nil {
		return nil, fmt.Errorf("decrypt %s: %w", name, err)
	}
	return plain, nil
}

// limit returns the maximum size of a file: manifests grow with the installation, chunks do not.
func (a *Archive) limit(name string) int64 {
	if strings.HasPrefix(name, listFolder) {
		return 8 << 30
	}
	return maxChunkBytes
}

func readAll(ctx context.Context, place Place, name string, limit int64) (content []byte, err error) {
	file, err := place.Open(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	content, err = io.ReadAll(io.LimitReader(file, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = errors.New("it is larger than anything that a backup writes")
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return content, nil
}

// isThere reports whether a file exists.
func isThere(ctx context.Context, place Place, name string) (bool, error) {
	file, err := place.Open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for %s: %w", name, err)
	}
	return true, file.Close()
}

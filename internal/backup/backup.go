// Package backup is the format in which an installation is saved: a place that holds chunks, each named by what is in it, and for
// every backup a list of what it consists of. What an earlier backup has left at the place is not written again; so every backup
// is whole, and costs only what is new. What the parts mean is not known here.
//
// The layout of a place, and what is promised of it, is in docs/backup.md.
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
)

// The parts of a backup. Each lies below a folder of its name, so that one can be kept apart from the others.
const (
	Log       = "log"
	Documents = "documents"
	Files     = "files"
	Secrets   = "secrets"
	Settings  = "settings"
)

// Parts are all of them.
func Parts() []string { return []string{Log, Documents, Files, Secrets, Settings} }

const (
	format        = 1
	formatFile    = "moviola-backup.json"
	readmeFile    = "README.txt"
	keyFile       = "key.age"
	listFolder    = "backups/"
	sealedSuffix  = ".age"
	listSuffix    = ".json"
	idLayout      = "20060102T150405.000Z"
	chunkBytes    = 4 << 20 // of one chunk, at most
	packedBytes   = 1 << 20 // a smaller item shares its chunk with others
	saltBytes     = 32
	maxChunkBytes = 64 << 20 // that is read: bounds what a damaged place can cost
)

// Place keeps what backups consist of. Names are slash-separated. It is called by one goroutine.
type Place interface {
	// Put stores content under a name: whole and durable, or not at all.
	Put(ctx context.Context, name string, content io.Reader) error
	// Open reads what a name holds; fs.ErrNotExist when there is nothing.
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// List returns the names that begin with a prefix, which ends with a slash.
	List(ctx context.Context, prefix string) ([]string, error)
}

// Manifest is the list of what one backup consists of.
type Manifest struct {
	Format  int       `json:"format"`
	ID      string    `json:"id"`
	At      time.Time `json:"at"`
	Version string    `json:"version"` // of the program that wrote it

	Events   int64 `json:"events"`   // in the log
	Position int64 `json:"position"` // of the log's last event
	Gone     int   `json:"gone"`     // files that were deleted while they were looked for

	Elsewhere   []Elsewhere       `json:"elsewhere,omitempty"`   // files that stay where they are, on S3
	Environment []string          `json:"environment,omitempty"` // variables that carried secrets, which are not in the backup
	Parts       map[string][]Item `json:"parts"`
}

// Elsewhere is a file that is not in the backup.
type Elsewhere struct {
	Name    string    `json:"name"`
	Written time.Time `json:"written"`
}

// Item is one file of a part.
type Item struct {
	Name    string    `json:"name"`
	Size    int64     `json:"size"` // bytes
	Written time.Time `json:"written"`
	Pieces  []Piece   `json:"pieces,omitempty"` // in order
}

// Piece is where some bytes of an item lie.
type Piece struct {
	Chunk  string `json:"chunk"`
	Offset int    `json:"offset,omitempty"`
	Size   int    `json:"size"`
}

// Config says where an archive lies and how it is encrypted.
type Config struct {
	Place Place
	Apart map[string]Place // parts that are kept elsewhere

	Passphrase string
	WorkFactor int      // of the passphrase's scrypt, as a power of two, when an archive is begun; 0: age's own, about a second
	Recipients []string // of age, age1…
	Identities string   // the content of an identity file of age; to read what is encrypted to recipients
}

// Archive is a place with backups in one encryption.
type Archive struct {
	cfg  Config
	seal sealing
}

// place is where a part lies.
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

// chunkName is where a chunk of a part lies.
func (a *Archive) chunkName(part, chunk string) string {
	return part + "/" + chunk[:2] + "/" + chunk + a.seal.suffix()
}

// content reads what a name holds, decrypted.
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

// limit is how much of a file is read: lists grow with the installation, chunks do not.
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

// isThere says whether a place holds a name.
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

package stores

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"sync"

	"moviola/adapters/blobs"
	"moviola/domain/blobkey"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/archived"
)

// WithHistory returns a log together with the archive files of its movies and ledgers.
func WithHistory(log eventstore.Store, files archived.Files) *archived.Store {
	return archived.New(log, files, movie.StreamCategory, ledger.StreamCategory)
}

// Discards reports whether the event store by itself removes discarded streams, and events that the metadata of their stream
// excludes by age or number. Other event stores have to be scavenged.
func (s *Stores) Discards(ctx context.Context) (bool, error) { return s.client.Discards(ctx) }

// Collapses reports whether the event store can collapse archived streams.
func (s *Stores) Collapses(ctx context.Context) (bool, error) { return s.client.Collapses(ctx) }

// historyFiles are the archive files in the storage of an installation.
type historyFiles struct{ *Stores }

func (h historyFiles) Put(ctx context.Context, key string, r io.Reader) error {
	return h.Files.Put(ctx, key, r)
}

func (h historyFiles) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	return h.Files.Open(ctx, key)
}

func (h historyFiles) Delete(ctx context.Context, key string) error { return h.Files.Delete(ctx, key) }

// HistoryFiles are the archive files of an installation for a command that opens only the log. The storage is opened when a file
// is needed, so a log without an archive needs none.
type HistoryFiles struct {
	where, key string

	mu    sync.Mutex
	files *blobs.Bucket
}

// NewHistoryFiles returns the archive files in the file storage at the address where; empty: in the folder files of the data
// folder. key is the credential for a storage at gs:// or azblob://.
func NewHistoryFiles(data, where, key string) *HistoryFiles {
	if where == "" {
		where = filepath.Join(data, "files")
	}
	return &HistoryFiles{where: where, key: key}
}

func (h *HistoryFiles) bucket(ctx context.Context) (*blobs.Bucket, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var err error
	if h.files == nil {
		h.files, err = blobs.OpenWithKey(ctx, h.where, h.key, blobkey.DocumentPrefixes()...)
	}
	return h.files, err
}

// errReadOnly is the error when a subcommand of the program tries to write or delete an archive file. It may only read
// them.
var errReadOnly = errors.New("a command does not change archive files")

// Put implements archived.Files.
func (h *HistoryFiles) Put(context.Context, string, io.Reader) error { return errReadOnly }

// Delete implements archived.Files.
func (h *HistoryFiles) Delete(context.Context, string) error { return errReadOnly }

// Open implements archived.Files.
func (h *HistoryFiles) Open(ctx context.Context, key string) (io.ReadSeekCloser, error) {
	bucket, err := h.bucket(ctx)
	if err != nil {
		return nil, err
	}
	return bucket.Open(ctx, key)
}

// Close closes the storage.
func (h *HistoryFiles) Close() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.files == nil {
		return nil
	}
	return h.files.Close()
}

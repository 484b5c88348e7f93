package logfile

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// Storage stores records. Commit, Remove, Discard, Collapse and Close are called by one goroutine, the other methods by any.
type Storage interface {
	// Commit stores a batch of records and the changed groups, all or none. When it returns nil, the batch survives a power cut.
	// The caller has set positions and revisions. ErrFull means that nothing was stored and that a later batch may succeed; after
	// any other error the state of the disk is unknown.
	Commit(batch []*Record, groups []*GroupRow) error
	// Groups returns the persistent subscriptions.
	Groups(ctx context.Context) ([]*GroupRow, error)
	// LastPosition is the position of the newest record, 0 in an empty log.
	LastPosition(ctx context.Context) (int64, error)
	// LastRevision is the revision of a stream's newest record, -1 when it has none.
	LastRevision(ctx context.Context, stream string) (int64, error)
	// Find looks for an event id in a stream; nil when it is not there.
	Find(ctx context.Context, stream string, id uuid.UUID) (*Record, error)
	// ReadStream returns a page of a stream.
	ReadStream(ctx context.Context, stream string, page StreamPage) ([]*Record, error)
	// ReadAll returns a page of the log.
	ReadAll(ctx context.Context, page AllPage) ([]*Record, error)
	// Remove removes the oldest records of a stream, those with a revision less than below, but at most limit of them. It returns
	// how many records it removed. Its errors are those of Commit.
	Remove(stream string, below int64, limit int) (int, error)
	// Discard removes a stream and its metadata, with all their records. If the stream or its metadata has a record at or
	// after the position before, Discard removes nothing. It returns how many records it removed. Its errors are those of
	// Commit.
	Discard(stream string, before int64) (int, error)
	// Collapse removes streams and their metadata, with all their records, but for what a stream needs to go on: its last
	// revision, position and event id, and its metadata. LastRevision, FirstRevision and Find answer as before, and so does a
	// read of the metadata. If a stream or its metadata has a record at or after the position before, Collapse leaves that
	// stream, and returns it in late. It also returns how many records it removed. Its errors are those of Commit.
	Collapse(streams []string, before int64) (removed int, late []string, err error)
	// Collapsed returns the newest record that a stream had when it was collapsed, with revision, position and id only; nil when
	// the stream was never collapsed.
	Collapsed(ctx context.Context, stream string) (*Record, error)
	// FirstRevision is the revision after those of a stream's removed records, 0 when none was removed.
	FirstRevision(ctx context.Context, stream string) (int64, error)
	// MetaStreams returns up to limit names of metadata streams, in the order of the names: only names greater than the
	// parameter after.
	MetaStreams(ctx context.Context, after string, limit int) ([]string, error)
	// Buried looks at up to limit streams, in the order in which they came into the log, and returns the names of those that have a
	// tombstone and older records. It begins after the place given by after, 0 for the first stream; next is the place to go on
	// from, and 0 after the last stream.
	Buried(ctx context.Context, after int64, limit int) (names []string, next int64, err error)
	Close() error
}

// StreamPage selects the records of a stream with low <= revision <= high and position <= until, in either direction.
type StreamPage struct {
	Low, High int64
	Until     int64
	Backwards bool
	Limit     int
}

// AllPage selects the records with low <= position <= high, in either direction.
type AllPage struct {
	Low, High int64
	Backwards bool
	Limit     int
	// WantFunc, when set, selects the records whose payload is read. The others come with position, stream, revision and type
	// only, and without a check of their checksum.
	WantFunc func(stream, kind string) bool
}

// maxPageBytes limits a page (the records that one call of ReadStream or ReadAll returns): it ends early when its records
// have this many bytes. So a reader of large events does not hold hundreds of them in memory.
const maxPageBytes = 2 << 20

// PageLimit is the maximum of records in a page.
const PageLimit = 256

// ErrFull is the error of a commit that did not fit on the disk: nothing was stored, and a later commit may succeed.
var ErrFull = errors.New("the disk is full")

package embedded

import (
	"context"
	"errors"

	"github.com/google/uuid"
)

// storage keeps records. Commit, Remove and Close are called by one goroutine, everything else by any.
type storage interface {
	// Commit stores a batch and the groups that changed, all or none; when it returns nil the batch survives a power cut. Positions and revisions are the
	// caller's. errFull says that nothing was stored and that a later batch may succeed; any other error leaves the state of
	// the disk unknown.
	Commit(batch []*record, groups []*groupRow) error
	// Groups returns the persistent subscriptions.
	Groups(ctx context.Context) ([]*groupRow, error)
	// LastPosition is the position of the newest record, 0 in an empty log.
	LastPosition(ctx context.Context) (int64, error)
	// LastRevision is the revision of a stream's newest record, -1 when it has none.
	LastRevision(ctx context.Context, stream string) (int64, error)
	// Find looks for an event id in a stream; nil when it is not there.
	Find(ctx context.Context, stream string, id uuid.UUID) (*record, error)
	// ReadStream returns a page of a stream.
	ReadStream(ctx context.Context, stream string, page streamPage) ([]*record, error)
	// ReadAll returns a page of the log.
	ReadAll(ctx context.Context, page allPage) ([]*record, error)
	// Remove removes the oldest records of a stream, those with a revision below a given one and at most limit of them, and
	// returns how many it removed. Its errors are those of Commit.
	Remove(stream string, below int64, limit int) (int, error)
	// FirstRevision is the revision of a stream's oldest record that was not removed, 0 when it never had one.
	FirstRevision(ctx context.Context, stream string) (int64, error)
	// MetaStreams returns the names of the streams that hold the metadata of others, in order, those after a name.
	MetaStreams(ctx context.Context, after string, limit int) ([]string, error)
	Close() error
}

// streamPage asks for the records of a stream with low <= revision <= high and position <= until, in either direction.
type streamPage struct {
	low, high int64
	until     int64
	backwards bool
	limit     int
}

// allPage asks for the records with low <= position <= high, in either direction.
type allPage struct {
	low, high int64
	backwards bool
	limit     int
	// wantFunc, when set, spares the payload of records that nobody wants: they come with position, stream, revision and type
	// only, unchecked.
	wantFunc func(stream, kind string) bool
}

// A page ends early when it has this many bytes, so that a reader of large events does not hold hundreds of them.
const maxPageBytes = 2 << 20

// pageLimit is how many records a page has at the most.
const pageLimit = 256

var errFull = errors.New("the disk is full")

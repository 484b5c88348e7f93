package projections

import (
	"context"
	"errors"
	"time"
)

// ErrStale is the conflict of optimistic concurrency: another process has written a document since it was loaded.
var ErrStale = errors.New("a document has changed since it was loaded")

// Documents is a small document store: all that the read models need of a database. Adapters know no read model by name, only
// collections and their indexes, which are declared at run time.
//
// A document is a Go struct with json tags. A field is named by its tag. An indexed field holds a text, a whole number, a bool or
// a time, of the same type in every document: a commit with another type fails. Times are in UTC, in whole milliseconds. Every
// document has a version: 1 when it is first written, one more with every write. All methods are safe for concurrent use, also by
// several processes, and end with their context. Every error but ErrStale may be transient: the store is unavailable.
type Documents interface {
	// Declare creates collections and their indexes where they do not exist. A process declares a collection before it
	// uses it. Declaring it again is no error. The indexes of a collection never change: documents with other fields or
	// indexes are stored in a collection with another name.
	Declare(ctx context.Context, collections ...Collection) error

	// Get returns the existing documents among the given ids, tombstones included, by id.
	Get(ctx context.Context, collection string, ids ...string) (map[string]Stored, error)

	// Page returns documents in the order of an index, without tombstones.
	Page(ctx context.Context, collection string, query Query) ([]Stored, error)

	// Commit writes documents, each only if it is still at the version it was loaded at, and then the checkpoint. In a
	// store without transactions, a failed commit may have written some of the documents, but never the checkpoint
	// before all of them. After ErrStale the caller loads the documents again, and repeats those changes that they
	// lack.
	Commit(ctx context.Context, batch Changes) error

	// Atomic reports whether Commit always writes either all of a batch or nothing.
	Atomic() bool

	// Sweep deletes up to limit tombstones made before a time, and returns how many.
	Sweep(ctx context.Context, collection string, before time.Time, limit int) (int, error)

	// Drop removes a collection with its documents. A collection that does not exist is no error. Commits to other collections are
	// possible at the same time.
	Drop(ctx context.Context, collection string) error

	// Shrink gives the room of dropped collections back to the disk. Commits are possible at the same time.
	Shrink(ctx context.Context) error
}

// Collection describes a collection of documents.
type Collection struct {
	Name    string // only letters a to z, digits and underscores
	Indexes []Index
}

// Index is an order of documents: by its fields, then by id, ascending. Texts are ordered by their bytes. Every document is in
// every index of its collection; tombstones are in none.
type Index struct {
	Name   string
	Fields []Field
}

// Field is one field of an index.
type Field struct {
	Name       string
	Descending bool
}

// IDIndex is an index that every collection has: by id alone.
const IDIndex = ""

// Query selects a page of an index: at most Limit documents whose first fields equal Equal, whose next field is in Range, and
// that follow After.
type Query struct {
	Index string
	Equal []any // values of the first fields of the index; may be fewer than the index has fields
	Range Range // bounds of the field that follows those in Equal
	// After is the position in the index after which the page begins: the values of those fields of the index that
	// follow the fields in Equal, and last the id of a document. When After has fewer values, the page begins after all
	// documents that have these values in their first fields. So a reader can skip the remaining documents of an
	// account.
	After []any
	Limit int // maximum of documents in the page, 1 to MaxPage
}

// Range limits a field, both ends included; nil: no limit at that end.
type Range struct {
	Min any
	Max any
}

// Stored is a document in the store.
type Stored struct {
	ID      string
	Version int64
	Gone    bool // the document is a tombstone
	Body    Body
}

// Body is the content of a stored document.
type Body interface {
	// Decode decodes the content into a struct. The parameter `into` is a pointer to the struct.
	Decode(into any) error
}

// Changes is one commit: the documents changed by a range of the log, each once, and the checkpoint after that range.
type Changes struct {
	Writes     []Write
	Checkpoint *Write // the checkpoint to write; nil: none
}

// Write replaces a document or creates one.
type Write struct {
	Collection string
	ID         string
	Loaded     int64 // version at which the document was loaded; 0: it did not exist
	Document   any   // new content: a struct with json tags
	// Gone, when set, turns the document into a tombstone made at that time. Until it is swept, the tombstone keeps version and
	// content, so that a process that lags cannot create the document again.
	Gone time.Time
}

// MaxPage is the largest Limit of a Query.
const MaxPage = 1000

package projections

import (
	"context"
	"errors"
	"time"
)

// ErrStale says that a document in a commit is no longer at the version it was loaded at: another process has written it.
var ErrStale = errors.New("a document has changed since it was loaded")

// Documents is a small document store: all that the read models ask of a database. Adapters know no read model by name;
// they know collections and their indexes, which are declared at run time.
//
// A document is a Go struct with json tags. A field is a name in its tag; a field that is indexed holds a text, a whole number, a
// bool or a time, the same in every document: a commit that breaks this fails. Times keep milliseconds, in UTC. Every document has a version: 1 when it is first written, one more
// with every write. All methods are safe for concurrent use, also by several processes, and end with their context.
// An error that is not ErrStale may pass: the store is away.
type Documents interface {
	// Declare makes collections and their indexes exist. A process declares a collection before it uses it; once more is no
	// error. The indexes of a name never change: another shape is another name.
	Declare(ctx context.Context, collections ...Collection) error

	// Get returns those of the named documents that exist, tombstones included, by id.
	Get(ctx context.Context, collection string, ids ...string) (map[string]Stored, error)

	// Page returns documents in the order of an index; tombstones are left out.
	Page(ctx context.Context, collection string, query Query) ([]Stored, error)

	// Commit replaces documents, each only at the version it was loaded at, and then the checkpoint. Where the store has no
	// transactions, a commit that fails may have written some of the documents, but never the checkpoint before the last of
	// them. With ErrStale the caller loads again, and applies again what is still missing.
	Commit(ctx context.Context, batch Batch) error

	// Sweep removes up to limit of the tombstones that were laid before a time, and returns how many.
	Sweep(ctx context.Context, collection string, before time.Time, limit int) (int, error)

	// Drop removes a collection and its documents. One that does not exist is no error.
	Drop(ctx context.Context, collection string) error
}

// Collection declares a place for documents.
type Collection struct {
	Name    string // [a-z0-9_]
	Indexes []Index
}

// Index declares an order of documents: by its fields, then by id, ascending. Texts are ordered by their bytes. Every
// document is in every index of its collection; tombstones are in none.
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

// Query is a page of an index: the documents whose first fields equal Equal and whose next field is in Range, that come after
// After, Limit at most.
type Query struct {
	Index string
	Equal []any // values of the first fields of the index, as many as are given
	Range Range // of the field that follows
	// After names a place by the values of the fields that follow Equal, and at last the id. With fewer values it is the place
	// behind all documents that begin with these: so a reader skips from one account to the next.
	After []any
	Limit int // 1 to 1000
}

// Range bounds a field, both ends included; nil leaves an end open.
type Range struct {
	Min any
	Max any
}

// Stored is a document as the store has it.
type Stored struct {
	ID      string
	Version int64
	Gone    bool // a tombstone
	Body    Body
}

// Body is the content of a stored document.
type Body interface {
	// Decode fills the struct that into points to.
	Decode(into any) error
}

// Batch is what one commit writes: the documents of a stretch of the log, each once, and the checkpoint that says so.
type Batch struct {
	Writes     []Write
	Checkpoint *Write // nil: none
}

// Write replaces one document, or writes a new one.
type Write struct {
	Collection string
	ID         string
	Loaded     int64 // the version it was loaded at; 0: it did not exist
	Document   any   // the struct
	// Gone, when set, makes the document a tombstone laid at that time. It keeps its version and its content, so that a process
	// that is behind cannot bring it back, until it is swept.
	Gone time.Time
}

// MaxPage is the largest Limit of a Query.
const MaxPage = 1000

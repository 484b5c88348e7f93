package projections

import (
	"errors"
	"fmt"

	"moviola/eventstore"
)

// ErrGap says that a document lacks events of its stream. Folding further events would hide the loss, so the projector stops.
var ErrGap = errors.New("a document lacks events of its stream")

// model is one read model: where its documents are stored and how an event changes them. Its methods are pure.
type model interface {
	// name is the read model's name. Its collections are named after it and the generation.
	name() string
	// shape is the version of the fields of the read model's documents. When the stored documents have another version,
	// the program builds the read model anew. Until that is done, it uses the stored documents if the model can read
	// their version: see ager.
	shape() int
	declare() []Index
	// touched names the documents that an event may change.
	touched(e Event) []string
	// decode reads a stored document.
	decode(Body) (any, error)
	// apply folds the event e into the document with the given id, which is one of the ids that touched has returned
	// for e. doc is nil when the document does not exist. gone says that the document is a tombstone. An event that was
	// folded in before changes nothing.
	apply(id string, doc any, gone bool, e Event) (folded, error)
}

// ager is a model that can read stored documents whose shape (version of the documents' fields) is older than the
// model's own shape.
type ager interface {
	// oldestShape returns the oldest shape of stored documents that the model can read. Later shapes have added fields
	// or indexes, or are stored in another form, but no field has changed. 0: the model can read its own shape only.
	oldestShape() int
}

// oldest returns the oldest shape of stored documents that a model can read.
func oldest(m model) int {
	if old, ok := m.(ager); ok && old.oldestShape() > 0 {
		return old.oldestShape()
	}
	return m.shape()
}

// lister is a model that says of which streams the documents are that accounts list. When the program cannot read an
// event of a stream, the documents that are folded from this stream stay outdated. Lists of an account that might show
// such a document are refused: see mayList.
type lister interface {
	// listed is the category of the streams that the listed documents are folded from; empty: accounts do not list them.
	listed() string
}

// folded is the result of folding an event into a document.
type folded struct {
	doc     any
	gone    bool // the document becomes, or stays, a tombstone
	changed bool
}

// decodeAs reads a stored document of type T.
func decodeAs[T any](b Body) (T, error) {
	var doc T
	err := b.Decode(&doc)
	return doc, err
}

// streamModel has one document for each stream of a category, guarded by the stream's revision.
type streamModel[T any] struct {
	modelName  string
	modelShape int
	oldShape   int // oldest shape (field version) of stored documents that can be read; 0: only modelShape
	category   string
	forOwners  bool // accounts can list the documents
	indexes    []Index
	revision   func(*T) *int64
	fold       func(T, Event) T
}

func (s streamModel[T]) name() string                  { return s.modelName }
func (s streamModel[T]) shape() int                    { return s.modelShape }
func (s streamModel[T]) oldestShape() int              { return s.oldShape }
func (s streamModel[T]) declare() []Index              { return s.indexes }
func (s streamModel[T]) decode(body Body) (any, error) { return decodeAs[T](body) }

func (s streamModel[T]) listed() string {
	if !s.forOwners {
		return ""
	}
	return s.category
}

func (s streamModel[T]) touched(e Event) []string {
	if e.Category != s.category {
		return nil
	}
	return []string{e.ID}
}

func (s streamModel[T]) apply(_ string, doc any, gone bool, e Event) (folded, error) {
	have, _ := doc.(T)
	next, changed, err := s.next(have, doc != nil, e)
	return folded{doc: next, gone: gone, changed: changed}, err
}

// next folds the event that follows the document's revision. An earlier event changes nothing; a later one is ErrGap.
func (s streamModel[T]) next(doc T, exists bool, e Event) (T, bool, error) {
	last := eventstore.NoStream
	if exists {
		last = eventstore.Revision(*s.revision(&doc))
	}
	switch {
	case e.Revision <= last:
		return doc, false, nil
	case e.Revision > last+1:
		return doc, false, fmt.Errorf("%s of %s-%s: revision %d follows %d: %w", s.modelName, e.Category, e.ID, e.Revision,
			last, ErrGap)
	}
	doc = s.fold(doc, e)
	*s.revision(&doc) = int64(e.Revision)
	return doc, true, nil
}

package projections

import (
	"context"
	"errors"
	"fmt"
)

// Extract reads whole read models, in the order of their ids, for exports. It changes nothing.
type Extract struct{ at *catalogue }

// Moments is a Documents that can be read as a consistent snapshot.
type Moments interface {
	// Moment calls do with a read-only snapshot of the documents, which ends when do returns.
	Moment(ctx context.Context, do func(Documents) error) error
}

// OpenExtract opens the current read models. It returns an error when there are none, or when those to be exported have
// documents with another version of fields than this program writes.
func OpenExtract(ctx context.Context, docs Documents) (*Extract, error) {
	at, err := openCurrent(ctx, docs, movieModel, deliveryModel{}, usageModel{}, statementModel{})
	if err != nil {
		return nil, err
	}
	return &Extract{at: at}, nil
}

// openCurrent finds the current read models, without creating or building any.
func openCurrent(ctx context.Context, docs Documents, models ...model) (*catalogue, error) {
	at := &catalogue{docs: docs, models: models}
	if err := docs.Declare(ctx, pointers, checkpoints); err != nil {
		return nil, fmt.Errorf("declare the pointer to the read models: %w", err)
	}
	pointer, err := at.read(ctx)
	switch {
	case err != nil:
		return nil, err
	case pointer == nil:
		return nil, errors.New("there are no read models")
	case !at.fits(pointer.Models):
		return nil, errors.New("the read models are those of another version of this program: start it, and let it make its own")
	}
	at.current.Store(pointer)
	// a store knows only declared collections
	if err := at.declare(ctx, pointer.Generation, pointer.Models); err != nil {
		return nil, err
	}
	return at, nil
}

// AtOneMoment calls do with a snapshot of the read models. If the store has no snapshots, do reads the documents while they
// change.
func (e *Extract) AtOneMoment(ctx context.Context, do func(*Extract) error) error {
	moments, ok := e.at.docs.(Moments)
	if !ok {
		return do(e)
	}
	return moments.Moment(ctx, func(docs Documents) error {
		still := &catalogue{docs: docs, models: e.at.models}
		still.current.Store(e.at.current.Load())
		return do(&Extract{at: still})
	})
}

// Position is the position in the log that the read models include; zero: no event was folded yet.
func (e *Extract) Position(ctx context.Context) (uint64, error) {
	at, err := e.at.loadCheckpoint(ctx, e.at.current.Load().Generation)
	return uint64(at.Commit), err
}

// Collections are the names of the collections of the store by read model.
func (e *Extract) Collections() map[string]string {
	names := make(map[string]string)
	for _, m := range e.at.models {
		names[m.name()] = e.at.collection(m.name())
	}
	return names
}

// Movies calls visit for the movies in the order of their ids, without abandoned submissions. It begins with the first
// id that is greater than after.
func (e *Extract) Movies(ctx context.Context, after string, visit func(id string, m Movie) error) error {
	return each(ctx, e, movieModel, after, func(id string, m Movie) error {
		if m.Status == statusAbandoned {
			return nil
		}
		return visit(id, m)
	})
}

// Deliveries calls visit for the destinations of all movies in the order of their ids. It begins with the first id that
// is greater than after.
func (e *Extract) Deliveries(ctx context.Context, after string, visit func(id string, d Delivery) error) error {
	return each(ctx, e, deliveryModel{}, after, visit)
}

// Usage calls visit for the documents of usage, one for each day and account, in the order of their ids. It begins with
// the first id that is greater than after.
func (e *Extract) Usage(ctx context.Context, after string, visit func(id string, u Usage) error) error {
	return each(ctx, e, usageModel{}, after, visit)
}

// Entries calls visit for the entries of all ledgers in the order of their ids. It begins with the first id that is
// greater than after.
func (e *Extract) Entries(ctx context.Context, after string, visit func(id string, entry Entry) error) error {
	return each(ctx, e, statementModel{}, after, visit)
}

// each calls visit for the documents of a read model in the order of their ids. It begins with the first id that is
// greater than after, and reads the documents page by page.
func each[T any](ctx context.Context, e *Extract, m model, after string, visit func(id string, doc T) error) error {
	q := Query{Index: IDIndex, Limit: MaxPage}
	if after != "" {
		q.After = []any{after}
	}
	for {
		page, err := e.at.docs.Page(ctx, e.at.collection(m.name()), q)
		if err != nil {
			return fmt.Errorf("read %s: %w", m.name(), err)
		}
		for _, stored := range page {
			doc, err := decodeAs[T](stored.Body)
			if err != nil {
				return fmt.Errorf("decode %s %s: %w", m.name(), stored.ID, err)
			}
			if err := visit(stored.ID, doc); err != nil {
				return err
			}
		}
		if len(page) < MaxPage {
			return nil
		}
		q.After = []any{page[len(page)-1].ID}
	}
}

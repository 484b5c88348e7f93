package projections

import (
	"context"
	"errors"
	"fmt"
)

// Extract reads whole read models, in the order of their ids, for those who take them elsewhere. It changes nothing.
type Extract struct{ at *catalogue }

// Moments is a Documents that can be read as it is at one moment.
type Moments interface {
	// Moment calls do with documents of one moment, which may be read only, until do returns.
	Moment(ctx context.Context, do func(Documents) error) error
}

// OpenExtract finds the read models that are current. It is an error when there are none, or none of this program's shapes.
func OpenExtract(ctx context.Context, docs Documents) (*Extract, error) {
	at, err := openCurrent(ctx, docs, movieModel, deliveryModel{}, usageModel{}, statementModel{})
	if err != nil {
		return nil, err
	}
	return &Extract{at: at}, nil
}

// openCurrent finds where read models are now, without making or building any.
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
	// a store knows no collection that was not declared to it
	if err := at.declare(ctx, pointer.Generation, pointer.Models); err != nil {
		return nil, err
	}
	return at, nil
}

// AtOneMoment calls do with what the read models hold at one moment, or, where the store cannot tell one, with what is there as
// it is read.
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

// Position is the place in the log up to which the read models stand; zero: nothing was folded yet.
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

// Movies hands out the movies behind an id, without submissions that were abandoned.
func (e *Extract) Movies(ctx context.Context, after string, visit func(id string, m Movie) error) error {
	return each(ctx, e, movieModel, after, func(id string, m Movie) error {
		if m.Status == statusAbandoned {
			return nil
		}
		return visit(id, m)
	})
}

// Deliveries hands out the destinations behind an id.
func (e *Extract) Deliveries(ctx context.Context, after string, visit func(id string, d Delivery) error) error {
	return each(ctx, e, deliveryModel{}, after, visit)
}

// Usage hands out the days and accounts behind an id.
func (e *Extract) Usage(ctx context.Context, after string, visit func(id string, u Usage) error) error {
	return each(ctx, e, usageModel{}, after, visit)
}

// Entries hands out the entries of the ledgers behind an id.
func (e *Extract) Entries(ctx context.Context, after string, visit func(id string, entry Entry) error) error {
	return each(ctx, e, statementModel{}, after, visit)
}

// each hands out the documents of a read model, a page at a time.
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

package projections

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/batch"
	"moviola/eventstore"
)

// The states of a batch of movies. The movies in it have statuses of their own.
const (
	BatchRequested = "requested" // the batch's credits are not held yet
	BatchAccepted  = "accepted"  // the batch's movies are being submitted
	BatchSubmitted = "submitted" // every row of the batch has its movie
	BatchCancelled = "cancelled"
	batchRefused   = "refused" // no query returns a batch in this state
)

// MovieBatch is the read model of one batch of movies. Its id is the batch's id. Decision 63.
type MovieBatch struct {
	ID          string       `json:"id"`
	Account     string       `json:"account"` // empty for a refused batch, so that no list shows it
	Revision    int64        `json:"revision"`
	State       string       `json:"state"` // requested, accepted, submitted, cancelled
	Template    string       `json:"template"`
	CreatedAt   time.Time    `json:"created_at"`
	CancelledAt *time.Time   `json:"cancelled_at"`
	Counted     bool         `json:"counted"`
	Credits     int64        `json:"credits"` // credits held, or to be held, for all rows
	Rows        []batch.Row  `json:"rows"`
	Flaws       []batch.Flaw `json:"flaws"`
}

// foldMovieBatch applies one event of a batch's stream.
func foldMovieBatch(b MovieBatch, e Event) MovieBatch {
	b.ID = e.ID
	switch d := e.Data.(type) {
	case batch.Requested:
		b.Account, b.State, b.Template, b.CreatedAt = string(d.Account), BatchRequested, d.Template, millis(d.At)
		b.Counted, b.Rows, b.Flaws = d.Counted, d.Rows, d.Flaws
		for _, row := range d.Rows {
			b.Credits += row.Held
		}
	case batch.Accepted:
		b.State = BatchAccepted
	case batch.Submitted:
		b.State = BatchSubmitted
	case batch.Refused:
		b.Account, b.State = "", batchRefused
	case batch.Cancelled:
		b.State, b.CancelledAt = BatchCancelled, at(d.At)
	}
	return b
}

// movieBatchModel orders an account's batches newest first, then by id.
var movieBatchModel = streamModel[MovieBatch]{
	modelName: "batches", modelShape: 2, oldShape: 1, category: batch.StreamCategory, forOwners: true,
	indexes: []Index{
		{Name: indexNewest, Fields: []Field{{Name: "account"}, {Name: "created_at", Descending: true}, {Name: "id"}}},
	},
	revision: func(b *MovieBatch) *int64 { return &b.Revision },
	fold:     foldMovieBatch,
}

// MovieBatches answers queries for batches of movies.
type MovieBatches struct {
	at  *catalogue
	log *eventstore.Log
}

// Get returns a batch, and false when it does not exist or was refused. The batch includes every event that its stream
// has at the time of the call. When the log is unavailable, Get returns the document as stored, or an error.
func (b *MovieBatches) Get(ctx context.Context, id batch.ID) (MovieBatch, bool, error) {
	doc, known, err := movieBatchModel.load(ctx, b.at, string(id))
	if err == nil {
		doc, known, err = movieBatchModel.catchUp(ctx, b.log, doc, known, string(id))
	}
	if err != nil || !known || doc.State == batchRefused {
		return MovieBatch{}, false, err
	}
	return doc, true, nil
}

// BatchList selects a page of an account's batches, newest first. Its JSON is the cursor of GET /batches.
type BatchList struct {
	Account      domain.AccountID `json:"a"`
	Limit        int              `json:"l"` // maximum of batches in the page, 1 to 100
	*BatchCursor                  // the last batch of the previous page; nil: the first page
}

// BatchCursor is a batch's place in the list.
type BatchCursor struct {
	CreatedAt time.Time `json:"c"`
	ID        batch.ID  `json:"b"`
}

// Cursor returns the batch's place in the list.
func (b MovieBatch) Cursor() BatchCursor {
	return BatchCursor{CreatedAt: b.CreatedAt, ID: batch.ID(b.ID)}
}

// List returns a page of an account's batches, and whether more follow.
func (b *MovieBatches) List(ctx context.Context, list BatchList) ([]MovieBatch, bool, error) {
	q := Query{Index: indexNewest, Equal: []any{string(list.Account)}, Limit: list.Limit + 1}
	if after := list.BatchCursor; after != nil {
		q.After = []any{after.CreatedAt, string(after.ID)}
	}
	found, err := page[MovieBatch](ctx, b.at, movieBatchModel.modelName, q)
	if err != nil || len(found) <= list.Limit {
		return found, false, err
	}
	return found[:list.Limit], true, nil
}

// Movies returns the submitted movies of a batch, by row. It may lag behind the log.
func (b *MovieBatches) Movies(ctx context.Context, account domain.AccountID, id batch.ID) ([]Movie, error) {
	return page[Movie](ctx, b.at, movieModel.modelName,
		Query{Index: indexBatch, Equal: []any{string(account), string(id)}, Limit: batch.MaxRows})
}

package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/batch"
	"moviola/domain/blobkey"
	"moviola/domain/idempotency"
	"moviola/domain/ledger"
	"moviola/eventstore"
)

// RequestBatch requests a movie of one template for each row of variables. Decision 63.
type RequestBatch struct {
	Account domain.AccountID
	Order   batch.Order
	// Hash is the hash of the whole request: a retry with the same key has the same hash.
	Hash           string
	IdempotencyKey string // 1 to 255 characters; a retry with the same key continues the same batch. Empty: none
}

// AcceptedBatch is a batch whose credits are held. A processor submits its movies.
type AcceptedBatch struct {
	ID        batch.ID
	Requested batch.Requested
	Position  eventstore.Position
}

// FlawedBatchError refuses a batch because of its rows.
type FlawedBatchError struct {
	Refusal *domain.Error
	Flaws   []batch.Flaw
}

func (e *FlawedBatchError) Error() string { return e.Refusal.Error() }

// Unwrap implements the interface of package errors.
func (e *FlawedBatchError) Unwrap() error { return e.Refusal }

// RequestBatchConfig is what NewRequestBatchHandler needs. Every field is required.
type RequestBatchConfig struct {
	Submit SubmitMovieHandler // checks and prices the rows; what it refuses for a movie is refused for a row
	NewID  func() batch.ID    // NewBatchID, except in tests
}

// RequestBatchHandler handles RequestBatch.
type RequestBatchHandler struct {
	submit  SubmitMovieHandler
	batches movieBatches
	newID   func() batch.ID
}

// NewRequestBatchHandler returns a handler.
func NewRequestBatchHandler(cfg RequestBatchConfig) RequestBatchHandler {
	return RequestBatchHandler{submit: cfg.Submit, batches: cfg.Submit.batches(), newID: cfg.NewID}
}

// batches returns the movieBatches with this handler's dependencies.
func (h SubmitMovieHandler) batches() movieBatches {
	return movieBatches{log: h.movies.log, now: h.movies.now, ledgers: h.ledgers, plans: h.plans}
}

// Admit refuses an account that may not submit anything now, by the same rules as for a movie. It does not refuse a retry of
// an accepted batch. It is called before the body is read.
func (h RequestBatchHandler) Admit(ctx context.Context, account domain.AccountID, idempotencyKey string) error {
	refused := h.submit.Admit(ctx, account, "")
	if refused == nil || idempotencyKey == "" {
		return refused
	}
	before, err := h.reservation(ctx, account, idempotencyKey)
	if err != nil || before != "" {
		return err
	}
	return refused
}

// Handle accepts the batch or refuses it as a whole. A crash at any point neither loses an accepted batch nor charges for a
// batch that is not made: first the rows are stored, then Requested is appended, then all holds in one append, then
// Accepted. After a crash that follows Requested a processor takes the remaining steps. A retry with the same idempotency
// key continues the same batch.
func (h RequestBatchHandler) Handle(ctx context.Context, cmd RequestBatch) (AcceptedBatch, error) {
	id, err := h.earlier(ctx, cmd)
	if err != nil {
		return AcceptedBatch{}, err
	}
	b := batch.New()
	var at eventstore.Appended
	if id != "" {
		if b, at, err = h.batches.load(ctx, id); err != nil {
			return AcceptedBatch{}, h.failed(cmd.Account, err)
		}
	}
	if _, known := b.Requested(); !known {
		if id, b, at, err = h.request(ctx, cmd); err != nil {
			return AcceptedBatch{}, h.failed(cmd.Account, err)
		}
	}
	if b.Next() == batch.Hold {
		if b, at, err = h.batches.hold(ctx, id, b); err != nil {
			return AcceptedBatch{}, h.failed(cmd.Account, err)
		}
	}
	if refused := b.Refused(); refused != nil { // to a concurrent request with the same key
		return AcceptedBatch{}, domain.Errorf(domain.Invalid, refused.Code, "%s", refused.Message)
	}
	requested, _ := b.Requested()
	return AcceptedBatch{ID: id, Requested: requested, Position: at.Position}, nil
}

// Price parses the rows of an order as Handle does. Each valid row gets its price, each invalid row its flaw. Nothing is stored
// or held, and an invalid row does not refuse the order.
func (h RequestBatchHandler) Price(ctx context.Context, account domain.AccountID, order batch.Order) (batch.Requested, error) {
	requested, _, err := h.readRows(ctx, account, order)
	if err != nil {
		return batch.Requested{}, h.failed(account, err)
	}
	return requested, nil
}

// request parses the rows, refuses an invalid batch, stores the rows and appends Requested.
func (h RequestBatchHandler) request(ctx context.Context, cmd RequestBatch) (batch.ID, *batch.Batch, eventstore.Appended, error) {
	none := eventstore.Appended{}
	requested, secret, err := h.check(ctx, cmd)
	if err != nil {
		return "", nil, none, err
	}
	rows, err := json.Marshal(cmd.Order.Rows)
	if err != nil {
		return "", nil, none, fmt.Errorf("write the rows of a batch: %w", err)
	}
	requested.RowsHash = bodyHash(rows)
	ctx, cancel := context.WithTimeout(ctx, submitLimit)
	defer cancel()
	id, err := h.reserve(ctx, cmd)
	if err != nil {
		return "", nil, none, err
	}
	storing := withSecrets(ctx, secrets{all: secret})
	if err := h.submit.files.Put(storing, blobkey.BatchRows(cmd.Account, id), bytes.NewReader(rows)); err != nil {
		return "", nil, none, fmt.Errorf("store the rows of batch %s: %w", id, err)
	}
	b, at, err := h.batches.decide(ctx, cmd.Account, id, func(b *batch.Batch, at time.Time) ([]domain.Event, error) {
		requested.At = at
		return b.Request(requested)
	})
	return id, b, at, err
}

// check parses every row. It refuses the batch, among others, when no row is valid, when a row is invalid although all must
// be valid, and when the batch costs more credits than are available. secret is that of readRows.
func (h RequestBatchHandler) check(
	ctx context.Context, cmd RequestBatch,
) (requested batch.Requested, secret bool, err error) {
	requested, secret, err = h.readRows(ctx, cmd.Account, cmd.Order)
	if err != nil {
		return requested, secret, err
	}
	if n := len(requested.Flaws); n > 0 && (cmd.Order.AllOrNothing || len(requested.Rows) == 0) {
		first := requested.Flaws[0]
		refusal := domain.Errorf(domain.Invalid, "rows_invalid", "%d of %d rows cannot be made into movies; row %d: %s",
			n, n+len(requested.Rows), first.Row, first.Message)
		return requested, secret, &FlawedBatchError{Refusal: refusal, Flaws: requested.Flaws}
	}
	var sum int64
	for _, row := range requested.Rows {
		sum += row.Held
	}
	if requested.Counted {
		return requested, secret, nil // the month's quota is checked later, when the hold counts all rows
	}
	err = h.submit.ledgers.Expect(ctx, cmd.Account, func(l *ledger.Ledger) error { return l.Afford(sum) })
	return requested, secret, err
}

// keyStream returns the stream of an idempotency key for batches. The same key for movies has
// another stream.
func keyStream(account domain.AccountID, key string) string {
	return idempotency.Stream(account, "batch\x00"+key)
}

// reservation returns the batch for which an idempotency key is reserved, if that batch was accepted.
func (h RequestBatchHandler) reservation(ctx context.Context, account domain.AccountID, key string) (batch.ID, error) {
	k, err := h.key(ctx, account, key)
	if err != nil {
		return "", err
	}
	reserved, live := k.Reservation(h.batches.now.Stamp())
	if !live {
		return "", nil
	}
	fate, err := h.fate(ctx, batch.ID(reserved.Project))
	if err != nil || fate != idempotency.Accepted {
		return "", err
	}
	return batch.ID(reserved.Project), nil
}

// earlier returns the batch of an earlier request with the same key and body; empty: there was no earlier request, or its
// batch was refused. Decision 25.
func (h RequestBatchHandler) earlier(ctx context.Context, cmd RequestBatch) (batch.ID, error) {
	if cmd.IdempotencyKey == "" {
		return "", nil
	}
	if err := idempotency.CheckKey(cmd.IdempotencyKey); err != nil {
		return "", err
	}
	k, err := h.key(ctx, cmd.Account, cmd.IdempotencyKey)
	if err != nil {
		return "", err
	}
	now := h.batches.now.Stamp()
	reserved, live := k.Reservation(now)
	if !live {
		return "", nil
	}
	fate, err := h.fate(ctx, batch.ID(reserved.Project))
	if err != nil {
		return "", err
	}
	renewed, err := k.Reserve(reserved.Project, cmd.Hash, fate, now)
	if err != nil || len(renewed) > 0 {
		return "", err
	}
	return batch.ID(reserved.Project), nil
}

// reserve reserves the idempotency key of cmd for a new batch, and returns the id of the batch. If the key is reserved
// already, it returns the id of the batch for which it is reserved. If cmd has no idempotency key, it returns a new id.
func (h RequestBatchHandler) reserve(ctx context.Context, cmd RequestBatch) (batch.ID, error) {
	id := h.newID()
	if cmd.IdempotencyKey == "" {
		return id, nil
	}
	var k idempotency.Key
	_, err := h.batches.log.Decide(ctx, keyStream(cmd.Account, cmd.IdempotencyKey), &k, func() (eventstore.Decision, error) {
		at := h.batches.now.Stamp()
		fate := idempotency.Missing
		if reserved, live := k.Reservation(at); live {
			var err error
			if fate, err = h.fate(ctx, batch.ID(reserved.Project)); err != nil {
				return eventstore.Decision{}, err
			}
		}
		events, err := k.Reserve(domain.ProjectID(id), cmd.Hash, fate, at)
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, cmd.Account, at), Events: events}, err
	})
	if err != nil {
		return "", fmt.Errorf("reserve the idempotency key: %w", err)
	}
	reserved, _ := k.Reservation(h.batches.now.Stamp())
	return batch.ID(reserved.Project), nil
}

func (h RequestBatchHandler) key(ctx context.Context, account domain.AccountID, key string) (*idempotency.Key, error) {
	k := new(idempotency.Key)
	_, err := h.batches.log.CatchUp(ctx, keyStream(account, key), eventstore.Appended{Revision: eventstore.NoStream}, k.Apply)
	if err != nil {
		return nil, fmt.Errorf("look for the idempotency key: %w", err)
	}
	return k, nil
}

// fate returns the state of a batch for which a key is reserved.
func (h RequestBatchHandler) fate(ctx context.Context, id batch.ID) (idempotency.Fate, error) {
	b, _, err := h.batches.load(ctx, id)
	switch {
	case err != nil:
		return idempotency.Missing, err
	case b.Refused() != nil:
		return idempotency.Abandoned, nil
	case b.Accepted():
		return idempotency.Accepted, nil
	}
	return idempotency.Missing, nil
}

// failed returns the error for the client when a store has failed. It returns an error that contains a *domain.Error
// unchanged.
func (h RequestBatchHandler) failed(account domain.AccountID, err error) error {
	var refusal *domain.Error
	if errors.As(err, &refusal) {
		return err
	}
	return fmt.Errorf("request a batch of account %s: %w", account, err)
}

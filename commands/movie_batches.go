package commands

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"moviola/commands/ledgers"
	"moviola/domain"
	"moviola/domain/batch"
	"moviola/domain/ledger"
	"moviola/domain/movie"
	"moviola/domain/plan"
	"moviola/eventstore"
)

// NewBatchID returns a new id of a batch of movies.
func NewBatchID() batch.ID {
	id, err := domain.NewProjectID(rand.Reader, time.Now())
	if err != nil {
		panic("crypto/rand.Reader returned an error, which it promises not to: " + err.Error())
	}
	return batch.ID(id)
}

// movieBatches has the functions that commands on batches of movies share. Decision 63.
type movieBatches struct {
	log     *eventstore.Log
	now     eventstore.Clock
	ledgers *ledgers.Ledgers
	plans   *AccountPlans
}

// decide loads a batch, calls the function in the parameter decide, and appends the events that it returns. No events are no
// error.
func (s movieBatches) decide(
	ctx context.Context, account domain.AccountID, id batch.ID, decide func(b *batch.Batch, at time.Time) ([]domain.Event, error),
) (*batch.Batch, eventstore.Appended, error) {
	b := batch.New()
	appended, err := s.log.Decide(ctx, batch.Stream(id), b, func() (eventstore.Decision, error) {
		at := s.now.Stamp()
		events, err := decide(b, at)
		if requested, ok := b.Requested(); ok {
			account = cmp.Or(requested.Account, account)
		}
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, account, at), Events: events}, err
	})
	if err != nil {
		return b, appended, fmt.Errorf("batch %s: %w", id, err)
	}
	return b, appended, nil
}

// load folds the stream of a batch.
func (s movieBatches) load(ctx context.Context, id batch.ID) (*batch.Batch, eventstore.Appended, error) {
	b := batch.New()
	at, err := s.log.CatchUp(ctx, batch.Stream(id), eventstore.Appended{Revision: eventstore.NoStream}, b.Apply)
	if err != nil {
		return b, at, fmt.Errorf("load batch %s: %w", id, err)
	}
	return b, at, nil
}

// endMovies ends each movie of a batch that waits or renders, and prevents the submission of movies that were not submitted.
// It leaves out rows without an open hold. It does not release the holds: that is done afterwards, as for every movie that
// has ended.
func (s movieBatches) endMovies(ctx context.Context, id batch.ID, requested batch.Requested) error {
	movies := NewMovies(s.log, s.now)
	return eachRow(ctx, requested.Rows, func(ctx context.Context, row batch.Row) error {
		project := batch.Project(id, row.Number)
		_, held, err := s.ledgers.OpenHold(ctx, requested.Account, project)
		if err != nil || !held {
			return err // the movie has ended, or has no hold
		}
		end := func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
			if m.Account() == "" {
				return m.Abandon(requested.Account, at), nil
			}
			events, err := m.Cancel(requested.Account, at)
			if refusedNow(err) {
				return nil, nil // the movie has ended already
			}
			return events, err
		}
		_, err = movies.DecideFor(ctx, requested.Account, project, end)
		return err
	})
}

// hold holds the credits for all rows in one append or, on a counted plan, counts the rows. It records in the batch that
// this was done or refused. The error may be that refusal. When the batch was cancelled or refused meanwhile, hold ends its
// movies, so that the credits are released. hold may be repeated.
func (s movieBatches) hold(ctx context.Context, id batch.ID, b *batch.Batch) (*batch.Batch, eventstore.Appended, error) {
	ctx, cancel := context.WithTimeout(ctx, submitLimit)
	defer cancel()
	requested, _ := b.Requested()
	rows := make([]ledger.BatchRow, len(requested.Rows))
	for i, row := range requested.Rows {
		rows[i] = ledger.BatchRow{Project: batch.Project(id, row.Number), Amount: row.Held, Draft: row.Draft}
	}
	held := ledgers.HoldBatch{Account: requested.Account, Batch: id, Rows: rows, Counted: requested.Counted}
	if requested.Counted {
		allowed, err := s.plans.Of(ctx, requested.Account)
		if err != nil {
			return b, eventstore.Appended{}, err
		}
		held.Quota = quotaOf(allowed)
	}
	_, err := s.ledgers.HoldBatch(ctx, held)
	var refusal *domain.Error
	if err != nil && !errors.As(err, &refusal) {
		return b, eventstore.Appended{}, fmt.Errorf("hold the credits of batch %s: %w", id, err)
	}
	b, at, err := s.decide(ctx, requested.Account, id, func(b *batch.Batch, at time.Time) ([]domain.Event, error) {
		if refusal != nil {
			return b.Refuse(refusal, at), nil
		}
		return b.Accept(at), nil
	})
	if err == nil && refusal == nil && !b.Accepted() { // the batch may be wound down already, without these holds
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), submitLimit)
		defer cancel()
		err = s.endMovies(ending, id, requested)
	}
	if err == nil && b.Refused() != nil { // this call, or a concurrent one before it, was refused the credits
		err = domain.Errorf(refusalKind(refusal), b.Refused().Code, "%s", b.Refused().Message)
	}
	return b, at, err
}

// refusalKind returns the kind of a refusal. A refusal that another process has recorded is nil here and has no kind: then
// refusalKind returns Invalid.
func refusalKind(refusal *domain.Error) domain.Kind {
	if refusal == nil {
		return domain.Invalid
	}
	return refusal.Kind
}

func quotaOf(p plan.Plan) ledger.Quota { return ledger.Quota{Movies: p.Movies, Drafts: p.Drafts} }

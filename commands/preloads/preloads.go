package preloads

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/preload"
	"moviola/eventstore"
)

// newPreloadID makes an id of a preload batch.
func newPreloadID() preload.ID {
	id, err := domain.NewProjectID(rand.Reader, time.Now())
	if err != nil {
		panic("crypto/rand.Reader returned an error, which it promises not to: " + err.Error())
	}
	return preload.ID(id)
}

// preloadStreams has the functions that commands on preload batches share.
type preloadStreams struct {
	log *eventstore.Log
	now eventstore.Clock
}

// batched is the result of a decision on a preload batch.
type batched struct {
	*preload.Preload
	eventstore.Appended
	events []domain.Event
}

// decide loads a preload batch, calls the function in the parameter decide, and appends the events that it returns. When the
// claim is lost, or decide returns no events, the error is ErrNothingToDo.
func (s preloadStreams) decide(
	ctx context.Context, account domain.AccountID, id preload.ID, decide func(b *preload.Preload) ([]domain.Event, error),
) (batched, error) {
	d := batched{Preload: preload.New()}
	var err error
	d.Appended, err = s.log.Decide(ctx, preload.Stream(id), d.Preload, func() (eventstore.Decision, error) {
		var err error
		d.events, err = decide(d.Preload)
		if requested, ok := d.Requested(); ok {
			account = requested.Account
		}
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, account, s.now.Stamp()), Events: d.events}, err
	})
	switch {
	case errors.Is(err, preload.ErrLost):
		return d, commands.ErrNothingToDo
	case err != nil:
		return d, fmt.Errorf("preload %s: %w", id, err)
	case len(d.events) == 0:
		return d, commands.ErrNothingToDo
	}
	return d, nil
}

// load folds the stream of a batch.
func (s preloadStreams) load(ctx context.Context, id preload.ID) (*preload.Preload, error) {
	b := preload.New()
	if _, err := s.log.Fold(ctx, preload.Stream(id), b.Apply); err != nil {
		return nil, fmt.Errorf("load preload %s: %w", id, err)
	}
	return b, nil
}

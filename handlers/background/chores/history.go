package chores

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/domain/plan"
	"moviola/eventstore"
	"moviola/eventstore/archived"
)

// Archive moves to archive files the streams that have ended. *archived.Store implements it.
type Archive interface {
	Archive(ctx context.Context, rule archived.Rule) (archived.Done, error)
}

// HistoryConfig is what History needs. Every field but Plans and PlanOf is required.
type HistoryConfig struct {
	Archive Archive
	Codec   *eventstore.Codec
	// Age is how long the events of a movie stay in the log after the last of them, for accounts whose plan sets no such
	// time (History of the plan is 0). 0: for ever.
	Age time.Duration
	// Plans are the plans whose field History sets how long the events of movies stay in the log; nil: no plan sets it.
	Plans []plan.Plan
	// PlanOf returns the plan of an account. It is required when Plans is not empty.
	PlanOf func(ctx context.Context, account domain.AccountID) (plan.Plan, error)
	Logger logrus.FieldLogger
}

// History is the chore of archiving movies that have ended and whose last event is old enough. The plan of the movie's
// account sets how old that is or, when the plan does not, Age of config. Movies with an event that this version cannot
// read stay in the log. Decisions 90 and 96.
func History(config HistoryConfig) Chore {
	return Chore{Name: "events of old movies", Do: func(ctx context.Context, now time.Time) error {
		var failures []error
		for _, p := range append([]plan.Plan{{}}, config.Plans...) {
			if age := p.Kept(config.Age); age > 0 {
				failures = append(failures, config.archive(ctx, p.Name, now.Add(-age)))
			}
		}
		return errors.Join(failures...)
	}}
}

// archive archives the movies that have ended and whose last event is older than before. The parameter plan names a plan:
// only movies of accounts on this plan are archived. If it is empty, these are the accounts on all plans that do not set
// when movies are archived (History is 0).
func (c HistoryConfig) archive(ctx context.Context, plan string, before time.Time) error {
	done, err := c.Archive.Archive(ctx, archived.Rule{Lane: plan, Before: before, Ended: c.ended(ctx, plan)})
	if done.Files > 0 {
		c.Logger.WithFields(logrus.Fields{
			"movies": done.Streams, "events": done.Events, "files": done.Files, "bytes": done.Bytes,
		}).Info("old movies archived; the event store removes their events from the log")
	}
	if errors.Is(err, archived.ErrBusy) {
		return nil // another process is archiving the log already
	}
	return err
}

// ended returns a function that gets all events of a movie. That function reports whether the movie has ended and its
// account is on the plan that the parameter plan names. An empty name stands for all plans that do not set when movies are
// archived (History is 0).
func (c HistoryConfig) ended(ctx context.Context, plan string) func([]eventstore.Recorded) (bool, error) {
	return func(events []eventstore.Recorded) (bool, error) {
		account, is, err := hasEnded(c.Codec, events)
		if err != nil || !is || len(c.Plans) == 0 {
			return is, err
		}
		of, err := c.PlanOf(ctx, account)
		if err != nil {
			return false, fmt.Errorf("read the plan of %s: %w", account, err)
		}
		if of.History == 0 {
			return plan == "", nil
		}
		return plan == of.Name, nil
	}
}

// hasEnded returns the account of a movie, and whether the movie has ended: it has an outcome and, if it is closed and has
// destinations, these have their results.
func hasEnded(codec *eventstore.Codec, events []eventstore.Recorded) (domain.AccountID, bool, error) {
	_, project := eventstore.SplitStream(events[0].Stream)
	m := movie.New(domain.ProjectID(project))
	for _, recorded := range events {
		event, _, err := codec.Decode(recorded)
		if errors.Is(err, eventstore.ErrUnavailable) {
			return "", false, fmt.Errorf("read a movie: %w", err)
		}
		if err != nil {
			return "", false, nil // this version cannot read an event, so the movie stays in the log
		}
		m.Apply(event)
	}
	if _, closed := m.Closing(); closed && len(m.Destinations()) > 0 {
		return m.Account(), m.Delivered(), nil
	}
	return m.Account(), m.Outcome() != movie.NoOutcome, nil
}

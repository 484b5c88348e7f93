package chores

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
	"moviola/eventstore/archived"
)

// Archive moves streams that have ended from the log to archive files. *archived.Store implements it.
type Archive interface {
	Archive(ctx context.Context, rule archived.Rule) (archived.Done, error)
}

// History is the chore of archiving movies whose last event is older than an age. Movies with an event that
// this version cannot read stay in the log.
func History(archive Archive, codec *eventstore.Codec, age time.Duration, logger logrus.FieldLogger) Chore {
	ended := func(events []eventstore.Recorded) (bool, error) { return hasEnded(codec, events) }
	return Chore{Name: "events of old movies", Do: func(ctx context.Context, now time.Time) error {
		done, err := archive.Archive(ctx, archived.Rule{Before: now.Add(-age), Ended: ended})
		if done.Files > 0 {
			logger.WithFields(logrus.Fields{
				"movies": done.Streams, "events": done.Events, "files": done.Files, "bytes": done.Bytes,
			}).Info("old movies archived; the event store removes their events from the log")
		}
		if errors.Is(err, archived.ErrBusy) {
			return nil // another process is archiving the log already
		}
		return err
	}}
}

// hasEnded reports whether all work on a movie is done: the movie has an outcome, and its destinations, if it has any, have their
// results.
func hasEnded(codec *eventstore.Codec, events []eventstore.Recorded) (bool, error) {
	_, project := eventstore.SplitStream(events[0].Stream)
	m := movie.New(domain.ProjectID(project))
	for _, recorded := range events {
		event, _, err := codec.Decode(recorded)
		if errors.Is(err, eventstore.ErrUnavailable) {
			return false, fmt.Errorf("read a movie: %w", err)
		}
		if err != nil {
			return false, nil // this version cannot read an event, so the movie stays in the log
		}
		m.Apply(event)
	}
	if _, closed := m.Closing(); closed && len(m.Destinations()) > 0 {
		return m.Delivered(), nil
	}
	return m.Outcome() != movie.NoOutcome, nil
}

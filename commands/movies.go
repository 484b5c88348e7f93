package commands

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// Movies has the functions that commands on the stream of one movie share: loading the movie, and appending what is decided.
type Movies struct {
	log *eventstore.Log
	now eventstore.Clock
}

// NewMovies returns the movies of a log. Without a clock the movies can be loaded but not changed.
func NewMovies(log *eventstore.Log, now eventstore.Clock) Movies { return Movies{log: log, now: now} }

// decideMovie returns the events by which a command changes a movie; at is the time of the events. It may be called more than
// once, so anything else that it does must be safe to repeat.
type decideMovie func(m *movie.Movie, at time.Time) ([]domain.Event, error)

// DecidedMovie is the result of a decision: the movie after the decision, the end of its stream,
// and the appended events.
type DecidedMovie struct {
	*movie.Movie
	eventstore.Appended
	Events []domain.Event
}

// Known returns the movie as it is after the decision.
func (d DecidedMovie) Known() *KnownMovie { return &KnownMovie{d.Movie, d.Appended} }

// Decide loads a movie, calls the function decide, and appends the events that it returns. If decide returns the error for a lost
// claim, Decide returns ErrNothingToDo.
func (s Movies) Decide(ctx context.Context, project domain.ProjectID, decide decideMovie) (DecidedMovie, error) {
	return s.DecideFor(ctx, "", project, decide)
}

// DecideFor is Decide for a movie that may have no event yet. account is the account of such a movie.
func (s Movies) DecideFor(
	ctx context.Context, account domain.AccountID, project domain.ProjectID, decide decideMovie,
) (DecidedMovie, error) {
	d := DecidedMovie{Movie: movie.New(project)}
	var err error
	d.Appended, err = s.log.Decide(ctx, movie.Stream(project), d.Movie, s.asked(ctx, account, &d, decide))
	return d, outcome(project, err)
}

// asked returns a function for eventstore.Log.Decide, which calls it to get the events to append. The function calls
// decide with the movie in d, stores the events that decide returns in d.Events, and adds their metadata. account is used
// for a movie that has no event yet.
func (s Movies) asked(
	ctx context.Context, account domain.AccountID, d *DecidedMovie, decide decideMovie,
) func() (eventstore.Decision, error) {
	return func() (eventstore.Decision, error) {
		at := s.now.Stamp()
		var err error
		d.Events, err = decide(d.Movie, at)
		return eventstore.Decision{Meta: eventstore.MetaOf(ctx, cmp.Or(d.Account(), account), at), Events: d.Events}, err
	}
}

// KnownMovie is a movie folded up to a place in its stream. It is not safe for concurrent use.
type KnownMovie struct {
	movie *movie.Movie
	at    eventstore.Appended
}

// DecideAfter does what Decide does, without reading the movie's stream first: known is the movie as it was loaded
// before. If other events were appended since, DecideAfter reads them and calls decide again. It brings known up to date.
// When known is nil, DecideAfter loads the movie, as Decide does.
func (s Movies) DecideAfter(
	ctx context.Context, known *KnownMovie, project domain.ProjectID, decide decideMovie,
) (DecidedMovie, error) {
	if known == nil {
		return s.Decide(ctx, project, decide)
	}
	d := DecidedMovie{Movie: known.movie}
	var err error
	d.Appended, err = s.log.DecideAfter(ctx, movie.Stream(project), d.Movie, known.at, s.asked(ctx, "", &d, decide))
	known.at = d.Appended
	return d, outcome(project, err)
}

// outcome returns the error of a command for an error of its decision: ErrNothingToDo for a lost claim.
func outcome(project domain.ProjectID, err error) error {
	switch {
	case errors.Is(err, movie.ErrLost):
		return ErrNothingToDo
	case err != nil:
		return fmt.Errorf("movie %s: %w", project, err)
	}
	return nil
}

// Must is Decide for commands that have something to do only if they append an event: when decide returns no events, the error is
// ErrNothingToDo.
func (s Movies) Must(ctx context.Context, project domain.ProjectID, decide decideMovie) (DecidedMovie, error) {
	d, err := s.Decide(ctx, project, decide)
	if err == nil && len(d.Events) == 0 {
		err = ErrNothingToDo
	}
	return d, err
}

// Load folds the stream of a movie.
func (s Movies) Load(ctx context.Context, project domain.ProjectID) (*movie.Movie, error) {
	m := movie.New(project)
	if _, err := s.log.CatchUp(ctx, movie.Stream(project), eventstore.Appended{Revision: eventstore.NoStream}, m.Apply); err != nil {
		return nil, fmt.Errorf("load movie %s: %w", project, err)
	}
	return m, nil
}

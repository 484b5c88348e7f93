package commands

import (
	"context"
	"errors"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/domain/preload"
	"moviola/eventstore"
)

// ErrNotAtHand is the error of fetching with Fetch.AtHand, which forbids downloads, when a source is not cached.
var ErrNotAtHand = errors.New("a source is not at hand")

// FetchJob is one attempt at fetching the sources of a movie.
type FetchJob struct {
	Account  domain.AccountID
	Project  domain.ProjectID
	Document []byte // the movie JSON
	Fetch
}

// Fetch says how sources are fetched.
type Fetch struct {
	// Since is the time at which fetching for this movie or item first began. A source with "cache": false is used from the
	// cache only if it was downloaded after that time. Zero: it is not used from the cache.
	Since time.Time
	Spent time.Duration // time that earlier attempts have spent on fetching
	// AtHand forbids downloads: when a source is not cached, the error is ErrNotAtHand.
	AtHand bool
}

// FetchClaim is a claim on the fetching of the sources of a movie or of a preload item.
type FetchClaim struct {
	domain.FetchClaim // zero: no claim
	Account           domain.AccountID
	DocumentHash      string         // hex SHA-256 of the movie's stored document; empty for an item
	Item              preload.Wanted // the preload item; zero for a movie
	Fetch             Fetch
}

// StartFetch claims the fetching of a movie's sources for a worker.
type StartFetch struct {
	Project domain.ProjectID
	domain.FetchStart
}

// FinishFetch records that the sources of a movie are fetched or, with a message, ends the movie.
type FinishFetch struct {
	Project domain.ProjectID
	Claim   domain.FetchClaim // zero: the sources were fetched without a claim
	Worker  string
	Message string // why the sources cannot be fetched; empty: the sources are fetched
}

// SourceFetches handles all commands on fetching the sources of movies.
type SourceFetches struct{ movies Movies }

// NewSourceFetches returns a handler.
func NewSourceFetches(log *eventstore.Log, now func() time.Time) SourceFetches {
	return SourceFetches{NewMovies(log, now)}
}

// Wanted returns the sources to fetch for a movie, without claiming the fetching. ErrNothingToDo: there are no sources to fetch,
// or a worker has claimed the fetching.
func (h SourceFetches) Wanted(ctx context.Context, project domain.ProjectID) (FetchClaim, error) {
	m, err := h.movies.Load(ctx, project)
	if err != nil {
		return FetchClaim{}, err
	}
	fetching := m.Fetching()
	if _, claimed := fetching.Claim(); claimed || !m.Fetches() {
		return FetchClaim{}, ErrNothingToDo
	}
	return claimOf(m), nil
}

func claimOf(m *movie.Movie) FetchClaim {
	submitted, _ := m.Submitted()
	fetching := m.Fetching()
	claim := FetchClaim{Account: m.Account(), DocumentHash: submitted.DocumentHash,
		Fetch: Fetch{Since: fetching.First(), Spent: fetching.Spent()}}
	if last, claimed := fetching.Claim(); claimed {
		claim.FetchClaim = last
	}
	return claim
}

// Start claims the fetching of the movie's sources. ErrNothingToDo: there is nothing to fetch, another worker has the claim, or
// Start has just closed the movie, after three crashes.
func (h SourceFetches) Start(ctx context.Context, cmd StartFetch) (FetchClaim, error) {
	d, err := h.movies.Must(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.StartFetch(cmd.FetchStart, at), nil
	})
	if err != nil {
		return FetchClaim{}, err
	}
	if _, ok := d.Events[0].(movie.SourcesFetchStarted); !ok {
		return FetchClaim{}, ErrNothingToDo
	}
	return claimOf(d.Movie), nil
}

// Release hands back a claim on the fetching of a movie's sources, before all of them are fetched. memory reports whether
// the kernel ended a program of this attempt because memory ran out. If memory is true and the attempt was the only work
// in its process, Release closes the movie as failed. It returns ErrNothingToDo when the claim is lost.
func (h SourceFetches) Release(ctx context.Context, project domain.ProjectID, claim domain.FetchClaim, memory bool) error {
	_, err := h.movies.Decide(ctx, project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.ReleaseFetch(claim, memory, at)
	})
	return err
}

// Finish records whether the sources were fetched. ErrNothingToDo: the claim is lost, or the movie is closed.
func (h SourceFetches) Finish(ctx context.Context, cmd FinishFetch) error {
	_, err := h.movies.Decide(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.FinishFetch(cmd.Claim, cmd.Worker, cmd.Message, at)
	})
	return err
}

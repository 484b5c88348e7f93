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

// ErrNotAtHand is what a SourceFetcher returns that was told to download nothing, and would have to.
var ErrNotAtHand = errors.New("a source is not at hand")

// SourceFetcher brings the files that movies and preload items name to where every renderer of the installation finds them. An
// error of type *domain.Error is the movie's own fault (its text is shown to the client); any other may pass. Decision 54.
type SourceFetcher interface {
	FetchSources(ctx context.Context, job FetchJob) error
	FetchItem(ctx context.Context, job PrepareJob, fetch Fetch) error
}

// FetchJob is one attempt at fetching the sources of a movie.
type FetchJob struct {
	Account  domain.AccountID
	Project  domain.ProjectID
	Document []byte // the movie JSON
	Fetch
}

// Fetch is how sources are to be fetched.
type Fetch struct {
	// Since is when fetching for the same movie or item first began: what is to be asked for anew is asked for anew once from
	// then on. Zero: it has to be asked for anew now.
	Since time.Time
	Spent time.Duration // that earlier attempts have fetched
	// AtHand forbids to download anything: what is missing is ErrNotAtHand.
	AtHand bool
}

// FetchClaim is a claim on the fetching of a movie's sources.
type FetchClaim struct {
	domain.FetchClaim // zero: there is none
	Account           domain.AccountID
	DocumentHash      string         // of a movie: hex SHA-256 of the document under DocumentKey
	Item              preload.Wanted // of a batch
	Fetch             Fetch
}

// StartFetch claims the fetching of a movie's sources for a worker.
type StartFetch struct {
	Project domain.ProjectID
	domain.FetchStart
}

// FinishFetch records that the sources of a movie are at hand or, with a message, ends the movie.
type FinishFetch struct {
	Project domain.ProjectID
	Claim   domain.FetchClaim // zero: none was needed
	Worker  string
	Message string // why they cannot be had; empty: they are at hand
}

// SourceFetches handles all that happens to the fetching of movies' sources.
type SourceFetches struct{ movies Movies }

// NewSourceFetches returns a handler.
func NewSourceFetches(log *eventstore.Log, now func() time.Time) SourceFetches {
	return SourceFetches{NewMovies(log, now)}
}

// Wanted tells what is to be fetched, without a claim. ErrNothingToDo: nothing, or somebody has a claim.
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

// Start claims the fetching. ErrNothingToDo: there is nothing to fetch, or another has the claim; or the movie was closed just
// now, because three crashes count against it.
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

// Release hands a claim back without an outcome. One that was alone and ran out of memory closes the movie. ErrNothingToDo: it is
// lost.
func (h SourceFetches) Release(ctx context.Context, project domain.ProjectID, claim domain.FetchClaim, memory bool) error {
	_, err := h.movies.Decide(ctx, project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.ReleaseFetch(claim, memory, at)
	})
	return err
}

// Finish records what came of the fetching. ErrNothingToDo: the claim is lost, or the movie is closed.
func (h SourceFetches) Finish(ctx context.Context, cmd FinishFetch) error {
	_, err := h.movies.Decide(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		return m.FinishFetch(cmd.Claim, cmd.Worker, cmd.Message, at)
	})
	return err
}

package commands

import (
	"context"
	"time"

	"moviola/domain"
	"moviola/domain/movie"
	"moviola/eventstore"
)

// StartRender claims a movie for a worker.
type StartRender struct {
	Project domain.ProjectID
	Worker  string // name of the worker, unique to one start of one process
	Dead    int    // number of the attempt whose worker is known to be dead; 0: none
	Death   domain.Death
	Alone   bool // the process runs no other render and no preload item at the same time
	Windows int  // number of windows of the movie that earlier attempts on this host have encoded
	Encoder movie.Encoder
}

// RenderClaim is a claim on a movie's render.
type RenderClaim struct {
	Account      domain.AccountID
	Attempt      int
	DocumentHash string    // hex SHA-256 of the stored document
	FirstStarted time.Time // start of the first attempt, from which the render timeout is counted
	FetchedSince time.Time // when the movie's sources were first requested; zero: they were not requested yet
	Held         int64     // credits that were held when the movie was submitted
	Draft        bool
	Counted      bool           // the movie is on a counted plan: no credits are held
	MaxCredits   int64          // maximum price that the client accepts; 0: any price
	Outputs      []movie.Output // outputs that the movie asks for beside its MP4
	Until        time.Time      // when the movie times out
	Position     eventstore.Position
}

// StartRenderHandler handles StartRender.
type StartRenderHandler struct {
	movies  Movies
	timeout time.Duration
}

// NewStartRenderHandler returns a handler. The timeout runs from the movie's first RenderStarted.
func NewStartRenderHandler(log *eventstore.Log, now func() time.Time, timeout time.Duration) StartRenderHandler {
	return StartRenderHandler{movies: NewMovies(log, now), timeout: timeout}
}

// Handle claims the movie. ErrNothingToDo: the movie does not exist, is closed, out of time, or claimed by another worker. It is
// also the error when Handle has just closed the movie: because the movie is out of time and no worker renders it, or because
// three of its attempts have crashed.
func (h StartRenderHandler) Handle(ctx context.Context, cmd StartRender) (RenderClaim, error) {
	d, err := h.movies.Must(ctx, cmd.Project, func(m *movie.Movie, at time.Time) ([]domain.Event, error) {
		start := movie.Start{Worker: cmd.Worker, Dead: cmd.Dead, Death: cmd.Death, Alone: cmd.Alone, Windows: cmd.Windows,
			Encoder: cmd.Encoder}
		return m.StartRender(start, at, h.timeout), nil
	})
	if err != nil {
		return RenderClaim{}, err
	}
	started, ok := d.Events[0].(movie.RenderStarted)
	if !ok {
		return RenderClaim{}, ErrNothingToDo
	}
	submitted, _ := d.Submitted()
	fetching := d.Fetching()
	return RenderClaim{
		Account:      d.Account(),
		Attempt:      started.Attempt,
		DocumentHash: submitted.DocumentHash,
		FirstStarted: d.FirstStarted(),
		FetchedSince: fetching.First(),
		Held:         submitted.Held,
		Draft:        submitted.Draft,
		Counted:      submitted.Counted,
		Outputs:      submitted.Outputs,
		Until:        d.FirstStarted().Add(h.timeout),
		MaxCredits:   submitted.MaxCredits,
		Position:     d.Position,
	}, nil
}

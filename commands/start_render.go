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
	Worker  string // unique to one run of one process
	Dead    int    // attempt whose worker is known to be dead; 0: none
	Death   domain.Death
	Alone   bool // this process runs no other render or preload item beside it
	Windows int  // number of windows that earlier attempts have made on this host
	Encoder movie.Encoder
}

// RenderClaim is a claim on a movie's render.
type RenderClaim struct {
	Account      domain.AccountID
	Attempt      int
	DocumentHash string    // hex SHA-256 of the stored document
	FirstStarted time.Time // start of the first attempt: the render timeout runs from it
	FetchedSince time.Time // when its sources were first requested; zero: they were not
	Held         int64     // credits held at submission
	Draft        bool
	Counted      bool           // on a counted plan: nothing is held
	MaxCredits   int64          // the most that the movie may cost; 0: any price
	Outputs      []movie.Output // what the movie asks for beside its MP4
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

// Handle claims the movie. ErrNothingToDo: it is not there, closed, out of time, or claimed by another; or it was closed just
// now, because it is out of time with nobody rendering it, or because three crashes count against it.
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

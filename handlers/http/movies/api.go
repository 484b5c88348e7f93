// Package movies serves the HTTP interface of the service, version 2: movies, as the specification describes them. A
// handler parses and authorises the request, calls commands and queries, and writes their result. The rules of movies are
// in other packages.
package movies

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/commands"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/lint"
	"moviola/domain/plan"
	"moviola/domain/result"
	"moviola/eventstore"
	"moviola/handlers/http/access"
	"moviola/handlers/http/web"
	"moviola/projections"
)

// Movies answers queries for movies. While the log can be read, the state of an open movie that Get returns includes every
// event of the movie's stream, so clients see their own changes. List may lag behind it.
type Movies interface {
	Get(ctx context.Context, project domain.ProjectID) (projections.Movie, bool, error)
	List(ctx context.Context, list projections.MovieList) (projections.MoviePage, error)
}

// Gate determines for which account a call acts.
type Gate interface {
	ActFor(r *http.Request, c access.Call) (access.Call, error)
}

// Balances returns the credits of an account; zero for an account that never had credits.
type Balances interface {
	Get(ctx context.Context, account domain.AccountID) (projections.Balance, error)
}

// Presence returns the row of a work item on the presence board; false: no worker shows one.
type Presence interface {
	Of(ctx context.Context, work string) (projections.Presence, bool, error)
}

// Files reads stored documents.
type Files interface {
	Open(ctx context.Context, key string) (commands.File, error)
}

// Accounts reads accounts.
type Accounts interface {
	Get(ctx context.Context, account domain.AccountID) (projections.Account, bool, error)
}

// Submitter is the command behind POST /movies. Admit checks the account's state before the body is read. Preview checks a
// movie, without the account's credits, and returns the refusal that a submission would get; it changes nothing.
type Submitter interface {
	Admit(ctx context.Context, account domain.AccountID, idempotencyKey string) error
	Handle(ctx context.Context, cmd commands.SubmitMovie) (commands.Submission, error)
	Preview(ctx context.Context, account domain.AccountID, body []byte) (lint.Input, error)
}

// Outside returns the facts that the checks of a movie need beside the movie JSON, as far as the account may see them.
type Outside interface {
	Of(ctx context.Context, account domain.AccountID) lint.Outside
}

// Deleter is the command behind DELETE /movies.
type Deleter interface {
	Handle(ctx context.Context, cmd commands.DeleteFile) (commands.Deletion, error)
}

// Canceller is the command behind POST /movies/cancel.
type Canceller interface {
	Handle(ctx context.Context, cmd commands.CancelMovie) (commands.Cancellation, error)
}

// Redeliverer is the command behind POST /movies/redeliver.
type Redeliverer interface {
	Handle(ctx context.Context, cmd deliveries.RequestRedelivery) (eventstore.Position, error)
}

// History returns all events of a movie of an account, oldest first; false when the account has no such movie.
type History interface {
	History(ctx context.Context, account domain.AccountID, project domain.ProjectID) ([]projections.HistoryEntry, bool, error)
}

// Config is what an API needs. A field is required unless its comment gives the meaning of its zero value.
type Config struct {
	Movies    Movies
	Gate      Gate
	Accounts  Accounts
	Plans     plan.Plans // zero: the built-in plans
	Balances  Balances
	Presence  Presence
	Files     Files
	Submit    Submitter
	Previews  Previews
	Delete    Deleter
	Cancel    Canceller
	Redeliver Redeliverer
	History   History
	Projected web.Projected
	Survey    Surveyor // nil: movies are laid out without fonts when they are validated
	Outside   Outside  // nil: validation uses the movie JSON only
	// PublicURL is the base of every address in answers: scheme and host, no slash at the end. Decision 8.
	PublicURL string
	Tokens    result.Tokens // derives the tokens in the addresses of rendered files
	// CursorKey signs the cursors of lists: at least 16 bytes, the same in every process of an installation.
	CursorKey []byte
	Streams   Streams
	Now       func() time.Time // nil: time.Now
	Log       logrus.FieldLogger
}

// API serves movies. It is safe for concurrent use.
type API struct {
	cfg      Config
	now      func() time.Time
	lists    web.Lists[projections.MovieList]
	answered watermark

	documents postedCache
	echoes    postedCache // caches only the client's id and data of each document, for answers without the movie JSON

	streams   Streams
	turnstile turnstile
	stop      func()
	stopped   chan struct{} // Stop closes it, and then open streams end
}

// New returns an API, or an error that names every missing field of the configuration.
func New(cfg Config) (*API, error) {
	if err := web.Complete(cfg, "Plans", "Streams", "Now", "Survey", "Outside"); err != nil {
		return nil, err
	}
	a := &API{
		cfg: cfg, now: cfg.Now, lists: web.NewLists[projections.MovieList](cfg.CursorKey, "movies-cursor"),
		streams: cfg.Streams.filled(), stopped: make(chan struct{}),
	}
	a.stop = sync.OnceFunc(func() { close(a.stopped) })
	if a.now == nil {
		a.now = time.Now
	}
	return a, nil
}

// Stop ends the open answers of GET /movies/progress. Later ones end after they have sent the state of their movies once. An HTTP
// server waits for running requests when it shuts down, so the caller calls Stop first.
func (a *API) Stop() { a.stop() }

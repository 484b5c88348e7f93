// Package movies serves the HTTP interface of the service, version 2: movies, as the specification describes them. A handler
// parses, authorises, calls one command or query and writes what came of it; it decides nothing else.
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

// Movies answers questions about movies. Get shows what this process has answered before: of an open movie it is never older
// than the movie's stream. List may trail.
type Movies interface {
	Get(ctx context.Context, project domain.ProjectID) (projections.Movie, bool, error)
	List(ctx context.Context, list projections.MovieList) (projections.MoviePage, error)
}

// Gate tells whom a call may act for.
type Gate interface {
	ActFor(r *http.Request, c access.Call) (access.Call, error)
}

// Balances tells what an account can spend. An account without credits yet has the zero Balance.
type Balances interface {
	Get(ctx context.Context, account domain.AccountID) (projections.Balance, error)
}

// Presence tells how far a claim is. False: nobody has shown a sign of life for it.
type Presence interface {
	Of(ctx context.Context, work string) (projections.Presence, bool, error)
}

// Files reads stored documents.
type Files interface {
	Open(ctx context.Context, key string) (commands.File, error)
}

// Accounts finds an account.
type Accounts interface {
	Get(ctx context.Context, account domain.AccountID) (projections.Account, bool, error)
}

// Submitter is the command behind POST /movies. Admit is the check of the account's state, made before the body is read. Preview
// reads a movie and finds the refusal that follows from it, and does nothing.
type Submitter interface {
	Admit(ctx context.Context, account domain.AccountID, idempotencyKey string) error
	Handle(ctx context.Context, cmd commands.SubmitMovie) (commands.Submission, error)
	Preview(ctx context.Context, account domain.AccountID, body []byte) (lint.Input, error)
}

// Outside tells what a movie alone does not, as an account may see it.
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

// History tells all that happened to a movie of an account, oldest first. False: the account has no such movie.
type History interface {
	History(ctx context.Context, account domain.AccountID, project domain.ProjectID) ([]projections.HistoryEntry, bool, error)
}

// Config is what an API needs. Every field is required, but for those that say what they are when left out.
type Config struct {
	Movies    Movies
	Gate      Gate
	Accounts  Accounts
	Plans     plan.Plans // the zero Plans are the built-in ones
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
	Survey    commands.Surveyor // nil: movies are validated without their layout
	Outside   Outside           // nil: nothing beside a movie is looked at to validate it
	// PublicURL is the base of every address handed out: scheme and host, no slash at the end. Decision 8.
	PublicURL string
	Tokens    result.Tokens // in the addresses of rendered files
	// CursorKey signs the cursors of lists. Every process of an installation has the same one: at least 16 bytes.
	CursorKey []byte
	Streams   Streams
	Now       func() time.Time // nil: time.Now
	Log       logrus.FieldLogger
}

// API serves the interface. It is safe for concurrent use.
type API struct {
	cfg      Config
	now      func() time.Time
	lists    web.Lists[projections.MovieList]
	answered watermark

	documents documents
	echoes    documents // without their JSON, for those who do not want to see it

	streams   Streams
	turnstile turnstile
	stop      func()
	stopped   chan struct{} // closed by Stop
}

// New returns an API, or an error that names everything the configuration lacks.
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

// Stop ends the streams that are open, and every later one at its first event. An HTTP server waits for its answers when it
// shuts down: call Stop then.
func (a *API) Stop() { a.stop() }

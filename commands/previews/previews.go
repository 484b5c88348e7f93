// Package previews draws single moments of a movie for its author before the movie is rendered. Nothing is stored outside of
// the caches, nothing is held or charged, and no provider is called. Accounts take turns: of each account one request is
// drawn at a time. The account's plan limits the requests per hour. Each process counts and limits its own requests.
package previews

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"
	"time"

	"moviola/domain"
	"moviola/domain/plan"
	"moviola/eventstore"
	"moviola/internal/fair"
)

// MaxMoments is the maximum number of moments in one request.
const MaxMoments = 12

// Limits of requests for pictures.
const (
	// drawTime is how long drawing may take. The sum of drawTime and waitTime is below the time
	// limit of a request.
	drawTime = 11 * time.Second
	// waitTime is how long a request waits for its turn.
	waitTime = 3 * time.Second
	// hour is the period for which the requests of an account are counted.
	hour = time.Hour
	// maxCounted is the maximum number of accounts whose requests are counted.
	maxCounted = 4096
)

// Job is the input of a Drawer.
type Job struct {
	Account  domain.AccountID
	Document []byte    // the movie's JSON, with its templates filled in
	Moments  []float64 // seconds from the movie's start; empty: the moment of its thumbnail
	// Fetch allows fetching sources, fonts and pages that are not cached.
	Fetch   bool
	MaxSide int // maximum of the pictures' longer side, in pixels
	Now     time.Time
}

// Picture is the picture of one moment.
type Picture struct {
	Seconds float64 // start of the frame, in seconds
	Frame   int64   // number of the frame in the movie, from 0
	Image   image.Image
}

// Drawn is the result of a Drawer.
type Drawn struct {
	Pictures []Picture // in the order of the moments
	Width    int       // width of the movie, in pixels
	Height   int
	Frames   int64   // length of the movie, as far as the available sources tell
	Seconds  float64 // length of the movie, in seconds
	Warnings []string
	Missing  []string // for each placeholder, a sentence about the missing part and the reason
}

// Drawer draws moments of movies. A *domain.Error is the movie's fault. It is safe for concurrent use.
type Drawer interface {
	Stills(ctx context.Context, job Job) (Drawn, error)
}

// Reader parses a body as a submission does: it returns the movie's JSON with its templates filled in, and the account's plan. A
// *domain.Error is the refusal that a submission would get.
type Reader interface {
	Sketch(ctx context.Context, account domain.AccountID, body []byte) (document []byte, allowed plan.Plan, err error)
}

// Config is what a Handler needs. All fields are required.
type Config struct {
	// Drawer returns the Drawer for one request. It is called when it is the request's turn to be drawn: at most Places
	// requests are drawn at the same time. An error of type *domain.Error is the answer to the client.
	Drawer func(ctx context.Context) (Drawer, error)
	Reader Reader
	Now    eventstore.Clock
	Places int // maximum number of requests that are drawn at the same time
}

// Handler draws moments of movies. It is safe for concurrent use.
type Handler struct {
	cfg   Config
	turns *fair.Budget

	mu      sync.Mutex
	waiting map[domain.AccountID]*context.CancelCauseFunc // functions that cancel the request that waits for a place, by account
	counted map[domain.AccountID]*count
}

// count is the number of requests of an account since a point in time.
type count struct {
	since time.Time
	made  int
}

// Draw requests pictures of moments of a movie.
type Draw struct {
	Account domain.AccountID
	Body    []byte
	Moments []float64
	Fetch   bool
	MaxSide int
}

// ErrNoDrawer is the refusal of a process that cannot draw.
var ErrNoDrawer = domain.Errorf(domain.Unavailable, "preview_unavailable",
	"This process cannot draw previews: install ffmpeg beside it, or send the request to a process with the role renderer")

var errReplaced = domain.Errorf(domain.Conflict, "preview_replaced", "A newer preview of this account was asked for: this "+
	"one was not drawn")

// New returns a handler.
func New(cfg Config) *Handler {
	return &Handler{
		cfg: cfg, turns: fair.New(fair.Limits{Total: int64(max(1, cfg.Places)), Account: 1, Wait: waitTime}),
		waiting: map[domain.AccountID]*context.CancelCauseFunc{}, counted: map[domain.AccountID]*count{},
	}
}

// Handle draws the pictures. A request waits for the account's running request, which is not interrupted. When a newer request
// of the account arrives, the waiting request ends with 409. When the process has too much to do, the error is fair.ErrBusy.
func (h *Handler) Handle(ctx context.Context, cmd Draw) (Drawn, error) {
	document, allowed, err := h.cfg.Reader.Sketch(ctx, cmd.Account, cmd.Body)
	if err != nil {
		return Drawn{}, err
	}
	if err := h.admit(cmd.Account, allowed); err != nil {
		return Drawn{}, err
	}
	place, err := h.enter(ctx, cmd.Account)
	if err != nil {
		return Drawn{}, err
	}
	defer place.Release()
	drawer, err := h.cfg.Drawer(ctx)
	if err != nil {
		return Drawn{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, drawTime, domain.Errorf(domain.Unavailable, "preview_too_slow",
		"The preview took longer than %d seconds and was stopped: ask for fewer moments, or render a draft", int(drawTime.Seconds())))
	defer cancel()
	drawn, err := drawer.Stills(ctx, Job{
		Account: cmd.Account, Document: document, Moments: cmd.Moments, Fetch: cmd.Fetch, MaxSide: cmd.MaxSide, Now: h.cfg.Now(),
	})
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return drawn, err
}

// admit counts a request, and refuses it when the plan's limit per hour is reached.
func (h *Handler) admit(account domain.AccountID, allowed plan.Plan) error {
	now, most := h.cfg.Now(), allowed.PreviewsAnHour()
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.counted[account]
	if c == nil || now.Sub(c.since) >= hour {
		if len(h.counted) >= maxCounted {
			h.forget(now)
		}
		c = &count{since: now}
		h.counted[account] = c
	}
	if c.made >= most {
		return domain.Errorf(domain.Forbidden, "preview_quota", "Your plan allows %d previews an hour. The next one is "+
			"possible in %d minutes",
			most, int((hour-now.Sub(c.since)+time.Minute-1)/time.Minute))
	}
	c.made++
	return nil
}

// forget removes counts that are older than an hour. When maxCounted or more counts remain, it
// removes all of them.
func (h *Handler) forget(now time.Time) {
	for account, c := range h.counted {
		if now.Sub(c.since) >= hour {
			delete(h.counted, account)
		}
	}
	if len(h.counted) >= maxCounted {
		clear(h.counted)
	}
}

// enter waits for a place. It ends with errReplaced when a newer request of the account begins to wait.
func (h *Handler) enter(ctx context.Context, account domain.AccountID) (*fair.Part, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	h.mu.Lock()
	if earlier := h.waiting[account]; earlier != nil {
		(*earlier)(errReplaced)
	}
	h.waiting[account] = &cancel
	h.mu.Unlock()
	part, err := h.turns.Take(ctx, string(account), 1)
	h.mu.Lock()
	if h.waiting[account] == &cancel {
		delete(h.waiting, account)
	}
	h.mu.Unlock()
	if err != nil && !errors.Is(err, errReplaced) {
		err = fmt.Errorf("wait to draw a preview: %w", err)
	}
	return part, err
}

package client

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// The statuses of a movie.
const (
	Pending = "pending"
	Running = "running"
	Done    = "done"
	Failed  = "error"
	Timeout = "timeout"
)

// Options of a submission.
type Options struct {
	// IdempotencyKey names the submission: repeating it within 24 hours with the same name makes no second movie. Empty: a
	// new name.
	IdempotencyKey string
	// MaxCredits is the most that the movie may cost: a movie that would cost more is refused, or ends; 0: no limit.
	MaxCredits int64
}

// Submit requests that a movie is rendered. movie is any value that encodes to the movie's JSON, or a json.RawMessage. options
// may be nil.
func (c *Client) Submit(ctx context.Context, movie any, options *Options) (*Submitted, error) {
	body, err := encode(movie)
	if err != nil {
		return nil, err
	}
	var o Options
	if options != nil {
		o = *options
	}
	if o.IdempotencyKey == "" {
		o.IdempotencyKey = rand.Text()
	}
	r := Request{Method: http.MethodPost, Path: "/v2/movies", Header: jsonHeader(), Body: body, Query: url.Values{}}
	r.Header.Set("Idempotency-Key", o.IdempotencyKey)
	if o.MaxCredits > 0 {
		r.Query.Set("max_credits", strconv.FormatInt(o.MaxCredits, 10))
	}
	return ask[Submitted](ctx, c, r)
}

func encode(movie any) ([]byte, error) {
	body, err := json.Marshal(movie)
	if err != nil {
		return nil, fmt.Errorf("encode the movie: %w", err)
	}
	return body, nil
}

// Movie returns the present state of a movie.
func (c *Client) Movie(ctx context.Context, project string) (*Status, error) {
	single, err := ask[Single](ctx, c, Request{Path: "/v2/movies", Query: url.Values{"project": {project}}})
	if err != nil {
		return nil, err
	}
	return &single.Movie, nil
}

// Movies returns a page of movies, the newest first. query has the parameters of GET /v2/movies, such as status and next_token;
// nil: the first page.
func (c *Client) Movies(ctx context.Context, query url.Values) (*List, error) {
	return ask[List](ctx, c, Request{Path: "/v2/movies", Query: query})
}

// The pauses between the requests by which Wait asks for the state of a movie: the first and the longest.
const (
	firstLook = 500 * time.Millisecond
	lastLook  = 5 * time.Second
)

// FailedError is the error for a movie with the status error or timeout.
type FailedError struct{ Movie Status }

func (e *FailedError) Error() string { return e.Movie.Message }

// Wait waits for the end of a movie and returns the movie. For a movie with the status error or timeout it returns the
// movie and a *FailedError. progress, which may be nil, is called with the first state, and whenever status or progress
// have changed since.
func (c *Client) Wait(ctx context.Context, project string, progress func(Status)) (*Status, error) {
	var last Status
	for pause := firstLook; ; pause = min(pause*3/2, lastLook) {
		movie, err := c.Movie(ctx, project)
		if err != nil {
			return nil, err
		}
		if progress != nil && (movie.Status != last.Status || movie.Progress != last.Progress) {
			progress(*movie)
		}
		last = *movie
		switch movie.Status {
		case Done:
			return movie, nil
		case Failed, Timeout:
			return movie, &FailedError{*movie}
		}
		if err := c.sleep(ctx, pause); err != nil {
			return nil, err
		}
	}
}

// Cancel ends a movie that waits or renders.
func (c *Client) Cancel(ctx context.Context, project string) (*Cancelled, error) {
	return ask[Cancelled](ctx, c, Request{
		Method: http.MethodPost, Path: "/v2/movies/cancel", Query: url.Values{"project": {project}},
	})
}

// Delete removes the file of a movie.
func (c *Client) Delete(ctx context.Context, project string) (*Deleted, error) {
	return ask[Deleted](ctx, c, Request{
		Method: http.MethodDelete, Path: "/v2/movies", Query: url.Values{"project": {project}}, Repeatable: true,
	})
}

// Validate returns the mistakes of a movie, up to the limit of the service, and its price. Nothing is stored or charged.
func (c *Client) Validate(ctx context.Context, movie any) (*Validation, error) {
	body, err := encode(movie)
	if err != nil {
		return nil, err
	}
	return ask[Validation](ctx, c, Request{
		Method: http.MethodPost, Path: "/v2/movies/validate", Header: jsonHeader(), Body: body, Repeatable: true,
	})
}

// StillOptions are the options of Stills.
type StillOptions struct {
	Times  []float64 // moments in seconds; none: the moment of the thumbnail
	Format string    // png or jpg; empty: png
	Size   int       // maximum of the longer side, in pixels; 0: the largest that the service allows
	Fetch  bool      // let the service load sources that it has not stored
}

// Stills returns pictures of a movie at the moments in o.Times, without rendering the movie.
func (c *Client) Stills(ctx context.Context, movie any, o StillOptions) (*Stills, error) {
	body, err := encode(movie)
	if err != nil {
		return nil, err
	}
	query := url.Values{"fetch": {strconv.FormatBool(o.Fetch)}}
	if len(o.Times) > 0 {
		times := make([]string, len(o.Times))
		for i, at := range o.Times {
			times[i] = strconv.FormatFloat(at, 'f', -1, 64)
		}
		query.Set("time", strings.Join(times, ","))
	}
	if o.Format != "" {
		query.Set("format", o.Format)
	}
	if o.Size > 0 {
		query.Set("size", strconv.Itoa(o.Size))
	}
	header := jsonHeader()
	header.Set("Accept", "application/json")
	return ask[Stills](ctx, c, Request{
		Method: http.MethodPost, Path: "/v2/movies/still", Query: query, Header: header, Body: body, Repeatable: true,
	})
}

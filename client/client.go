// Package client asks a Moviola service to make movies. It uses the standard library only; the types of answers are generated
// from the service's description.
//
//	c := &client.Client{URL: "http://localhost:8080", Key: os.Getenv("MOVIOLA_API_KEY")}
//	submitted, err := c.Submit(ctx, movie, nil)
//	…
//	done, err := c.Wait(ctx, submitted.Project, nil)
//
// A request is repeated, a few times, when for example the service cannot be reached or is busy, if that does no harm: a
// GET request, one with an Idempotency-Key, and one that is marked Repeatable, such as a deletion. Submit sends an
// Idempotency-Key with every movie.
package client

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Defaults and limits of requests. maxAnswer is in bytes.
const (
	defaultRetries = 4
	firstPause     = 500 * time.Millisecond
	longestPause   = 30 * time.Second
	callTime       = 2 * time.Minute // time limit of one call, until its answer is read
	maxAnswer      = 64 << 20
)

// Client sends requests to one Moviola service with one API key. Its fields must not change while it is used; it is safe for
// concurrent use.
type Client struct {
	URL     string       // base address, such as http://localhost:8080; it may end in /v2
	Key     string       // an API key; empty: the headers of each request authorise it
	HTTP    *http.Client // nil: a client that follows no redirect, which would carry the key elsewhere
	Retries int          // how often a request is repeated at most; 0: 4 times, negative: never
	// Sleep waits between two tries of a request, and between two requests of Wait; nil: by the clock. When the context
	// ends, it must return the error of the context at once.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Error is the error for a request whose answer has another status than 200, or, for the bytes of an upload, than 2xx.
type Error struct {
	Status  int    `json:"-"`       // HTTP status
	Code    string `json:"code"`    // code of the error, which programs compare
	Message string `json:"message"` // a sentence for people
	// Answer is the whole body of the service's answer.
	Answer []byte `json:"-"`

	after time.Duration // time that the service asks the client to wait before the next try
}

func (e *Error) Error() string { return e.Message }

// errForeign is the error for an answer that cannot be that of a Moviola service: it is larger than maxAnswer, or not the
// expected JSON.
var errForeign = errors.New("the answer is not that of a Moviola service: check the address")

// Request is a call of the service, for operations that have no method here.
type Request struct {
	Method string // GET where empty
	Path   string // path with the version, such as /v2/movies
	Query  url.Values
	Header http.Header
	Body   []byte
	// Repeatable permits sending the request again after a failure. For GET requests and requests with an Idempotency-Key this is
	// always permitted.
	Repeatable bool
}

// repeatable reports whether sending a request twice does no harm.
func (r Request) repeatable() bool {
	return r.Repeatable || r.Method == http.MethodGet || r.Header.Get("Idempotency-Key") != ""
}

// Do makes a call, repeats it where that is permitted, and returns the body of an answer with status 200. Any other status
// is an *Error.
func (c *Client) Do(ctx context.Context, r Request) ([]byte, error) {
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	retries := c.Retries
	if retries == 0 {
		retries = defaultRetries
	}
	for try := 0; ; try++ {
		answer, err := c.once(ctx, r)
		var refusal *Error
		passing := err != nil && !final(err) && (!errors.As(err, &refusal) || busy(refusal.Status))
		if !passing || try >= retries || !r.repeatable() || ctx.Err() != nil {
			return answer, err
		}
		wait := min(firstPause<<min(try, 6), longestPause)
		wait = wait/2 + rand.N(wait/2+1)
		if refusal != nil && refusal.after > 0 {
			wait = min(refusal.after, longestPause)
		}
		if c.sleep(ctx, wait) != nil {
			return nil, err
		}
	}
}

// errAddress is the error for a base address to which no request can be sent.
var errAddress = errors.New("the address of the service cannot be used")

// final reports whether the same request must fail again with the same error: because of the address, or of an answer or a
// certificate that is not that of the service.
func final(err error) bool {
	var certificate *tls.CertificateVerificationError
	return errors.Is(err, errAddress) || errors.Is(err, errForeign) || errors.As(err, &certificate)
}

// busy reports whether a status is temporary, so that the same request may succeed later. Spec: Retry guidance.
func busy(status int) bool {
	return status == http.StatusTooManyRequests || status == http.StatusInternalServerError || status == http.StatusBadGateway ||
		status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
}

func (c *Client) sleep(ctx context.Context, d time.Duration) error {
	if c.Sleep != nil {
		return c.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// once sends a request one time, without retries.
func (c *Client) once(ctx context.Context, r Request) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	request, err := c.request(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errAddress, err)
	}
	response, err := c.http().Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the answer: %w", err)
	case len(answer) > maxAnswer:
		return nil, errForeign
	case response.StatusCode == http.StatusOK:
		return answer, nil
	}
	refusal := &Error{Status: response.StatusCode, Answer: answer}
	if json.Unmarshal(answer, refusal) != nil || refusal.Message == "" {
		refusal.Message = fmt.Sprintf("%s answered %s", request.URL.Host, response.Status)
	}
	if seconds, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil && seconds > 0 {
		refusal.after = time.Duration(min(seconds, 3600)) * time.Second
	}
	return nil, refusal
}

// request returns the HTTP request for r.
func (c *Client) request(ctx context.Context, r Request) (*http.Request, error) {
	address := strings.TrimSuffix(strings.TrimRight(c.URL, "/"), "/v2") + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, address, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	if request.URL.Host == "" || request.URL.Scheme != "http" && request.URL.Scheme != "https" {
		return nil, errors.New("it must begin with http:// or https:// and a host")
	}
	for name, values := range r.Header {
		request.Header[name] = values
	}
	if c.Key != "" {
		request.Header.Set("X-Api-Key", c.Key)
	}
	return request, nil
}

// plainClient follows no redirect.
var plainClient = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

func (c *Client) http() *http.Client {
	if c.HTTP != nil {
		return c.HTTP
	}
	return plainClient
}

// ask makes a call and decodes its answer.
func ask[T any](ctx context.Context, c *Client, r Request) (*T, error) {
	answer, err := c.Do(ctx, r)
	if err != nil {
		return nil, err
	}
	var into T
	if err := json.Unmarshal(answer, &into); err != nil {
		return nil, fmt.Errorf("%w (%w)", errForeign, err)
	}
	return &into, nil
}

// jsonHeader returns the header of a request whose body is JSON.
func jsonHeader() http.Header { return http.Header{"Content-Type": {"application/json"}} }

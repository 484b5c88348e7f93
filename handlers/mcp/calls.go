package mcp

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"sync"

	"moviola/domain"
	"moviola/handlers/http/web"
)

// maxOpen is the maximum number of calls with one API key that are served at the same time.
const maxOpen = 16

// opened has the number of calls that are being served, by the SHA-256 of the caller's API key.
type opened struct {
	mu    sync.Mutex
	calls map[[sha256.Size]byte]int
}

func newOpened() *opened { return &opened{calls: map[[sha256.Size]byte]int{}} }

// enter counts a call with an API key until leave is called. It returns false when the key has maxOpen calls already.
func (o *opened) enter(key string) (leave func(), ok bool) {
	id := sha256.Sum256([]byte(key))
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.calls[id] >= maxOpen {
		return nil, false
	}
	o.calls[id]++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.calls[id]--; o.calls[id] == 0 {
			delete(o.calls, id)
		}
	}, true
}

// caller calls operations of the API in this process, on behalf of the client whose headers it has.
type caller struct {
	serve  http.Handler
	header http.Header
	repeat string // idempotency key that the client has chosen, so that a repeated call has no second effect; empty: none
}

// maxAnswer is the maximum size of an operation's answer, in bytes.
const maxAnswer = 16 << 20

var errAnswer = domain.Errorf(domain.Internal, "internal_error", "The answer is too large. Ask for less.")

// ask calls an operation and decodes its answer. It returns a refusal as the *domain.Error of the operation.
func (c caller) ask(ctx context.Context, method, path string, query url.Values, body []byte, into any) error {
	// Values in the outer request's context, such as its log line, must not be used by the inner request. So the inner request gets
	// a context without values.
	ctx, cancel := context.WithCancel(bare{ctx})
	defer cancel()
	address := url.URL{Scheme: "http", Host: "localhost", Path: path, RawQuery: query.Encode()}
	r, err := http.NewRequestWithContext(ctx, method, address.String(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	r.Header.Set(keyHeader, c.header.Get(keyHeader))
	r.Header.Set(web.RequestIDHeader, c.header.Get(web.RequestIDHeader))
	r.Header.Set("Accept", "application/json")
	if len(body) > 0 {
		r.Header.Set("Content-Type", "application/json")
	}
	if c.repeat != "" {
		r.Header.Set(web.IdempotencyHeader, c.repeat)
	}
	answer := &answer{header: http.Header{}}
	c.serve.ServeHTTP(answer, r)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case answer.over:
		return errAnswer
	case answer.status != http.StatusOK:
		return answer.refusal()
	}
	return json.Unmarshal(answer.body.Bytes(), into)
}

// bare is a context without values.
type bare struct{ context.Context }

// Value implements context.Context.
func (bare) Value(any) any { return nil }

// answer is an http.ResponseWriter that stores the answer in memory, up to maxAnswer bytes.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
	over   bool
}

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write implements http.ResponseWriter.
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.over = a.over || a.body.Len()+len(b) > maxAnswer; a.over {
		return 0, errors.New("the answer is too large")
	}
	return a.body.Write(b)
}

// refusal returns the error with which the operation has answered.
func (a *answer) refusal() error {
	var body struct{ Message, Code string }
	if err := json.Unmarshal(a.body.Bytes(), &body); err != nil || body.Code == "" {
		return errors.New("an operation answered " + http.StatusText(a.status))
	}
	return &domain.Error{Kind: domain.Invalid, Code: body.Code, Message: body.Message}
}

// Package webhook calls a receiver once: one POST, and a result whose message contains no secret. A message to an inbox of
// the service is stored instead. The package says whether a retry is allowed, but does not decide when: the schedule
// follows from the movie's stream.
package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/connection"
)

// DefaultWait is how long a receiver may take to answer. Spec: Delivery rules.
const DefaultWait = 30 * time.Second

// Limits for reading the body of a response. A part of it is read, so that a receiver that is still writing gets no error.
const (
	maxAnswerBytes = 64 << 10
	maxAnswerKept  = 2 << 10 // largest number of bytes of the body that Result.Answer gets
	maxAnswerTime  = time.Second
)

// Config is the configuration of a Sender.
type Config struct {
	// Transport sends one request. It must return soon after the time Wait of this Config, follow no redirects, and
	// refuse forbidden addresses. Its errors may have a method Reason() string, which returns the reason in words, without
	// any address. An error that commands.GuardRefusal recognises says that the request was refused.
	Transport http.RoundTripper
	// Inboxes store the messages to inbox addresses. No connection is made to such an address. nil: there are no inboxes.
	Inboxes Inboxes
	// Wait is how long a receiver may take to answer; 0 means DefaultWait.
	Wait time.Duration
	// UserAgent names the service; empty means "Moviola".
	UserAgent string
}

// Sender calls receivers. It is safe for concurrent use.
type Sender struct {
	transport http.RoundTripper
	inboxes   Inboxes
	wait      time.Duration
	agent     string
}

// NewSender returns a sender.
func NewSender(cfg Config) *Sender {
	s := &Sender{transport: cfg.Transport, inboxes: cfg.Inboxes, wait: cfg.Wait, agent: cfg.UserAgent}
	if s.wait <= 0 {
		s.wait = DefaultWait
	}
	if s.agent == "" {
		s.agent = "Moviola"
	}
	return s
}

// Result is how one try ended.
type Result struct {
	Delivered  bool          // the receiver answered with a 2xx status
	HTTPStatus int           // status of the answer; 0: no answer
	Message    string        // text for the account; of the address it contains only scheme and host
	Duration   time.Duration // time from the request until the response's header, or until the try was given up
	// Retry is true when another try is allowed: the receiver answered 5xx, its name was not resolved, or the connection
	// failed before any answer. It is false when the receiver did not answer in time. Spec: Delivery rules.
	Retry bool
	// Sent is the body as it was sent, ContentType its form, Answer the beginning of the response's body.
	Sent        []byte
	ContentType string
	Answer      []byte
}

// Call is one try at a receiver.
type Call struct {
	Account  domain.AccountID // the sending account
	Endpoint string
	// ContentType names the form of the body; those other than FormContent are JSON. Spec: Events, rule 3.
	ContentType string
	Payload     []byte // body of the call before encoding: a flat JSON object
	// Message and Signing are for receivers with signatures: the id of the message, the same in every try, and the secrets that
	// sign it. Without a secret the request has no signature headers. Decision 34.
	Message string
	Signing []string
}

// Send makes one try: a POST. It returns soon after Config.Wait, whatever the receiver does. If ctx ends before the
// receiver has answered, Send returns a Result with Retry false and an error that wraps the error of ctx. If the receiver
// is an inbox, Send sends no request, but hands the message to Config.Inboxes.
func (s *Sender) Send(ctx context.Context, call Call) (Result, error) {
	body, contentType, err := encode(call.Payload, call.ContentType)
	if err != nil {
		return Result{}, err
	}
	started := time.Now()
	try, cancel := context.WithTimeout(ctx, s.wait)
	defer cancel()
	var answered atomic.Bool
	request, err := s.request(traced(try, &answered), call.Endpoint, contentType, body)
	if err != nil {
		return Result{Message: "Not delivered: the endpoint is not a valid address"}, nil
	}
	sign(request.Header, call, started, body)
	if inbox, ours := connection.InboxAt(request.URL); ours {
		return s.handOver(ctx, call.Account, inbox, request, body)
	}
	response, err := s.transport.RoundTrip(request)
	took := time.Since(started)
	var result Result
	switch {
	case err != nil && ctx.Err() != nil:
		return Result{Duration: took}, fmt.Errorf("call a receiver: %w", ctx.Err())
	case err != nil:
		result = s.failed(request.URL, err, answered.Load(), took)
	default:
		result = answer(request.URL, response.StatusCode, took)
		result.Answer = drain(response.Body, cancel)
	}
	result.Sent, result.ContentType = body, contentType
	return result, nil
}

// request builds the POST. Its error never contains the endpoint, which may contain secrets.
func (s *Sender) request(ctx context.Context, endpoint, contentType string, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, errors.New("the endpoint is not a valid address") // the parser's error contains the address
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("User-Agent", s.agent)
	request.Header.Set("Accept-Encoding", "identity")
	if user := request.URL.User; user != nil {
		password, _ := user.Password()
		request.SetBasicAuth(user.Username(), password)
	}
	return request, nil
}

// sign adds the headers of Standard Webhooks. The signature covers the body as it is sent.
func sign(header http.Header, call Call, at time.Time, body []byte) {
	if len(call.Signing) == 0 {
		return
	}
	header.Set("Webhook-Id", call.Message)
	header.Set("Webhook-Timestamp", strconv.FormatInt(at.Unix(), 10))
	header.Set("Webhook-Signature", connection.Sign(call.Signing, call.Message, at, body))
}

// traced records when the receiver begins its response. Interim responses (1xx) do not count.
func traced(ctx context.Context, answered *atomic.Bool) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotFirstResponseByte: func() { answered.Store(true) },
		Got1xxResponse: func(int, textproto.MIMEHeader) error {
			// After an interim response, the first byte does not show that the final one has begun.
			answered.Store(false)
			return nil
		},
	})
}

// drain reads a little of the body, so that the receiver's connection is not reset, and returns its beginning.
func drain(body io.ReadCloser, cancel context.CancelFunc) []byte {
	timer := time.AfterFunc(maxAnswerTime, cancel)
	defer timer.Stop()
	defer body.Close()
	begin, err := io.ReadAll(io.LimitReader(body, maxAnswerKept))
	if err == nil {
		_, _ = io.CopyN(io.Discard, body, maxAnswerBytes-maxAnswerKept)
	}
	return begin
}

// answer returns the result of a try whose response has the given status. Spec: Delivery rules.
func answer(endpoint *url.URL, status int, took time.Duration) Result {
	r := Result{HTTPStatus: status, Duration: took}
	switch {
	case status >= 200 && status <= 299:
		r.Delivered = true
		r.Message = fmt.Sprintf("Delivered to %s", origin(endpoint))
	case status >= 300 && status <= 399:
		r.Message = fmt.Sprintf("Not delivered: %s answered with a redirect (%d), which is not followed", origin(endpoint), status)
	default:
		r.Message = fmt.Sprintf("Not delivered: %s answered with status %d", origin(endpoint), status)
		r.Retry = status >= 500
	}
	return r
}

// failed returns the result for a try without a response.
func (s *Sender) failed(endpoint *url.URL, err error, answered bool, took time.Duration) Result {
	r := Result{Duration: took}
	_, refused := commands.GuardRefusal(err)
	var explained interface{ Reason() string }
	var dns *net.DNSError
	why := "the connection failed"
	if errors.As(err, &explained) {
		why = explained.Reason()
	}
	switch {
	case refused:
	case errors.As(err, &dns): // the host's name was not resolved, or not in time
		r.Retry = true
	case errors.Is(err, context.DeadlineExceeded):
		why = fmt.Sprintf("no answer within %s", s.wait)
	case answered:
		why = "the answer was not complete or not HTTP"
	default:
		r.Retry = true
	}
	r.Message = fmt.Sprintf("Not delivered to %s: %s", origin(endpoint), why)
	return r
}

// origin is the scheme and host of an endpoint. Spec: Destination result entry.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

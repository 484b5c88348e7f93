package speech

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"moviola/commands"
	"moviola/domain"
)

// call is one request to an endpoint.
type call struct {
	endpoint Endpoint
	method   string            // method of the request; empty: POST
	address  string            // address of the request; contains no key
	headers  map[string]string // headers of the request, including the key
	body     []byte
	code     string // code of the errors of this call
	advice   string // what the client can do when the endpoint refuses the request; shown in the error
}

// openAIAddress returns the address of a path of OpenAI's protocol at an endpoint. An endpoint whose URL has no path gets the
// usual /v1 before the path.
func openAIAddress(e Endpoint, path string) string {
	base := strings.TrimRight(e.URL, "/")
	if strings.HasSuffix(base, path) {
		return base
	}
	if u, err := url.Parse(base); err == nil && u.Path == "" {
		base += "/v1"
	}
	return base + path
}

// bearer returns the headers of a request in OpenAI's protocol. kind is the content type of the request's body.
func bearer(e Endpoint, kind string) map[string]string {
	headers := map[string]string{"Content-Type": kind}
	if e.Key != "" {
		headers["Authorization"] = "Bearer " + e.Key
	}
	return headers
}

// passing is a temporary failure.
type passing struct {
	after time.Duration // wait requested by the endpoint; 0: none
}

func (passing) Error() string { return "passing failure" }

// maxRetryAfter is the longest wait that an endpoint can request.
const maxRetryAfter = 30 * time.Second

// send sends a request and returns the answer. Temporary failures (429, 408, 5xx, no whole answer) are retried as often as
// r.retries has pauses: after its pause, or after the time of Retry-After (at most maxRetryAfter) if that is longer.
func (r *remote) send(ctx context.Context, c call) ([]byte, error) {
	for try := 0; ; try++ {
		answer, err := r.once(ctx, c)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var failed passing
		if !errors.As(err, &failed) {
			return answer, err
		}
		if try == len(r.retries) {
			return nil, domain.Errorf(domain.Invalid, c.code, "The speech provider at %s cannot be reached or is overloaded; "+
				"try again later", hostOf(c.endpoint))
		}
		timer := time.NewTimer(max(r.retries[try], failed.after))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, context.Cause(ctx)
		case <-timer.C:
		}
	}
}

func (r *remote) once(ctx context.Context, c call) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	method := c.method
	if method == "" {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(ctx, method, c.address, bytes.NewReader(c.body))
	if err != nil {
		return nil, domain.Errorf(domain.Invalid, c.code, "The address of the speech provider is no address of the web")
	}
	for name, value := range c.headers {
		request.Header.Set(name, value)
	}
	response, err := r.client.Do(request)
	reason, refused := commands.GuardRefusal(err)
	switch {
	case refused:
		return nil, domain.Errorf(domain.Invalid, c.code, "The speech provider at %s is not called: %s; change its address",
			hostOf(c.endpoint), reason)
	case err != nil:
		return nil, passing{} // the error's text would contain the address
	}
	defer response.Body.Close()
	if err := c.refusal(response); err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, passing{}
	case len(answer) > maxAnswer:
		return nil, domain.Errorf(domain.Invalid, c.code, "The speech provider's answer is larger than %d MB", maxAnswer>>20)
	}
	return answer, nil
}

// retryAfter reads the header Retry-After: seconds, or a date.
func retryAfter(value string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.Atoi(value); err == nil {
		wait = time.Duration(min(max(seconds, 0), int(maxRetryAfter/time.Second))) * time.Second
	} else if at, err := http.ParseTime(value); err == nil {
		wait = at.Sub(now)
	}
	return min(max(wait, 0), maxRetryAfter)
}

// refusal returns the error for a response whose status is not a success.
func (c call) refusal(response *http.Response) error {
	status := response.StatusCode
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500:
		return passing{retryAfter(response.Header.Get("Retry-After"), time.Now())}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return domain.Errorf(domain.Invalid, c.code, "The speech provider at %s refused its key; set the right one", hostOf(c.endpoint))
	case status == http.StatusRequestEntityTooLarge:
		return domain.Errorf(domain.Invalid, c.code, "The speech provider at %s found the request too large; use a shorter "+
			"text or movie", hostOf(c.endpoint))
	}
	return domain.Errorf(domain.Invalid, c.code, "The speech provider at %s refused the request with status %d; %s",
		hostOf(c.endpoint), status, c.advice)
}

// hostOf is the host of an endpoint. Unlike the rest of the address, the host may be shown to users.
func hostOf(e Endpoint) string {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" {
		return "its address"
	}
	return u.Host
}

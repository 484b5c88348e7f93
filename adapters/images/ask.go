package images

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"moviola/commands"
	"moviola/domain"
)

const (
	// maxAnswer is the largest answer that is read, maxPicture the largest file, in bytes.
	maxAnswer  = 64 << 20
	maxPicture = 32 << 20
)

// errPassing is the error for a temporary failure: a retry may succeed.
var errPassing = errors.New("passing failure")

// ask has the endpoint generate the picture and returns its file. The endpoint's error texts are not shown, because they may
// contain the key.
func (g *Generator) ask(ctx context.Context, o order) ([]byte, error) {
	for try := 0; ; try++ {
		raw, err := g.askOnce(ctx, o)
		switch {
		case ctx.Err() != nil:
			return nil, fmt.Errorf("generate an image: %w", context.Cause(ctx))
		case !errors.Is(err, errPassing):
			return raw, err
		case try == len(g.cfg.Retries):
			return nil, refusal(o, "cannot be reached or is overloaded; try again later")
		}
		pause := time.NewTimer(g.cfg.Retries[try])
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
	}
}

func (g *Generator) askOnce(ctx context.Context, o order) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, g.cfg.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address(o.endpoint.URL), bytes.NewReader(o.body))
	if err != nil {
		return nil, domain.Errorf(domain.Invalid, codeFailed, "The address of the image provider is no address of the web")
	}
	request.Header.Set("Content-Type", "application/json")
	if o.endpoint.Key != "" {
		request.Header.Set("Authorization", "Bearer "+o.endpoint.Key)
	}
	answer, status, err := g.read(request, maxAnswer)
	if err != nil {
		return nil, err
	}
	if err := judge(o, status); err != nil {
		return nil, err
	}
	return g.unpack(ctx, o, answer)
}

// read sends a request and reads its answer. A request that the guard refuses gets an error for the user. Other failures on the
// way become errPassing, because their texts would contain the address.
func (g *Generator) read(request *http.Request, most int64) (body []byte, status int, err error) {
	response, err := g.cfg.Client.Do(request)
	reason, refused := commands.GuardRefusal(err)
	switch {
	case refused:
		return nil, 0, domain.Errorf(domain.Invalid, codeFailed, "%s is not called for an image: %s; change the address of the "+
			"image provider", request.URL.Host, reason)
	case err != nil:
		return nil, 0, errPassing
	}
	defer response.Body.Close()
	body, err = io.ReadAll(io.LimitReader(response.Body, most+1))
	switch {
	case err != nil:
		return nil, 0, errPassing
	case int64(len(body)) > most:
		return nil, 0, domain.Errorf(domain.Invalid, codeFailed, "The image provider's answer is larger than %d MB", most>>20)
	}
	return body, response.StatusCode, nil
}

// address returns the endpoint's address for generating pictures. If base has no path, the path begins with /v1.
func address(base string) string {
	const path = "/images/generations"
	base = strings.TrimRight(base, "/")
	if strings.HasSuffix(base, path) {
		return base
	}
	if u, err := url.Parse(base); err == nil && u.Path == "" {
		base += "/v1"
	}
	return base + path
}

// judge returns the error for an HTTP status other than success.
func judge(o order, status int) error {
	switch {
	case status >= 200 && status < 300:
		return nil
	case status == http.StatusTooManyRequests, status == http.StatusRequestTimeout, status >= 500:
		return errPassing
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return refusal(o, "refused its key; set the right one")
	}
	return refusal(o, fmt.Sprintf("refused the request with status %d; change the prompt, or check the provider's model and "+
		"'model-settings'", status))
}

func refusal(o order, what string) error {
	host := "its address"
	if u, err := url.Parse(o.endpoint.URL); err == nil && u.Host != "" {
		host = u.Host
	}
	return domain.Errorf(domain.Invalid, codeFailed, "The image provider at %s %s", host, what)
}

// unpack returns the picture of an answer: the answer contains it, or its address.
func (g *Generator) unpack(ctx context.Context, o order, answer []byte) ([]byte, error) {
	var got struct {
		Data []struct {
			B64 string `json:"b64_json"`
			URL string `json:"url"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &got); err != nil || len(got.Data) == 0 {
		return nil, refusal(o, "answered without an image; check its address and model")
	}
	first := got.Data[0]
	text := first.B64
	if text == "" && strings.HasPrefix(first.URL, "data:") {
		text = first.URL
	}
	if text == "" {
		return g.fetch(ctx, o, first.URL)
	}
	if strings.HasPrefix(text, "data:") {
		_, text, _ = strings.Cut(text, ",")
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, refusal(o, "answered with something that is no image")
	}
	return raw, nil
}

// fetch downloads a picture that the answer names. The key is not sent along: the address may belong to another host.
func (g *Generator) fetch(ctx context.Context, o order, from string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil || request.URL.Host == "" {
		return nil, refusal(o, "answered without an image; check its address and model")
	}
	raw, status, err := g.read(request, maxPicture)
	if err == nil && status != http.StatusOK {
		err = refusal(o, fmt.Sprintf("made an image that cannot be downloaded (%d)", status))
	}
	return raw, err
}

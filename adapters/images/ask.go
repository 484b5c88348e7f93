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

// ask has the endpoint generate the picture and returns its file. A picture that was made is paid for: if its download
// fails, only the download is tried again. The endpoint's error texts are not shown, because they may contain the key.
func (g *Generator) ask(ctx context.Context, o order) (raw []byte, err error) {
	var from string
	err = g.retry(ctx, o, "cannot be reached or is overloaded; try again later", func(ctx context.Context) (err error) {
		raw, from, err = g.askOnce(ctx, o)
		return err
	})
	if err == nil && from != "" {
		const lost = "made an image that cannot be downloaded; try again later"
		err = g.retry(ctx, o, lost, func(ctx context.Context) (err error) {
			raw, err = g.fetch(ctx, o, from)
			return err
		})
	}
	return raw, err
}

// retry calls do until it succeeds or fails for good, at most once more than there are Config.Retries. what is the error's
// text when the last failure was temporary, too.
func (g *Generator) retry(ctx context.Context, o order, what string, do func(context.Context) error) error {
	for try := 0; ; try++ {
		limited, cancel := context.WithTimeout(ctx, g.cfg.Timeout)
		err := do(limited)
		cancel()
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("generate an image: %w", context.Cause(ctx))
		case !errors.Is(err, errPassing):
			return err
		case try == len(g.cfg.Retries):
			return refusal(o, what)
		}
		pause := time.NewTimer(g.cfg.Retries[try])
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
		pause.Stop()
	}
}

// askOnce returns the picture or, if the answer names it, the address from which it is downloaded.
func (g *Generator) askOnce(ctx context.Context, o order) (raw []byte, from string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address(o.endpoint.URL), bytes.NewReader(o.body))
	if err != nil {
		return nil, "", domain.Errorf(domain.Invalid, codeFailed,
			"The address of the image provider is no address of the web")
	}
	request.Header.Set("Content-Type", "application/json")
	if o.endpoint.Key != "" {
		request.Header.Set("Authorization", "Bearer "+o.endpoint.Key)
	}
	answer, status, err := g.read(request, maxAnswer)
	if err == nil {
		err = judge(o, status)
	}
	if err != nil {
		return nil, "", err
	}
	return unpack(o, answer)
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

// unpack returns what an answer contains: the picture, or its address.
func unpack(o order, answer []byte) (raw []byte, from string, err error) {
	var got struct {
		Data []struct {
			B64 string `json:"b64_json"`
			URL string `json:"url"`
		} `json:"data"`
	}
	if err := json.Unmarshal(answer, &got); err != nil || len(got.Data) == 0 {
		return nil, "", refusal(o, "answered without an image; check its address and model")
	}
	first := got.Data[0]
	text := first.B64
	if text == "" && strings.HasPrefix(first.URL, "data:") {
		text = first.URL
	}
	if u, err := url.Parse(first.URL); text == "" && (err != nil || u.Host == "") {
		return nil, "", refusal(o, "answered without an image; check its address and model")
	}
	if text == "" {
		return nil, first.URL, nil
	}
	if strings.HasPrefix(text, "data:") {
		_, text, _ = strings.Cut(text, ",")
	}
	if raw, err = base64.StdEncoding.DecodeString(text); err != nil {
		return nil, "", refusal(o, "answered with something that is no image")
	}
	return raw, "", nil
}

// fetch downloads a picture that the answer names. The key is not sent along: the address may belong to another host.
func (g *Generator) fetch(ctx context.Context, o order, from string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, refusal(o, "answered without an image; check its address and model")
	}
	raw, status, err := g.read(request, maxPicture)
	switch {
	case err != nil:
		return nil, err
	case errors.Is(judge(o, status), errPassing):
		return nil, errPassing
	case status != http.StatusOK:
		return nil, refusal(o, fmt.Sprintf("made an image that cannot be downloaded (%d)", status))
	}
	return raw, nil
}

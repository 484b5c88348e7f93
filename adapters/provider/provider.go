// Package provider finds out whether a provider (of OpenAI's protocol, Azure Speech or ElevenLabs) can be reached with a key,
// through a client that its user gives. It draws nothing, says nothing and costs nothing.
package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"moviola/domain"
	"moviola/domain/connection"
)

// maxAnswer is what of an answer is read.
const maxAnswer = 64 << 10

// Prober asks providers. It is safe for concurrent use.
type Prober struct {
	// Client sends requests, follows no redirect and refuses what may not be called. Its errors may have a method Reason() string:
	// why, in words without any address.
	Client *http.Client
}

// listed is what each provider lists for a key that is good, below its base, and the header that takes the key. docs/voices.md
var listed = map[string]struct{ path, header, before string }{
	connection.OpenAI:      {"/models", "Authorization", "Bearer "},
	connection.AzureSpeech: {"/cognitiveservices/voices/list", "Ocp-Apim-Subscription-Key", ""},
	connection.ElevenLabs:  {"/v1/models", "xi-api-key", ""},
}

// Probe lists the provider's models, or voices, with the key of a connection. A *domain.Error says what is wrong with it.
func (p Prober) Probe(ctx context.Context, settings connection.Settings) error {
	base, err := url.Parse(settings.ProviderURL())
	if err != nil || base.Host == "" {
		return refuse("the provider", "its address is not valid")
	}
	place := base.Scheme + "://" + base.Host
	list := listed[settings.Provider()]
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimRight(settings.ProviderURL(), "/")+list.path, nil)
	if err != nil {
		return refuse(place, "its address is not valid") // the parser's error repeats the address
	}
	request.Header.Set(list.header, list.before+settings["key"])
	response, err := p.Client.Do(request)
	if err != nil {
		var explained interface{ Reason() string }
		switch {
		case ctx.Err() != nil:
			return fmt.Errorf("ask %s: %w", place, ctx.Err())
		case errors.As(err, &explained):
			return refuse(place, explained.Reason())
		}
		return refuse(place, "the request failed")
	}
	defer response.Body.Close()
	_, _ = io.CopyN(io.Discard, response.Body, maxAnswer)
	switch {
	// not every provider lists its models; the key is not refused
	case response.StatusCode == http.StatusNotFound && settings.Provider() == connection.OpenAI:
		return nil
	case response.StatusCode < 200 || response.StatusCode > 299:
		return refuse(place, fmt.Sprintf("it answered with status %d", response.StatusCode))
	}
	return nil
}

func refuse(place, why string) error {
	return domain.Errorf(domain.Invalid, "not_delivered", "%s cannot be used: %s", place, why)
}

// Package provider checks whether a provider (with OpenAI's protocol, Azure Speech or ElevenLabs) can be reached with a
// key, through a client that the caller provides. The check requests a list of models or voices, and generates nothing.
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

// maxAnswer is the largest number of bytes that are read of a response.
const maxAnswer = 64 << 10

// Prober checks providers. It is safe for concurrent use.
type Prober struct {
	// Client sends requests. It must not follow redirects, and must refuse forbidden addresses. Its errors may have a method
	// Reason() string, which returns the reason in words without any address.
	Client *http.Client
}

// listed describes a request to each provider that usually succeeds only with a valid key. path is its path below the
// provider's base address. header is the name of the header that holds the key, and before is the text before the key in
// that header. docs/voices.md
var listed = map[string]struct{ path, header, before string }{
	connection.OpenAI:      {"/models", "Authorization", "Bearer "},
	connection.AzureSpeech: {"/cognitiveservices/voices/list", "Ocp-Apim-Subscription-Key", ""},
	connection.ElevenLabs:  {"/v1/models", "xi-api-key", ""},
}

// Probe requests the provider's list of models or voices with the key of a connection. A *domain.Error says what is wrong with
// the connection.
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
	// Some providers list no models: 404 does not mean that the key is refused.
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

package roads

import (
	"context"

	"moviola/adapters/images"
	"moviola/adapters/outbound"
	"moviola/adapters/provider"
	"moviola/adapters/speech"
	"moviola/adapters/vault"
	connectioncommands "moviola/commands/connections"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/eventstore"
)

// NewSavedProvider returns a function that reads an account's saved connection from the log, and returns the settings of
// the provider to which it leads. The function refuses connections of other types than apikey.
func NewSavedProvider(log *eventstore.Log, vault *vault.Vault) SavedProvider {
	saved := connectioncommands.NewConnections(log, vault)
	return func(ctx context.Context, account domain.AccountID, id string) (connection.Settings, error) {
		c, err := saved.Open(ctx, account, id)
		switch {
		case err != nil:
			return nil, err
		case c.Kind != connection.APIKey:
			return nil, domain.Errorf(domain.Invalid, "connection_type",
				"Connection %s is of type %s: prompts, voices and subtitles need one of type apikey", id, c.Kind)
		}
		return c.Settings, nil
	}
}

// SavedProvider returns the settings of a provider in an account's saved connection. Decision 48.
type SavedProvider func(ctx context.Context, account domain.AccountID, id string) (connection.Settings, error)

// Images returns the lookup of image providers for prompts; nil when p is nil.
func (p SavedProvider) Images() func(context.Context, domain.AccountID, string) (images.Endpoint, error) {
	if p == nil {
		return nil
	}
	return func(ctx context.Context, account domain.AccountID, id string) (images.Endpoint, error) {
		s, err := p(ctx, account, id)
		if err == nil {
			err = s.NeedOpenAI(id)
		}
		return images.Endpoint{URL: s["url"], Key: s["key"], Model: s["model"]}, err
	}
}

// Speech returns the lookup of speech providers for voices and subtitles; nil when p is nil.
func (p SavedProvider) Speech() func(context.Context, domain.AccountID, string) (speech.Endpoint, error) {
	if p == nil {
		return nil
	}
	return func(ctx context.Context, account domain.AccountID, id string) (speech.Endpoint, error) {
		s, err := p(ctx, account, id)
		return speech.Endpoint{Provider: speechProviders[s.Provider()], URL: s.ProviderURL(), Key: s["key"], Model: s["model"],
			Voice: s["voice"]}, err
	}
}

// speechProviders has the name in the speech adapter for each provider of a saved connection. A provider that is missing
// here is called by OpenAI's protocol, for which the speech adapter has an empty name.
var speechProviders = map[string]string{connection.AzureSpeech: speech.ProviderAzure,
	connection.ElevenLabs: speech.ProviderElevenLabs}

// NewProber returns a prober, which tests whether providers accept a key. Its requests go through the guard.
func NewProber(guard *outbound.Guard) provider.Prober {
	return provider.Prober{Client: guard.Client(outbound.Options{Connect: connectTime, Header: silentTime})}
}

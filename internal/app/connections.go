package app

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/sirupsen/logrus"

	"moviola/adapters/images"
	"moviola/adapters/outbound"
	"moviola/adapters/provider"
	"moviola/adapters/speech"
	connectioncommands "moviola/commands/connections"
	"moviola/commands/deliveries"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/handlers/http/connections"
	"moviola/internal/secret"
)

// newConnections wires the operations on saved connections.
func (s *service) newConnections(secret secret.Secret, log logrus.FieldLogger) (*connections.API, error) {
	cursorKey, err := secret.Key("cursors")
	if err != nil {
		return nil, err
	}
	guard, err := NewGuard(s.cfg)
	if err != nil {
		return nil, err
	}
	to, err := newDestinations(s.cfg, guard)
	if err != nil {
		return nil, err
	}
	prober := provider.Prober{Client: guard.Client(outbound.Options{Connect: connectTime, Header: silentTime})}
	roads := connectioncommands.TestRoads{Webhook: to.webhook, Senders: to.senders, Provider: prober.Probe, Emails: s.emails()}
	events, now := s.stores.Log, time.Now
	return connections.New(connections.Config{
		Connections: s.models.Connections,
		Save:        connectioncommands.NewSaveConnectionHandler(events, s.vault, rand.Reader, now),
		Delete:      connectioncommands.NewDeleteConnectionHandler(events, now),
		Test:        connectioncommands.NewTestConnectionHandler(events, s.vault, roads, now),
		Projected:   s.models.Reader,
		CursorKey:   cursorKey,
		Log:         log,
	})
}

// emails counts the recipients of e-mails, within what plans allow.
func (s *service) emails() deliveries.CountRecipientsHandler {
	return deliveries.NewCountRecipientsHandler(s.stores.Log, s.plans, time.Now)
}

// savedProvider finds the endpoint behind a saved connection of an account. Decision 48.
type savedProvider func(ctx context.Context, account domain.AccountID, id string) (connection.Settings, error)

func (s *service) savedProvider() savedProvider {
	saved := connectioncommands.NewConnections(s.stores.Log, s.vault)
	return func(ctx context.Context, account domain.AccountID, id string) (connection.Settings, error) {
		c, err := saved.Open(ctx, account, id)
		switch {
		case err != nil:
			return nil, err
		case c.Kind != connection.APIKey:
			return nil, domain.Errorf(domain.Invalid, "connection_type", "Connection %s is of type %s: prompts, voices and subtitles need one of type apikey", id, c.Kind)
		}
		return c.Settings, nil
	}
}

// images finds the endpoint of prompts; nil where there are no connections.
func (p savedProvider) images() func(context.Context, domain.AccountID, string) (images.Endpoint, error) {
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

// speech finds the endpoint of voices and subtitles; nil where there are no connections.
func (p savedProvider) speech() func(context.Context, domain.AccountID, string) (speech.Endpoint, error) {
	if p == nil {
		return nil
	}
	return func(ctx context.Context, account domain.AccountID, id string) (speech.Endpoint, error) {
		s, err := p(ctx, account, id)
		return speech.Endpoint{Provider: speechProviders[s.Provider()], URL: s.ProviderURL(), Key: s["key"], Model: s["model"], Voice: s["voice"]}, err
	}
}

// speechProviders are the protocols that the speech adapter knows besides OpenAI's.
var speechProviders = map[string]string{connection.AzureSpeech: speech.ProviderAzure, connection.ElevenLabs: speech.ProviderElevenLabs}

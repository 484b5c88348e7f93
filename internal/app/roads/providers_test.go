package roads

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"moviola/adapters/images"
	"moviola/adapters/speech"
	"moviola/adapters/vault"
	"moviola/commands/connections"
	"moviola/domain"
	"moviola/domain/connection"
	"moviola/eventstore"
	"moviola/eventstore/memory"
)

// Providers are found behind connections of their kind, of the account's own. Decision 48.
func TestSavedProvider(t *testing.T) {
	t.Parallel()
	v, err := vault.New(make([]byte, 32))
	if err != nil {
		t.Fatal(err)
	}
	log := eventstore.NewLog(memory.New(), eventstore.NewCodec())
	save := connections.NewSaveConnectionHandler(log, v, rand.Reader, time.Now)
	for id, settings := range map[string]map[string]any{
		"mine": {"url": "https://p.example/v1", "key": "hush", "model": "m", "voice": "nova"}, "hook": {"endpoint": "https://a.example"},
		"eleven": {"provider": "elevenlabs", "key": "hush"}, "azure": {"provider": "azure-speech", "region": "eastus", "key": "hush"},
	} {
		kind := connection.APIKey
		if id == "hook" {
			kind = connection.Webhook
		}
		if _, err := save.Handle(t.Context(), connections.SaveConnection{Account: "alice", ID: id, Kind: kind, Settings: settings}); err != nil {
			t.Fatal(err)
		}
	}
	find := NewSavedProvider(log, v)
	if got, err := find.Images()(t.Context(), "alice", "mine"); err != nil || got != (images.Endpoint{URL: "https://p.example/v1", Key: "hush", Model: "m"}) {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := find.Speech()(t.Context(), "alice", "mine"); err != nil || got != (speech.Endpoint{URL: "https://p.example/v1", Key: "hush", Model: "m", Voice: "nova"}) {
		t.Errorf("%+v, %v", got, err)
	}
	for id, want := range map[string]speech.Endpoint{
		"eleven": {Provider: speech.ProviderElevenLabs, URL: "https://api.elevenlabs.io", Key: "hush"},
		"azure":  {Provider: speech.ProviderAzure, URL: "https://eastus.tts.speech.microsoft.com", Key: "hush"},
	} {
		if got, err := find.Speech()(t.Context(), "alice", id); err != nil || got != want {
			t.Errorf("%s: %+v, %v", id, got, err)
		}
		var refusal *domain.Error
		if _, err := find.Images()(t.Context(), "alice", id); !errors.As(err, &refusal) || refusal.Code != "connection_provider" {
			t.Errorf("%s draws: %v", id, err)
		}
	}
	for _, tt := range []struct {
		account domain.AccountID
		id      string
		says    string
	}{{"alice", "hook", "is of type webhook"}, {"alice", "other", "not found"}, {"bob", "mine", "not found"}} {
		_, err := find(t.Context(), tt.account, tt.id)
		var refusal *domain.Error
		if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, tt.says) {
			t.Errorf("%s of %s: %v", tt.id, tt.account, err)
		}
	}
}

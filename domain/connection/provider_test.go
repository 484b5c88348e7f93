package connection_test

import (
	"testing"

	"moviola/domain/connection"
)

// Decision 68. The addresses are those of docs/voices.md.
func TestSettings_Provider(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		settings      connection.Settings
		provider, url string
		code          string // of NeedOpenAI
	}{
		"none named":           {connection.Settings{"url": "https://a.example/v1"}, "openai", "https://a.example/v1", ""},
		"openai":               {connection.Settings{"provider": "openai", "url": "https://a.example/v1"}, "openai", "https://a.example/v1", ""},
		"azure by region":      {connection.Settings{"provider": "azure-speech", "region": "eastus"}, "azure-speech", "https://eastus.tts.speech.microsoft.com", "connection_provider"},
		"azure by address":     {connection.Settings{"provider": "azure-speech", "url": "https://a.example"}, "azure-speech", "https://a.example", "connection_provider"},
		"elevenlabs":           {connection.Settings{"provider": "elevenlabs"}, "elevenlabs", "https://api.elevenlabs.io", "connection_provider"},
		"elevenlabs elsewhere": {connection.Settings{"provider": "elevenlabs", "url": "https://eu.example"}, "elevenlabs", "https://eu.example", "connection_provider"},
	} {
		if tt.settings.Provider() != tt.provider || tt.settings.ProviderURL() != tt.url {
			t.Errorf("%s: %s at %s", name, tt.settings.Provider(), tt.settings.ProviderURL())
		}
		requireCode(t, name, tt.settings.NeedOpenAI("x"), tt.code)
	}
}

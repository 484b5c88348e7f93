package provider_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"moviola/adapters/provider"
	"moviola/domain"
	"moviola/domain/connection"
)

func TestProbe(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/none/models":
			w.WriteHeader(http.StatusNotFound)
		case r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "Bearer canary-good":
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer server.Close()
	prober := provider.Prober{Client: server.Client()}
	for name, tt := range map[string]struct{ url, key, says string }{
		"good":         {server.URL + "/v1", "canary-good", ""},
		"with a slash": {server.URL + "/v1/", "canary-good", ""},
		"no list":      {server.URL + "/none", "canary-good", ""},
		"another key":  {server.URL + "/v1", "canary-bad", server.URL + " cannot be used: it answered with status 401"},
		"nobody there": {"http://127.0.0.1:1/canary", "canary", "http://127.0.0.1:1 cannot be used: the request failed"},
		"no address":   {"canary", "canary", "its address is not valid"},
	} {
		err := prober.Probe(t.Context(), connection.Settings{"url": tt.url, "key": tt.key})
		var refusal *domain.Error
		if tt.says == "" && err != nil || tt.says != "" && (!errors.As(err, &refusal) || !strings.Contains(refusal.Message, tt.says)) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v shows a secret", name, err)
		}
	}
}

// Each vendor is asked by its own protocol. docs/voices.md
func TestProbe_vendors(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		azure := r.URL.Path == "/cognitiveservices/voices/list" && r.Header.Get("Ocp-Apim-Subscription-Key") == "canary-good"
		eleven := r.URL.Path == "/v1/models" && r.Header.Get("xi-api-key") == "canary-good"
		switch {
		case r.Method != http.MethodGet || r.URL.RawQuery != "" || r.Header.Get("Authorization") != "":
			w.WriteHeader(http.StatusBadRequest)
		case r.URL.Path == "/gone/v1/models":
			w.WriteHeader(http.StatusNotFound)
		case !azure && !eleven:
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer server.Close()
	prober := provider.Prober{Client: server.Client()}
	for name, tt := range map[string]struct{ provider, path, key, says string }{
		"azure":                {connection.AzureSpeech, "", "canary-good", ""},
		"azure, another key":   {connection.AzureSpeech, "/", "canary-bad", "it answered with status 401"},
		"elevenlabs":           {connection.ElevenLabs, "", "canary-good", ""},
		"elevenlabs elsewhere": {connection.ElevenLabs, "/gone", "canary-good", "it answered with status 404"},
	} {
		err := prober.Probe(t.Context(), connection.Settings{"provider": tt.provider, "url": server.URL + tt.path, "key": tt.key})
		var refusal *domain.Error
		if tt.says == "" && err != nil || tt.says != "" && (!errors.As(err, &refusal) || !strings.Contains(refusal.Message, tt.says)) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v shows a secret", name, err)
		}
	}
}

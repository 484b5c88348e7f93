package harness

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Provider stands in for an OpenAI-compatible service: it makes pictures of two colours, and hears the same words in every sound.
type Provider struct {
	URL  string
	Host string

	mu      sync.Mutex
	prompts []string
	sounds  [][]byte
}

// ProviderKey is the only key that a Provider takes.
const ProviderKey = "sk-stand-in-secret-key"

// ForbiddenPrompt is refused, as providers refuse what their rules forbid.
const ForbiddenPrompt = "something forbidden"

// NewProvider serves /v1/images/generations and /v1/audio/transcriptions.
func NewProvider(t testing.TB) *Provider {
	t.Helper()
	p := &Provider{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/images/generations", p.image)
	mux.HandleFunc("POST /v1/audio/transcriptions", p.transcription)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+ProviderKey {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	p.URL, p.Host = srv.URL, strings.TrimPrefix(srv.URL, "http://")
	return p
}

// Prompts are the descriptions of which pictures were made, in order.
func (p *Provider) Prompts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.prompts)
}

// Sounds are the files that were listened to, in order.
func (p *Provider) Sounds() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.sounds)
}

// image answers with a picture of the size that was asked for, PictureLeft and PictureRight.
func (p *Provider) image(w http.ResponseWriter, r *http.Request) {
	var order struct {
		Prompt string `json:"prompt"`
		Size   string `json:"size"`
	}
	var width, height int
	if json.NewDecoder(r.Body).Decode(&order) != nil || order.Prompt == ForbiddenPrompt {
		http.Error(w, `{"error":{"message":"refused by the safety system"}}`, http.StatusBadRequest)
		return
	}
	if n, err := fmt.Sscanf(order.Size, "%dx%d", &width, &height); n != 2 || err != nil {
		http.Error(w, "size", http.StatusBadRequest)
		return
	}
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			img.SetNRGBA(x, y, map[bool]color.NRGBA{true: PictureLeft, false: PictureRight}[x < width/2])
		}
	}
	var file bytes.Buffer
	if err := png.Encode(&file, img); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	p.mu.Lock()
	p.prompts = append(p.prompts, order.Prompt)
	p.mu.Unlock()
	_ = json.NewEncoder(w).Encode(map[string]any{"data": []any{map[string]any{"b64_json": base64.StdEncoding.EncodeToString(file.Bytes())}}})
}

// transcription answers with two words in the first two seconds.
func (p *Provider) transcription(w http.ResponseWriter, r *http.Request) {
	file, _, err := r.FormFile("file")
	if err != nil {
		http.Error(w, "file", http.StatusBadRequest)
		return
	}
	defer file.Close()
	sound, err := io.ReadAll(file)
	if err != nil {
		http.Error(w, "file", http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	p.sounds = append(p.sounds, sound)
	p.mu.Unlock()
	_, _ = io.WriteString(w, `{"text":"Hello there.","words":[{"word":"Hello","start":0.2,"end":0.9},{"word":"there","start":1,"end":1.8}]}`)
}

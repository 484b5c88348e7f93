package harness

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Provider stands in for an OpenAI-compatible service: it makes pictures of two colours, turns texts into tones, and transcribes
// every sound as the same words.
type Provider struct {
	URL  string
	Host string

	mu      sync.Mutex
	prompts []string
	sounds  [][]byte
	models  []string
	spoken  []Spoken
}

// Spoken is a request for speech that a Provider has received.
type Spoken struct {
	Model string `json:"model"`
	Voice string `json:"voice"`
	Input string `json:"input"`
}

// ProviderKey is the only key that a Provider takes.
const ProviderKey = "sk-stand-in-secret-key"

// ForbiddenPrompt is a prompt that a Provider refuses, as real providers refuse what their rules forbid.
const ForbiddenPrompt = "something forbidden"

// NewProvider serves /v1/images/generations, /v1/audio/speech and /v1/audio/transcriptions; and of ElevenLabs' protocol
// /v1/models and /v1/text-to-speech/{voice}/with-timestamps.
func NewProvider(t testing.TB) *Provider {
	t.Helper()
	p := &Provider{}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/images/generations", p.image)
	mux.HandleFunc("POST /v1/audio/speech", p.speech)
	mux.HandleFunc("POST /v1/audio/transcriptions", p.transcription)
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `[]`) })
	mux.HandleFunc("POST /v1/text-to-speech/{voice}/with-timestamps", p.timedSpeech)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		eleven := strings.HasSuffix(r.URL.Path, "/with-timestamps") || r.URL.Path == "/v1/models"
		if r.Header.Get("Authorization") != "Bearer "+ProviderKey && !(eleven && r.Header.Get("xi-api-key") == ProviderKey) {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	p.URL, p.Host = srv.URL, strings.TrimPrefix(srv.URL, "http://")
	return p
}

// Prompts returns the prompts of the pictures that were made, in order.
func (p *Provider) Prompts() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.prompts)
}

// Sounds returns the files that were transcribed, in order.
func (p *Provider) Sounds() [][]byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.sounds)
}

// Listeners returns the models of the transcriptions, in order.
func (p *Provider) Listeners() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.models)
}

// Spoken returns the requests for speech, in order.
func (p *Provider) Spoken() []Spoken {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.spoken)
}

// speech answers with a second of a loud tone, silence for a second, and the tone again.
func (p *Provider) speech(w http.ResponseWriter, r *http.Request) {
	var order Spoken
	if json.NewDecoder(r.Body).Decode(&order) != nil || order.Input == "" {
		http.Error(w, "input", http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	p.spoken = append(p.spoken, order)
	p.mu.Unlock()
	const rate, seconds = 8000, 3
	file := []byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00")
	file = binary.LittleEndian.AppendUint32(file, rate)
	file = binary.LittleEndian.AppendUint32(file, 2*rate)
	file = append(file, "\x02\x00\x10\x00data\xff\xff\xff\xff"...)
	for i := range rate * seconds {
		v := 12000 * math.Sin(2*math.Pi*500*float64(i)/rate)
		if i/rate == 1 {
			v = 0
		}
		file = binary.LittleEndian.AppendUint16(file, uint16(int16(v)))
	}
	_, _ = w.Write(file)
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
	picture := map[string]any{"b64_json": base64.StdEncoding.EncodeToString(file.Bytes())}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": []any{picture}})
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
	p.sounds, p.models = append(p.sounds, sound), append(p.models, r.FormValue("model"))
	p.mu.Unlock()
	_, _ = io.WriteString(w, `{"text":"Hello `+
		`there.","words":[{"word":"Hello","start":0.2,"end":0.9},{"word":"there","start":1,"end":1.8}]}`)
}

// timedSpeech answers as ElevenLabs documents it: a tone, with half a second for each character.
func (p *Provider) timedSpeech(w http.ResponseWriter, r *http.Request) {
	var order struct {
		Text  string `json:"text"`
		Model string `json:"model_id"`
	}
	if json.NewDecoder(r.Body).Decode(&order) != nil || order.Text == "" || r.URL.Query().Get("output_format") != "pcm_24000" {
		http.Error(w, "text", http.StatusUnprocessableEntity)
		return
	}
	p.mu.Lock()
	p.spoken = append(p.spoken, Spoken{Model: order.Model, Voice: r.PathValue("voice"), Input: order.Text})
	p.mu.Unlock()
	var answer struct {
		Audio     string `json:"audio_base64"`
		Alignment struct {
			Characters []string  `json:"characters"`
			Starts     []float64 `json:"character_start_times_seconds"`
			Ends       []float64 `json:"character_end_times_seconds"`
		} `json:"alignment"`
	}
	var sound []byte
	for i, c := range []rune(order.Text) {
		a := &answer.Alignment
		a.Characters, a.Starts, a.Ends = append(a.Characters, string(c)), append(a.Starts, float64(i)/2), append(a.Ends, float64(i+1)/2)
		for j := range 12_000 {
			sound = binary.LittleEndian.AppendUint16(sound, uint16(int16(12000*math.Sin(2*math.Pi*500*float64(j)/24_000))))
		}
	}
	answer.Audio = base64.StdEncoding.EncodeToString(sound)
	_ = json.NewEncoder(w).Encode(answer)
}

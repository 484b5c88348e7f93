package speech

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"moviola/commands"
	"moviola/domain"
	"moviola/domain/caption"
)

// remote speaks and transcribes through endpoints. The texts of errors that an endpoint returns are not shown, because they may
// contain the key.
type remote struct {
	client  *http.Client
	timeout time.Duration
	retries []time.Duration
}

// maxAnswer is the largest answer that is read, in bytes.
const maxAnswer = 64 << 20

// castRemote selects model and voice of the endpoint.
func castRemote(j *job, endpoint Endpoint, request commands.SpeechRequest) {
	j.endpoint = endpoint
	switch endpoint.Provider {
	case ProviderAzure:
		castAzure(j, request)
		return
	case ProviderElevenLabs:
		castElevenLabs(j, request)
		return
	}
	j.voice = strings.TrimSpace(request.Voice)
	azure, isAzure := readAzureName(j.voice)
	usual := j.endpoint.Voice
	if usual == "" {
		usual = openAIVoices[azure.gender]
	}
	switch {
	case j.voice == "":
		j.voice = usual
	case isAzure:
		j.warnings = append(j.warnings, fmt.Sprintf("The voice '%s' is not available, the provider's voice '%s' is used",
			shown(j.voice), usual))
		j.voice = usual
	}
	if j.endpoint.Model == "" {
		j.endpoint.Model = "tts-1"
	}
	j.engine = "endpoint " + j.endpoint.URL + " " + j.endpoint.Model + " " + alignVersion
}

// openAIVoices has the voice of OpenAI's protocol for each gender; these voices are not bound to one language. Azure Speech
// has some of these voices under the same names, and states their gender.
var openAIVoices = map[gender]string{unknownGender: "alloy", neutral: "alloy", female: "nova", male: "onyx"}

// speak has the endpoint speak the script of the job. An endpoint with OpenAI's protocol gets the text without the pauses,
// rates and pitches of the script. It returns no times of the words, so they are measured with builtIn, the built-in voice.
// The times are estimated when builtIn is nil, when the endpoint returns an MP3 file, or when the measurement fails.
func (r *remote) speak(ctx context.Context, j job, builtIn *espeak) (spoken, error) {
	switch j.endpoint.Provider {
	case ProviderAzure:
		return r.speakAzure(ctx, j, builtIn)
	case ProviderElevenLabs:
		return r.speakElevenLabs(ctx, j, builtIn)
	}
	text := j.script.text()
	body, err := json.Marshal(map[string]any{
		"model": j.endpoint.Model, "voice": j.voice, "input": text, "response_format": "wav", "speed": j.speed,
	})
	if err != nil {
		return spoken{}, fmt.Errorf("write speech request: %w", err)
	}
	raw, err := r.send(ctx, call{
		endpoint: j.endpoint, address: openAIAddress(j.endpoint, "/audio/speech"),
		headers: bearer(j.endpoint, "application/json"), body: body,
		code: codeProvider, advice: fmt.Sprintf("check the voice '%s' and the provider's model", shown(j.voice)),
	})
	if err != nil {
		return spoken{}, err
	}
	made, err := readSpoken(raw, text)
	if err != nil || made.mp3 != nil || builtIn == nil {
		return made, err
	}
	j.script = slices.Clone(j.script) // a copy is changed, because the caller's script is a part of the cache key
	for i := range j.script {
		j.script[i].pause, j.script[i].rate = 0, 1
	}
	if words, ok := builtIn.follow(ctx, j, sound{made.rate, made.joined()}); ok {
		made.words, made.warnings = words, nil
	}
	return made, nil
}

// readSpoken reads the speech in an endpoint's answer: it recognises the file format and estimates the times of the words of
// text.
func readSpoken(raw []byte, text string) (spoken, error) {
	words := flatten(units(text))
	made := spoken{warnings: []string{"The provider does not say when it speaks each word, so the words' times are estimated"}}
	if s, err := readWAV(raw); err == nil && len(s.samples) > 0 {
		made.rate = s.rate
		made.add(s.samples, estimate(s, words))
		return made, nil
	}
	length, ok := mp3Length(raw)
	if !ok {
		return spoken{}, domain.Errorf(domain.Invalid, codeProvider,
			"The speech provider answered with something that is neither WAV nor MP3; check its address and model")
	}
	made.mp3, made.mp3Time, made.words = raw, length, caption.Spread(words, 0, length)
	return made, nil
}
